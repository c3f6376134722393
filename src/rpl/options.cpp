// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/options.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "rpl/program.hpp"

namespace slipway::rpl {

namespace {

// Reads a number with the prefixes and the suffix of the language; false when it is malformed or does not fit.
bool parse_uint(std::string_view text, std::uint32_t& value) {
  if (text.ends_with('u')) text.remove_suffix(1);
  int base = 10;
  if (text.starts_with("0x")) base = 16;
  if (text.starts_with("0b")) base = 2;
  if (base != 10) text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size();
}

bool parse_sint(std::string_view text, std::uint32_t& bits) {
  if (text.ends_with('s')) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bits = static_cast<std::uint32_t>(value);
  return error == std::errc{} && end == text.data() + text.size();
}

bool parse_float(std::string_view text, std::uint32_t& bits) {
  if (text.starts_with('+')) text.remove_prefix(1);
  float value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bits = std::bit_cast<std::uint32_t>(value);
  return error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
}

bool parse_flag(std::string_view text, std::uint32_t& bits) {
  bits = text == "true" || text == "on" || text == "1";
  return bits != 0 || text == "false" || text == "off" || text == "0";
}

std::string_view expectation(OptionType type) {
  switch (type) {
    case OptionType::Flag:
      return "`true`, `false`, `on`, `off`, `1` or `0`";
    case OptionType::Uint:
      return "an unsigned 32-bit number";
    case OptionType::Sint:
      return "a signed 32-bit number";
    case OptionType::Float:
      return "a number";
    case OptionType::Enum:
      break;
  }
  return "one of its values";
}

bool parse_value(const Program& program, const Option& option, std::string_view text, Value& value) {
  switch (option.type) {
    case OptionType::Flag:
      value.type = ValueType::Flag;
      return parse_flag(text, value.bits);
    case OptionType::Uint:
      value.type = ValueType::Uint;
      return parse_uint(text, value.bits);
    case OptionType::Sint:
      value.type = ValueType::Sint;
      return parse_sint(text, value.bits);
    case OptionType::Float:
      value.type = ValueType::Float;
      return parse_float(text, value.bits);
    case OptionType::Enum:
      break;
  }
  value = {ValueType::String, program.names.find(text)};
  for (std::uint32_t i = 0; i < option.values.count; ++i) {
    if (program.lists[option.values.first + i] == value.bits) return true;
  }
  return false;
}

}  // namespace

std::string_view name_of(OptionClass value) { return value == OptionClass::Global ? "global" : "instance"; }

std::string_view name_of(OptionType value) {
  constexpr std::array<std::string_view, 5> kNames = {"flag", "uint", "sint", "float", "enum"};
  return kNames[static_cast<std::size_t>(value)];
}

std::string_view name_of(ValueType type) {
  constexpr std::array<std::string_view, 6> kNames = {"nothing", "flag", "uint", "sint", "float", "string"};
  return kNames[static_cast<std::size_t>(type)];
}

void Assignment::set(OptionId option, Value value) {
  constexpr std::size_t kFew = 16;  // options are often set one by one
  if (values.capacity() == 0) values.reserve(std::max<std::size_t>(option + 1, kFew));
  if (option >= values.size()) values.resize(option + 1);
  values[option] = value;
}

void set_option(const Program& program, std::string_view text, OptionFilter filter, const SourceLocation& location,
                Assignment& assignment, Diagnostics& diagnostics) {
  const std::size_t equal = text.find('=');
  if (equal == std::string_view::npos) {
    diagnostics.error(DiagnosticKind::Usage, location, formatted("`{}` is not of the form `name=value`", text));
    return;
  }
  set_option(program, text.substr(0, equal), text.substr(equal + 1), filter, location, assignment, diagnostics);
}

void set_option(const Program& program, std::string_view name, std::string_view value, OptionFilter filter,
                const SourceLocation& location, Assignment& assignment, Diagnostics& diagnostics) {
  const NameId id = program.names.find(name);
  const ItemId item = id < program.first_value.size() ? program.first_value[id] : kNone;
  ItemId found = item;
  while (found != kNone && program.items[found].kind != ItemKind::Option) found = program.items[found].next_same_name;
  if (found == kNone) {
    Diagnostic& problem = diagnostics.error(DiagnosticKind::RplOptionUnknown, location,
                                            formatted("the program has no option `{}`", name));
    std::vector<std::string_view> names;
    for (const Option& option : program.options) names.push_back(program.text(option.name));
    if (const auto near = closest(name, names)) problem.hint(formatted("did you mean `{}`?", *near));
    return;
  }
  const OptionId index = program.items[found].index;
  const Option& option = program.options[index];
  const auto declared = [&](Diagnostic& problem) {
    problem.note(formatted("`{}` is declared here", name), program.location(program.items[found].name_range));
  };
  if ((filter == OptionFilter::Global && option.option_class != OptionClass::Global) ||
      (filter == OptionFilter::Instance && option.option_class != OptionClass::Instance)) {
    declared(diagnostics.error(DiagnosticKind::RplOptionClass, location,
                               formatted("`{}` is a {} option", name, name_of(option.option_class))));
    return;
  }
  if (assignment.has(index)) {
    declared(diagnostics.error(DiagnosticKind::RplOptionTwice, location, formatted("option `{}` is set twice", name)));
    return;
  }
  Value parsed;
  if (parse_value(program, option, value, parsed)) return assignment.set(index, parsed);
  if (option.type != OptionType::Enum) {
    declared(diagnostics.error(DiagnosticKind::RplOptionType, location,
                               formatted("`{}` is not a value for the {} option `{}`, which takes {}", value,
                                         name_of(option.type), name, expectation(option.type))));
    return;
  }
  std::vector<std::string_view> values;
  std::string list;
  for (std::uint32_t i = 0; i < option.values.count; ++i) {
    values.push_back(program.text(program.lists[option.values.first + i]));
    if (i < 16) list += formatted("{}`{}`", i == 0 ? "" : ", ", values.back());
    if (i == 16) list += ", ...";
  }
  Diagnostic& problem =
      diagnostics.error(DiagnosticKind::RplOptionValue, location,
                        formatted("`{}` is not a value of option `{}`, which has {}", value, name, list));
  if (const auto near = closest(value, values)) problem.hint(formatted("did you mean `{}`?", *near));
  declared(problem);
}

std::string format_value(const Program& program, Value value) {
  switch (value.type) {
    case ValueType::None:
      return "";
    case ValueType::Flag:
      return value.bits != 0 ? "true" : "false";
    case ValueType::Uint:
      return formatted("{}u", value.bits);
    case ValueType::Sint:
      return formatted("{}", static_cast<std::int32_t>(value.bits));
    case ValueType::Float: {
      // The shortest text of the same float, with a point, as the language writes floats.
      std::array<char, 64> buffer;
      const auto end =
          std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::bit_cast<float>(value.bits)).ptr;
      std::string text(buffer.data(), end);
      if (text.find('.') == std::string::npos) {
        const std::size_t exponent = text.find('e');
        text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
      }
      return text;
    }
    case ValueType::String:
      return std::string(program.text(value.bits));
  }
  return "";
}

std::vector<OptionId> OptionSet::list() const {
  std::vector<OptionId> options;
  options.reserve(count());
  for_each([&](OptionId option) { options.push_back(option); });
  return options;
}

}  // namespace slipway::rpl
