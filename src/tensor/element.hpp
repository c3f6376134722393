// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts one element in memory to and from numbers and texts.
//
//   std::byte e[2];
//   store_number(ElementType::F16, 0.1, e);     text_of(ElementType::F16, e) == "0.1"
//   store_word(ElementType::F16, "-inf", e);    double_of(ElementType::F16, e) == -HUGE_VAL
//
// A value that the type cannot represent is refused with a message; the caller adds the source location.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <variant>

#include "base/bytes.hpp"
#include "tensor/element_type.hpp"

namespace slipway::tensor {

// A number of a text file: exact for every 64-bit integer.
using Number = std::variant<std::int64_t, std::uint64_t, double>;

// Nothing, or a message that says why a value cannot be stored: lower case, code in backticks.
using Stored = std::expected<void, std::string>;

// Floats round to nearest even. Refused: a value outside the range of the type, a fraction for an integer, a bool
// other than 0 and 1, infinities and NaN (which are words).
[[nodiscard]] Stored store_number(ElementType type, Number value, std::byte* to);

// `nan`, `inf`, `-inf` for float types, and `0x...`: the raw bits of the element
// (docs/spec/scenario.md#inline-contents).
[[nodiscard]] Stored store_word(ElementType type, std::string_view word, std::byte* to);

// For float types; never refuses: a value that rounds beyond the largest becomes infinity, or NaN for e4m3, which has
// no infinity. Every NaN is stored as the canonical one: positive and quiet, without other bits of its fraction.
void store_rounded(ElementType type, double value, std::byte* to);

// Exact; a bool is 0 or 1.
Number number_of(ElementType type, const std::byte* from);
// Exact except for 64-bit integers beyond 2^53, which are rounded.
double double_of(ElementType type, const std::byte* from);
double double_of(Number value);

// Integers in decimal; `true`, `false`; for floats the shortest decimal that is read back as the same value, or `nan`,
// `inf`, `-inf`.
std::string text_of(ElementType type, const std::byte* from);
std::string text_of(Number value);

// The shortest decimal that is read back as this double, with an exponent without padding: `0.1`, `1e-5`, `nan`,
// `-inf`.
std::string shortest_text(double value);

// The functions below are shared with components of packed formats. `what` names the type in messages: "`u8`".

// The low `bits` bits, in two's complement, of an integer in range.
std::expected<std::uint64_t, std::string> integer_bits(Number value, bool is_signed, std::uint32_t bits,
                                                       std::string_view what);
// Of a word `0x...`: at most `bits` bits.
std::expected<std::uint64_t, std::string> raw_bits(std::string_view word, std::uint32_t bits, std::string_view what);
// "`300` is out of range for `u8` (0 to 255)".
std::string out_of_range_text(Number value, std::string_view what, std::string_view low, std::string_view high);

}  // namespace slipway::tensor
