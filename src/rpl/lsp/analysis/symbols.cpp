// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names in the text and the entities that they refer to. Works on tokens and the tree, so that programs with errors are
// supported, too.
#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "rpl/lsp/analysis/document.hpp"
#include "rpl/lsp/analysis/symbol_finder.hpp"

namespace slipway::rpl::lsp {
namespace {

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

// --- calls ---------------------------------------------------------------------------------------------------------

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

std::optional<Range> type_definition_of(const Document& document, const Symbol& symbol) {
  const SymbolFinder finder(document);
  const ItemId item = finder.choose(document.program.first_struct, finder.type_of(symbol));
  if (item == kNone) return std::nullopt;
  return document.program.items[item].name_range;
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

}  // namespace slipway::rpl::lsp
