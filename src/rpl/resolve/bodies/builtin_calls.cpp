// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/bodies/builtin_calls.hpp"

#include <array>

#include "base/format.hpp"

namespace slipway::rpl {

namespace {

// The types of the coordinates of an image, in order: `u1 layer, f2` for arrays of layers.
struct Coordinates {
  std::array<TypeId, 2> types{};
  std::uint32_t count = 0;
};

Coordinates sample_coordinates(ImageShape shape) {
  switch (dimension_of(shape)) {
    case ImageShape::Color2d:
      return {{kF2}, 1};
    case ImageShape::Color2dArray:
      return {{kU1, kF2}, 2};
    default:
      return {{kF3}, 1};
  }
}

Coordinates texel_coordinates(ImageShape shape) {
  switch (dimension_of(shape)) {
    case ImageShape::Color2d:
      return {{kU2}, 1};
    case ImageShape::Color2dArray:
      return {{kU1, kU2}, 2};
    default:
      return {{kU3}, 1};
  }
}

}  // namespace

std::uint32_t lvalue_operands(Builtin builtin) {
  switch (info_of(builtin).family) {
    case BuiltinFamily::Sample:
    case BuiltinFamily::SampleDref:
    case BuiltinFamily::SampleLod:
    case BuiltinFamily::SampleDrefLod:
      return 3;
    case BuiltinFamily::ImageFetch:
    case BuiltinFamily::ImageSize:
    case BuiltinFamily::ImageLoad:
    case BuiltinFamily::ImageStore:
    case BuiltinFamily::TailLength:
    case BuiltinFamily::Atomic:
    case BuiltinFamily::AtomicUnsigned:
    case BuiltinFamily::AtomicSigned:
    case BuiltinFamily::AtomicCompare:
      return 1;
    default:
      return 0;
  }
}

ExprResult BuiltinCallResolver::call_builtin(const Expr& node, const BuiltinFunction& builtin) {
  const BuiltinInfo& info = info_of(builtin.id);
  if (info.stages != kAllStages) code_.note_stage_use(StageUse::Builtin, info.stages, node.range);
  switch (info.family) {
    case BuiltinFamily::Sample:
    case BuiltinFamily::SampleDref:
    case BuiltinFamily::SampleLod:
    case BuiltinFamily::SampleDrefLod:
      return call_sample(node, builtin);
    case BuiltinFamily::ImageFetch:
    case BuiltinFamily::ImageSize:
    case BuiltinFamily::ImageLoad:
    case BuiltinFamily::ImageStore:
      return call_image(node, builtin);
    case BuiltinFamily::TailLength:
      return call_tail_length(node, builtin);
    case BuiltinFamily::Atomic:
    case BuiltinFamily::AtomicUnsigned:
    case BuiltinFamily::AtomicSigned:
    case BuiltinFamily::AtomicCompare:
      return call_atomic(node, builtin);
    default:
      return call_fixed(node, builtin);
  }
}

ExprResult BuiltinCallResolver::finish_builtin(const Expr& node, const BuiltinFunction& builtin, TypeId result,
                                               std::size_t mark) {
  const List list = code_.keep_operands(std::span(operand_stack_).subspan(mark));
  truncate(operand_stack_, mark);
  const Ref ref =
      code_.emit(Op::Builtin, result, node.range, list.first, list.count, 0, static_cast<std::uint8_t>(builtin.id));
  if (result == kVoid) return {.kind = ResultKind::Void, .type = kVoid, .index = ref};
  return code_.value_of(ref, result);
}

bool BuiltinCallResolver::value_arguments(const Expr& node, std::uint32_t first, std::span<const TypeId> types,
                                          DiagnosticKind kind) {
  bool ok = true;
  for (std::uint32_t i = 0; i < types.size(); ++i) {
    const ExprId expression = context_.argument(node, first + i);
    const ExprResult value = expressions_.resolve_value(expression);
    operand_stack_.push_back(value.index);
    if (value.kind != ResultKind::Value) {
      ok = false;
    } else if (value.type != types[i]) {
      expressions_.mismatch(kind, expression, types[i], value.type,
                            formatted("argument {} of `{}`", first + i + 1, context_.text(node.a)));
      ok = false;
    }
  }
  return ok;
}

ExprResult BuiltinCallResolver::call_fixed(const Expr& node, const BuiltinFunction& builtin) {
  const ExprResult nothing =
      builtin.result == kVoid ? ExprResult{.kind = ResultKind::Void, .type = kVoid} : ExprResult{};
  if (builtin.id == Builtin::Discard) {
    context_.error(DiagnosticKind::RplTypeMismatch, node.range, "a discard is a statement of its own");
    return {};
  }
  if (builtin.id == Builtin::Position) code_.use_field({kNone, true, node.range});
  if (!expressions_.check_count(node, builtin.argument_count)) return nothing;
  const std::size_t mark = operand_stack_.size();
  if (!value_arguments(node, 0, std::span(builtin.arguments).first(builtin.argument_count),
                       DiagnosticKind::RplArgType)) {
    truncate(operand_stack_, mark);
    return nothing;
  }
  if (builtin.id == Builtin::Pi) return code_.literal(kF1, 0x40490FDB);
  if (builtin.id == Builtin::GroupSize) {
    const std::array<std::uint32_t, 3> sizes = {out_.settings[Setting::workgroup_size_x],
                                                out_.settings[Setting::workgroup_size_y],
                                                out_.settings[Setting::workgroup_size_z]};
    return code_.value_of(code_.add_constant(kU3, sizes));
  }
  return finish_builtin(node, builtin, builtin.result, mark);
}

// --- samplers and images -------------------------------------------------------------------------------------------

std::uint32_t BuiltinCallResolver::opaque_argument(ExprId expression, TypeKind kind, std::string_view what,
                                                   TypeId& type) {
  const ExprResult val = expressions_.resolve_expression(expression);
  if (val.kind == ResultKind::Error) return kNone;
  type = val.type;
  std::uint32_t index = val.index;
  if (val.kind == ResultKind::LValue) {
    const Type of = out_.types[val.type];
    // An array of one image is accepted as the image.
    if (of.kind == TypeKind::Array && of.opaque && of.length == 1) {
      const LValue from = out_.lvalues[val.index];
      const ExprResult zero = code_.literal(kU1, 0);
      out_.steps.push_back({StepKind::Element, zero.index});
      out_.lvalues.push_back(
          {from.root, from.index, {static_cast<std::uint32_t>(out_.steps.size()) - 1, 1}, of.element});
      index = static_cast<std::uint32_t>(out_.lvalues.size()) - 1;
      type = of.element;
    }
    if (out_.types[type].kind == kind) return index;
  }
  const Range range = context_.expr(expression).range;
  const std::string seen = val.kind == ResultKind::Buffer || val.kind == ResultKind::Container
                               ? std::string(word_of(context_.program->items[val.index].kind))
                               : out_.type_text(type);
  Diagnostic& problem =
      context_.error(DiagnosticKind::RplSampleArgs, range, formatted("this must be {}, and is `{}`", what, seen));
  if (out_.types[type].kind == TypeKind::Array && out_.types[type].opaque) problem.hint("choose an image of the array");
  return kNone;
}

ExprResult BuiltinCallResolver::call_sample(const Expr& node, const BuiltinFunction& builtin) {
  const BuiltinFamily family = info_of(builtin.id).family;
  const bool dref = family == BuiltinFamily::SampleDref || family == BuiltinFamily::SampleDrefLod;
  const bool lod = family == BuiltinFamily::SampleLod || family == BuiltinFamily::SampleDrefLod;
  if (node.c < 3) {
    context_.error(DiagnosticKind::RplArgCount, node.range,
                   formatted("`{}` takes a sampler, an image and coordinates", context_.text(node.a)));
    expressions_.resolve_arguments(node);
    return {};
  }
  TypeId sampler_type = kErrorType, image_type = kErrorType;
  const std::uint32_t sampler =
      opaque_argument(context_.argument(node, 0), TypeKind::Sampler, "a sampler", sampler_type);
  const std::uint32_t image =
      opaque_argument(context_.argument(node, 1), TypeKind::Image, "a sampled image", image_type);
  if (sampler == kNone || image == kNone) {
    expressions_.resolve_arguments(node, 2);
    return {};
  }
  const auto shape = static_cast<ImageShape>(out_.types[image_type].index);
  if (dref && !is_depth(shape)) {
    context_.error(DiagnosticKind::RplDrefColor, node.range,
                   formatted("`{}` compares depths, and `{}` is a color image", context_.text(node.a),
                             builtin_type_name(image_type)));
    return {};
  }
  if (dref && shape == ImageShape::Depth3d) {
    context_.error(DiagnosticKind::RplDref3d, node.range, "there is no depth comparison on 3D images");
    return {};
  }
  const Coordinates coordinates = sample_coordinates(shape);
  std::array<TypeId, 4> types{};
  std::uint32_t count = 0;
  for (; count < coordinates.count; ++count) types[count] = coordinates.types[count];
  if (dref) types[count++] = kF1;
  if (lod) types[count++] = kF1;
  if (node.c != 2 + count) {
    std::string list;
    for (std::uint32_t i = 0; i < count; ++i) list += formatted(", {}", builtin_type_name(types[i]));
    context_.error(DiagnosticKind::RplSampleArgs, node.range,
                   formatted("for `{}`, `{}` takes (sampler, image{})", builtin_type_name(image_type),
                             context_.text(node.a), list));
    return {};
  }
  const std::size_t mark = operand_stack_.size();
  operand_stack_.push_back(sampler);
  operand_stack_.push_back(image);
  if (!value_arguments(node, 2, std::span(types).first(count), DiagnosticKind::RplSampleArgs)) {
    truncate(operand_stack_, mark);
    return {};
  }
  code_.use_sampler(dref ? SamplerUse::Kind::Compare : SamplerUse::Kind::Plain, sampler, node.range);
  return finish_builtin(node, builtin, dref ? kF1 : kF4, mark);
}

ExprResult BuiltinCallResolver::call_image(const Expr& node, const BuiltinFunction& builtin) {
  const BuiltinFamily family = info_of(builtin.id).family;
  if (node.c == 0) {
    expressions_.check_count(node, 1);
    return {};
  }
  const bool storage_only = family == BuiltinFamily::ImageLoad || family == BuiltinFamily::ImageStore;
  TypeId type = kErrorType;
  // `image_size` takes both kinds: which one is seen from the image itself.
  bool storage = storage_only;
  if (family == BuiltinFamily::ImageSize) storage = node.c == 1;
  const std::uint32_t image =
      opaque_argument(context_.argument(node, 0), storage ? TypeKind::StorageImage : TypeKind::Image,
                      storage ? "a storage image" : "a sampled image", type);
  if (image == kNone) {
    expressions_.resolve_arguments(node, 1);
    return {};
  }
  const auto shape = static_cast<ImageShape>(out_.types[type].index);
  if (family == BuiltinFamily::ImageFetch && dimension_of(shape) == ImageShape::ColorCube) {
    context_.error(DiagnosticKind::RplSampleArgs, node.range, "texels of cube images cannot be fetched");
    return {};
  }
  std::array<TypeId, 4> types{};
  std::uint32_t count = 0;
  TypeId result = kF4;
  if (family == BuiltinFamily::ImageSize) {
    if (!storage) types[count++] = kU1;
    const ImageShape dimension = dimension_of(shape);
    result = dimension == ImageShape::Color2d || dimension == ImageShape::ColorCube ? kU2 : kU3;
  } else {
    const Coordinates coordinates = texel_coordinates(shape);
    for (; count < coordinates.count; ++count) types[count] = coordinates.types[count];
    if (family == BuiltinFamily::ImageFetch) types[count++] = kU1;
    if (storage_only) result = texel_type(out_.types[type]);
    if (family == BuiltinFamily::ImageStore) {
      types[count++] = result;
      result = kVoid;
    }
  }
  if (node.c != 1 + count) {
    std::string list;
    for (std::uint32_t i = 0; i < count; ++i) list += formatted(", {}", builtin_type_name(types[i]));
    context_.error(DiagnosticKind::RplSampleArgs, node.range,
                   formatted("for `{}`, `{}` takes (image{})", builtin_type_name(type), context_.text(node.a), list));
    return {};
  }
  const std::size_t mark = operand_stack_.size();
  operand_stack_.push_back(image);
  if (!value_arguments(node, 1, std::span(types).first(count), DiagnosticKind::RplSampleArgs)) {
    truncate(operand_stack_, mark);
    return {};
  }
  return finish_builtin(node, builtin, result, mark);
}

// --- buffers -------------------------------------------------------------------------------------------------------

ExprResult BuiltinCallResolver::call_tail_length(const Expr& node, const BuiltinFunction& builtin) {
  if (!expressions_.check_count(node, 1)) return {};
  const ExprId expression = context_.argument(node, 0);
  const ExprResult val = expressions_.resolve_expression(expression);
  if (val.kind == ResultKind::Error) return {};
  if (val.kind != ResultKind::Buffer || out_.buffers[declarations_.index_of(val.index)].tail_item == kErrorType) {
    context_.error(DiagnosticKind::RplArgType, context_.expr(expression).range,
                   "`tail_length` takes a buffer that ends in a runtime array");
    return {};
  }
  const Item& item = context_.program->items[val.index];
  code_.use_group(static_cast<Group>(item.set));
  const std::size_t mark = operand_stack_.size();
  out_.lvalues.push_back({LValueRoot::Buffer, declarations_.index_of(val.index), {}, kErrorType});
  operand_stack_.push_back(static_cast<std::uint32_t>(out_.lvalues.size()) - 1);
  return finish_builtin(node, builtin, kU1, mark);
}

ExprResult BuiltinCallResolver::call_atomic(const Expr& node, const BuiltinFunction& builtin) {
  if (!expressions_.check_count(node, builtin.argument_count)) return {};
  const ExprId expression = context_.argument(node, 0);
  const Range range = context_.expr(expression).range;
  const ExprResult target = expressions_.resolve_expression(expression);
  const std::size_t mark = operand_stack_.size();
  operand_stack_.push_back(target.index);
  bool ok = target.kind != ResultKind::Error;
  if (ok) {
    const bool place_given = target.kind == ResultKind::LValue;
    const LValue ref = place_given ? out_.lvalues[target.index] : LValue{};
    const bool shared = place_given && ref.root == LValueRoot::Buffer &&
                        (out_.buffers[ref.index].kind == ItemKind::ReadWriteBuffer ||
                         out_.buffers[ref.index].kind == ItemKind::WorkgroupBuffer);
    // A component of a vector has no address of its own for an atomic.
    const bool component =
        ref.steps.count != 0 && out_.steps[ref.steps.first + ref.steps.count - 1].kind == StepKind::Component;
    if (!shared || component) {
      context_.error(DiagnosticKind::RplArgPlace, range,
                     "an atomic works on a scalar in a `read_write_storage_buffer` or a `workgroup_buffer`");
      ok = false;
    } else if (target.type != builtin.type) {
      context_.error(DiagnosticKind::RplArgType, range,
                     formatted("`{}` works on `{}`, and this is `{}`", context_.text(node.a),
                               builtin_type_name(builtin.type), out_.type_text(target.type)));
      ok = false;
    }
  }
  ok = value_arguments(node, 1, std::span(builtin.arguments).first(builtin.argument_count).subspan(1),
                       DiagnosticKind::RplArgType) &&
       ok;
  if (!ok) {
    truncate(operand_stack_, mark);
    return {};
  }
  access_.can_write(target, range);
  return finish_builtin(node, builtin, builtin.type, mark);
}

}  // namespace slipway::rpl
