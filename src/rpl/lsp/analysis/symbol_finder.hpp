// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the entities that names in the text refer to. Works on tokens and the tree, so that programs with errors are
// supported, too.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "rpl/lsp/analysis/document.hpp"

namespace slipway::rpl::lsp {

class SymbolFinder {
 public:
  explicit SymbolFinder(const Document& document) : document_(document), program_(document.program) {}

  // Names in `meta (...)` and `pack (...)` are words of their own.
  bool is_tag(std::size_t token) const {
    const auto& tokens = document_.tokens;
    while (token >= 2 && tokens[token - 1].kind == TokenKind::Comma && tokens[token - 2].kind == TokenKind::Identifier)
      token -= 2;
    return token >= 2 && tokens[token - 1].kind == TokenKind::LeftParen &&
           tokens[token - 2].kind == TokenKind::Identifier &&
           (tokens[token - 2].value == Word::meta || tokens[token - 2].value == Word::pack);
  }

  // The index of the identifier at an offset.
  std::optional<std::size_t> token_at(std::uint64_t offset) const {
    const auto& tokens = document_.tokens;
    auto token = std::ranges::upper_bound(tokens, offset, {}, &Token::begin);
    while (token != tokens.begin()) {
      --token;
      if (token->kind == TokenKind::Identifier && token->end >= offset) return token - tokens.begin();
      if (token->end < offset) break;
    }
    return std::nullopt;
  }

  std::optional<Symbol> symbol(std::size_t token) const {
    if (is_tag(token)) return std::nullopt;
    const std::vector<std::size_t> path = path_to(token);
    if (path.empty()) return std::nullopt;
    std::optional<Symbol> found = root(path.front());
    for (std::size_t i = 1; found && i < path.size(); ++i) found = member(*found, path[i]);
    return found;
  }

  // The names in front of a token: `a.b[i].c` has a, b, c. Empty when it does not begin with a name.
  std::vector<std::size_t> path_to(std::size_t token) const {
    const auto& tokens = document_.tokens;
    std::vector<std::size_t> path{token};
    std::size_t at = token;
    while (at >= 2 && tokens[at - 1].kind == TokenKind::Dot) {
      at -= 2;
      at = before_brackets(at);
      if (tokens[at].kind != TokenKind::Identifier) return {};
      path.push_back(at);
    }
    std::ranges::reverse(path);
    return path;
  }

  // From the last `]` of `name[..][..]` to the name.
  std::size_t before_brackets(std::size_t at) const {
    const auto& tokens = document_.tokens;
    while (at > 0 && tokens[at].kind == TokenKind::RightBracket) {
      for (int depth = 0; at > 0; --at) {
        if (tokens[at].kind == TokenKind::RightBracket) ++depth;
        if (tokens[at].kind == TokenKind::LeftBracket && --depth == 0) break;
      }
      if (at > 0) --at;
    }
    return at;
  }

  Symbol make(Symbol::Kind kind, std::size_t token) const {
    const Token& of = document_.tokens[token];
    Symbol symbol;
    symbol.kind = kind;
    symbol.name = of.value;
    symbol.at = {of.begin, of.end};
    return symbol;
  }

  ItemId choose(const std::vector<ItemId>& first, NameId name) const {
    if (name >= first.size()) return kNone;
    ItemId any = kNone;
    for (ItemId item = first[name]; item != kNone; item = program_.items[item].next_same_name) {
      if (any == kNone) any = item;
      if (!document_.is_inactive(program_.items[item].range)) return item;
    }
    return any;
  }

  std::optional<Symbol> root(std::size_t token) const {
    const Token& of = document_.tokens[token];
    const TokenKind next = token + 1 < document_.tokens.size() ? document_.tokens[token + 1].kind : TokenKind::End;
    if (const auto declared = declaration(token)) return declared;
    if (next == TokenKind::LeftParen) {
      if (const auto function = item_symbol(program_.first_function, token)) return function;
      if (find_builtin(of.value)) return make(Symbol::Kind::Builtin, token);
    }
    if (const auto local = local_symbol(token)) return local;
    if (const auto value = item_symbol(program_.first_value, token)) return value;
    if (const auto type = item_symbol(program_.first_struct, token)) return type;
    if (type_of_word(of.value) != kErrorType) return make(Symbol::Kind::Type, token);
    if (find_setting(of.value)) return make(Symbol::Kind::Setting, token);
    return std::nullopt;
  }

  std::optional<Symbol> item_symbol(const std::vector<ItemId>& first, std::size_t token) const {
    const ItemId item = choose(first, document_.tokens[token].value);
    if (item == kNone) return std::nullopt;
    Symbol symbol = make(Symbol::Kind::Item, token);
    symbol.item = item;
    return symbol;
  }

  // The name of an item, field, argument or local at its declaration.
  std::optional<Symbol> declaration(std::size_t token) const {
    const Token& of = document_.tokens[token];
    const auto is_here = [&](Range range) { return range.begin == of.begin && range.end == of.end; };
    const ItemId id = item_at(of.begin);
    if (id == kNone) return std::nullopt;
    const Item& item = program_.items[id];
    Symbol symbol = make(Symbol::Kind::Item, token);
    symbol.item = id;
    if (is_here(item.name_range) && item.kind != ItemKind::Setting) return symbol;
    for (std::uint32_t i = 0; i < item.fields.count; ++i) {
      if (!is_here(program_.fields[item.fields.first + i].name_range)) continue;
      symbol.kind = Symbol::Kind::Field;
      symbol.field = item.fields.first + i;
      return symbol;
    }
    for (std::uint32_t i = 0; i < item.arguments.count; ++i) {
      if (!is_here(program_.arguments[item.arguments.first + i].name_range)) continue;
      symbol.kind = Symbol::Kind::Argument;
      symbol.index = item.arguments.first + i;
      return symbol;
    }
    return std::nullopt;
  }

  // The item that contains an offset; items are in the order of their offsets.
  ItemId item_at(std::uint32_t offset) const {
    const auto& items = program_.items;
    const auto next = std::ranges::upper_bound(items, offset, {}, [](const Item& item) { return item.range.begin; });
    if (next == items.begin() || offset >= std::prev(next)->range.end) return kNone;
    return static_cast<ItemId>(next - items.begin() - 1);
  }

  const Item* function_at(std::uint32_t offset) const {
    const ItemId id = item_at(offset);
    return id != kNone && program_.items[id].kind == ItemKind::Function ? &program_.items[id] : nullptr;
  }

  // The local, alias or argument that a name refers to at its offset.
  std::optional<Symbol> local_symbol(std::size_t token) const {
    const Token& of = document_.tokens[token];
    const Item* function = function_at(of.begin);
    if (!function) return std::nullopt;
    Symbol symbol = make(Symbol::Kind::Local, token);
    for (const StmtId id : locals_at(*function, of.end)) {
      if (program_.stmts[id].name == of.value) symbol.index = id;
    }
    if (symbol.index != 0) return symbol;
    for (std::uint32_t i = 0; i < function->arguments.count; ++i) {
      if (program_.arguments[function->arguments.first + i].name != of.value) continue;
      symbol.kind = Symbol::Kind::Argument;
      symbol.index = function->arguments.first + i;
      return symbol;
    }
    return std::nullopt;
  }

  // The variables and aliases that are visible at an offset, in order. Scopes are walked from outside in.
  std::vector<StmtId> locals_at(const Item& function, std::uint32_t offset) const {
    std::vector<StmtId> found;
    StmtId scope = function.body;
    while (scope != 0) {
      const Stmt& of = program_.stmts[scope];
      StmtId inner = 0;
      const auto look = [&](StmtId id) {
        if (id == 0) return;
        const Stmt& statement = program_.stmts[id];
        const bool declares = statement.kind == StmtKind::Variable || statement.kind == StmtKind::Alias;
        if (declares && statement.name_range.begin < offset) found.push_back(id);
        if (statement.range.begin <= offset && offset <= statement.range.end && !declares) inner = id;
      };
      switch (of.kind) {
        case StmtKind::Block:
          for (std::uint32_t i = 0; i < of.list.count; ++i) look(program_.lists[of.list.first + i]);
          break;
        case StmtKind::If:
          look(of.b);
          look(of.c);
          break;
        case StmtKind::For:
          look(of.a);
          look(of.d);
          break;
        case StmtKind::While:
          look(of.d);
          break;
        default:
          break;
      }
      scope = inner == scope ? 0 : inner;
    }
    return found;
  }

  // The type that a symbol's value has, if its declaration determines it.
  NameId type_of(const Symbol& symbol) const {
    TypeRefId type = 0;
    switch (symbol.kind) {
      case Symbol::Kind::Field:
        type = program_.fields[symbol.field].type;
        break;
      case Symbol::Kind::Argument:
        type = program_.arguments[symbol.index].type;
        break;
      case Symbol::Kind::Local:
        type = program_.stmts[symbol.index].type;
        break;
      default:
        break;
    }
    return program_.types[type].name;
  }

  // The item that declares the members of a symbol's value: a container, a buffer, a struct.
  ItemId body_of(const Symbol& symbol) const {
    if (symbol.kind == Symbol::Kind::Item) {
      const ItemKind kind = program_.items[symbol.item].kind;
      return is_container(kind) || is_buffer(kind) ? symbol.item : kNone;
    }
    if (symbol.kind == Symbol::Kind::Local && program_.stmts[symbol.index].kind == StmtKind::Alias) {
      return body_of_expression(program_.stmts[symbol.index].a);
    }
    if (symbol.kind == Symbol::Kind::Field && program_.fields[symbol.field].alias) return kNone;
    return choose(program_.first_struct, type_of(symbol));
  }

  // An alias refers to an expression: follow its path.
  ItemId body_of_expression(ExprId id) const {
    std::vector<NameId> path;
    for (int steps = 0; steps < 64; ++steps) {
      const Expr& expr = program_.exprs[id];
      if (expr.kind == ExprKind::Member) {
        path.push_back(expr.b);
        id = expr.a;
      } else if (expr.kind == ExprKind::Index) {
        id = expr.a;
      } else if (expr.kind == ExprKind::Name) {
        Symbol symbol;
        symbol.item = choose(program_.first_value, expr.a);
        for (; symbol.item != kNone && !path.empty(); path.pop_back()) {
          const ItemId body = body_of(symbol);
          const FieldId field = body == kNone ? kNone : field_named(body, path.back());
          if (field == kNone) return kNone;
          symbol.kind = Symbol::Kind::Field;
          symbol.item = body;
          symbol.field = field;
        }
        return symbol.item == kNone ? kNone : body_of(symbol);
      } else {
        return kNone;
      }
    }
    return kNone;
  }

  FieldId field_named(ItemId body, NameId name) const {
    const List fields = program_.items[body].fields;
    FieldId any = kNone;
    for (FieldId field = fields.first; field < fields.first + fields.count; ++field) {
      if (program_.fields[field].name != name) continue;
      if (any == kNone) any = field;
      if (!document_.is_inactive(program_.fields[field].range)) return field;
    }
    return any;
  }

  std::optional<Symbol> member(const Symbol& of, std::size_t token) const {
    const ItemId body = body_of(of);
    if (body == kNone) return std::nullopt;
    const NameId name = document_.tokens[token].value;
    const FieldId field = field_named(body, name);
    // `state.in.uv`: the name between is only the direction.
    if (field == kNone && (name == Word::in || name == Word::out)) return of;
    if (field == kNone) return std::nullopt;
    Symbol symbol = make(Symbol::Kind::Field, token);
    symbol.item = body;
    symbol.field = field;
    return symbol;
  }

 private:
  const Document& document_;
  const Program& program_;
};

}  // namespace slipway::rpl::lsp
