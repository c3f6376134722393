// Calls of built-in functions (RPL pages 3.12, 3.13).

#include "base/format.hpp"
#include "rpl/resolve/context.hpp"

namespace slipway::rpl {

namespace {

// The coordinates of an image, one behind the other: `u1 layer, f2` for arrays of layers.
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

ExprResult Resolver::State::call_builtin(const Expr& node, const BuiltinFunction& builtin) {
  const BuiltinInfo& info = info_of(builtin.id);
  if (info.stages != kAllStages) note_stage_use(StageUse::Builtin, info.stages, node.range);
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

ExprResult Resolver::State::finish_builtin(const Expr& node, const BuiltinFunction& builtin, TypeId result,
                                           std::size_t mark) {
  const List list = keep_operands(std::span(operand_stack).subspan(mark));
  operand_stack.resize(mark);
  const Ref ref =
      emit(Op::Builtin, result, node.range, list.first, list.count, 0, static_cast<std::uint8_t>(builtin.id));
  if (result == kVoid) return {.kind = ResultKind::Void, .type = kVoid, .index = ref};
  return value_of(ref, result);
}

bool Resolver::State::value_arguments(const Expr& node, std::uint32_t first, std::span<const TypeId> types,
                                      DiagnosticKind kind) {
  bool good = true;
  for (std::uint32_t i = 0; i < types.size(); ++i) {
    const ExprId expression = argument(node, first + i);
    const ExprResult value = resolve_value(expression);
    operand_stack.push_back(value.index);
    if (value.kind != ResultKind::Value) {
      good = false;
    } else if (value.type != types[i]) {
      mismatch(kind, expression, types[i], value.type, formatted("argument {} of `{}`", first + i + 1, text(node.a)));
      good = false;
    }
  }
  return good;
}

ExprResult Resolver::State::call_fixed(const Expr& node, const BuiltinFunction& builtin) {
  const ExprResult nothing =
      builtin.result == kVoid ? ExprResult{.kind = ResultKind::Void, .type = kVoid} : ExprResult{};
  if (builtin.id == Builtin::Discard) {
    error(DiagnosticKind::RplTypeMismatch, node.range, "a discard is a statement of its own");
    return {};
  }
  if (builtin.id == Builtin::Position && dead == 0) uses.push_back({kNone, true, node.range});
  if (!check_count(node, builtin.argument_count)) return nothing;
  const std::size_t mark = operand_stack.size();
  if (!value_arguments(node, 0, std::span(builtin.arguments).first(builtin.argument_count),
                       DiagnosticKind::RplArgType)) {
    operand_stack.resize(mark);
    return nothing;
  }
  if (builtin.id == Builtin::Pi) return literal(kF1, 0x40490FDB);
  if (builtin.id == Builtin::GroupSize) {
    const std::array<std::uint32_t, 3> sizes = {out.settings[Setting::workgroup_size_x],
                                                out.settings[Setting::workgroup_size_y],
                                                out.settings[Setting::workgroup_size_z]};
    return value_of(add_constant(kU3, sizes));
  }
  return finish_builtin(node, builtin, builtin.result, mark);
}

// --- samplers and images -------------------------------------------------------------------------------------------

std::uint32_t Resolver::State::opaque_argument(ExprId expression, TypeKind kind, std::string_view what, TypeId& type) {
  const ExprResult val = resolve_expression(expression);
  if (val.kind == ResultKind::Error) return kNone;
  type = val.type;
  std::uint32_t index = val.index;
  if (val.kind == ResultKind::LValue) {
    const Type of = out.types[val.type];
    // An array of one image stands for the image.
    if (of.kind == TypeKind::Array && of.opaque && of.length == 1) {
      const LValue from = out.lvalues[val.index];
      const ExprResult zero = literal(kU1, 0);
      out.steps.push_back({StepKind::Element, zero.index});
      out.lvalues.push_back({from.root, from.index, {static_cast<std::uint32_t>(out.steps.size()) - 1, 1}, of.element});
      index = static_cast<std::uint32_t>(out.lvalues.size()) - 1;
      type = of.element;
    }
    if (out.types[type].kind == kind) return index;
  }
  const Range range = expr(expression).range;
  const std::string seen = val.kind == ResultKind::Buffer || val.kind == ResultKind::Container
                               ? std::string(word_of(program->items[val.index].kind))
                               : out.type_text(type);
  Diagnostic& problem =
      error(DiagnosticKind::RplSampleArgs, range, formatted("this must be {}, and is `{}`", what, seen));
  if (out.types[type].kind == TypeKind::Array && out.types[type].opaque) problem.hint("choose an image of the array");
  return kNone;
}

ExprResult Resolver::State::call_sample(const Expr& node, const BuiltinFunction& builtin) {
  const BuiltinFamily family = info_of(builtin.id).family;
  const bool dref = family == BuiltinFamily::SampleDref || family == BuiltinFamily::SampleDrefLod;
  const bool lod = family == BuiltinFamily::SampleLod || family == BuiltinFamily::SampleDrefLod;
  if (node.c < 3) {
    error(DiagnosticKind::RplArgCount, node.range,
          formatted("`{}` takes a sampler, an image and coordinates", text(node.a)));
    for (std::uint32_t i = 0; i < node.c; ++i) resolve_expression(argument(node, i));
    return {};
  }
  TypeId sampler_type = kErrorType, image_type = kErrorType;
  const std::uint32_t sampler = opaque_argument(argument(node, 0), TypeKind::Sampler, "a sampler", sampler_type);
  const std::uint32_t image = opaque_argument(argument(node, 1), TypeKind::Image, "a sampled image", image_type);
  if (sampler == kNone || image == kNone) {
    for (std::uint32_t i = 2; i < node.c; ++i) resolve_expression(argument(node, i));
    return {};
  }
  const auto shape = static_cast<ImageShape>(out.types[image_type].index);
  if (dref && !is_depth(shape)) {
    error(DiagnosticKind::RplDrefColor, node.range,
          formatted("`{}` compares depths, and `{}` is a color image", text(node.a), builtin_type_name(image_type)));
    return {};
  }
  if (dref && shape == ImageShape::Depth3d) {
    error(DiagnosticKind::RplDref3d, node.range, "there is no depth comparison on 3D images");
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
    error(DiagnosticKind::RplSampleArgs, node.range,
          formatted("for `{}`, `{}` takes (sampler, image{})", builtin_type_name(image_type), text(node.a), list));
    return {};
  }
  const std::size_t mark = operand_stack.size();
  operand_stack.push_back(sampler);
  operand_stack.push_back(image);
  if (!value_arguments(node, 2, std::span(types).first(count), DiagnosticKind::RplSampleArgs)) {
    operand_stack.resize(mark);
    return {};
  }
  use_sampler(dref ? SamplerUse::Kind::Compare : SamplerUse::Kind::Plain, sampler, node.range);
  return finish_builtin(node, builtin, dref ? kF1 : kF4, mark);
}

ExprResult Resolver::State::call_image(const Expr& node, const BuiltinFunction& builtin) {
  const BuiltinFamily family = info_of(builtin.id).family;
  if (node.c == 0) {
    check_count(node, 1);
    return {};
  }
  const bool storage_only = family == BuiltinFamily::ImageLoad || family == BuiltinFamily::ImageStore;
  TypeId type = kErrorType;
  // `image_size` takes both kinds: which one is seen from the image itself.
  bool storage = storage_only;
  if (family == BuiltinFamily::ImageSize) storage = node.c == 1;
  const std::uint32_t image = opaque_argument(argument(node, 0), storage ? TypeKind::StorageImage : TypeKind::Image,
                                              storage ? "a storage image" : "a sampled image", type);
  if (image == kNone) {
    for (std::uint32_t i = 1; i < node.c; ++i) resolve_expression(argument(node, i));
    return {};
  }
  const auto shape = static_cast<ImageShape>(out.types[type].index);
  if (family == BuiltinFamily::ImageFetch && dimension_of(shape) == ImageShape::ColorCube) {
    error(DiagnosticKind::RplSampleArgs, node.range, "texels of cube images cannot be fetched");
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
    if (storage_only) result = texel_type(out.types[type]);
    if (family == BuiltinFamily::ImageStore) {
      types[count++] = result;
      result = kVoid;
    }
  }
  if (node.c != 1 + count) {
    std::string list;
    for (std::uint32_t i = 0; i < count; ++i) list += formatted(", {}", builtin_type_name(types[i]));
    error(DiagnosticKind::RplSampleArgs, node.range,
          formatted("for `{}`, `{}` takes (image{})", builtin_type_name(type), text(node.a), list));
    return {};
  }
  const std::size_t mark = operand_stack.size();
  operand_stack.push_back(image);
  if (!value_arguments(node, 1, std::span(types).first(count), DiagnosticKind::RplSampleArgs)) {
    operand_stack.resize(mark);
    return {};
  }
  return finish_builtin(node, builtin, result, mark);
}

// --- buffers -------------------------------------------------------------------------------------------------------

ExprResult Resolver::State::call_tail_length(const Expr& node, const BuiltinFunction& builtin) {
  if (!check_count(node, 1)) return {};
  const ExprId expression = argument(node, 0);
  const ExprResult val = resolve_expression(expression);
  if (val.kind == ResultKind::Error) return {};
  if (val.kind != ResultKind::Buffer || out.buffers[payload[val.index]].tail_item == kErrorType) {
    error(DiagnosticKind::RplArgType, expr(expression).range,
          "`tail_length` takes a buffer that ends in a runtime array");
    return {};
  }
  const Item& item = program->items[val.index];
  use_group(static_cast<Group>(item.set));
  const std::size_t mark = operand_stack.size();
  out.lvalues.push_back({LValueRoot::Buffer, payload[val.index], {}, kErrorType});
  operand_stack.push_back(static_cast<std::uint32_t>(out.lvalues.size()) - 1);
  return finish_builtin(node, builtin, kU1, mark);
}

ExprResult Resolver::State::call_atomic(const Expr& node, const BuiltinFunction& builtin) {
  if (!check_count(node, builtin.argument_count)) return {};
  const ExprId expression = argument(node, 0);
  const Range range = expr(expression).range;
  const ExprResult target = resolve_expression(expression);
  const std::size_t mark = operand_stack.size();
  operand_stack.push_back(target.index);
  bool good = target.kind != ResultKind::Error;
  if (good) {
    const bool place_given = target.kind == ResultKind::LValue;
    const LValue ref = place_given ? out.lvalues[target.index] : LValue{};
    const bool shared = place_given && ref.root == LValueRoot::Buffer &&
                        (out.buffers[ref.index].kind == ItemKind::ReadWriteBuffer ||
                         out.buffers[ref.index].kind == ItemKind::WorkgroupBuffer);
    // A component of a vector has no address of its own for an atomic.
    const bool component =
        ref.steps.count != 0 && out.steps[ref.steps.first + ref.steps.count - 1].kind == StepKind::Component;
    if (!shared || component) {
      error(DiagnosticKind::RplArgPlace, range,
            "an atomic works on a scalar in a `read_write_storage_buffer` or a `workgroup_buffer`");
      good = false;
    } else if (target.type != builtin.type) {
      error(DiagnosticKind::RplArgType, range,
            formatted("`{}` works on `{}`, and this is `{}`", text(node.a), builtin_type_name(builtin.type),
                      out.type_text(target.type)));
      good = false;
    }
  }
  good = value_arguments(node, 1, std::span(builtin.arguments).first(builtin.argument_count).subspan(1),
                         DiagnosticKind::RplArgType) &&
         good;
  if (!good) {
    operand_stack.resize(mark);
    return {};
  }
  can_write(target, range);
  return finish_builtin(node, builtin, builtin.type, mark);
}

}  // namespace slipway::rpl
