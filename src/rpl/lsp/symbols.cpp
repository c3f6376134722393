// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names in the text and the entities that they refer to. Works on tokens and the tree, so that programs with errors are
// supported, too.
#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "rpl/lsp/document.hpp"

namespace slipway::rpl::lsp {
namespace {

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

// --- descriptions --------------------------------------------------------------------------------------------------

class Describer {
 public:
  explicit Describer(const Document& document) : document_(document), program_(document.program) {}

  std::string describe(const Symbol& symbol) const {
    switch (symbol.kind) {
      case Symbol::Kind::Item:
        return item(symbol.item);
      case Symbol::Kind::Field:
        return field(symbol);
      case Symbol::Kind::Argument:
        return code(source(program_.arguments[symbol.index].range)) + "argument";
      case Symbol::Kind::Local: {
        const Stmt& statement = program_.stmts[symbol.index];
        const bool alias = statement.kind == StmtKind::Alias;
        return code(alias ? formatted("alias ({}, {})", text(statement.name), source(program_.exprs[statement.a].range))
                          : formatted("{} {}", source(program_.types[statement.type].range), text(statement.name))) +
               (alias ? "alias" : "local variable");
      }
      case Symbol::Kind::Builtin:
        return builtin(symbol.name);
      case Symbol::Kind::Type:
        return code(std::string(text(symbol.name))) + "built-in type";
      case Symbol::Kind::Setting:
        return setting(symbol.name);
    }
    return "";
  }

  std::string setting(NameId name) const {
    const SettingInfo& info = info_of(*find_setting(name));
    std::string out = code(formatted("setting {}", info.name));
    constexpr std::string_view kTypes[] = {"flag", "uint", "float", "one of"};
    out += kTypes[static_cast<std::size_t>(info.type)];
    for (const SettingWord& word : words_of(info.words)) out += formatted(" `{}`", word.name);
    if (info.scope == SettingScope::ColorOutput) out += "; of one color output: `block N`";
    return out;
  }

  // Needs a resolved program.
  std::string field_placement(FieldId id) const {
    const Resolved& resolved = *document_.resolved;
    for (const ContainerField& field : resolved.container_fields) {
      if (field.field != id) continue;
      const bool attribute = resolved.containers[field.container].block_size != 0;
      std::string out = formatted("location {}", field.location);
      if (attribute) out += formatted("; offset {}, {}", field.offset, name_of(field.format));
      return out;
    }
    for (const Member& member : resolved.members) {
      if (member.field != id) continue;
      return formatted("offset {}, {} bytes", member.offset, resolved.types[member.type].size);
    }
    return "";
  }

  std::string builtin(NameId name) const { return code(signature_text(*find_builtin(name))) + "built-in function"; }

  std::string placement(const Symbol& symbol) const {
    if (!document_.resolved) return "";
    if (symbol.kind == Symbol::Kind::Item) return binding_text(symbol.item);
    const bool field = symbol.kind == Symbol::Kind::Field && !program_.fields[symbol.field].alias;
    return field ? field_placement(symbol.field) : "";
  }

 private:
  std::string_view text(NameId name) const { return program_.text(name); }
  static std::string code(const std::string& text) { return formatted("```rpl\n{}\n```\n", text); }
  std::string source(Range range) const { return std::string(document_.text(range)); }

  std::string item(ItemId id) const {
    const Item& of = program_.items[id];
    std::string out = code(head(of));
    if (document_.is_inactive(of.range)) return out + "inactive: its conditional is false";
    switch (of.kind) {
      case ItemKind::Option: {
        const Option& option = program_.options[of.index];
        const Value value = document_.assignment.has(of.index) ? document_.assignment.values[of.index] : option.initial;
        out += formatted("{} option, here `{}`", name_of(option.option_class), format_value(program_, value));
        break;
      }
      case ItemKind::Struct:
        out += struct_layout(id);
        break;
      case ItemKind::Constant:
        out += "constant";
        break;
      default:
        out += binding_text(id);
    }
    return out;
  }

  // The declaration without its body.
  std::string head(const Item& of) const {
    std::string all = source(of.range);
    if (of.kind == ItemKind::Option || of.kind == ItemKind::Constant) return all;
    const std::size_t brace = all.find('{');
    all = all.substr(0, brace);
    while (!all.empty() && (std::isspace(static_cast<unsigned char>(all.back())) != 0 || all.back() == ';'))
      all.pop_back();
    return all;
  }

  std::string struct_layout(ItemId id) const {
    if (!document_.resolved) return "struct";
    for (const Struct& of : document_.resolved->structs) {
      if (of.item != id) continue;
      const Type& type = document_.resolved->types[of.type];
      return formatted("struct of {} bytes, aligned to {}", type.size, type.align);
    }
    return "struct that nothing uses";
  }

  // Set and binding, or attribute source.
  std::string binding_text(ItemId id) const {
    if (!document_.resolved) return "";
    const Resolved& resolved = *document_.resolved;
    const auto bound = [](DescriptorSet set, std::uint32_t binding) {
      return formatted("{} (set {}), binding {}", word_of(set), static_cast<int>(set), binding);
    };
    for (const Buffer& of : resolved.buffers) {
      if (of.item != id) continue;
      std::string out = of.set == DescriptorSet::None ? "" : bound(of.set, of.binding) + "; ";
      out += formatted("{} bytes", of.main_size);
      return of.tail_item == kErrorType ? out : out + formatted(" and {} for each item of the tail", of.tail_item_size);
    }
    for (const SamplerDecl& of : resolved.samplers) {
      if (of.item == id) return bound(of.set, of.binding);
    }
    for (const ImageDecl& of : resolved.images) {
      if (of.item == id) return bound(of.set, of.binding);
    }
    for (const Container& of : resolved.containers) {
      if (of.item == id && of.block_size != 0) {
        return formatted("attribute source {}, {} bytes each", of.binding, of.block_size);
      }
    }
    return "";
  }

  std::string field(const Symbol& symbol) const {
    const Field& of = program_.fields[symbol.field];
    if (of.alias) return code(source(of.range)) + "field alias";
    std::string out = code(formatted("{} {}.{}", source(program_.types[of.type].range),
                                     text(program_.items[symbol.item].name), text(of.name)));
    if (document_.is_inactive(of.range)) return out + "inactive: its conditional is false";
    if (!document_.resolved) return out;
    return out + field_placement(symbol.field);
  }

  const Document& document_;
  const Program& program_;
};

// --- completion ----------------------------------------------------------------------------------------------------

class Completer {
 public:
  Completer(const Document& document, std::uint64_t offset)
      : document_(document), program_(document.program), finder_(document), offset_(offset) {}

  std::vector<Completion> complete() {
    before_ = 0;
    const auto& tokens = document_.tokens;
    while (before_ < tokens.size() && tokens[before_].kind != TokenKind::End && tokens[before_].end < offset_)
      ++before_;
    // The name that the cursor is in, or directly after, is completed.
    const bool in_name = before_ < tokens.size() && tokens[before_].begin < offset_ &&
                         (tokens[before_].kind == TokenKind::Identifier || tokens[before_].kind == TokenKind::String);
    const bool after =
        !in_name && before_ < tokens.size() && tokens[before_].end == offset_ && tokens[before_].kind != TokenKind::End;
    const std::size_t count = after ? before_ + 1 : before_;  // tokens before the cursor
    if (count >= 2 && tokens[count - 1].kind == TokenKind::Dot) return members(count - 2);
    if (values(count)) return std::move(found_);
    if (count >= 1 && tokens[count - 1].kind == TokenKind::Identifier && tokens[count - 1].value == Word::setting) {
      settings();
      return std::move(found_);
    }
    everything();
    return std::move(found_);
  }

 private:
  void add(std::string_view label, CompletionKind kind, std::string detail = "") {
    found_.push_back({std::string(label), kind, std::move(detail)});
  }

  std::vector<Completion> members(std::size_t token) {
    token = finder_.before_brackets(token);
    if (document_.tokens[token].kind != TokenKind::Identifier) return {};
    const std::optional<Symbol> symbol = finder_.symbol(token);
    if (!symbol) return {};
    const ItemId body = finder_.body_of(*symbol);
    if (body == kNone) {
      const TypeId type = type_of_word(finder_.type_of(*symbol));
      if (is_vector(type) || is_matrix(type)) {
        const std::uint32_t names = is_matrix(type) ? item_count(type) : item_count(type) > 1 ? item_count(type) : 0;
        for (std::uint32_t i = 0; i < names; ++i) add(std::string_view("xyzw").substr(i, 1), CompletionKind::Field);
      }
      return std::move(found_);
    }
    const List fields = program_.items[body].fields;
    for (std::uint32_t i = 0; i < fields.count; ++i) {
      const Field& field = program_.fields[fields.first + i];
      if (document_.is_inactive(field.range)) continue;
      add(program_.text(field.name), CompletionKind::Field,
          field.alias ? "alias" : std::string(program_.text(program_.types[field.type].name)));
    }
    return std::move(found_);
  }

  // Words of a list follow `setting NAME [block N] =`, and `option ==` or `!=`.
  bool values(std::size_t count) {
    const auto& tokens = document_.tokens;
    std::size_t at = count;
    if (at > 0 && tokens[at - 1].kind == TokenKind::String) --at;
    if (at < 2) return false;
    const TokenKind op = tokens[at - 1].kind;
    std::size_t name = at - 2;
    if (op == TokenKind::Equal) {
      if (name >= 2 && tokens[name - 1].kind == TokenKind::Identifier && tokens[name - 1].value == Word::block)
        name -= 2;
      const auto setting = find_setting(tokens[name].value);
      if (tokens[name].kind != TokenKind::Identifier || !setting) return false;
      const SettingInfo& info = info_of(*setting);
      for (const SettingWord& word : words_of(info.words)) quoted(word.name);
      if (info.type == SettingType::Flag) {
        for (const std::string_view word : {"on", "off"}) add(word, CompletionKind::Value);
      }
      return true;
    }
    if ((op != TokenKind::EqualEqual && op != TokenKind::NotEqual) || tokens[name].kind != TokenKind::Identifier)
      return false;
    const ItemId item = finder_.choose(program_.first_value, tokens[name].value);
    if (item == kNone || program_.items[item].kind != ItemKind::Option) return false;
    const List words = program_.options[program_.items[item].index].values;
    for (std::uint32_t i = 0; i < words.count; ++i) quoted(program_.text(program_.lists[words.first + i]));
    return words.count != 0;
  }
  // A value that is a string. Editors replace the word before the cursor, and a quote is not part of a word.
  void quoted(std::string_view word) {
    add(in_string() ? std::string(word) : "\"" + std::string(word) + "\"", CompletionKind::Value);
  }
  bool in_string() const {
    const ProgramSource& source = program_.sources[program_.source_at(static_cast<std::uint32_t>(offset_))];
    const std::string_view text = source.text->text().substr(0, offset_ - source.base);
    const std::string_view line = text.substr(text.find_last_of('\n') + 1);
    return std::ranges::count(line, '"') % 2 != 0;
  }

  void settings() {
    for (const SettingInfo& info : setting_table()) add(info.name, CompletionKind::Property, "setting");
  }

  void everything() {
    const Item* function = finder_.function_at(static_cast<std::uint32_t>(offset_));
    if (function) {
      for (const StmtId id : finder_.locals_at(*function, static_cast<std::uint32_t>(offset_))) {
        add(program_.text(program_.stmts[id].name), CompletionKind::Variable, "local");
      }
      for (std::uint32_t i = 0; i < function->arguments.count; ++i) {
        add(program_.text(program_.arguments[function->arguments.first + i].name), CompletionKind::Variable,
            "argument");
      }
    }
    for (const Item& item : program_.items) {
      if (item.kind == ItemKind::Setting || document_.is_inactive(item.range)) continue;
      const CompletionKind kind = item.kind == ItemKind::Function ? CompletionKind::Function
                                  : item.kind == ItemKind::Struct ? CompletionKind::Struct
                                  : item.kind == ItemKind::Option || item.kind == ItemKind::Constant
                                      ? CompletionKind::Constant
                                      : CompletionKind::Variable;
      add(program_.text(item.name), kind, std::string(word_of(item.kind)));
    }
    for (const BuiltinFunction& of : builtin_functions()) add(of.name, CompletionKind::Function, signature_text(of));
    for (TypeId type = kF1; type < kFirstOwnType; ++type) {
      if (const std::string_view name = builtin_type_name(type); !name.empty())
        add(name, CompletionKind::Struct, "type");
    }
    constexpr NameId kFirstKeyword = Word::global, kLastKeyword = Word::enum_;
    for (NameId word = kFirstKeyword; word <= kLastKeyword; ++word) add(fixed_names()[word], CompletionKind::Keyword);
    if (!function) settings();
  }

  const Document& document_;
  const Program& program_;
  SymbolFinder finder_;
  std::uint64_t offset_;
  std::size_t before_ = 0;
  std::vector<Completion> found_;
};

// The call around a token: its name, and the index of the argument that the token is in.
std::optional<std::pair<std::size_t, std::uint32_t>> call_around(const Document& document, std::uint64_t offset) {
  const auto& tokens = document.tokens;
  std::uint32_t commas = 0;
  int depth = 0;
  auto at = std::ranges::lower_bound(tokens, offset, {}, &Token::end) - tokens.begin();
  if (static_cast<std::size_t>(at) < tokens.size() && tokens[at].end == offset) ++at;  // a token that ends here
  while (at-- > 0) {
    switch (tokens[at].kind) {
      case TokenKind::RightParen:
      case TokenKind::RightBracket:
      case TokenKind::RightBrace:
        ++depth;
        break;
      case TokenKind::LeftBracket:
        if (depth == 0) return std::nullopt;
        --depth;
        break;
      case TokenKind::LeftBrace:
        if (depth == 0) commas = 0;  // `f4 {...}` inside a call: the comma before it counts
        if (depth > 0) --depth;
        break;
      case TokenKind::Comma:
        if (depth == 0) ++commas;
        break;
      case TokenKind::Semicolon:
        return std::nullopt;
      case TokenKind::LeftParen:
        if (depth-- > 0) break;
        if (at > 0 && tokens[at - 1].kind == TokenKind::Identifier) {
          return std::pair(static_cast<std::size_t>(at - 1), commas);
        }
        depth = 0;
        commas = 0;
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

Signature call_signature(const Document& document, const Item& function) {
  const Program& program = document.program;
  Signature made;
  made.label = formatted("{} {} (", program.text(program.types[function.type].name), program.text(function.name));
  bool first = true;
  for (std::uint32_t i = 0; i < function.arguments.count; ++i) {
    const ArgumentDecl& argument = program.arguments[function.arguments.first + i];
    if (document.is_inactive(argument.range)) continue;
    if (!std::exchange(first, false)) made.label += ", ";
    const auto begin = static_cast<std::uint32_t>(made.label.size());
    made.label += document.text(argument.range);
    made.parameters.emplace_back(begin, static_cast<std::uint32_t>(made.label.size()));
  }
  if (made.parameters.empty()) made.label += "void";
  made.label += ")";
  return made;
}

// The label lists types only.
Signature call_signature(const BuiltinFunction& function) {
  Signature made;
  made.label = signature_text(function);
  std::size_t begin = made.label.find('(') + 1;
  while (begin < made.label.size()) {
    const std::size_t end = std::min(made.label.find(", ", begin), made.label.size() - 1);
    if (end > begin) made.parameters.emplace_back(begin, end);
    begin = end + 2;
  }
  return made;
}

}  // namespace

std::optional<Symbol> symbol_at(const Document& document, std::uint64_t offset) {
  const SymbolFinder finder(document);
  const std::optional<std::size_t> token = finder.token_at(offset);
  return token ? finder.symbol(*token) : std::nullopt;
}

std::vector<Symbol> symbols_in(const Document& document, Range part, std::optional<NameId> name) {
  const SymbolFinder finder(document);
  std::vector<Symbol> found;
  const auto& tokens = document.tokens;
  const auto first = std::ranges::lower_bound(tokens, part.begin, {}, &Token::begin);
  for (auto token = first; token != tokens.end() && token->begin < part.end; ++token) {
    if (token->kind != TokenKind::Identifier || (name && token->value != *name)) continue;
    if (auto symbol = finder.symbol(static_cast<std::size_t>(token - tokens.begin()))) found.push_back(*symbol);
  }
  return found;
}

std::optional<Range> definition_of(const Document& document, const Symbol& symbol) {
  const Program& program = document.program;
  switch (symbol.kind) {
    case Symbol::Kind::Item:
      return program.items[symbol.item].name_range;
    case Symbol::Kind::Field:
      return program.fields[symbol.field].name_range;
    case Symbol::Kind::Argument:
      return program.arguments[symbol.index].name_range;
    case Symbol::Kind::Local:
      return program.stmts[symbol.index].name_range;
    default:
      return std::nullopt;
  }
}

std::string identity(const Document& document, const Symbol& symbol) {
  const Program& program = document.program;
  const auto item = [&](ItemId id) {
    const ItemKind kind = program.items[id].kind;
    const std::string_view names = kind == ItemKind::Function ? "function"
                                   : kind == ItemKind::Struct ? "struct"
                                                              : "value";
    return formatted("{} {}", names, program.text(program.items[id].name));
  };
  switch (symbol.kind) {
    case Symbol::Kind::Item:
      return item(symbol.item);
    case Symbol::Kind::Field:
      return formatted("{}.{}", item(symbol.item), program.text(program.fields[symbol.field].name));
    case Symbol::Kind::Argument:
    case Symbol::Kind::Local: {
      const Range at = *definition_of(document, symbol);
      const ProgramSource& source = program.sources[program.source_at(at.begin)];
      return formatted("local {} {}", at.begin - source.base, source.text->name());
    }
    default:
      return formatted("word {}", program.text(symbol.name));
  }
}

std::string describe(const Document& document, const Symbol& symbol) { return Describer(document).describe(symbol); }

std::string placement(const Document& document, const Symbol& symbol) { return Describer(document).placement(symbol); }

std::optional<Signature> signature_at(const Document& document, std::uint64_t offset) {
  const auto call = call_around(document, offset);
  if (!call) return std::nullopt;
  const auto [token, argument] = *call;
  const NameId name = document.tokens[token].value;
  const SymbolFinder finder(document);
  std::optional<Signature> made;
  if (const ItemId item = finder.choose(document.program.first_function, name); item != kNone) {
    made = call_signature(document, document.program.items[item]);
  } else if (const BuiltinFunction* builtin = find_builtin(name)) {
    made = call_signature(*builtin);
  }
  if (made) made->active = argument;
  return made;
}

std::vector<Completion> complete(const Document& document, std::uint64_t offset) {
  return Completer(document, offset).complete();
}

}  // namespace slipway::rpl::lsp
