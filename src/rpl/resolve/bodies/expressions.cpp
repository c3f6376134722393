// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/bodies/expressions.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "rpl/resolve/bodies/calls.hpp"
#include "rpl/resolve/bodies/chains.hpp"
#include "rpl/resolve/constants/fold.hpp"

namespace slipway::rpl {

namespace {

// Aliases expand where they are used, and aliases of aliases multiply.
constexpr std::uint32_t kMaxAliasUses = 65536;
constexpr std::uint32_t kMaxRecursion = 300;

// The type of the result; kErrorType where the operands do not fit.
TypeId binary_type(BinaryOp op, TypeId left, TypeId right) {
  const bool vectors = is_vector(left) && is_vector(right);
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Subtract:
      return left == right && (vectors || is_matrix(left)) ? left : kErrorType;
    case BinaryOp::Multiply:
      if (vectors) {
        if (left == right || right == item_type(left)) return left;
        return left == item_type(right) ? right : kErrorType;
      }
      if (is_matrix(left)) {
        if (right == left || right == kF1) return left;
        return right == column_type(left) ? right : kErrorType;
      }
      if (is_matrix(right)) {
        if (left == kF1) return right;
        return left == column_type(right) ? left : kErrorType;
      }
      return kErrorType;
    case BinaryOp::Divide:
      if (vectors) return left == right || right == item_type(left) ? left : kErrorType;
      return left == right && is_matrix(left) ? left : kErrorType;
    case BinaryOp::Modulo:
    case BinaryOp::BitAnd:
    case BinaryOp::BitOr:
    case BinaryOp::BitXor:
    case BinaryOp::ShiftLeft:
    case BinaryOp::ShiftRight:
      return left == right && is_integer(left) ? left : kErrorType;
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
      return left == right && (vectors || left == kBoolean) ? kBoolean : kErrorType;
    case BinaryOp::Less:
    case BinaryOp::Greater:
    case BinaryOp::LessEqual:
    case BinaryOp::GreaterEqual:
      return left == right && is_scalar(left) ? kBoolean : kErrorType;
    case BinaryOp::And:
    case BinaryOp::Or:
      return left == kBoolean && right == kBoolean ? kBoolean : kErrorType;
    case BinaryOp::Assign:
      break;
  }
  return kErrorType;
}

}  // namespace

ExprResult ExpressionResolver::resolve_expression(ExprId expression) {
  const Expr& node = context_.expr(expression);
  ++depth_;
  ExprResult result;
  switch (node.kind) {
    case ExprKind::Uint:
      result = code_.literal(kU1, node.a);
      break;
    case ExprKind::Sint:
      result = code_.literal(kS1, node.a);
      break;
    case ExprKind::Float:
      result = code_.literal(kF1, node.a);
      break;
    case ExprKind::String:
      context_.error(DiagnosticKind::RplStringRuntime, node.range, "strings exist at compile time only");
      break;
    case ExprKind::True:
    case ExprKind::False:
      context_.error(DiagnosticKind::RplBoolRuntime, node.range, "flags exist at compile time only")
          .hint("use `conditional (...) { }`");
      break;
    case ExprKind::Name:
      result = resolve_name(node);
      break;
    case ExprKind::Unary:
      result = resolve_unary(node);
      break;
    case ExprKind::Binary:
      result = resolve_binary(expression);
      break;
    case ExprKind::Member:
    case ExprKind::Index:
      result = chains_.resolve_postfix(expression);
      break;
    case ExprKind::Call:
      result = calls_.resolve_call(node);
      break;
    case ExprKind::Construct:
      result = calls_.resolve_construct(node);
      break;
    case ExprKind::None:
      break;
  }
  --depth_;
  return result;
}

ExprResult ExpressionResolver::resolve_value(ExprId expression) {
  const Expr& node = context_.expr(expression);
  switch (node.kind) {
    case ExprKind::Uint:
      return code_.literal(kU1, node.a);
    case ExprKind::Sint:
      return code_.literal(kS1, node.a);
    case ExprKind::Float:
      return code_.literal(kF1, node.a);
    case ExprKind::Name: {
      const std::uint32_t local = scope_.innermost(node.a);
      if (scope_.is_visible(local) && (is_vector(scope_[local].type) || is_matrix(scope_[local].type))) {
        return read_variable(local, node);
      }
      break;
    }
    case ExprKind::Binary: {
      ++depth_;
      const ExprResult result = resolve_binary(expression);
      --depth_;
      return result;  // never an lvalue
    }
    case ExprKind::Member:
    case ExprKind::Index: {
      ++depth_;
      const ExprResult result = chains_.resolve_postfix(expression);
      --depth_;
      return access_.load(result, node.range);
    }
    default:
      break;
  }
  return access_.load(resolve_expression(expression), node.range);
}

// --- names ---------------------------------------------------------------------------------------------------------

ExprResult ExpressionResolver::resolve_name(const Expr& node) {
  const NameId name = node.a;
  if (const std::uint32_t local = scope_.find(name); local != kNone) {
    const Binding& binding = scope_[local];
    switch (binding.kind) {
      case Binding::Kind::Alias:
        return resolve_alias_use(local, node.range);
      case Binding::Kind::Argument:
        return code_.make_lvalue(LValueRoot::Argument, binding.index, binding.type);
      case Binding::Kind::Local:
        return code_.make_lvalue(LValueRoot::Local, binding.index, binding.type);
    }
  }
  const ItemId item = constants_.bound(name);
  if (item != kNone && (context_.program->items[item].kind != ItemKind::Constant || item <= log_.item)) {
    return global_value(item, node.range);
  }
  if (name == Word::on || name == Word::off) {
    context_.error(DiagnosticKind::RplBoolRuntime, node.range,
                   formatted("`{}` exists at compile time only", context_.text(name)));
    return {};
  }
  constants_.unknown_name(name, node.range, DiagnosticKind::RplUnknownName, scope_.all());
  return {};
}

ExprResult ExpressionResolver::resolve_alias_use(std::uint32_t alias, Range at) {
  if (++alias_uses_ > kMaxAliasUses || depth_ > kMaxRecursion) {
    if (alias_uses_ <= kMaxAliasUses + 1) {
      context_.error(DiagnosticKind::RplNesting, at, "aliases of aliases make this function too large");
    }
    return {};
  }
  const std::uint32_t outer = scope_.hide_from(alias);
  const ExprResult result = resolve_expression(scope_[alias].index);
  scope_.hide_from(outer);
  return result;
}

ExprResult ExpressionResolver::global_value(ItemId id, Range range) {
  const Item& item = context_.program->items[id];
  switch (item.kind) {
    case ItemKind::Option:
    case ItemKind::Constant: {
      Value value = constants_.value(id);
      if (item.kind == ItemKind::Option) {
        log_.read(item.index);
        value = out_.options[item.index];
        log_.sink->mix(value.bits);
      } else {
        log_.sink->merge(constants_.consulted(id));
      }
      switch (value.type) {
        case ValueType::Uint:
          return code_.literal(kU1, value.bits);
        case ValueType::Sint:
          return code_.literal(kS1, value.bits);
        case ValueType::Float:
          return code_.literal(kF1, value.bits);
        case ValueType::None:
          return {};
        default:
          break;
      }
      const bool string = value.type == ValueType::String;
      context_
          .error(string ? DiagnosticKind::RplStringRuntime : DiagnosticKind::RplBoolRuntime, range,
                 formatted("`{}` is a {}, which exists at compile time only", context_.text(item.name),
                           string ? "string" : "flag"))
          .hint("use `conditional (...) { }`");
      return {};
    }
    case ItemKind::Sampler:
      code_.use_group(static_cast<Group>(item.set));
      return code_.make_lvalue(LValueRoot::Sampler, declarations_.index_of(id), kSampler);
    case ItemKind::Image:
      code_.use_group(static_cast<Group>(item.set));
      return code_.make_lvalue(LValueRoot::Image, declarations_.index_of(id),
                               out_.images[declarations_.index_of(id)].type);
    default:
      break;
  }
  if (is_container(item.kind)) {
    if (context_.options->pipeline == PipelineKind::Compute) {
      context_.error(
          DiagnosticKind::RplStage, range,
          formatted("`{}` is a container, which a compute pipeline does not have", context_.text(item.name)));
      return {};
    }
    return {.kind = ResultKind::Container, .index = id};
  }
  return {.kind = ResultKind::Buffer, .index = id};
}

// The value of a vector or matrix in a variable or argument, the most frequent operand: `resolve_name` and `load` in
// one step.
ExprResult ExpressionResolver::read_variable(std::uint32_t index, const Expr& node) {
  Binding& binding = scope_[index];
  const bool local = binding.kind == Binding::Kind::Local;
  if (!local && out_.arguments[binding.index].access == Access::Out)
    return access_.load(resolve_name(node), node.range);
  if (local && !binding.written && !binding.warned && !code_.is_dead()) access_.warn_uninitialised(binding, node.range);
  if (binding.lvalue == kNone) {
    binding.lvalue = static_cast<std::uint32_t>(out_.lvalues.size());
    out_.lvalues.emplace_back(local ? LValueRoot::Local : LValueRoot::Argument, binding.index, List{}, binding.type);
  }
  return code_.value_of(code_.emit(Op::Load, binding.type, node.range, binding.lvalue), binding.type);
}

// --- operators -----------------------------------------------------------------------------------------------------

ExprResult ExpressionResolver::resolve_unary(const Expr& node) {
  const auto op = static_cast<UnaryOp>(node.op);
  const ExprResult operand = resolve_value(node.a);
  if (operand.kind != ResultKind::Value) return operand;
  const TypeId type = operand.type;
  bool ok = false;
  switch (op) {
    case UnaryOp::Minus:
      ok = is_float(type) || is_signed(type) || is_matrix(type);
      break;
    case UnaryOp::Plus:
      ok = is_vector(type) || is_matrix(type);
      break;
    case UnaryOp::Not:
      ok = type == kBoolean;
      break;
    case UnaryOp::Complement:
      ok = is_integer(type);
      break;
  }
  if (!ok) {
    context_.error(DiagnosticKind::RplOperator, {node.at, node.at + 1},
                   formatted("`{}` has no unary `{}`", out_.type_text(type), text_of(op)));
    return {};
  }
  if (op == UnaryOp::Plus) return code_.value_of(operand.index, type);
  if (is_constant(operand.index)) {
    fold_buffer_.clear();
    if (fold_unary(op, type, code_.words_of(operand.index), fold_buffer_))
      return code_.value_of(code_.add_constant(type, fold_buffer_));
  }
  return code_.value_of(code_.emit(Op::Unary, type, node.range, operand.index, 0, 0, node.op));
}

// Chains lean to the left and may be long: they are walked, not recursed into.
ExprResult ExpressionResolver::resolve_binary(ExprId expression) {
  if (static_cast<BinaryOp>(context_.expr(expression).op) == BinaryOp::Assign)
    return resolve_assign(context_.expr(expression));
  const auto is_simple = [](const Expr& node) { return static_cast<BinaryOp>(node.op) < BinaryOp::And; };
  const Expr& whole = context_.expr(expression);
  if (is_simple(whole) && context_.expr(whole.a).kind != ExprKind::Binary) {
    const ExprResult left = resolve_value(whole.a);
    return apply_binary(whole, left, resolve_value(whole.b));
  }
  const std::size_t mark = chain_stack_.size();
  ExprId first = expression;
  for (; context_.expr(first).kind == ExprKind::Binary &&
         static_cast<BinaryOp>(context_.expr(first).op) != BinaryOp::Assign;
       first = context_.expr(first).a) {
    chain_stack_.push_back(first);
  }
  ExprResult result = resolve_value(first);
  while (chain_stack_.size() > mark) {
    const Expr& node = context_.expr(chain_stack_.back());
    chain_stack_.pop_back();
    const auto op = static_cast<BinaryOp>(node.op);
    if (op == BinaryOp::And || op == BinaryOp::Or) {
      result = resolve_logic(node, result);
    } else {
      const ExprResult right = resolve_value(node.b);
      result = apply_binary(node, result, right);
    }
  }
  return result;
}

ExprResult ExpressionResolver::apply_binary(const Expr& node, ExprResult left, ExprResult right) {
  if (left.kind != ResultKind::Value || right.kind != ResultKind::Value) return {};
  const auto op = static_cast<BinaryOp>(node.op);
  const TypeId type = binary_type(op, left.type, right.type);
  const auto at = [&] { return Range{node.at, node.at + static_cast<std::uint32_t>(text_of(op).size())}; };
  if (type == kErrorType) {
    if (out_.types[left.type].kind == TypeKind::Array || out_.types[right.type].kind == TypeKind::Array) {
      context_.error(DiagnosticKind::RplArrayValue, at(), "arrays cannot be operands; their elements can");
      return {};
    }
    const bool same = left.type == right.type;
    Diagnostic& problem =
        context_.error(same || left.type == kBoolean || right.type == kBoolean ? DiagnosticKind::RplOperator
                                                                               : DiagnosticKind::RplTypeMismatch,
                       at(),
                       formatted("there is no `{}` between `{}` and `{}`", text_of(op), out_.type_text(left.type),
                                 out_.type_text(right.type)));
    if (is_vector(left.type) && is_vector(right.type) && !same) {
      const bool suggest_left =
          context_.expr(node.a).kind == ExprKind::Sint || context_.expr(node.a).kind == ExprKind::Uint;
      suggest_literal(problem, suggest_left ? node.a : node.b, suggest_left ? right.type : left.type,
                      suggest_left ? left.type : right.type);
    }
    return {};
  }
  if (is_constant(right.index)) {
    const auto words = code_.words_of(right.index);
    const bool shift = op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight;
    if (shift && std::ranges::any_of(words, [](std::uint32_t word) { return word >= 32; })) {
      context_.error(DiagnosticKind::RplShiftRange, context_.expr(node.b).range, "a shift by 32 or more");
      return {};
    }
    const bool division = op == BinaryOp::Divide || op == BinaryOp::Modulo;
    const std::uint32_t mask = is_integer(right.type) ? 0xFFFFFFFFu : 0x7FFFFFFFu;
    if (division && !is_matrix(right.type) &&
        std::ranges::any_of(words, [&](std::uint32_t word) { return (word & mask) == 0; })) {
      context_.warning(DiagnosticKind::RplDivZeroConstant, at(), "a division by the constant zero");
    } else if (is_constant(left.index)) {
      fold_buffer_.clear();
      if (fold_binary(op, left.type, code_.words_of(left.index), right.type, words, fold_buffer_)) {
        return code_.value_of(code_.add_constant(type, fold_buffer_));
      }
    }
  }
  return code_.value_of(code_.emit(Op::Binary, type, node.range, left.index, right.index, 0, node.op));
}

// Whether reading it is free of effects: a variable or argument, or a part of it that always exists.
bool ExpressionResolver::is_register(const LValue& lvalue) const {
  if (lvalue.root != LValueRoot::Local && lvalue.root != LValueRoot::Argument) return false;
  return std::ranges::all_of(
      std::span(out_.steps).subspan(lvalue.steps.first, lvalue.steps.count),
      [](const Step& step) { return step.kind != StepKind::Element || is_constant(step.value); });
}

// `&&` and `||`: the right side is separate code, which may not run.
ExprResult ExpressionResolver::resolve_logic(const Expr& node, ExprResult left) {
  const auto op = static_cast<BinaryOp>(node.op);
  const Range at{node.at, node.at + 2};
  const auto check = [&](ExprResult side) {
    if (side.kind != ResultKind::Value || side.type == kBoolean) return side.kind == ResultKind::Value;
    context_.error(DiagnosticKind::RplOperator, at,
                   formatted("`{}` is for booleans, and one side is `{}`", text_of(op), out_.type_text(side.type)));
    return false;
  };
  const bool left_ok = check(left);
  if (left_ok && is_constant(left.index)) {
    const bool value = code_.words_of(left.index)[0] != 0;
    if (value == (op == BinaryOp::And)) {
      const ExprResult right = resolve_value(node.b);
      return check(right) ? code_.value_of(right.index, right.type) : ExprResult{};
    }
    const CodeBuilder::DeadCode dead(code_);
    check(resolve_value(node.b));
    return code_.value_of(left.index, left.type);
  }
  const Ref begin = code_.emit(Op::LogicBegin, kBoolean, node.range, left_ok ? left.index : kNoRef, 0, 0, node.op);
  const ExprResult right = resolve_value(node.b);
  if (!check(right) || !left_ok) return {};
  const auto harmless = [&](const Instruction& instruction) {
    switch (instruction.op) {
      case Op::Load:
        return is_register(out_.lvalues[instruction.a]);
      case Op::Unary:
      case Op::Binary:
      case Op::Convert:
      case Op::Splat:
      case Op::Combine:
      case Op::Columns:
      case Op::Crop:
      case Op::Build:
      case Op::Extract:
      case Op::Swizzle:
      case Op::LogicEnd:
        return true;
      case Op::LogicBegin:
        return instruction.simple;
      default:
        return false;
    }
  };
  out_.code[begin].simple = std::all_of(out_.code.begin() + begin + 1, out_.code.end(), harmless);
  return code_.value_of(code_.emit(Op::LogicEnd, kBoolean, node.range, begin, right.index));
}

ExprResult ExpressionResolver::resolve_assign(const Expr& node) {
  const ExprResult target = resolve_expression(node.a);
  const ExprResult value = resolve_value(node.b);
  const Range range = context_.expr(node.a).range;
  if (target.kind == ResultKind::Void) {
    context_.error(DiagnosticKind::RplNotWritable, range, "this call returns no value that can be written");
    return {};
  }
  if (!access_.can_write(target, range) || value.kind != ResultKind::Value) {
    if (target.kind == ResultKind::LValue) access_.mark_written(target);
    return {};
  }
  access_.mark_written(target);
  const Type& of = out_.types[target.type];
  if (of.kind == TypeKind::Array || of.has_tail) {
    context_.error(DiagnosticKind::RplArrayValue, range, "arrays cannot be assigned as a whole");
    return {};
  }
  if (value.type != target.type) {
    mismatch(DiagnosticKind::RplTypeMismatch, node.b, target.type, value.type, "the target");
    return {};
  }
  return code_.value_of(code_.emit(Op::Store, target.type, node.range, target.index, value.index), target.type);
}

// --- reports -------------------------------------------------------------------------------------------------------

void ExpressionResolver::mismatch(DiagnosticKind kind, ExprId expression, TypeId wanted, TypeId found,
                                  std::string_view what) const {
  Diagnostic& problem =
      context_.error(kind, context_.expr(expression).range,
                     formatted("{} is `{}`, and this is `{}`", what, out_.type_text(wanted), out_.type_text(found)));
  suggest_literal(problem, expression, wanted, found);
}

// There are no implicit conversions: suggests the literal of the other type, or a converting constructor.
void ExpressionResolver::suggest_literal(Diagnostic& problem, ExprId expression, TypeId wanted, TypeId found) const {
  const Expr& node = context_.expr(expression);
  const SourceLocation where = context_.location(node.range);
  const bool literal_number = node.kind == ExprKind::Sint || node.kind == ExprKind::Uint;
  if (!is_vector(wanted)) return;
  if (literal_number && is_scalar(wanted)) {
    problem.suggest(where, formatted("{}{}", node.a, wanted == kU1 ? "u" : wanted == kF1 ? ".0" : ""));
    return;
  }
  const bool converts = is_vector(found) && (item_count(found) == item_count(wanted) || found == item_type(wanted));
  if (!converts) return;
  const std::string_view written = where.source->text(where.span);
  if (written.size() > 60 || written.find('\n') != std::string_view::npos) return;
  problem.suggest(where, formatted("{} {{{}}}", builtin_type_name(wanted), written));
}

bool ExpressionResolver::check_count(const Expr& node, std::uint32_t wanted) {
  if (node.c == wanted) return true;
  context_.error(DiagnosticKind::RplArgCount, node.range,
                 formatted("`{}` takes {} argument{}, and the call has {}", context_.text(node.a), wanted,
                           wanted == 1 ? "" : "s", node.c));
  resolve_arguments(node);
  return false;
}

void ExpressionResolver::resolve_arguments(const Expr& node, std::uint32_t first) {
  for (std::uint32_t i = first; i < node.c; ++i) resolve_expression(context_.argument(node, i));
}

}  // namespace slipway::rpl
