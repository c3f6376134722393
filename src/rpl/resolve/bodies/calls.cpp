// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/bodies/calls.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "rpl/resolve/constants/fold.hpp"

namespace slipway::rpl {

// --- calls ---------------------------------------------------------------------------------------------------------

ExprResult CallResolver::resolve_call(const Expr& node) {
  const BuiltinFunction* const builtin = find_builtin(node.a);
  if (builtin && info_of(builtin->id).origin == BuiltinOrigin::Base) return builtins_.call_builtin(node, *builtin);
  const std::uint32_t callee = functions_.find(node.a);
  if (callee != kNone) return call_function(node, callee);
  if (builtin) return builtins_.call_builtin(node, *builtin);
  unknown_function(node);
  expressions_.resolve_arguments(node);
  return {};
}

namespace {

// The built-in function that does what one of GLSL, HLSL or WGSL does, without the type in its name; empty for others.
std::string_view function_of_other_languages(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kFunctions[] = {{"lerp", "mix"},
                                                                                 {"frac", "fract"},
                                                                                 {"saturate", "clamp"},
                                                                                 {"rsqrt", "inverse_sqrt"},
                                                                                 {"inversesqrt", "inverse_sqrt"},
                                                                                 {"inverseSqrt", "inverse_sqrt"},
                                                                                 {"smoothstep", "smooth_step"},
                                                                                 {"mad", "fma"},
                                                                                 {"transpose", "transpose_matrix"},
                                                                                 {"texture", "sample"},
                                                                                 {"Sample", "sample"},
                                                                                 {"textureSample", "sample"},
                                                                                 {"tex2D", "sample"},
                                                                                 {"textureLod", "sample_lod"},
                                                                                 {"texelFetch", "image_fetch"},
                                                                                 {"textureLoad", "image_fetch"},
                                                                                 {"imageLoad", "image_load"},
                                                                                 {"imageStore", "image_store"},
                                                                                 {"textureSize", "image_size"},
                                                                                 {"imageSize", "image_size"}};
  const auto found = std::ranges::find(kFunctions, name, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kFunctions) ? std::string_view() : found->second;
}

// "`max_f1`, `max_f2`, ...": the built-in functions whose names are `name`, `_` and a type.
std::string builtin_family(std::string_view name) {
  std::string text;
  std::size_t count = 0;
  for (const BuiltinFunction& known : builtin_functions()) {
    const bool of_family = known.name.starts_with(name) && known.name.size() > name.size() + 1 &&
                           known.name[name.size()] == '_' && known.name.substr(name.size() + 1).size() == 2;
    if (!of_family || ++count > 2) continue;
    text += formatted("{}`{}`", text.empty() ? "" : ", ", known.name);
  }
  return count > 2 ? text + ", ..." : text;
}

}  // namespace

void CallResolver::unknown_function(const Expr& node) {
  const Range range{node.at, node.at + static_cast<std::uint32_t>(context_.text(node.a).size())};
  if (context_.program->first_function[node.a] != kNone) {
    constants_.note_disabled(context_.error(DiagnosticKind::RplDisabledName, range,
                                            formatted("function `{}` is disabled", context_.text(node.a))),
                             context_.program->first_function[node.a]);
  } else {
    Diagnostic& problem = context_.error(DiagnosticKind::RplUnknownFunction, range,
                                         formatted("there is no function `{}`", context_.text(node.a)));
    std::vector<std::string_view> names;
    for (const Item& item : context_.program->items) {
      if (item.kind == ItemKind::Function && names.size() < 1000) names.push_back(context_.text(item.name));
    }
    for (const BuiltinFunction& known : builtin_functions()) names.push_back(known.name);
    if (type_of_word(node.a) != kErrorType || context_.program->first_struct[node.a] != kNone) {
      problem.hint(formatted("a constructor has braces: `{} {{...}}`", context_.text(node.a)));
    } else if (const std::string family = builtin_family(context_.text(node.a)); !family.empty()) {
      problem.hint(formatted("the name of a built-in function contains its type: {}", family));
    } else if (const std::string_view ours = function_of_other_languages(context_.text(node.a)); !ours.empty()) {
      const std::string with_types = builtin_family(ours);
      problem.hint(formatted("use {}", with_types.empty() ? formatted("`{}`", ours) : with_types));
    } else if (context_.may_suggest()) {
      if (const auto near = closest(context_.text(node.a), names)) problem.suggest(context_.location(range), *near);
    }
  }
}

ExprResult CallResolver::call_function(const Expr& node, std::uint32_t callee) {
  const std::size_t edge = code_.add_call(callee, functions_[callee].item, node.range);
  const List arguments = functions_[callee].arguments;
  const ItemId declared = functions_[callee].item;
  const TypeId result = functions_[callee].result;
  if (node.c != arguments.count) {
    context_
        .error(DiagnosticKind::RplArgCount, node.range,
               formatted("`{}` takes {} argument{}, and the call has {}", context_.text(node.a), arguments.count,
                         arguments.count == 1 ? "" : "s", node.c))
        .note(formatted("`{}` is declared here", context_.text(node.a)),
              context_.location(context_.program->items[declared].name_range));
    expressions_.resolve_arguments(node);
    return result == kVoid ? ExprResult{.kind = ResultKind::Void, .type = kVoid} : ExprResult{};
  }
  const std::size_t mark = argument_stack_.size();
  bool ok = true;
  for (std::uint32_t i = 0; i < node.c; ++i) {
    CallArgument made;
    const Argument wanted = out_.arguments[arguments.first + i];
    ok = resolve_argument(context_.argument(node, i), wanted, made) && ok;
    argument_stack_.push_back(made);
    if (wanted.type == kSampler && made.lvalue != kNone) {
      code_.use_sampler(SamplerUse::Kind::Pass, made.lvalue, context_.expr(context_.argument(node, i)).range, declared,
                        i);
    }
  }
  const List list{static_cast<std::uint32_t>(out_.call_arguments.size()), node.c};
  out_.call_arguments.insert(out_.call_arguments.end(), argument_stack_.begin() + static_cast<std::ptrdiff_t>(mark),
                             argument_stack_.end());
  truncate(argument_stack_, mark);
  if (!ok || result == kErrorType) return {};
  const Ref call = code_.emit(Op::Call, result, node.range, callee, list.first, list.count);
  code_.set_call(edge, call);
  if (result == kVoid) return {.kind = ResultKind::Void, .type = kVoid, .index = call};
  return code_.value_of(call, result);
}

bool CallResolver::resolve_argument(ExprId expression, const Argument& wanted, CallArgument& made) {
  made.access = wanted.access;
  const Range range = context_.expr(expression).range;
  if (out_.types[wanted.type].opaque) return resolve_opaque_argument(expression, wanted.type, made);
  const ExprResult val = expressions_.resolve_expression(expression);
  const auto what = [&] { return formatted("the argument `{}`", context_.text(wanted.name)); };
  if (wanted.access == Access::In) {
    const ExprResult value = access_.load(val, range);
    if (value.kind != ResultKind::Value || wanted.type == kErrorType) return false;
    if (value.type != wanted.type) {
      expressions_.mismatch(DiagnosticKind::RplArgType, expression, wanted.type, value.type, what());
      return false;
    }
    made.value = value.index;
    return true;
  }
  if (val.kind == ResultKind::Error) return false;
  if (val.kind == ResultKind::Buffer || val.kind == ResultKind::Container) {
    context_.error(DiagnosticKind::RplArgPlace, range, "buffers and containers cannot be `out` or `in out` arguments");
    return false;
  }
  if (val.kind != ResultKind::LValue) {
    context_.error(DiagnosticKind::RplArgAccess, range,
                   formatted("{} is `{}` and needs a variable, and this is a {}", what(),
                             wanted.access == Access::Out ? "out" : "in out",
                             val.form == ResultForm::Swizzle ? "swizzle" : "value"));
    return false;
  }
  const LValue ref = out_.lvalues[val.index];
  if (ref.root != LValueRoot::Local && ref.root != LValueRoot::Argument) {
    context_
        .error(DiagnosticKind::RplArgPlace, range,
               "fields of buffers and containers cannot be `out` or `in out` arguments")
        .hint("copy it into a variable");
    return false;
  }
  if (ref.root == LValueRoot::Argument && out_.arguments[ref.index].access == Access::In) {
    context_.error(DiagnosticKind::RplArgAccess, range,
                   formatted("{} is written, and `{}` is an `in` argument", what(),
                             context_.text(out_.arguments[ref.index].name)));
    return false;
  }
  if (wanted.type == kErrorType) return false;
  if (val.type != wanted.type) {
    expressions_.mismatch(DiagnosticKind::RplArgType, expression, wanted.type, val.type, what());
    return false;
  }
  if (wanted.access == Access::InOut) {
    if (!access_.can_read(val, range)) return false;
    made.value = code_.emit(Op::Load, val.type, range, val.index);
  }
  access_.mark_written(val);
  made.lvalue = val.index;
  return true;
}

bool CallResolver::resolve_opaque_argument(ExprId expression, TypeId wanted, CallArgument& made) {
  const Type& of = out_.types[wanted];
  TypeId found = kErrorType;
  made.lvalue =
      builtins_.opaque_argument(expression, of.kind, of.kind == TypeKind::Sampler ? "a sampler" : "an image", found);
  if (made.lvalue == kNone) return false;
  if (found == wanted) return true;
  context_.error(DiagnosticKind::RplArgType, context_.expr(expression).range,
                 formatted("the argument is `{}`, and this is `{}`", out_.type_text(wanted), out_.type_text(found)));
  return false;
}

// --- constructors --------------------------------------------------------------------------------------------------

ExprResult CallResolver::resolve_construct(const Expr& node) {
  TypeId type = type_of_word(node.a);
  const Range name{node.at, node.at + static_cast<std::uint32_t>(context_.text(node.a).size())};
  if (type == kErrorType) type = types_.named_struct(node.a, name);
  const TypeKind kind = out_.types[type].kind;
  const std::size_t mark = operand_stack_.size();
  bool ok = true;
  for (std::uint32_t i = 0; i < node.c; ++i) {
    const ExprId expression = context_.argument(node, i);
    const ExprResult value = expressions_.resolve_value(expression);
    ok = ok && value.kind == ResultKind::Value;
    operand_stack_.push_back(value.index);
    if (value.kind == ResultKind::Value && out_.types[value.type].kind == TypeKind::Array) {
      context_.error(DiagnosticKind::RplArrayValue, context_.expr(expression).range,
                     "an array cannot be an argument of a constructor");
      ok = false;
    }
  }
  ExprResult result;
  if (ok && type != kErrorType) {
    const auto operands = std::span<const Ref>(operand_stack_).subspan(mark);
    if (operands.empty()) {
      result = bad_constructor(node, type, "it needs arguments");
    } else if (kind == TypeKind::Vector) {
      result = construct_vector(node, type, operands);
    } else if (kind == TypeKind::Matrix) {
      result = construct_matrix(node, type, operands);
    } else if (kind == TypeKind::Struct) {
      result = construct_struct(node, type, operands);
    } else {
      result = bad_constructor(node, type, "only vectors, matrices and structs can be constructed");
    }
  }
  truncate(operand_stack_, mark);
  return result;
}

ExprResult CallResolver::bad_constructor(const Expr& node, TypeId type, std::string_view why) {
  std::string given;
  for (std::uint32_t i = 0; i < node.c && i < 8; ++i) {
    const auto at = operand_stack_.size() - node.c + i;
    const Ref ref = operand_stack_[at];
    given += formatted("{}`{}`", i == 0 ? "" : ", ", out_.type_text(out_.type_of(ref)));
  }
  context_.error(
      DiagnosticKind::RplConstructor, node.range,
      formatted("`{}` cannot be made of {}: {}", out_.type_text(type), given.empty() ? "nothing" : given, why));
  return {};
}

// The concatenation of the parts: a constant if all of them are.
ExprResult CallResolver::compose(Op op, const Expr& node, TypeId type, std::span<const Ref> parts, bool constant_all) {
  if (constant_all) {
    fold_buffer_.clear();
    for (const Ref ref : parts) {
      const auto words = code_.words_of(ref);
      fold_buffer_.insert(fold_buffer_.end(), words.begin(), words.end());
    }
    return code_.value_of(code_.add_constant(type, fold_buffer_));
  }
  const List list = code_.keep_operands(parts);
  return code_.value_of(code_.emit(op, type, node.range, list.first, list.count));
}

ExprResult CallResolver::construct_vector(const Expr& node, TypeId type, std::span<const Ref> arguments) {
  const std::uint32_t count = item_count(type);
  const TypeId first = out_.type_of(arguments[0]);
  const auto constant_all = std::ranges::all_of(arguments, [](Ref ref) { return is_constant(ref); });
  if (arguments.size() == 1) {
    const Ref operand = arguments[0];
    if (first == type) return code_.value_of(operand, type);
    if (!is_vector(first)) {
      return bad_constructor(node, type, "it takes vectors and scalars");
    }
    if (item_count(first) == count) {
      fold_buffer_.clear();
      if (constant_all && fold_convert(first, type, code_.words_of(operand), fold_buffer_)) {
        return code_.value_of(code_.add_constant(type, fold_buffer_));
      }
      return code_.value_of(code_.emit(Op::Convert, type, node.range, operand));
    }
    if (first == item_type(type)) {
      if (constant_all) {
        const std::array<std::uint32_t, 4> words = {code_.words_of(operand)[0], code_.words_of(operand)[0],
                                                    code_.words_of(operand)[0], code_.words_of(operand)[0]};
        return code_.value_of(code_.add_constant(type, std::span(words).first(count)));
      }
      return code_.value_of(code_.emit(Op::Splat, type, node.range, operand));
    }
  }
  std::uint32_t total = 0;
  for (const Ref ref : arguments) {
    const TypeId part = out_.type_of(ref);
    if (!is_vector(part) || item_type(part) != item_type(type)) {
      return bad_constructor(node, type, formatted("all parts have `{}` items", builtin_type_name(item_type(type))));
    }
    total += item_count(part);
  }
  if (total != count) {
    return bad_constructor(node, type, formatted("the parts have {} items together, and {} are needed", total, count));
  }
  return compose(Op::Combine, node, type, arguments, constant_all);
}

ExprResult CallResolver::construct_matrix(const Expr& node, TypeId type, std::span<const Ref> arguments) {
  const TypeId column = column_type(type);
  const bool constant_all = std::ranges::all_of(arguments, [](Ref ref) { return is_constant(ref); });
  if (arguments.size() == 1) {
    const Ref operand = arguments[0];
    const TypeId from = out_.type_of(operand);
    if (from == type) return code_.value_of(operand, type);
    if (from == kF4x4 && type == kF3x3) {
      if (constant_all) {
        const auto words = code_.words_of(operand);
        std::array<std::uint32_t, 9> cropped{};
        for (std::size_t i = 0; i < 9; ++i) cropped[i] = words[i / 3 * 4 + i % 3];
        return code_.value_of(code_.add_constant(type, cropped));
      }
      return code_.value_of(code_.emit(Op::Crop, type, node.range, operand));
    }
  }
  const bool columns = arguments.size() == item_count(type) &&
                       std::ranges::all_of(arguments, [&](Ref ref) { return out_.type_of(ref) == column; });
  if (!columns) {
    return bad_constructor(node, type,
                           formatted("it takes {} columns of `{}`{}", item_count(type), builtin_type_name(column),
                                     type == kF3x3 ? ", or one `f4x4` to crop" : ""));
  }
  return compose(Op::Columns, node, type, arguments, constant_all);
}

ExprResult CallResolver::construct_struct(const Expr& node, TypeId type, std::span<const Ref> arguments) {
  const Struct& made = out_.structs[out_.types[type].index];
  if (out_.types[type].holds_array) {
    return bad_constructor(node, type, "a struct with an array inside has no constructor");
  }
  if (arguments.size() != made.members.count) {
    return bad_constructor(node, type, formatted("it has {} fields", made.members.count));
  }
  bool constant_all = true;
  for (std::uint32_t i = 0; i < made.members.count; ++i) {
    const TypeId wanted = out_.members[made.members.first + i].type;
    if (wanted == kErrorType) return {};
    if (out_.type_of(arguments[i]) != wanted) {
      expressions_.mismatch(DiagnosticKind::RplConstructor, context_.argument(node, i), wanted,
                            out_.type_of(arguments[i]),
                            formatted("the field `{}`", context_.text(out_.members[made.members.first + i].name)));
      return {};
    }
    constant_all = constant_all && is_constant(arguments[i]);
  }
  return compose(Op::Build, node, type, arguments, constant_all);
}

}  // namespace slipway::rpl
