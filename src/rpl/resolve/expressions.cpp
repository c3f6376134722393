// Operators of code that runs (RPL page 3.5).

#include "base/format.hpp"
#include "rpl/resolve/context.hpp"

namespace slipway::rpl {

Ref Resolver::State::add_scalar(TypeId type, std::uint32_t bits) {
  const std::uint32_t hash = (bits ^ type) * 0x9E3779B1u;
  Ref& known = known_constants[hash >> 24];
  if (known != 0) {
    const Constant& constant = out.constants[constant_index(known)];
    if (constant.type == type && out.constant_words[constant.first] == bits) return known;
  }
  out.constants.emplace_back(type, static_cast<std::uint32_t>(out.constant_words.size()), 1u);
  out.constant_words.push_back(bits);
  return known = (static_cast<Ref>(out.constants.size()) - 1) | kConstantBit;
}

Ref Resolver::State::add_constant(TypeId type, std::span<const std::uint32_t> words) {
  const auto count = static_cast<std::uint32_t>(words.size());
  std::uint32_t hash = type;
  for (const std::uint32_t word : words) hash = (hash ^ word) * 0x9E3779B1u;
  Ref& known = known_constants[hash >> 24];
  if (known != 0) {
    const Constant& constant = out.constants[constant_index(known)];
    if (constant.type == type && std::ranges::equal(out.words(constant), words)) return known;
  }
  const std::size_t first = out.constant_words.size();
  // The words may be those of another constant, and the array may move.
  const std::uint32_t* const from = words.data();
  const bool inside = from >= out.constant_words.data() && from < out.constant_words.data() + first;
  const std::size_t offset = inside ? static_cast<std::size_t>(from - out.constant_words.data()) : 0;
  out.constant_words.resize(first + count);
  const std::uint32_t* const source = inside ? out.constant_words.data() + offset : from;
  std::copy_n(source, count, out.constant_words.data() + first);
  out.constants.emplace_back(type, static_cast<std::uint32_t>(first), count);
  return known = (static_cast<Ref>(out.constants.size()) - 1) | kConstantBit;
}

List Resolver::State::keep_operands(std::span<const std::uint32_t> operands) {
  const List list{static_cast<std::uint32_t>(out.lists.size()), static_cast<std::uint32_t>(operands.size())};
  out.lists.insert(out.lists.end(), operands.begin(), operands.end());
  return list;
}

ExprResult Resolver::State::resolve_expression(ExprId expression) {
  const Expr& node = expr(expression);
  ++depth;
  ExprResult result;
  switch (node.kind) {
    case ExprKind::Uint:
      result = literal(kU1, node.a);
      break;
    case ExprKind::Sint:
      result = literal(kS1, node.a);
      break;
    case ExprKind::Float:
      result = literal(kF1, node.a);
      break;
    case ExprKind::String:
      error(DiagnosticKind::RplStringRuntime, node.range, "strings exist at compile time only");
      break;
    case ExprKind::True:
    case ExprKind::False:
      error(DiagnosticKind::RplBoolRuntime, node.range, "flags exist at compile time only")
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
      result = resolve_postfix(expression);
      break;
    case ExprKind::Call:
      result = resolve_call(node);
      break;
    case ExprKind::Construct:
      result = resolve_construct(node);
      break;
    case ExprKind::None:
      break;
  }
  --depth;
  return result;
}

// --- unary ---------------------------------------------------------------------------------------------------------

ExprResult Resolver::State::resolve_unary(const Expr& node) {
  const auto op = static_cast<UnaryOp>(node.op);
  const ExprResult operand = resolve_value(node.a);
  if (operand.kind != ResultKind::Value) return operand;
  const TypeId type = operand.type;
  bool good = false;
  switch (op) {
    case UnaryOp::Minus:
      good = is_float(type) || is_signed(type) || is_matrix(type);
      break;
    case UnaryOp::Plus:
      good = is_vector(type) || is_matrix(type);
      break;
    case UnaryOp::Not:
      good = type == kBoolean;
      break;
    case UnaryOp::Complement:
      good = is_integer(type);
      break;
  }
  if (!good) {
    error(DiagnosticKind::RplOperator, {node.at, node.at + 1},
          formatted("`{}` has no unary `{}`", out.type_text(type), text_of(op)));
    return {};
  }
  if (op == UnaryOp::Plus) return value_of(operand.index, type);
  if (is_constant(operand.index)) {
    fold_buffer.clear();
    if (fold_unary(op, type, words_of(operand.index), fold_buffer)) return value_of(add_constant(type, fold_buffer));
  }
  return value_of(emit(Op::Unary, type, node.range, operand.index, 0, 0, node.op));
}

// --- binary --------------------------------------------------------------------------------------------------------

TypeId Resolver::State::binary_type(BinaryOp op, TypeId left, TypeId right) const {
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

// Chains lean to the left and may be long: they are walked, not recursed into.
ExprResult Resolver::State::resolve_binary(ExprId expression) {
  if (static_cast<BinaryOp>(expr(expression).op) == BinaryOp::Assign) return resolve_assign(expr(expression));
  const auto is_simple = [](const Expr& node) { return static_cast<BinaryOp>(node.op) < BinaryOp::And; };
  const Expr& whole = expr(expression);
  if (is_simple(whole) && expr(whole.a).kind != ExprKind::Binary) {
    const ExprResult left = resolve_value(whole.a);
    return apply_binary(whole, left, resolve_value(whole.b));
  }
  const std::size_t mark = chain_stack.size();
  ExprId first = expression;
  for (; expr(first).kind == ExprKind::Binary && static_cast<BinaryOp>(expr(first).op) != BinaryOp::Assign;
       first = expr(first).a) {
    chain_stack.push_back(first);
  }
  ExprResult result = resolve_value(first);
  while (chain_stack.size() > mark) {
    const Expr& node = expr(chain_stack.back());
    chain_stack.pop_back();
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

ExprResult Resolver::State::apply_binary(const Expr& node, ExprResult left, ExprResult right) {
  if (left.kind != ResultKind::Value || right.kind != ResultKind::Value) return {};
  const auto op = static_cast<BinaryOp>(node.op);
  const TypeId type = binary_type(op, left.type, right.type);
  const auto at = [&] { return Range{node.at, node.at + static_cast<std::uint32_t>(text_of(op).size())}; };
  if (type == kErrorType) {
    if (out.types[left.type].kind == TypeKind::Array || out.types[right.type].kind == TypeKind::Array) {
      error(DiagnosticKind::RplArrayValue, at(), "arrays cannot be operands; their elements can");
      return {};
    }
    const bool same = left.type == right.type;
    Diagnostic& problem =
        error(same || left.type == kBoolean || right.type == kBoolean ? DiagnosticKind::RplOperator
                                                                      : DiagnosticKind::RplTypeMismatch,
              at(),
              formatted("there is no `{}` between `{}` and `{}`", text_of(op), out.type_text(left.type),
                        out.type_text(right.type)));
    if (is_vector(left.type) && is_vector(right.type) && !same) {
      const bool mend_left = expr(node.a).kind == ExprKind::Sint || expr(node.a).kind == ExprKind::Uint;
      suggest_literal(problem, mend_left ? node.a : node.b, mend_left ? right.type : left.type,
                      mend_left ? left.type : right.type);
    }
    return {};
  }
  if (is_constant(right.index)) {
    const auto words = words_of(right.index);
    const bool shift = op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight;
    if (shift && std::ranges::any_of(words, [](std::uint32_t word) { return word >= 32; })) {
      error(DiagnosticKind::RplShiftRange, expr(node.b).range, "a shift by 32 or more");
      return {};
    }
    const bool division = op == BinaryOp::Divide || op == BinaryOp::Modulo;
    const std::uint32_t mask = is_integer(right.type) ? 0xFFFFFFFFu : 0x7FFFFFFFu;
    if (division && !is_matrix(right.type) &&
        std::ranges::any_of(words, [&](std::uint32_t word) { return (word & mask) == 0; })) {
      warning(DiagnosticKind::RplDivZeroConstant, at(), "a division by the constant zero");
    } else if (is_constant(left.index)) {
      fold_buffer.clear();
      if (fold_binary(op, left.type, words_of(left.index), right.type, words, fold_buffer)) {
        return value_of(add_constant(type, fold_buffer));
      }
    }
  }
  return value_of(emit(Op::Binary, type, node.range, left.index, right.index, 0, node.op));
}

// Whether reading it is as good as having the value: a variable or argument, or a part of it that is surely there.
bool Resolver::State::is_register(const LValue& lvalue) const {
  if (lvalue.root != LValueRoot::Local && lvalue.root != LValueRoot::Argument) return false;
  return std::ranges::all_of(
      std::span(out.steps).subspan(lvalue.steps.first, lvalue.steps.count),
      [](const Step& step) { return step.kind != StepKind::Element || is_constant(step.value); });
}

// `&&` and `||`: the right side is code of its own, which may not run.
ExprResult Resolver::State::resolve_logic(const Expr& node, ExprResult left) {
  const auto op = static_cast<BinaryOp>(node.op);
  const Range at{node.at, node.at + 2};
  const auto check = [&](ExprResult side) {
    if (side.kind != ResultKind::Value || side.type == kBoolean) return side.kind == ResultKind::Value;
    error(DiagnosticKind::RplOperator, at,
          formatted("`{}` is for booleans, and one side is `{}`", text_of(op), out.type_text(side.type)));
    return false;
  };
  const bool left_good = check(left);
  if (left_good && is_constant(left.index)) {
    const bool value = words_of(left.index)[0] != 0;
    if (value == (op == BinaryOp::And)) {
      const ExprResult right = resolve_value(node.b);
      return check(right) ? value_of(right.index, right.type) : ExprResult{};
    }
    ++dead;
    const std::size_t code = out.code.size();
    const bool was_pending = pending_statement;
    check(resolve_value(node.b));
    out.code.resize(code);
    pending_statement = was_pending;
    --dead;
    return value_of(left.index, left.type);
  }
  const Ref begin = emit(Op::LogicBegin, kBoolean, node.range, left_good ? left.index : kNoRef, 0, 0, node.op);
  const ExprResult right = resolve_value(node.b);
  if (!check(right) || !left_good) return {};
  const auto harmless = [&](const Instruction& instruction) {
    switch (instruction.op) {
      case Op::Load:
        return is_register(out.lvalues[instruction.a]);
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
  out.code[begin].simple = std::all_of(out.code.begin() + begin + 1, out.code.end(), harmless);
  return value_of(emit(Op::LogicEnd, kBoolean, node.range, begin, right.index));
}

ExprResult Resolver::State::resolve_assign(const Expr& node) {
  const ExprResult target = resolve_expression(node.a);
  const ExprResult value = resolve_value(node.b);
  const Range range = expr(node.a).range;
  if (target.kind == ResultKind::Void) {
    error(DiagnosticKind::RplNotWritable, range, "this call returns no value that can be written");
    return {};
  }
  if (!can_write(target, range) || value.kind != ResultKind::Value) {
    if (target.kind == ResultKind::LValue) mark_written(target);
    return {};
  }
  mark_written(target);
  const Type& of = out.types[target.type];
  if (of.kind == TypeKind::Array || of.has_tail) {
    error(DiagnosticKind::RplArrayValue, range, "arrays cannot be assigned as a whole");
    return {};
  }
  if (value.type != target.type) {
    mismatch(DiagnosticKind::RplTypeMismatch, node.b, target.type, value.type, "the target");
    return {};
  }
  return value_of(emit(Op::Store, target.type, node.range, target.index, value.index), target.type);
}

// --- messages ------------------------------------------------------------------------------------------------------

void Resolver::State::mismatch(DiagnosticKind kind, ExprId expression, TypeId wanted, TypeId found,
                               std::string_view what) {
  Diagnostic& problem =
      error(kind, expr(expression).range,
            formatted("{} is `{}`, and this is `{}`", what, out.type_text(wanted), out.type_text(found)));
  suggest_literal(problem, expression, wanted, found);
}

// There are no implicit conversions: the literal of the other type, or a converting constructor.
void Resolver::State::suggest_literal(Diagnostic& problem, ExprId expression, TypeId wanted, TypeId found) {
  const Expr& node = expr(expression);
  const SourceLocation where = location(node.range);
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

}  // namespace slipway::rpl
