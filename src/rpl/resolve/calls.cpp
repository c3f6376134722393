// Calls of functions and constructors (RPL pages 3.4, 3.6).

#include "base/format.hpp"
#include "base/suggest.hpp"
#include "rpl/resolve/context.hpp"

namespace slipway::rpl {

// --- calls ---------------------------------------------------------------------------------------------------------

ExprResult Resolver::State::resolve_call(const Expr& node) {
  const BuiltinFunction* const builtin = find_builtin(node.a);
  if (builtin && info_of(builtin->id).origin == BuiltinOrigin::Base) return call_builtin(node, *builtin);
  const std::uint32_t callee = find_function(node.a);
  if (callee != kNone) return call_function(node, callee);
  if (builtin) return call_builtin(node, *builtin);
  const Range range{node.at, node.at + static_cast<std::uint32_t>(text(node.a).size())};
  if (program->first_function[node.a] != kNone) {
    note_disabled(error(DiagnosticKind::RplDisabledName, range, formatted("function `{}` is disabled", text(node.a))),
                  program->first_function[node.a]);
  } else {
    Diagnostic& problem =
        error(DiagnosticKind::RplUnknownFunction, range, formatted("there is no function `{}`", text(node.a)));
    std::vector<std::string_view> names;
    for (const Item& item : program->items) {
      if (item.kind == ItemKind::Function && names.size() < 1000) names.push_back(text(item.name));
    }
    for (const BuiltinFunction& known : builtin_functions()) names.push_back(known.name);
    if (type_of_word(node.a) != kErrorType || program->first_struct[node.a] != kNone) {
      problem.hint(formatted("a constructor has braces: `{} {{...}}`", text(node.a)));
    } else if (may_suggest()) {
      if (const auto near = closest(text(node.a), names)) problem.suggest(location(range), *near);
    }
  }
  for (std::uint32_t i = 0; i < node.c; ++i) resolve_expression(argument(node, i));
  return {};
}

bool Resolver::State::check_count(const Expr& node, std::uint32_t wanted) {
  if (node.c == wanted) return true;
  error(
      DiagnosticKind::RplArgCount, node.range,
      formatted("`{}` takes {} argument{}, and the call has {}", text(node.a), wanted, wanted == 1 ? "" : "s", node.c));
  for (std::uint32_t i = 0; i < node.c; ++i) resolve_expression(argument(node, i));
  return false;
}

ExprResult Resolver::State::call_function(const Expr& node, std::uint32_t callee) {
  const std::size_t edge = edges.size();
  edges.push_back({current, callee, functions[callee].item, kNoRef, dead != 0, node.range});
  const List arguments = functions[callee].arguments;
  const ItemId declared = functions[callee].item;
  const TypeId result = functions[callee].result;
  if (node.c != arguments.count) {
    error(DiagnosticKind::RplArgCount, node.range,
          formatted("`{}` takes {} argument{}, and the call has {}", text(node.a), arguments.count,
                    arguments.count == 1 ? "" : "s", node.c))
        .note(formatted("`{}` is declared here", text(node.a)), location(program->items[declared].name_range));
    for (std::uint32_t i = 0; i < node.c; ++i) resolve_expression(argument(node, i));
    return result == kVoid ? ExprResult{.kind = ResultKind::Void, .type = kVoid} : ExprResult{};
  }
  const std::size_t mark = argument_stack.size();
  bool good = true;
  for (std::uint32_t i = 0; i < node.c; ++i) {
    CallArgument made;
    const Argument wanted = out.arguments[arguments.first + i];
    good = resolve_argument(argument(node, i), wanted, made) && good;
    argument_stack.push_back(made);
    if (wanted.type == kSampler && made.lvalue != kNone) {
      use_sampler(SamplerUse::Kind::Pass, made.lvalue, expr(argument(node, i)).range, declared, i);
    }
  }
  const List list{static_cast<std::uint32_t>(out.call_arguments.size()), node.c};
  out.call_arguments.insert(out.call_arguments.end(), argument_stack.begin() + static_cast<std::ptrdiff_t>(mark),
                            argument_stack.end());
  argument_stack.resize(mark);
  if (!good || result == kErrorType) return {};
  const Ref call = emit(Op::Call, result, node.range, callee, list.first, list.count);
  if (dead == 0) edges[edge].code = call;
  if (result == kVoid) return {.kind = ResultKind::Void, .type = kVoid, .index = call};
  return value_of(call, result);
}

bool Resolver::State::resolve_argument(ExprId expression, const Argument& wanted, CallArgument& made) {
  made.access = wanted.access;
  const Range range = expr(expression).range;
  if (out.types[wanted.type].opaque) return resolve_opaque_argument(expression, wanted.type, made);
  const ExprResult val = resolve_expression(expression);
  const auto what = [&] { return formatted("the argument `{}`", text(wanted.name)); };
  if (wanted.access == Access::In) {
    const ExprResult value = load(val, range);
    if (value.kind != ResultKind::Value || wanted.type == kErrorType) return false;
    if (value.type != wanted.type) {
      mismatch(DiagnosticKind::RplArgType, expression, wanted.type, value.type, what());
      return false;
    }
    made.value = value.index;
    return true;
  }
  if (val.kind == ResultKind::Error) return false;
  if (val.kind == ResultKind::Buffer || val.kind == ResultKind::Container) {
    error(DiagnosticKind::RplArgPlace, range, "buffers and containers cannot be `out` or `in out` arguments");
    return false;
  }
  if (val.kind != ResultKind::LValue) {
    error(DiagnosticKind::RplArgAccess, range,
          formatted("{} is `{}` and needs a variable, and this is a {}", what(),
                    wanted.access == Access::Out ? "out" : "in out",
                    val.form == ResultForm::Swizzle ? "swizzle" : "value"));
    return false;
  }
  const LValue ref = out.lvalues[val.index];
  if (ref.root != LValueRoot::Local && ref.root != LValueRoot::Argument) {
    error(DiagnosticKind::RplArgPlace, range, "fields of buffers and containers cannot be `out` or `in out` arguments")
        .hint("copy it into a variable");
    return false;
  }
  if (ref.root == LValueRoot::Argument && out.arguments[ref.index].access == Access::In) {
    error(DiagnosticKind::RplArgAccess, range,
          formatted("{} is written, and `{}` is an `in` argument", what(), text(out.arguments[ref.index].name)));
    return false;
  }
  if (wanted.type == kErrorType) return false;
  if (val.type != wanted.type) {
    mismatch(DiagnosticKind::RplArgType, expression, wanted.type, val.type, what());
    return false;
  }
  if (wanted.access == Access::InOut) {
    if (!can_read(val, range)) return false;
    made.value = emit(Op::Load, val.type, range, val.index);
  }
  mark_written(val);
  made.lvalue = val.index;
  return true;
}

bool Resolver::State::resolve_opaque_argument(ExprId expression, TypeId wanted, CallArgument& made) {
  const Type& of = out.types[wanted];
  TypeId found = kErrorType;
  made.lvalue = opaque_argument(expression, of.kind, of.kind == TypeKind::Sampler ? "a sampler" : "an image", found);
  if (made.lvalue == kNone) return false;
  if (found == wanted) return true;
  error(DiagnosticKind::RplArgType, expr(expression).range,
        formatted("the argument is `{}`, and this is `{}`", out.type_text(wanted), out.type_text(found)));
  return false;
}

// --- constructors --------------------------------------------------------------------------------------------------

ExprResult Resolver::State::resolve_construct(const Expr& node) {
  TypeId type = type_of_word(node.a);
  const Range name{node.at, node.at + static_cast<std::uint32_t>(text(node.a).size())};
  if (type == kErrorType) type = named_struct(node.a, name);
  const TypeKind kind = out.types[type].kind;
  const std::size_t mark = operand_stack.size();
  bool good = true;
  for (std::uint32_t i = 0; i < node.c; ++i) {
    const ExprId expression = argument(node, i);
    const ExprResult value = resolve_value(expression);
    good = good && value.kind == ResultKind::Value;
    operand_stack.push_back(value.index);
    if (value.kind == ResultKind::Value && out.types[value.type].kind == TypeKind::Array) {
      error(DiagnosticKind::RplArrayValue, expr(expression).range, "an array cannot be an argument of a constructor");
      good = false;
    }
  }
  ExprResult result;
  if (good && type != kErrorType) {
    const auto operands = std::span<const Ref>(operand_stack).subspan(mark);
    if (operands.empty()) {
      bad_constructor(node, type, "it needs arguments");
    } else if (kind == TypeKind::Vector) {
      result = construct_vector(node, type, operands);
    } else if (kind == TypeKind::Matrix) {
      result = construct_matrix(node, type, operands);
    } else if (kind == TypeKind::Struct) {
      result = construct_struct(node, type, operands);
    } else {
      bad_constructor(node, type, "only vectors, matrices and structs can be constructed");
    }
  }
  operand_stack.resize(mark);
  return result;
}

bool Resolver::State::bad_constructor(const Expr& node, TypeId type, std::string_view why) {
  std::string given;
  for (std::uint32_t i = 0; i < node.c && i < 8; ++i) {
    const auto at = operand_stack.size() - node.c + i;
    const Ref ref = operand_stack[at];
    given += formatted("{}`{}`", i == 0 ? "" : ", ", out.type_text(out.type_of(ref)));
  }
  error(DiagnosticKind::RplConstructor, node.range,
        formatted("`{}` cannot be made of {}: {}", out.type_text(type), given.empty() ? "nothing" : given, why));
  return false;
}

// What has these parts one behind the other: a constant where all of them are.
ExprResult Resolver::State::compose(Op op, const Expr& node, TypeId type, std::span<const Ref> parts,
                                    bool constant_all) {
  if (constant_all) {
    fold_buffer.clear();
    for (const Ref ref : parts) {
      const auto words = words_of(ref);
      fold_buffer.insert(fold_buffer.end(), words.begin(), words.end());
    }
    return value_of(add_constant(type, fold_buffer));
  }
  const List list = keep_operands(parts);
  return value_of(emit(op, type, node.range, list.first, list.count));
}

ExprResult Resolver::State::construct_vector(const Expr& node, TypeId type, std::span<const Ref> arguments) {
  const std::uint32_t count = item_count(type);
  const TypeId first = out.type_of(arguments[0]);
  const auto constant_all = std::ranges::all_of(arguments, [](Ref ref) { return is_constant(ref); });
  if (arguments.size() == 1) {
    const Ref operand = arguments[0];
    if (first == type) return value_of(operand, type);
    if (!is_vector(first)) {
      bad_constructor(node, type, "it takes vectors and scalars");
      return {};
    }
    if (item_count(first) == count) {
      fold_buffer.clear();
      if (constant_all && fold_convert(first, type, words_of(operand), fold_buffer)) {
        return value_of(add_constant(type, fold_buffer));
      }
      return value_of(emit(Op::Convert, type, node.range, operand));
    }
    if (first == item_type(type)) {
      if (constant_all) {
        const std::array<std::uint32_t, 4> words = {words_of(operand)[0], words_of(operand)[0], words_of(operand)[0],
                                                    words_of(operand)[0]};
        return value_of(add_constant(type, std::span(words).first(count)));
      }
      return value_of(emit(Op::Splat, type, node.range, operand));
    }
  }
  std::uint32_t total = 0;
  for (const Ref ref : arguments) {
    const TypeId part = out.type_of(ref);
    if (!is_vector(part) || item_type(part) != item_type(type)) {
      bad_constructor(node, type, formatted("all parts have `{}` items", builtin_type_name(item_type(type))));
      return {};
    }
    total += item_count(part);
  }
  if (total != count) {
    bad_constructor(node, type, formatted("the parts have {} items together, and {} are needed", total, count));
    return {};
  }
  return compose(Op::Combine, node, type, arguments, constant_all);
}

ExprResult Resolver::State::construct_matrix(const Expr& node, TypeId type, std::span<const Ref> arguments) {
  const TypeId column = column_type(type);
  const bool constant_all = std::ranges::all_of(arguments, [](Ref ref) { return is_constant(ref); });
  if (arguments.size() == 1) {
    const Ref operand = arguments[0];
    const TypeId from = out.type_of(operand);
    if (from == type) return value_of(operand, type);
    if (from == kF4x4 && type == kF3x3) {
      if (constant_all) {
        const auto words = words_of(operand);
        std::array<std::uint32_t, 9> cropped{};
        for (std::size_t i = 0; i < 9; ++i) cropped[i] = words[i / 3 * 4 + i % 3];
        return value_of(add_constant(type, cropped));
      }
      return value_of(emit(Op::Crop, type, node.range, operand));
    }
  }
  const bool columns = arguments.size() == item_count(type) &&
                       std::ranges::all_of(arguments, [&](Ref ref) { return out.type_of(ref) == column; });
  if (!columns) {
    bad_constructor(node, type,
                    formatted("it takes {} columns of `{}`{}", item_count(type), builtin_type_name(column),
                              type == kF3x3 ? ", or one `f4x4` to crop" : ""));
    return {};
  }
  return compose(Op::Columns, node, type, arguments, constant_all);
}

ExprResult Resolver::State::construct_struct(const Expr& node, TypeId type, std::span<const Ref> arguments) {
  const Struct& made = out.structs[out.types[type].index];
  if (out.types[type].holds_array) {
    bad_constructor(node, type, "a struct with an array inside has no constructor");
    return {};
  }
  if (arguments.size() != made.members.count) {
    bad_constructor(node, type, formatted("it has {} fields", made.members.count));
    return {};
  }
  bool constant_all = true;
  for (std::uint32_t i = 0; i < made.members.count; ++i) {
    const TypeId wanted = out.members[made.members.first + i].type;
    if (wanted == kErrorType) return {};
    if (out.type_of(arguments[i]) != wanted) {
      mismatch(DiagnosticKind::RplConstructor, argument(node, i), wanted, out.type_of(arguments[i]),
               formatted("the field `{}`", text(out.members[made.members.first + i].name)));
      return {};
    }
    constant_all = constant_all && is_constant(arguments[i]);
  }
  return compose(Op::Build, node, type, arguments, constant_all);
}

}  // namespace slipway::rpl
