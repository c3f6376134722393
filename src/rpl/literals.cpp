// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/literals.hpp"

#include <bit>
#include <charconv>

#include "base/format.hpp"

namespace slipway::rpl {
namespace {

// Reads the words of a constant from the front.
class Reader {
 public:
  Reader(const Resolved& resolved, std::span<const std::uint32_t> words) : resolved_(resolved), words_(words) {}

  std::string value(TypeId type) {
    const Type& info = resolved_.types[type];
    switch (info.kind) {
      case TypeKind::Boolean:
        return next() != 0 ? "(0u == 0u)" : "(0u != 0u)";
      case TypeKind::Vector:
        return info.count == 1 ? scalar(type) : list(type, item_type(type), info.count);
      case TypeKind::Matrix:
        return list(type, column_type(type), info.columns);
      case TypeKind::Struct: {
        const Struct& of = resolved_.structs[info.index];
        std::string text;
        for (std::uint32_t i = 0; i < of.members.count; ++i) {
          text += (i == 0 ? "" : ", ") + value(resolved_.members[of.members.first + i].type);
        }
        return formatted("{} {{{}}}", resolved_.type_text(type), text);
      }
      default:
        return "";  // no other type has constants
    }
  }

 private:
  std::uint32_t next() {
    const std::uint32_t word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }
  std::string scalar(TypeId type) {
    if (is_float(type)) return float_literal(std::bit_cast<float>(next()));
    if (is_signed(type)) return std::to_string(std::bit_cast<std::int32_t>(next()));
    return formatted("{}u", next());
  }
  std::string list(TypeId type, TypeId element, std::uint32_t count) {
    std::string text;
    for (std::uint32_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + value(element);
    return formatted("{} {{{}}}", builtin_type_name(type), text);
  }

  const Resolved& resolved_;
  std::span<const std::uint32_t> words_;
};

}  // namespace

std::string float_literal(float value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.contains('.')) return text;
  const std::size_t exponent = text.find('e');
  text.insert(exponent == text.npos ? text.size() : exponent, ".0");
  return text;
}

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string constant_text(const Resolved& resolved, const Constant& constant) {
  return Reader(resolved, resolved.words(constant)).value(constant.type);
}

}  // namespace slipway::rpl
