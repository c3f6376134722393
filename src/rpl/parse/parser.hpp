// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parser's state and its parts: items, statements, expressions.
//
// A function that meets a syntax error reports it and returns 0 (or false); the loop over items, fields or statements
// then skips to where the next one begins (docs/spec/rpl.md#bad-input).
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "rpl/parse/lex.hpp"
#include "rpl/program.hpp"
#include "rpl/types.hpp"
#include "rpl/vectors.hpp"

namespace slipway::rpl {

// Of expressions and scopes together, and of the dimensions of a type.
inline constexpr std::uint32_t kMaxNesting = 256;
inline constexpr std::uint32_t kMaxDimensions = 16;

// Memory that one Parser passes on to the next.
struct ParserMemory {
  std::vector<std::uint32_t> stack;    // of unfinished lists
  std::vector<ItemId> option_of_name;  // by NameId, for duplicates
};

class Parser {
 public:
  Parser(Program& program, Diagnostics& diagnostics, ParserMemory& memory)
      : program_(program), diagnostics_(diagnostics), stack_(memory.stack), option_of_name_(memory.option_of_name) {
    option_of_name_.clear();
  }
  // All items of one source, whose tokens end with End.
  void parse_source(const std::vector<Token>& tokens, std::uint32_t module);

 private:
  // --- tokens ---
  const Token& at() const { return *token_; }
  // The next token, where the current one is not End.
  const Token& following() const { return token_[1]; }
  const Token& ahead(std::uint32_t count) const {
    return count < static_cast<std::size_t>(end_ - token_) ? token_[count] : *end_;
  }
  TokenKind kind_before(std::uint32_t count) const {
    return count <= static_cast<std::size_t>(token_ - first_) ? (token_ - count)->kind : TokenKind::End;
  }
  bool is(TokenKind kind) const { return token_->kind == kind; }
  bool is_word(NameId word) const { return is(TokenKind::Identifier) && token_->value == word; }
  bool accept(TokenKind kind) {
    if (!is(kind)) return false;
    advance();
    return true;
  }
  void advance() {
    last_end_ = token_->end;
    if (token_->kind != TokenKind::End) ++token_;
  }
  static Range range_of(const Token& token) { return {token.begin, token.end}; }
  Range since(std::uint32_t begin) const { return {begin, std::max(begin, last_end_)}; }

  // --- errors ---
  [[gnu::cold]] Diagnostic& error(DiagnosticKind kind, Range range, std::string message) {
    return diagnostics_.error(kind, program_.location(range), std::move(message));
  }
  // "expected WHAT, found ...".
  bool expected(std::string_view what, std::string_view hint = {});
  // The bytes of this source that no token contains, which the lexer has reported in their order.
  void find_bad_bytes();
  bool follows_bad_bytes() const;
  bool expect(TokenKind kind);
  bool expect_close(TokenKind kind, const Token& open);
  bool expect_name(NameId& name, Range& range, std::string_view what);
  void check_declared(NameId name, Range range);
  // Skips past the next `;` or to the `}` of this nesting.
  void recover_in_body();
  void recover_item(const Token* begin);
  bool too_deep() { return depth_ > kMaxNesting && report_nesting(); }
  bool report_nesting();

  // --- items (items.cpp) ---
  void parse_item();
  bool parse_option();
  bool parse_constant(Item& item);
  bool parse_setting(Item& item);
  bool parse_body_item(Item& item, ItemKind kind);
  bool parse_set_item(Item& item);
  bool parse_image(Item& item);
  bool parse_function(Item& item);
  bool parse_arguments(Item& item);
  bool parse_fields(Item& item);
  bool parse_field(ItemKind owner, Field& field);
  bool parse_field_alias(Field& field);
  bool parse_meta(Field& field);
  bool parse_pack(NameId& pack, Range& range);
  bool parse_option_value(Option& option);
  bool parse_number_value(Option& option);
  bool parse_enum(Option& option);
  ItemId add(Item& item, std::uint32_t begin);
  bool starts_item(const Token* token) const;

  // --- statements (statements.cpp) ---
  StmtId parse_block(ExprId condition = 0);
  StmtId parse_statement();
  StmtId parse_conditional();
  StmtId parse_alias(ExprId condition, std::uint32_t begin);
  StmtId parse_if();
  StmtId parse_for();
  StmtId parse_while();
  StmtId parse_variable(TypeRefId type);
  StmtId parse_simple();
  TypeRefId type_of_expression(ExprId expression);
  TypeRefId parse_type(bool allow_runtime, Range* runtime_at = nullptr);
  TypeRefId parse_array_type(bool allow_runtime, Range* runtime_at);
  TypeRefId add(const TypeRef& type) {
    program_.types.emplace_back(type.name, type.dimensions, type.runtime, type.range);
    return static_cast<TypeRefId>(program_.types.size()) - 1;
  }
  // Member by member: reading a node as a whole that was just written in parts would stall.
  StmtId add(const Stmt& stmt) {
    program_.stmts.emplace_back(stmt.kind, stmt.condition, stmt.name, stmt.type, stmt.a, stmt.b, stmt.c, stmt.d,
                                stmt.list, stmt.range, stmt.name_range);
    return static_cast<StmtId>(program_.stmts.size()) - 1;
  }

  // --- expressions (expressions.cpp) ---
  // `conditional (expr)`; 0 after an error.
  ExprId parse_condition();
  // One with operators of at least this level.
  ExprId parse_expression(int lowest_level = 0);
  ExprId parse_operators(int lowest_level);
  ExprId add_leaf(ExprKind kind);
  ExprId parse_unary();
  ExprId parse_postfix();
  ExprId parse_primary();
  std::string_view hint_of_other_languages() const;
  ExprId parse_number();
  ExprId parse_list(ExprKind kind, TokenKind close);
  [[gnu::always_inline]] ExprId add(const Expr& expr) {
    program_.exprs.emplace_back(expr.kind, expr.op, expr.a, expr.b, expr.c, expr.at, expr.range);
    return static_cast<ExprId>(program_.exprs.size()) - 1;
  }
  // Moves the entries of `stack_` above `mark` into Program::lists.
  List take_list(std::size_t mark) {
    // Most types and calls have an empty list.
    return stack_.size() == mark ? List{static_cast<std::uint32_t>(program_.lists.size()), 0} : move_to_lists(mark);
  }
  List move_to_lists(std::size_t mark);

  Program& program_;
  Diagnostics& diagnostics_;
  const Token* token_ = nullptr;
  const Token* end_ = nullptr;
  const Token* first_ = nullptr;
  std::uint32_t last_end_ = 0;
  std::uint32_t module_ = 0;
  std::uint32_t depth_ = 0;
  bool unclosed_ = false;                 // the end of the file was reported
  bool abandoned_ = false;                // this item is nested too deeply; nothing more is reported about it
  std::vector<std::uint64_t> bad_bytes_;  // offsets in the source
  std::vector<std::uint32_t>& stack_;
  std::vector<ItemId>& option_of_name_;

  friend struct Nested;
};

// The tables that follow from the items: names, what is declared, what depends on instance options. `stack` is scratch
// memory.
void finish_program(Program& program, std::vector<ExprId>& stack);

// One more level of nesting during its lifetime.
struct Nested {
  explicit Nested(Parser& parser) : parser(parser) { ++parser.depth_; }
  ~Nested() { --parser.depth_; }
  Parser& parser;
};

}  // namespace slipway::rpl
