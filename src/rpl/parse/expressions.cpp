// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>

#include "base/format.hpp"
#include "rpl/parse/parser.hpp"

namespace slipway::rpl {

namespace {

struct Operator {
  BinaryOp op = BinaryOp::Assign;
  int level = -1;  // not an operator
};

constexpr std::size_t kTokenKinds = static_cast<std::size_t>(TokenKind::Equal) + 1;

constexpr std::array<Operator, kTokenKinds> make_operators() {
  std::array<Operator, kTokenKinds> table{};
  const auto set = [&](TokenKind token, BinaryOp op, int level) {
    table[static_cast<std::size_t>(token)] = {op, level};
  };
  set(TokenKind::Star, BinaryOp::Multiply, 10);
  set(TokenKind::Slash, BinaryOp::Divide, 10);
  set(TokenKind::Percent, BinaryOp::Modulo, 10);
  set(TokenKind::Plus, BinaryOp::Add, 9);
  set(TokenKind::Minus, BinaryOp::Subtract, 9);
  set(TokenKind::ShiftLeft, BinaryOp::ShiftLeft, 8);
  set(TokenKind::ShiftRight, BinaryOp::ShiftRight, 8);
  set(TokenKind::Less, BinaryOp::Less, 7);
  set(TokenKind::Greater, BinaryOp::Greater, 7);
  set(TokenKind::LessEqual, BinaryOp::LessEqual, 7);
  set(TokenKind::GreaterEqual, BinaryOp::GreaterEqual, 7);
  set(TokenKind::EqualEqual, BinaryOp::Equal, 6);
  set(TokenKind::NotEqual, BinaryOp::NotEqual, 6);
  set(TokenKind::Ampersand, BinaryOp::BitAnd, 5);
  set(TokenKind::Caret, BinaryOp::BitXor, 4);
  set(TokenKind::Pipe, BinaryOp::BitOr, 3);
  set(TokenKind::AndAnd, BinaryOp::And, 2);
  set(TokenKind::OrOr, BinaryOp::Or, 1);
  set(TokenKind::Equal, BinaryOp::Assign, 0);
  return table;
}
constexpr std::array<Operator, kTokenKinds> kOperators = make_operators();

// The kind of a token that is an operand by itself; None for those that `parse_primary` handles.
ExprKind leaf_kind(const Token& token) {
  switch (token.kind) {
    case TokenKind::Identifier:
      return token.value == Word::true_ || token.value == Word::false_ ? ExprKind::None : ExprKind::Name;
    case TokenKind::Uint:
      return ExprKind::Uint;
    case TokenKind::Float:
      return ExprKind::Float;
    default:
      return ExprKind::None;
  }
}

// Whether the operand continues with this token.
bool continues_operand(TokenKind kind) {
  return kind == TokenKind::LeftParen || kind == TokenKind::LeftBrace || kind == TokenKind::LeftBracket ||
         kind == TokenKind::Dot;
}

}  // namespace

int level_of(BinaryOp op) {
  for (const Operator& entry : kOperators) {
    if (entry.level >= 0 && entry.op == op) return entry.level;
  }
  return 0;
}

std::string_view text_of(UnaryOp op) {
  constexpr std::array<std::string_view, 4> kTexts = {"-", "+", "!", "~"};
  return kTexts[static_cast<std::size_t>(op)];
}

std::string_view text_of(BinaryOp op) {
  constexpr std::array<std::string_view, 19> kTexts = {
      "*", "/", "%", "+", "-", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|", "&&", "||", "="};
  return kTexts[static_cast<std::size_t>(op)];
}

ExprId Parser::parse_condition() {
  advance();
  const Token open = at();
  if (!expect(TokenKind::LeftParen)) return 0;
  const ExprId condition = parse_expression();
  if (condition == 0 || !expect_close(TokenKind::RightParen, open)) return 0;
  return condition;
}

// An operand that is one token.
[[gnu::always_inline]] inline ExprId Parser::add_leaf(ExprKind kind) {
  const Token& token = at();
  advance();
  return add(Expr{.kind = kind, .a = token.value, .at = token.begin, .range = range_of(token)});
}

ExprId Parser::parse_expression(int lowest_level) {
  // Most expressions are one token, which needs none of the functions below.
  if (const ExprKind leaf = leaf_kind(at()); leaf != ExprKind::None && depth_ < kMaxNesting) {
    const TokenKind next = following().kind;
    if (!continues_operand(next) && kOperators[static_cast<std::size_t>(next)].level < lowest_level) {
      return add_leaf(leaf);
    }
  }
  return parse_operators(lowest_level);
}

ExprId Parser::parse_operators(int lowest_level) {
  const Nested nested(*this);
  if (too_deep()) return 0;
  ExprId left = parse_unary();
  while (left != 0) {
    const Operator found = kOperators[static_cast<std::size_t>(at().kind)];
    if (found.level < lowest_level) break;
    const std::uint32_t location = at().begin;
    advance();
    // `=` groups from the right, everything else from the left.
    const ExprId right = parse_expression(found.op == BinaryOp::Assign ? 0 : found.level + 1);
    if (right == 0) return 0;
    left = add(Expr{.kind = ExprKind::Binary,
                    .op = static_cast<std::uint8_t>(found.op),
                    .a = left,
                    .b = right,
                    .at = location,
                    .range = since(program_.exprs[left].range.begin)});
  }
  return left;
}

ExprId Parser::parse_unary() {
  if (const ExprKind leaf = leaf_kind(at()); leaf != ExprKind::None && !continues_operand(following().kind)) {
    return add_leaf(leaf);
  }
  UnaryOp op;
  switch (at().kind) {
    case TokenKind::Minus:
      op = UnaryOp::Minus;
      break;
    case TokenKind::Plus:
      op = UnaryOp::Plus;
      break;
    case TokenKind::Bang:
      op = UnaryOp::Not;
      break;
    case TokenKind::Tilde:
      op = UnaryOp::Complement;
      break;
    default:
      return parse_postfix();
  }
  const Nested nested(*this);
  if (too_deep()) return 0;
  const Token sign = at();
  advance();
  const bool smallest = op == UnaryOp::Minus && (is(TokenKind::PlainInt) || is(TokenKind::Sint)) &&
                        at().value == 0x80000000u && following().kind != TokenKind::Dot;
  ExprId operand = 0;
  if (smallest) {
    operand = add(Expr{.kind = ExprKind::Sint, .a = at().value, .at = at().begin, .range = range_of(at())});
    advance();
  } else {
    operand = parse_unary();
  }
  if (operand == 0) return 0;
  return add(Expr{.kind = ExprKind::Unary,
                  .op = static_cast<std::uint8_t>(op),
                  .a = operand,
                  .at = sign.begin,
                  .range = since(sign.begin)});
}

ExprId Parser::parse_postfix() {
  ExprId base = parse_primary();
  // The chain is a tree as deep as it is long.
  for (std::uint32_t length = 0; base != 0; ++length) {
    if (is(TokenKind::Dot)) {
      advance();
      const Token name = at();
      if (!is(TokenKind::Identifier)) return expected("a field or component"), 0;
      advance();
      base = add(Expr{.kind = ExprKind::Member,
                      .a = base,
                      .b = name.value,
                      .at = name.begin,
                      .range = since(program_.exprs[base].range.begin)});
    } else if (is(TokenKind::LeftBracket)) {
      const Token open = at();
      advance();
      const ExprId index = parse_expression();
      if (index == 0 || !expect_close(TokenKind::RightBracket, open)) return 0;
      base = add(Expr{.kind = ExprKind::Index,
                      .a = base,
                      .b = index,
                      .at = open.begin,
                      .range = since(program_.exprs[base].range.begin)});
    } else {
      break;
    }
    if (depth_ + length > kMaxNesting) {
      error(DiagnosticKind::RplNesting, program_.exprs[base].range,
            formatted("more than {} levels of nesting", kMaxNesting));
      return 0;
    }
  }
  return base;
}

ExprId Parser::parse_number() {
  const Token token = at();
  advance();
  if (token.kind == TokenKind::Uint) {
    return add(Expr{.kind = ExprKind::Uint, .a = token.value, .at = token.begin, .range = range_of(token)});
  }
  std::uint32_t value = token.value;
  if (value > 0x7FFFFFFFu) {
    Diagnostic& problem = error(DiagnosticKind::RplNumberRange, range_of(token),
                                formatted("`{}` is too large for a signed number", value));
    if (token.kind == TokenKind::PlainInt) problem.suggest(program_.location(range_of(token)), formatted("{}u", value));
    value = 0;
  }
  return add(Expr{.kind = ExprKind::Sint, .a = value, .at = token.begin, .range = range_of(token)});
}

// What users of other languages may mean by the tokens before the one that does not begin an expression.
std::string_view Parser::hint_of_other_languages() const {
  using enum TokenKind;
  const TokenKind last = kind_before(1), before = kind_before(2);
  const bool arithmetic = last == Plus || last == Minus || last == Star || last == Slash;
  if (is(Equal) && arithmetic) return "there are no assignments such as `+=`; write `x = x + y`";
  if ((last == Plus && (is(Plus) || before == Plus)) || (last == Minus && before == Minus))
    return "there are no `++` and `--`; write `x = x + 1`";
  return {};
}

ExprId Parser::parse_primary() {
  const Token token = at();
  const auto leaf = [&](ExprKind kind) {
    advance();
    return add(Expr{.kind = kind, .a = token.value, .at = token.begin, .range = range_of(token)});
  };
  switch (token.kind) {
    case TokenKind::PlainInt:
    case TokenKind::Sint:
    case TokenKind::Uint:
      return parse_number();
    case TokenKind::Float:
      return leaf(ExprKind::Float);
    case TokenKind::String:
      return leaf(ExprKind::String);
    case TokenKind::LeftParen: {
      advance();
      const ExprId inner = parse_expression();
      if (inner == 0 || !expect_close(TokenKind::RightParen, token)) return 0;
      return inner;
    }
    case TokenKind::Identifier:
      break;
    default:
      return expected("an expression", hint_of_other_languages()), 0;
  }
  if (following().kind == TokenKind::LeftParen) return parse_list(ExprKind::Call, TokenKind::RightParen);
  if (following().kind == TokenKind::LeftBrace) return parse_list(ExprKind::Construct, TokenKind::RightBrace);
  if (token.value == Word::true_) return leaf(ExprKind::True);
  if (token.value == Word::false_) return leaf(ExprKind::False);
  return leaf(ExprKind::Name);
}

// `name (a, b)` and `name {a, b}`.
ExprId Parser::parse_list(ExprKind kind, TokenKind close) {
  const Token name = at();
  advance();
  const Token open = at();
  advance();
  const std::size_t mark = stack_.size();
  if (!is(close)) {
    do {
      const ExprId argument = parse_expression();
      if (argument == 0) return truncate(stack_, mark), 0;
      stack_.push_back(argument);
    } while (accept(TokenKind::Comma));
  }
  const bool closed = expect_close(close, open);
  const List arguments = take_list(mark);
  if (!closed) return 0;
  return add(Expr{.kind = kind,
                  .a = name.value,
                  .b = arguments.first,
                  .c = arguments.count,
                  .at = name.begin,
                  .range = since(name.begin)});
}

}  // namespace slipway::rpl
