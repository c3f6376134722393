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

// Results are returned in registers: a local variable whose address is passed would make the caller's stack frame a
// protected one, which costs more than reading a short number.
struct QuickInt32 {
  const char* end;  // null: not a number in canonical form
  std::int32_t value;
};

// Decimal without leading zeros, at most nine digits.
QuickInt32 quick_int32(const char* at) {
  const bool negative = *at == '-';
  const char* digit = at + negative;
  const char* first = digit;
  std::uint32_t value = 0;
  for (; *digit >= '0' && *digit <= '9'; ++digit) {
    if (digit - first == 9) return {};
    value = value * 10 + static_cast<std::uint32_t>(*digit - '0');
  }
  if (digit == first || (*first == '0' && digit - first > 1)) return {};
  return {digit, negative ? -static_cast<std::int32_t>(value) : static_cast<std::int32_t>(value)};
}

// `[ 1, 2, 3 ]`. Not inlined: the frame of a function with an array is a protected one.
[[gnu::noinline]] const char* quick_int3(const char* at, Int3& to) {
  Int3 value{.present = true};
  if (at[0] != '[' || at[1] != ' ') return nullptr;
  at += 2;
  for (int i = 0; i < 3; ++i) {
    const QuickInt32 number = quick_int32(at);
    if (*at == '-' || !number.end) return nullptr;
    value.values[i] = number.value;
    at = number.end;
    if (i < 2 && (at[0] != ',' || at[1] != ' ')) return nullptr;
    at += 2 * (i < 2);
  }
  if (at[0] != ' ' || at[1] != ']') return nullptr;
  at += 2;
  if (*at != '\n') return nullptr;
  to = value;
  return at;
}

constexpr bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

// Returns the line end after the value, or null. Nothing is stored unless the whole line is understood.
const char* Reader::quick_scalar(const FieldInfo& field, std::byte* object, const char* at) {
  switch (field.type) {
    case Type::Int32: {
      const QuickInt32 number = quick_int32(at);
      if (!number.end || *number.end != '\n') return nullptr;
      member<std::int32_t>(object, field) = number.value;
      return number.end;
    }
    case Type::Bool: {
      const bool value = *at == 't';
      if (std::memcmp(at, value ? "true\n" : "false", 5) != 0) return nullptr;
      at += value ? 4 : 5;
      if (*at != '\n') return nullptr;
      member<bool>(object, field) = value;
      return at;
    }
    case Type::Enum: {
      const char* from = at;
      for (int block = 0; block < 3; ++block, at += 16) {
        const std::uint32_t special = scan::Block(at).special();
        if (!special) continue;
        at += std::countr_zero(special);
        if (*at != '\n') return nullptr;
        const std::uint8_t location = words_of(*field.values).find_padded(from, static_cast<std::size_t>(at - from));
        if (location == WordTable::kNone) return nullptr;
        member<std::uint8_t>(object, field) = static_cast<std::uint8_t>(location + 1);
        return at;
      }
      return nullptr;
    }
    case Type::String: {
      const bool quoted = *at == '\'';
      if (!quoted && !is_word_start(*at)) return nullptr;
      const char* from = at += quoted;
      for (;; at += 16) {
        if (at >= quick_end_) return nullptr;
        const scan::Block block(at);
        const std::uint32_t special = quoted ? block.quote_special() : block.special();
        if (!special) continue;
        at += std::countr_zero(special);
        break;
      }
      // Blanks before the line end are not part of the value; `''` is an escape.
      if (quoted ? (*at != '\'' || at[1] != '\n') : (*at != '\n' || at[-1] == ' ')) return nullptr;
      member<std::string_view>(object, field) = {from, static_cast<std::size_t>(at - from)};
      at += quoted;
      return at;
    }
    case Type::Int3:
      return quick_int3(at, member<Int3>(object, field));
    default:
      return nullptr;
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
  at = quick_scalar(field, object, at);
  if (!at) return false;
  seen |= std::uint64_t{1} << location;
  mark(object, field);
  p_ = at;
  next_token();
  return true;
}

}  // namespace slipway::zeinfo
