// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of recipes: JSON numbers, or numbers written as JSON strings (docs/spec/recipe.md#decision-3).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "json/record.hpp"
#include "tensor/element.hpp"

namespace slipway::recipe {

// A whole number that fits in 64 bits, signed or unsigned: `-3`, `3.0`, "1024", "-1", "0x10".
struct WholeNumber {
  bool negative = false;
  std::uint64_t magnitude = 0;

  bool fits(std::int64_t min, std::uint64_t max) const;
  // Negative numbers in two's complement.
  std::uint64_t bits() const { return negative ? 0 - magnitude : magnitude; }
  tensor::Number number() const;
};

enum class NotWhole : std::uint8_t { Type, Text, Fraction, TooLarge };

std::expected<WholeNumber, NotWhole> whole_number(json::Value value);

// The codec of integers (json/record.hpp).
struct Whole {
  std::int64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();

  std::optional<WholeNumber> check(json::Decoder& decoder, json::Value value) const;
  template <std::integral I>
  bool read(json::Decoder& decoder, json::Value value, I& to) const {
    Whole limited = *this;
    limited.max = std::min<std::uint64_t>(max, static_cast<std::uint64_t>(std::numeric_limits<I>::max()));
    const std::optional<WholeNumber> number = limited.check(decoder, value);
    if (number) to = static_cast<I>(number->bits());
    return number.has_value();
  }
  void schema(json::Schema& schema) const;
};

// The codec of 64-bit values. Negative numbers are read in two's complement.
struct Bits64 {
  bool read(json::Decoder& decoder, json::Value value, std::uint64_t& to) const;
  void schema(json::Schema& schema) const;
};

// The codec of numbers that need not be whole.
struct Decimal {
  double min = -std::numeric_limits<double>::infinity();
  bool read(json::Decoder& decoder, json::Value value, double& to) const;
  void schema(json::Schema& schema) const;
};
std::optional<double> decimal_number(json::Value value);

}  // namespace slipway::recipe
