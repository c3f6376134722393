// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The quick path for lines in canonical form: a known key, a scalar of its type, and nothing else on the line.
//
// All other lines are left to the general path, which starts again at the key. The quick path may reject any line, but
// must not interpret a line differently. All reads stay within scan::kSlack of a position before quick_end_.

#include "zeinfo/read/reader.hpp"
#include "zeinfo/read/scan.hpp"
#include "zeinfo/words.hpp"

namespace slipway::zeinfo {
namespace {

// Decimal without leading zeros, at most nine digits.
bool quick_int32(const char*& at, std::int32_t& to) {
  const bool negative = *at == '-';
  const char* digit = at + negative;
  const char* first = digit;
  std::uint32_t value = 0;
  for (; *digit >= '0' && *digit <= '9'; ++digit) {
    if (digit - first == 9) return false;
    value = value * 10 + static_cast<std::uint32_t>(*digit - '0');
  }
  if (digit == first || (*first == '0' && digit - first > 1)) return false;
  to = negative ? -static_cast<std::int32_t>(value) : static_cast<std::int32_t>(value);
  at = digit;
  return true;
}

constexpr bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

// Leaves `at` at the line end after the value. Nothing is stored unless the whole line is understood.
bool Reader::quick_scalar(const FieldInfo& field, std::byte* object, const char*& at) {
  switch (field.type) {
    case Type::Int32: {
      std::int32_t value = 0;
      if (!quick_int32(at, value) || *at != '\n') return false;
      member<std::int32_t>(object, field) = value;
      return true;
    }
    case Type::Bool: {
      const bool value = *at == 't';
      if (std::memcmp(at, value ? "true\n" : "false", 5) != 0) return false;
      at += value ? 4 : 5;
      if (*at != '\n') return false;
      member<bool>(object, field) = value;
      return true;
    }
    case Type::Enum: {
      const char* from = at;
      for (int block = 0; block < 3; ++block, at += 16) {
        const std::uint32_t special = scan::Block(at).special();
        if (!special) continue;
        at += std::countr_zero(special);
        if (*at != '\n') return false;
        const std::uint8_t location = words_of(*field.values).find_padded(from, static_cast<std::size_t>(at - from));
        if (location == WordTable::kNone) return false;
        member<std::uint8_t>(object, field) = static_cast<std::uint8_t>(location + 1);
        return true;
      }
      return false;
    }
    case Type::String: {
      const bool quoted = *at == '\'';
      if (!quoted && !is_word_start(*at)) return false;
      const char* from = at += quoted;
      for (;; at += 16) {
        if (at >= quick_end_) return false;
        const scan::Block block(at);
        const std::uint32_t special = quoted ? block.quote_special() : block.special();
        if (!special) continue;
        at += std::countr_zero(special);
        break;
      }
      // Blanks before the line end are not part of the value; `''` is an escape.
      if (quoted ? (*at != '\'' || at[1] != '\n') : (*at != '\n' || at[-1] == ' ')) return false;
      member<std::string_view>(object, field) = {from, static_cast<std::size_t>(at - from)};
      at += quoted;
      return true;
    }
    case Type::Int3: {
      Int3 value{.present = true};
      if (at[0] != '[' || at[1] != ' ') return false;
      at += 2;
      for (int i = 0; i < 3; ++i) {
        if (*at == '-' || !quick_int32(at, value.values[i])) return false;
        if (i < 2 && (at[0] != ',' || at[1] != ' ')) return false;
        at += 2 * (i < 2);
      }
      if (at[0] != ' ' || at[1] != ']') return false;
      at += 2;
      if (*at != '\n') return false;
      member<Int3>(object, field) = value;
      return true;
    }
    default:
      return false;
  }
}

bool Reader::quick_entry(const MappingInfo& mapping, std::byte* object, std::uint64_t& seen) {
  // The key: up to the colon.
  const char* at = p_;
  std::size_t length = 0;
  for (; length < 64; length += 16) {
    const std::uint32_t colon = scan::Block(at + length).equal(':');
    if (!colon) continue;
    length += static_cast<std::size_t>(std::countr_zero(colon));
    break;
  }
  const std::uint8_t location = keys_of(mapping).find_padded(at, length);
  if (location == WordTable::kNone) return false;
  const FieldInfo& field = mapping.fields[location];
  if (seen >> location & 1) return false;
  at += length + 1;
  if (*at != ' ') return false;
  at = scan::skip_blanks(at);
  if (!quick_scalar(field, object, at)) return false;
  seen |= std::uint64_t{1} << location;
  mark(object, field);
  p_ = at;
  next_token();
  return true;
}

}  // namespace slipway::zeinfo
