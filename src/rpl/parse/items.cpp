// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of a file: options, declarations and functions (docs/spec/rpl.md#grammar).
#include <array>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "rpl/parse/parser.hpp"

namespace slipway::rpl {

namespace {

// Words that begin an item, for recovery and for "did you mean".
constexpr std::array kItemWords = {Word::global,
                                   Word::instance,
                                   Word::conditional,
                                   Word::constant,
                                   Word::setting,
                                   Word::struct_,
                                   Word::vertex_attribute_container,
                                   Word::instanced_attribute_container,
                                   Word::state_container,
                                   Word::color_output_container,
                                   Word::set_pass,
                                   Word::set_material,
                                   Word::set_object,
                                   Word::set_shared,
                                   Word::push_constant,
                                   Word::workgroup_buffer};

bool is_number(TokenKind kind) {
  return kind == TokenKind::PlainInt || kind == TokenKind::Uint || kind == TokenKind::Sint;
}

bool is_field_prefix(NameId word) { return word == Word::conditional || word == Word::meta || word == Word::pack; }

}  // namespace

void Parser::parse_source(const std::vector<Token>& tokens, std::uint32_t module) {
  token_ = first_ = tokens.data();
  end_ = tokens.data() + tokens.size() - 1;
  module_ = module;
  unclosed_ = false;
  last_end_ = token_->begin;
  find_bad_bytes();
  while (!is(TokenKind::End)) {
    if (accept(TokenKind::Semicolon)) continue;
    parse_item();
  }
}

// Long, because it has one branch per kind of item.
void Parser::parse_item() {
  const Token* const begin = token_;
  stack_.clear();
  depth_ = 0;
  abandoned_ = false;
  Item item;
  item.module = module_;
  bool ok = true;
  if (is_word(Word::conditional) && following().kind == TokenKind::LeftParen) {
    item.condition = parse_condition();
    if (item.condition == 0) return recover_item(begin);
    if (is_word(Word::conditional) && following().kind == TokenKind::LeftParen) {
      error(DiagnosticKind::RplConditionalPlace, range_of(at()),
            "a second `conditional`; join the conditions with `&&`");
      if (parse_condition() == 0) return recover_item(begin);
    }
  }
  const TokenKind next = ahead(1).kind;
  if (!is(TokenKind::Identifier)) {
    expected("a declaration");
    return recover_item(begin);
  }
  const bool two_names = next == TokenKind::Identifier;
  const NameId word = at().value;
  // `set_pass pack (unorm8) ...` is an image.
  const bool packed_image = word >= Word::set_pass && word <= Word::set_shared && following().value == Word::pack;
  const bool function = two_names && ahead(2).kind == TokenKind::LeftParen && !packed_image;
  if (next == TokenKind::Equal || next == TokenKind::Dot ||
      (two_names && following().value == Word::block && is_number(ahead(2).kind))) {
    item.keyword_less = true;
    ok = parse_setting(item);
  } else if (function) {
    ok = parse_function(item);
  } else if ((word == Word::global || word == Word::instance) && two_names && ahead(2).kind == TokenKind::Colon) {
    if (item.condition != 0) {
      error(DiagnosticKind::RplConditionalPlace, since(begin->begin),
            "options have no `conditional`; put it before what uses the option");
    }
    ok = parse_option();
    if (ok) return;
  } else if (word == Word::constant && two_names) {
    ok = parse_constant(item);
  } else if (word == Word::setting && two_names) {
    advance();
    ok = parse_setting(item);
  } else if (word == Word::struct_ && two_names) {
    ok = parse_body_item(item, ItemKind::Struct);
  } else if (word >= Word::vertex_attribute_container && word <= Word::color_output_container && two_names) {
    ok = parse_body_item(item, static_cast<ItemKind>(static_cast<std::uint32_t>(ItemKind::VertexContainer) + word -
                                                     Word::vertex_attribute_container));
  } else if (word >= Word::set_pass && word <= Word::set_shared) {
    item.set = static_cast<DescriptorSet>(word - Word::set_pass);
    advance();
    ok = parse_set_item(item);
  } else if (word == Word::push_constant && two_names) {
    ok = parse_body_item(item, ItemKind::PushConstant);
  } else if (word == Word::workgroup_buffer && two_names) {
    ok = parse_body_item(item, ItemKind::WorkgroupBuffer);
  } else if (next == TokenKind::LeftBracket) {
    const TypeRefId type = parse_type(false);
    if (type != 0 && is(TokenKind::Identifier) && following().kind == TokenKind::LeftParen) {
      error(DiagnosticKind::RplReturnType, program_.types[type].range, "functions cannot return arrays")
          .hint("return a struct with the array as a field");
    } else if (type != 0) {
      expected("a function");
    }
    return recover_item(begin);
  } else {
    const bool needs_set = word == Word::uniform_buffer || word == Word::read_only_storage_buffer ||
                           word == Word::read_write_storage_buffer || word == Word::sampler ||
                           type_of_word(word) >= kFirstImage;
    if (needs_set) {
      error(DiagnosticKind::RplExpected, range_of(at()),
            formatted("`{}` needs a descriptor set before it", program_.text(word)))
          .hint("write `set_pass`, `set_material`, `set_object` or `set_shared`");
    } else {
      const std::string_view text = program_.text(word);
      Diagnostic& problem =
          error(DiagnosticKind::RplExpected, range_of(at()), formatted("expected a declaration, found `{}`", text));
      std::vector<std::string_view> words;
      for (const NameId known : kItemWords) words.push_back(program_.text(known));
      if (const auto near = closest(text, words)) problem.suggest(program_.location(range_of(at())), *near);
    }
    advance();
    return recover_item(begin);
  }
  if (!ok) return recover_item(begin);
  add(item, begin->begin);
}

ItemId Parser::add(Item& item, std::uint32_t begin) {
  item.range = since(begin);
  program_.items.push_back(item);
  return static_cast<ItemId>(program_.items.size()) - 1;
}

// --- options ---------------------------------------------------------------------------------------------------------

bool Parser::parse_option() {
  const Token word = at();
  advance();
  Item item;
  item.kind = ItemKind::Option;
  item.module = module_;
  Option option;
  option.option_class = word.value == Word::global ? OptionClass::Global : OptionClass::Instance;
  option.name = item.name = at().value;
  item.name_range = range_of(at());
  check_declared(item.name, item.name_range);
  advance();
  advance();
  if (!parse_option_value(option) || !expect(TokenKind::Semicolon)) return false;
  if (option_of_name_.size() < program_.names.size()) option_of_name_.resize(program_.names.size(), kNone);
  ItemId& earlier = option_of_name_[option.name];
  if (earlier != kNone) {
    error(DiagnosticKind::RplDuplicateOption, item.name_range,
          formatted("option `{}` is already declared", program_.text(option.name)))
        .note("the first declaration", program_.location(program_.items[earlier].name_range));
    return true;
  }
  item.index = static_cast<std::uint32_t>(program_.options.size());
  option.item = static_cast<ItemId>(program_.items.size());
  earlier = option.item;
  program_.options.push_back(option);
  add(item, word.begin);
  return true;
}

bool Parser::parse_option_value(Option& option) {
  constexpr std::string_view kTypes = "`flag`, `uint`, `sint`, `float` or `enum`";
  if (!is(TokenKind::Identifier)) return expected(kTypes);
  const NameId word = at().value;
  if (word == Word::enum_) {
    advance();
    option.type = OptionType::Enum;
    return parse_enum(option);
  }
  if (word == Word::flag) {
    advance();
    option.type = OptionType::Flag;
    const NameId value = is(TokenKind::Identifier) ? at().value : kNoName;
    const bool yes = value == Word::true_ || value == Word::on;
    if (!yes && value != Word::false_ && value != Word::off) return expected("`true`, `false`, `on` or `off`");
    option.initial = {ValueType::Flag, yes ? 1u : 0u};
    advance();
    return true;
  }
  if (word == Word::uint || word == Word::sint || word == Word::float_) {
    option.type = word == Word::uint ? OptionType::Uint : word == Word::sint ? OptionType::Sint : OptionType::Float;
    advance();
    return parse_number_value(option);
  }
  return expected(kTypes);
}

bool Parser::parse_number_value(Option& option) {
  const Token first = at();
  bool negative = false;
  if (option.type != OptionType::Uint && (is(TokenKind::Minus) || is(TokenKind::Plus))) {
    negative = is(TokenKind::Minus);
    advance();
  }
  const Token number = at();
  switch (option.type) {
    case OptionType::Uint:
      if (number.kind != TokenKind::PlainInt && number.kind != TokenKind::Uint) {
        return expected("an unsigned number");
      }
      option.initial = {ValueType::Uint, number.value};
      break;
    case OptionType::Sint:
      if (number.kind != TokenKind::PlainInt && number.kind != TokenKind::Sint) return expected("a signed number");
      if (number.value > (negative ? 0x80000000u : 0x7FFFFFFFu)) {
        error(DiagnosticKind::RplNumberRange, {first.begin, number.end},
              formatted("`{}` is out of the range of a signed number", number.value));
      }
      option.initial = {ValueType::Sint, negative ? 0u - number.value : number.value};
      break;
    default:
      if (number.kind != TokenKind::Float) return expected("a float");
      option.initial = {ValueType::Float, number.value ^ (negative ? 0x80000000u : 0u)};
  }
  advance();
  return true;
}

bool Parser::parse_enum(Option& option) {
  if (!is(TokenKind::String)) return expected("a string");
  const std::size_t mark = stack_.size();
  const Token first = at();
  for (; is(TokenKind::String); advance()) {
    if (std::find(stack_.begin() + static_cast<std::ptrdiff_t>(mark), stack_.end(), at().value) != stack_.end()) {
      error(DiagnosticKind::RplEnumDuplicate, range_of(at()),
            formatted("the value \"{}\" is listed twice", program_.text(at().value)));
      continue;
    }
    stack_.push_back(at().value);
    // The search for duplicates takes quadratic time, which is insignificant for a list of this length.
    if (stack_.size() - mark > 1024) {
      error(DiagnosticKind::OutOfRange, range_of(at()), "an enum option has at most 1024 values");
      truncate(stack_, mark);
      return false;
    }
  }
  option.values = take_list(mark);
  if (option.values.count == 1) {
    diagnostics_.warning(DiagnosticKind::RplEnumSingle, program_.location(range_of(first)),
                         formatted("option `{}` has one value only", program_.text(option.name)));
  }
  option.initial = {ValueType::String, program_.lists[option.values.first]};
  return true;
}

// --- constants and settings ----------------------------------------------------------------------------------------

bool Parser::parse_constant(Item& item) {
  advance();
  item.kind = ItemKind::Constant;
  if (!expect_name(item.name, item.name_range, "the name of the constant") || !expect(TokenKind::Equal)) return false;
  item.value = parse_expression();
  return item.value != 0 && expect(TokenKind::Semicolon);
}

bool Parser::parse_setting(Item& item) {
  item.kind = ItemKind::Setting;
  item.name = at().value;
  const std::uint32_t begin = at().begin;
  advance();
  if (is(TokenKind::Dot)) {
    std::string whole(program_.text(item.name));
    while (accept(TokenKind::Dot)) {
      if (!is(TokenKind::Identifier)) return expected("the rest of the setting's name");
      whole += '.';
      whole += program_.text(at().value);
      advance();
    }
    item.name = program_.names.intern(whole);
  }
  item.name_range = since(begin);
  if (is_word(Word::block)) {
    const std::uint32_t block = at().begin;
    advance();
    if (is(TokenKind::Sint) || !is_number(at().kind)) return expected("an unsigned number");
    item.block = std::min(at().value, kNone - 1);
    advance();
    item.block_range = since(block);
  }
  if (!expect(TokenKind::Equal)) return false;
  item.value = parse_expression();
  return item.value != 0 && expect(TokenKind::Semicolon);
}

// --- structs, containers, buffers ----------------------------------------------------------------------------------

bool Parser::parse_body_item(Item& item, ItemKind kind) {
  advance();
  item.kind = kind;
  if (!expect_name(item.name, item.name_range, "a name")) return false;
  if (kind == ItemKind::Struct && type_of_word(item.name) != kErrorType) {
    error(DiagnosticKind::RplReservedName, item.name_range,
          formatted("`{}` is the name of a built-in type", program_.text(item.name)));
  }
  return parse_fields(item);
}

bool Parser::parse_set_item(Item& item) {
  if (!is(TokenKind::Identifier) && !is_word(Word::pack)) return expected("a buffer, sampler or image");
  switch (at().value) {
    case Word::uniform_buffer:
      return parse_body_item(item, ItemKind::UniformBuffer);
    case Word::read_only_storage_buffer:
      return parse_body_item(item, ItemKind::ReadOnlyBuffer);
    case Word::read_write_storage_buffer:
      return parse_body_item(item, ItemKind::ReadWriteBuffer);
    case Word::sampler:
      advance();
      item.kind = ItemKind::Sampler;
      return expect_name(item.name, item.name_range, "the name of the sampler") && expect(TokenKind::Semicolon);
    default:
      return parse_image(item);
  }
}

bool Parser::parse_image(Item& item) {
  item.kind = ItemKind::Image;
  if (is_word(Word::pack) && following().kind == TokenKind::LeftParen && !parse_pack(item.pack, item.pack_range)) {
    return false;
  }
  const TypeId type = is(TokenKind::Identifier) ? type_of_word(at().value) : kErrorType;
  if (type < kFirstImage || type >= kSampler) {
    if (!is(TokenKind::Identifier)) return expected("a buffer, sampler or image");
    const std::string_view text = program_.text(at().value);
    Diagnostic& problem = error(DiagnosticKind::RplExpected, range_of(at()),
                                formatted("expected a buffer, sampler or image, found `{}`", text));
    std::vector<std::string_view> words;
    for (NameId word = Word::uniform_buffer; word <= Word::sampler; ++word) {
      if (word != Word::push_constant && word != Word::workgroup_buffer) words.push_back(program_.text(word));
    }
    for (NameId word = Word::image_color_2d; word <= Word::storage_image_s1_2d_array; ++word) {
      words.push_back(program_.text(word));
    }
    if (const auto near = closest(text, words)) problem.suggest(program_.location(range_of(at())), *near);
    return false;
  }
  if (item.pack != kNoName && type < kFirstStorageImage) {
    error(DiagnosticKind::RplPackPlace, item.pack_range, "`pack` is allowed before attributes and storage images only");
  }
  item.type = parse_type(false);
  if (item.type == 0) return false;
  if (program_.types[item.type].dimensions.count > 1) {
    error(DiagnosticKind::RplArraySize, program_.types[item.type].range, "image arrays have one dimension");
  }
  return expect_name(item.name, item.name_range, "the name of the image") && expect(TokenKind::Semicolon);
}

bool Parser::parse_fields(Item& item) {
  const Token open = at();
  if (!expect(TokenKind::LeftBrace)) return false;
  item.fields.first = static_cast<std::uint32_t>(program_.fields.size());
  bool fields = false;
  while (!is(TokenKind::RightBrace) && !is(TokenKind::End)) {
    // `; }` after an alias, or a stray one.
    if (accept(TokenKind::Semicolon)) continue;
    stack_.clear();
    Field& field = program_.fields.emplace_back();
    const std::uint32_t begin = at().begin;
    if (!parse_field(item.kind, field)) {
      program_.fields.pop_back();
      if (abandoned_) return false;
      recover_in_body();
      fields = true;
      continue;
    }
    fields = fields || !field.alias;
    field.range = since(begin);
  }
  item.fields.count = static_cast<std::uint32_t>(program_.fields.size()) - item.fields.first;
  if (!expect_close(TokenKind::RightBrace, open)) return false;
  if (!fields) {
    error(DiagnosticKind::RplEmptyBody, item.name_range,
          formatted("`{}` needs at least one field", program_.text(item.name)));
  }
  return expect(TokenKind::Semicolon);
}

bool Parser::parse_field(ItemKind owner, Field& field) {
  const bool attributes = owner == ItemKind::VertexContainer || owner == ItemKind::InstancedContainer;
  while (is(TokenKind::Identifier) && is_field_prefix(at().value) && following().kind == TokenKind::LeftParen) {
    const Token word = at();
    if (word.value == Word::meta) {
      if (!parse_meta(field)) return false;
    } else if (word.value == Word::pack) {
      const bool again = field.pack != kNoName;
      if (!parse_pack(field.pack, field.pack_range)) return false;
      if (!attributes) {
        error(DiagnosticKind::RplPackPlace, field.pack_range,
              "`pack` is allowed before attributes and storage images only");
      } else if (again) {
        error(DiagnosticKind::RplPackPlace, field.pack_range, "a second `pack`");
      }
    } else {
      const bool again = field.condition != 0;
      field.condition = parse_condition();
      if (field.condition == 0) return false;
      if (again) {
        error(DiagnosticKind::RplConditionalPlace, range_of(word),
              "a second `conditional`; join the conditions with `&&`");
      }
    }
  }
  if (is_word(Word::alias) && following().kind == TokenKind::LeftParen) return parse_field_alias(field);
  Range runtime{};
  field.type = parse_type(true, &runtime);
  if (field.type == 0) return false;
  if (is_container(owner) && program_.types[field.type].runtime) {
    error(DiagnosticKind::RplRuntimeArrayPlace, runtime,
          "`...` makes a runtime array, which only the last field of a storage buffer or struct can be");
    program_.types[field.type].runtime = false;
  } else if (is_container(owner) && program_.types[field.type].dimensions.count != 0) {
    error(DiagnosticKind::RplContainerFieldType, program_.types[field.type].range,
          "fields of containers cannot be arrays");
  }
  return expect_name(field.name, field.name_range, "the name of the field") && expect(TokenKind::Semicolon);
}

bool Parser::parse_field_alias(Field& field) {
  const Token word = at();
  if (field.meta.count != 0) error(DiagnosticKind::RplMetaPlace, range_of(word), "an alias has no meta tags");
  if (field.pack != kNoName) error(DiagnosticKind::RplPackPlace, field.pack_range, "an alias has no `pack`");
  field.alias = true;
  advance();
  const Token open = at();
  advance();
  if (!expect_name(field.name, field.name_range, "the name of the alias") || !expect(TokenKind::Comma)) return false;
  const std::size_t mark = stack_.size();
  do {
    if (!is(TokenKind::Identifier)) return expected("a field");
    stack_.push_back(at().value);
    stack_.push_back(at().begin);
    advance();
  } while (accept(TokenKind::Dot));
  field.path = take_list(mark);
  if (!expect_close(TokenKind::RightParen, open)) return false;
  if (field.path.count > 2 * kMaxNesting) {
    error(DiagnosticKind::RplNesting, since(open.begin), formatted("more than {} steps", kMaxNesting));
    return false;
  }
  accept(TokenKind::Semicolon);
  return true;
}

bool Parser::parse_meta(Field& field) {
  advance();
  const Token open = at();
  advance();
  const std::size_t mark = stack_.size();
  for (std::uint32_t i = 0; i < field.meta.count; ++i) stack_.push_back(program_.lists[field.meta.first + i]);
  do {
    if (!is(TokenKind::Identifier)) return truncate(stack_, mark), expected("a meta tag");
    // A field has few tags; the limit of the search keeps a hostile list linear.
    const auto tags = std::span(stack_).subspan(mark);
    if (std::ranges::find(tags.first(std::min<std::size_t>(tags.size(), 64)), at().value) !=
        tags.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(tags.size(), 64))) {
      diagnostics_.warning(DiagnosticKind::RplDuplicateTag, program_.location(range_of(at())),
                           formatted("the tag `{}` is already there", program_.text(at().value)));
    }
    stack_.push_back(at().value);
    advance();
  } while (accept(TokenKind::Comma));
  field.meta = take_list(mark);
  return expect_close(TokenKind::RightParen, open);
}

bool Parser::parse_pack(NameId& pack, Range& range) {
  const Token word = at();
  advance();
  const Token open = at();
  advance();
  if (!is(TokenKind::Identifier)) return expected("a format such as `unorm8`");
  pack = at().value;
  advance();
  if (!expect_close(TokenKind::RightParen, open)) return false;
  range = since(word.begin);
  return true;
}

// --- functions -----------------------------------------------------------------------------------------------------

bool Parser::parse_function(Item& item) {
  item.kind = ItemKind::Function;
  item.type = parse_type(false);
  if (item.type == 0 || !expect_name(item.name, item.name_range, "the name of the function")) return false;
  if (type_of_word(item.name) != kErrorType && item.name != Word::void_) {
    error(DiagnosticKind::RplReservedName, item.name_range,
          formatted("`{}` is the name of a built-in type", program_.text(item.name)));
  }
  if (!parse_arguments(item)) return false;
  if (!is(TokenKind::LeftBrace)) return expected("the body of the function");
  item.body = parse_block();
  return item.body != 0;
}

bool Parser::parse_arguments(Item& item) {
  const Token open = at();
  advance();
  item.arguments.first = static_cast<std::uint32_t>(program_.arguments.size());
  if (is(TokenKind::RightParen)) {
    advance();
    error(DiagnosticKind::RplVoidArgs, since(open.begin), "`()` is not a list of arguments")
        .suggest(program_.location(since(open.begin)), "(void)");
    return true;
  }
  if (is_word(Word::void_) && following().kind == TokenKind::RightParen) {
    advance();
    advance();
    return true;
  }
  do {
    ArgumentDecl argument;
    const std::uint32_t begin = at().begin;
    if (is_word(Word::conditional) && following().kind == TokenKind::LeftParen) {
      argument.condition = parse_condition();
      if (argument.condition == 0) return false;
    }
    if (is_word(Word::in)) {
      advance();
      // `in out type name`; in `in out name` the type has the name `out`.
      const bool both = is_word(Word::out) && following().kind == TokenKind::Identifier &&
                        (ahead(2).kind == TokenKind::Identifier || ahead(2).kind == TokenKind::LeftBracket ||
                         ahead(2).kind == TokenKind::Ellipsis);
      if (both) advance();
      argument.access = both ? Access::InOut : Access::In;
    } else if (is_word(Word::out)) {
      advance();
      argument.access = Access::Out;
    } else {
      return expected("`in`, `out` or `in out`");
    }
    argument.type = parse_type(false);
    if (argument.type == 0 || !expect_name(argument.name, argument.name_range, "the name of the argument")) {
      return false;
    }
    argument.range = since(begin);
    program_.arguments.push_back(argument);
    ++item.arguments.count;
  } while (accept(TokenKind::Comma));
  return expect_close(TokenKind::RightParen, open);
}

}  // namespace slipway::rpl
