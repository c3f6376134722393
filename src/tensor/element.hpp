// One element in memory, as a number and as text.
//
//   std::byte e[2];
//   store_number(ElementType::F16, 0.1, e);     text_of(ElementType::F16, e) == "0.1"
//   store_word(ElementType::F16, "-inf", e);    double_of(ElementType::F16, e) == -HUGE_VAL
//
// What a type cannot hold is refused with a message for people; the caller knows the place (usually a JSON value).
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <variant>

#include "base/bytes.hpp"
#include "tensor/element_type.hpp"

namespace slipway::tensor {

// A number as texts have it: exact for every 64-bit integer.
using Number = std::variant<std::int64_t, std::uint64_t, double>;

// Nothing, or why a value cannot be stored: lower case, code in backticks, no place.
using Stored = std::expected<void, std::string>;

// Floats round to nearest even. Refused: a value outside the type's range, a fraction for an integer, anything but 0
// and 1 for a bool, infinities and NaN (which are words).
[[nodiscard]] Stored store_number(ElementType type, Number value, std::byte* to);

// `nan`, `inf`, `-inf` for float types, and `0x...`: the raw bits of the element (scenario page 3.7).
[[nodiscard]] Stored store_word(ElementType type, std::string_view word, std::byte* to);

// For float types, without refusals: what rounds beyond the largest value becomes infinity (e4m3, which has none: NaN).
void store_rounded(ElementType type, double value, std::byte* to);

// Exact; bool gives 0 or 1.
Number number_of(ElementType type, const std::byte* from);
// Exact but for 64-bit integers beyond 2^53, which are rounded.
double double_of(ElementType type, const std::byte* from);
double double_of(Number value);

// Integers in decimal, `true`, `false`; for floats the shortest decimal that reads back to the same value, `nan`,
// `inf`,
// `-inf`.
std::string text_of(ElementType type, const std::byte* from);
std::string text_of(Number value);

// The shortest decimal that reads back as this double, with a plain exponent: `0.1`, `1e-5`, `nan`, `-inf`.
std::string shortest_text(double value);

// Parts that element types share with components of packed formats; `what` names the taker in messages: "`u8`".

// The low `bits` bits, in two's complement, of a whole number in range.
std::expected<std::uint64_t, std::string> integer_bits(Number value, bool is_signed, std::uint32_t bits,
                                                       std::string_view what);
// Of a word `0x...`: at most `bits` bits.
std::expected<std::uint64_t, std::string> raw_bits(std::string_view word, std::uint32_t bits, std::string_view what);
// "`300` is out of range for `u8` (0 to 255)".
std::string out_of_range_text(Number value, std::string_view what, std::string_view low, std::string_view high);

}  // namespace slipway::tensor
