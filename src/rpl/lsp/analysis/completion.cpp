// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be written where the cursor is. Works on tokens, because a program that is being written does not parse.
#include <algorithm>
#include <set>

#include "rpl/lsp/analysis/document.hpp"
#include "rpl/lsp/analysis/symbol_finder.hpp"

namespace slipway::rpl::lsp {
namespace {

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
    if (values(count)) return found_;
    if (count >= 1 && tokens[count - 1].kind == TokenKind::Identifier && tokens[count - 1].value == Word::setting) {
      settings();
      return found_;
    }
    in_context(context_at(count), count);
    // Names with several conditional declarations are offered once.
    std::set<std::string_view> seen;
    std::erase_if(found_, [&](const Completion& each) { return !seen.insert(each.label).second; });
    return found_;
  }

 private:
  void add(std::string_view label, CompletionKind kind, std::string detail = "", std::string_view type = "") {
    found_.push_back({std::string(label), kind, std::move(detail), !type.empty() && type == wanted_});
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
      return found_;
    }
    const List fields = program_.items[body].fields;
    for (std::uint32_t i = 0; i < fields.count; ++i) {
      const Field& field = program_.fields[fields.first + i];
      if (document_.is_inactive(field.range)) continue;
      add(program_.text(field.name), CompletionKind::Field,
          field.alias ? "alias" : std::string(program_.text(program_.types[field.type].name)));
    }
    return found_;
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

  // --- where the cursor is ---

  // What can be written at a token.
  enum class Context : std::uint8_t {
    Item,        // the beginning of an item
    FieldType,   // in a container, a buffer, a struct
    Statement,   // the beginning of one
    Expression,  // in a function
    Constant,    // an expression at compile time: of conditionals, constants, settings, sizes
    Resource,    // after `set_pass` and its like
    Argument,    // in the parentheses of a declaration
    Nothing,     // a new name, a number
  };
  enum class Scope : std::uint8_t { Item, Fields, Block, Value, Parens, Declaration };

  Context context_at(std::size_t count) const {
    const auto& tokens = document_.tokens;
    const ProgramSource& source = program_.sources[program_.source_at(static_cast<std::uint32_t>(offset_))];
    std::size_t first = count;
    while (first > 0 && tokens[first - 1].begin >= source.base) --first;
    std::vector<Scope> scopes = {Scope::Item};
    bool is_function = false;
    for (std::size_t at = first; at < count; ++at) {
      const TokenKind before = at == first ? TokenKind::End : tokens[at - 1].kind;
      switch (tokens[at].kind) {
        case TokenKind::LeftBrace:
          if (scopes.back() == Scope::Item)
            scopes.push_back((is_function = before == TokenKind::RightParen) ? Scope::Block : Scope::Fields);
          else
            scopes.push_back(before == TokenKind::Identifier && !is_keyword(tokens[at - 1]) ? Scope::Value
                                                                                            : Scope::Block);
          break;
        case TokenKind::LeftParen: {
          const bool is_condition = at > first && before == TokenKind::Identifier && is_keyword(tokens[at - 1]);
          scopes.push_back(scopes.back() == Scope::Item && !is_condition ? Scope::Declaration : Scope::Parens);
          break;
        }
        case TokenKind::LeftBracket:
          scopes.push_back(Scope::Value);
          break;
        case TokenKind::RightBrace:
        case TokenKind::RightParen:
        case TokenKind::RightBracket:
          if (scopes.size() > 1) scopes.pop_back();
          break;
        default:
          break;
      }
    }
    return context_in(scopes, is_function && scopes.size() > 1, first == count ? nullptr : &tokens[count - 1],
                      count - first);
  }

  Context context_in(const std::vector<Scope>& scopes, bool in_function, const Token* last, std::size_t count) const {
    const Scope scope = scopes.back();
    const bool begins = !last || last->kind == TokenKind::Semicolon || last->kind == TokenKind::LeftBrace ||
                        last->kind == TokenKind::RightBrace || last->kind == TokenKind::RightParen;
    const bool is_name = last && last->kind == TokenKind::Identifier;
    if (is_name && last->value == Word::return_) return Context::Expression;
    if (is_name && last->value == Word::else_) return Context::Statement;
    if (is_name && last->value >= Word::set_pass && last->value <= Word::set_shared) return Context::Resource;
    if (is_name && (last->value == Word::in || last->value == Word::out)) return Context::Argument;
    if (is_name || is_number(last)) return Context::Nothing;
    const Token* const opener = last && last->kind == TokenKind::LeftParen && count > 1 ? last - 1 : nullptr;
    if (opener && (opener->value == Word::meta || opener->value == Word::pack)) return Context::Nothing;
    if (opener && opener->value == Word::conditional) return Context::Constant;
    switch (scope) {
      case Scope::Item:
        return begins ? Context::Item : Context::Constant;
      case Scope::Declaration:
        return Context::Argument;
      case Scope::Fields:
        return begins ? Context::FieldType : Context::Constant;
      case Scope::Block:
        return begins ? Context::Statement : Context::Expression;
      case Scope::Value:
      case Scope::Parens:
        break;
    }
    return in_function ? Context::Expression : Context::Constant;
  }

  // A word before parentheses or braces that is not the name of a function or type.
  static bool is_keyword(const Token& token) {
    return token.value == Word::conditional || token.value == Word::pack || token.value == Word::meta ||
           token.value == Word::alias || (token.value >= Word::if_ && token.value <= Word::return_);
  }
  static bool is_number(const Token* token) {
    return token && token->kind >= TokenKind::PlainInt && token->kind <= TokenKind::Float;
  }

  // --- what can be written there ---

  void in_context(Context context, std::size_t count) {
    const Item* const function = finder_.function_at(static_cast<std::uint32_t>(offset_));
    if (context == Context::Expression) wanted_ = wanted_type(count);
    switch (context) {
      case Context::Item:
        words({Word::global, Word::instance, Word::conditional, Word::constant, Word::setting, Word::struct_,
               Word::vertex_attribute_container, Word::instanced_attribute_container, Word::state_container,
               Word::color_output_container, Word::set_pass, Word::set_material, Word::set_object, Word::set_shared,
               Word::push_constant, Word::workgroup_buffer, Word::void_});
        types(true);
        break;
      case Context::FieldType:
        words({Word::conditional, Word::pack, Word::meta, Word::alias});
        types(true);
        break;
      case Context::Resource:
        words({Word::uniform_buffer, Word::read_only_storage_buffer, Word::read_write_storage_buffer, Word::sampler});
        for (TypeId type = kFirstImage; type < kFirstOwnType; ++type) add_type(type);
        break;
      case Context::Argument:
        words({Word::in, Word::out, Word::conditional, Word::void_});
        types(true);
        break;
      case Context::Statement:
        words({Word::conditional, Word::alias, Word::if_, Word::for_, Word::while_, Word::break_, Word::continue_,
               Word::return_});
        locals(function);
        items(true);
        functions();
        types(true);
        break;
      case Context::Expression:
        locals(function);
        items(true);
        functions();
        types(true);
        words({Word::true_, Word::false_});
        break;
      case Context::Constant:
        items(false);
        words({Word::true_, Word::false_, Word::on, Word::off});
        break;
      case Context::Nothing:
        break;
    }
  }

  void words(std::initializer_list<NameId> all) {
    for (const NameId word : all) add(fixed_names()[word], CompletionKind::Keyword);
  }

  void add_type(TypeId type) {
    const std::string_view name = builtin_type_name(type);
    if (!name.empty()) add(name, CompletionKind::Struct, "type", name);
  }
  void types(bool with_structs) {
    for (TypeId type = kF1; type < kFirstImage; ++type) add_type(type);
    for (const Item& item : program_.items) {
      if (with_structs && item.kind == ItemKind::Struct)
        add(program_.text(item.name), CompletionKind::Struct, "struct");
    }
  }

  void locals(const Item* function) {
    if (!function) return;
    for (const StmtId id : finder_.locals_at(*function, static_cast<std::uint32_t>(offset_))) {
      const Stmt& local = program_.stmts[id];
      const bool is_alias = local.kind == StmtKind::Alias;
      add(program_.text(local.name), CompletionKind::Variable, is_alias ? "alias" : "local",
          is_alias ? "" : type_text(local.type));
    }
    for (std::uint32_t i = 0; i < function->arguments.count; ++i) {
      const ArgumentDecl& argument = program_.arguments[function->arguments.first + i];
      add(program_.text(argument.name), CompletionKind::Variable, "argument", type_text(argument.type));
    }
  }
  std::string_view type_text(TypeRefId type) const { return program_.text(program_.types[type].name); }

  // Options and constants; with `all` also what only functions use.
  void items(bool all) {
    for (const Item& item : program_.items) {
      const bool is_constant = item.kind == ItemKind::Option || item.kind == ItemKind::Constant;
      const bool is_other =
          item.kind == ItemKind::Setting || item.kind == ItemKind::Struct || item.kind == ItemKind::Function;
      if (is_other || (!all && !is_constant) || is_unreachable(item.range)) continue;
      add(program_.text(item.name), is_constant ? CompletionKind::Constant : CompletionKind::Variable,
          std::string(word_of(item.kind)));
    }
  }

  // Those of the stages of this program.
  void functions() {
    for (const Item& item : program_.items) {
      if (item.kind != ItemKind::Function || is_entry_point(item) || is_unreachable(item.range)) continue;
      add(program_.text(item.name), CompletionKind::Function, "function", type_text(item.type));
    }
    StageMask stages = 0;
    for (const EntryPointName& entry : document_.variants.compile.entry_points) stages |= mask_of(entry.stage);
    if (stages == 0) stages = kAllStages;
    for (const BuiltinFunction& of : builtin_functions()) {
      if ((info_of(of.id).stages & stages) == 0) continue;
      add(of.name, CompletionKind::Function, signature_text(of), of.fixed ? builtin_type_name(of.result) : "");
    }
  }
  bool is_entry_point(const Item& item) const {
    return std::ranges::contains(document_.variants.compile.entry_points, program_.text(item.name),
                                 &EntryPointName::function);
  }
  bool is_unreachable(Range range) const {
    return std::ranges::any_of(document_.unreachable,
                               [&](const Range& off) { return off.begin <= range.begin && range.end <= off.end; });
  }

  // The type of what is assigned to: `f4 name = `, `a.b = `; of what is returned. Empty if it is not known.
  std::string_view wanted_type(std::size_t count) const {
    const auto& tokens = document_.tokens;
    if (count == 0) return "";
    if (tokens[count - 1].kind == TokenKind::Identifier && tokens[count - 1].value == Word::return_) {
      const Item* const function = finder_.function_at(static_cast<std::uint32_t>(offset_));
      return function ? type_text(function->type) : "";
    }
    if (count < 2 || tokens[count - 1].kind != TokenKind::Equal || tokens[count - 2].kind != TokenKind::Identifier)
      return "";
    if (count >= 3 && tokens[count - 3].kind == TokenKind::Identifier) return program_.text(tokens[count - 3].value);
    const std::optional<Symbol> symbol = finder_.symbol(count - 2);
    return symbol ? program_.text(finder_.type_of(*symbol)) : "";
  }

  const Document& document_;
  const Program& program_;
  SymbolFinder finder_;
  std::uint64_t offset_;
  std::size_t before_ = 0;
  std::string_view wanted_;  // the type that fits
  std::vector<Completion> found_;
};

}  // namespace

std::vector<Completion> complete(const Document& document, std::uint64_t offset) {
  return Completer(document, offset).complete();
}

}  // namespace slipway::rpl::lsp
