// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "base/format.hpp"
#include "rpl/parse/parser.hpp"

namespace slipway::rpl {

// `{ ... }`.
StmtId Parser::parse_block(ExprId condition) {
  const Nested nested(*this);
  if (too_deep()) return 0;
  const Token open = at();
  if (!expect(TokenKind::LeftBrace)) return 0;
  const std::size_t mark = stack_.size();
  while (!is(TokenKind::RightBrace) && !is(TokenKind::End)) {
    const std::size_t inner = stack_.size();
    if (accept(TokenKind::Semicolon)) continue;
    const StmtId statement = parse_statement();
    truncate(stack_, inner);
    if (abandoned_) return 0;
    if (statement == 0)
      recover_in_body();
    else
      stack_.push_back(statement);
  }
  const bool closed = expect_close(TokenKind::RightBrace, open);
  const List list = take_list(mark);
  if (!closed) return 0;
  return add(Stmt{.kind = StmtKind::Block, .condition = condition, .list = list, .range = since(open.begin)});
}

StmtId Parser::parse_statement() {
  if (is(TokenKind::LeftBrace)) return parse_block();
  if (!is(TokenKind::Identifier)) return parse_simple();
  const TokenKind next = following().kind;
  switch (at().value) {
    case Word::if_:
      if (next == TokenKind::LeftParen) return parse_if();
      break;
    case Word::for_:
      if (next == TokenKind::LeftParen) return parse_for();
      break;
    case Word::while_:
      if (next == TokenKind::LeftParen) return parse_while();
      break;
    case Word::conditional:
      if (next == TokenKind::LeftParen) return parse_conditional();
      break;
    case Word::alias:
      if (next == TokenKind::LeftParen) return parse_alias(0, at().begin);
      break;
    case Word::break_:
    case Word::continue_:
      if (next == TokenKind::Semicolon) {
        const Token word = at();
        advance();
        advance();
        return add(
            Stmt{.kind = word.value == Word::break_ ? StmtKind::Break : StmtKind::Continue, .range = range_of(word)});
      }
      break;
    case Word::return_: {
      const Token word = at();
      advance();
      const ExprId value = is(TokenKind::Semicolon) ? 0 : parse_expression();
      if (value == 0 && !is(TokenKind::Semicolon)) return 0;
      if (!expect(TokenKind::Semicolon)) return 0;
      return add(Stmt{.kind = StmtKind::Return, .a = value, .range = since(word.begin)});
    }
    default:
      break;
  }
  if (next == TokenKind::Identifier || next == TokenKind::Ellipsis) return parse_variable(0);
  return parse_simple();
}

// `conditional (c)` before a scope or an alias. Before anything else it is an error, and the statement is still read.
StmtId Parser::parse_conditional() {
  const Nested nested(*this);
  if (too_deep()) return 0;
  const Token word = at();
  const ExprId condition = parse_condition();
  if (condition == 0) return 0;
  const Range prefix = since(word.begin);
  if (is(TokenKind::LeftBrace)) return parse_block(condition);
  if (is_word(Word::alias) && following().kind == TokenKind::LeftParen) return parse_alias(condition, word.begin);
  const StmtId statement = parse_statement();
  if (abandoned_) return 0;
  Diagnostic& problem = error(DiagnosticKind::RplConditionalPlace, prefix,
                              "`conditional` is allowed before scopes and aliases only, not before other statements");
  if (statement != 0) {
    const SourceLocation location = program_.location(program_.stmts[statement].range);
    problem.suggest(location, formatted("{{ {} }}", location.source->text(location.span)));
  }
  return statement;
}

StmtId Parser::parse_alias(ExprId condition, std::uint32_t begin) {
  advance();
  const Token open = at();
  advance();
  Stmt stmt{.kind = StmtKind::Alias, .condition = condition};
  if (!expect_name(stmt.name, stmt.name_range, "the name of the alias") || !expect(TokenKind::Comma)) return 0;
  stmt.a = parse_expression();
  if (stmt.a == 0 || !expect_close(TokenKind::RightParen, open)) return 0;
  stmt.range = since(begin);
  accept(TokenKind::Semicolon);
  return add(stmt);
}

StmtId Parser::parse_if() {
  // `else if` is a scope of its own.
  const Nested nested(*this);
  if (too_deep()) return 0;
  const Token word = at();
  Stmt stmt{.kind = StmtKind::If, .a = parse_condition()};
  if (stmt.a == 0) return 0;
  stmt.b = parse_block();
  if (stmt.b == 0) return 0;
  if (is_word(Word::else_) && (following().kind == TokenKind::LeftBrace ||
                               (following().kind == TokenKind::Identifier && following().value == Word::if_))) {
    advance();
    stmt.c = is(TokenKind::LeftBrace) ? parse_block() : parse_if();
    if (stmt.c == 0) return 0;
  } else if (is_word(Word::else_)) {
    advance();
    return expected("`{` or `if`"), 0;
  }
  stmt.range = since(word.begin);
  return add(stmt);
}

StmtId Parser::parse_for() {
  const Token word = at();
  advance();
  const Token open = at();
  advance();
  Stmt stmt{.kind = StmtKind::For};
  const TypeRefId type = parse_type(false);
  if (type == 0) return 0;
  if (!is(TokenKind::Identifier)) return expected("the name of a variable: `for` begins with a declaration"), 0;
  stmt.a = parse_variable(type);
  if (stmt.a == 0) return 0;
  stmt.b = parse_expression();
  if (stmt.b == 0 || !expect(TokenKind::Semicolon)) return 0;
  stmt.c = parse_expression();
  if (stmt.c == 0 || !expect_close(TokenKind::RightParen, open)) return 0;
  stmt.d = parse_block();
  if (stmt.d == 0) return 0;
  stmt.range = since(word.begin);
  return add(stmt);
}

StmtId Parser::parse_while() {
  const Token word = at();
  Stmt stmt{.kind = StmtKind::While, .a = parse_condition()};
  if (stmt.a == 0) return 0;
  stmt.d = parse_block();
  if (stmt.d == 0) return 0;
  stmt.range = since(word.begin);
  return add(stmt);
}

// `type name [= value];`, of which the type may have been read already.
StmtId Parser::parse_variable(TypeRefId type) {
  const std::uint32_t begin = type == 0 ? at().begin : program_.types[type].range.begin;
  if (type == 0) type = parse_type(false);
  if (type == 0) return 0;
  Stmt stmt{.kind = StmtKind::Variable, .type = type};
  if (!expect_name(stmt.name, stmt.name_range, "the name of a variable")) return 0;
  if (is(TokenKind::Comma)) return expected("`;`: each variable has its own declaration"), 0;
  if (accept(TokenKind::Equal)) {
    stmt.a = parse_expression();
    if (stmt.a == 0) return 0;
  }
  if (!expect(TokenKind::Semicolon)) return 0;
  stmt.range = since(begin);
  return add(stmt);
}

// An expression statement, or a declaration whose type has dimensions: the token after the first postfix expression
// decides.
StmtId Parser::parse_simple() {
  const Token* const begin = token_;
  if (is(TokenKind::Identifier) && following().kind == TokenKind::LeftBracket) {
    const ExprId first = parse_postfix();
    if (first == 0) return 0;
    if (is(TokenKind::Identifier)) {
      const TypeRefId type = type_of_expression(first);
      return type == 0 ? 0 : parse_variable(type);
    }
    // Reading it again keeps the expression grammar in one place; the discarded nodes remain unused.
    if (!is(TokenKind::Semicolon)) {
      token_ = begin;
      const ExprId whole = parse_expression();
      if (whole == 0 || !expect(TokenKind::Semicolon)) return 0;
      return add(Stmt{.kind = StmtKind::Expr, .a = whole, .range = since(begin->begin)});
    }
    advance();
    return add(Stmt{.kind = StmtKind::Expr, .a = first, .range = since(begin->begin)});
  }
  const ExprId expression = parse_expression();
  if (expression == 0 || !expect(TokenKind::Semicolon)) return 0;
  return add(Stmt{.kind = StmtKind::Expr, .a = expression, .range = since(begin->begin)});
}

// `name[a][b]`, read as an expression, as a type.
TypeRefId Parser::type_of_expression(ExprId expression) {
  const std::size_t mark = stack_.size();
  TypeRef type{.range = program_.exprs[expression].range};
  while (program_.exprs[expression].kind == ExprKind::Index) {
    stack_.push_back(program_.exprs[expression].b);
    expression = program_.exprs[expression].a;
  }
  if (program_.exprs[expression].kind != ExprKind::Name) {
    truncate(stack_, mark);
    return expected("`;`"), 0;
  }
  std::reverse(stack_.begin() + static_cast<std::ptrdiff_t>(mark), stack_.end());
  type.name = program_.exprs[expression].a;
  type.dimensions = take_list(mark);
  if (type.dimensions.count > kMaxDimensions) {
    error(DiagnosticKind::RplNesting, type.range, formatted("more than {} dimensions", kMaxDimensions));
  }
  return add(type);
}

// `name`, `name[a][b]`, and `name...` where that is allowed.
TypeRefId Parser::parse_type(bool allow_runtime, Range* runtime_at) {
  const bool plain = is(TokenKind::Identifier) && following().kind != TokenKind::LeftBracket &&
                     following().kind != TokenKind::Ellipsis;
  if (!plain) return parse_array_type(allow_runtime, runtime_at);
  const Token& name = at();
  advance();
  return add(TypeRef{.name = name.value, .dimensions = take_list(stack_.size()), .range = range_of(name)});
}

TypeRefId Parser::parse_array_type(bool allow_runtime, Range* runtime_at) {
  TypeRef type;
  const Token name = at();
  if (!is(TokenKind::Identifier)) return expected("a type"), 0;
  type.name = name.value;
  advance();
  const std::size_t mark = stack_.size();
  while (is(TokenKind::LeftBracket)) {
    const Token open = at();
    advance();
    const ExprId size = parse_expression();
    if (size == 0 || !expect_close(TokenKind::RightBracket, open)) return truncate(stack_, mark), 0;
    stack_.push_back(size);
  }
  type.dimensions = take_list(mark);
  type.range = since(name.begin);
  if (type.dimensions.count > kMaxDimensions) {
    error(DiagnosticKind::RplNesting, type.range, formatted("more than {} dimensions", kMaxDimensions));
  }
  if (is(TokenKind::Ellipsis)) {
    const Range where = range_of(at());
    if (runtime_at) *runtime_at = where;
    if (!allow_runtime || type.dimensions.count != 0) {
      error(DiagnosticKind::RplRuntimeArrayPlace, where,
            "`...` makes a runtime array, which only the last field of a storage buffer or struct can be");
    } else {
      type.runtime = true;
    }
    advance();
    type.range = since(name.begin);
  }
  return add(type);
}

}  // namespace slipway::rpl
