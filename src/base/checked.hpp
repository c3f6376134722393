// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Overflow-checked arithmetic for sizes that come from files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace slipway {

using Size = std::optional<std::uint64_t>;  // empty: does not fit in 64 bits

inline Size checked_add(Size a, Size b) {
  std::uint64_t sum = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &sum)) return std::nullopt;
  return sum;
}

inline Size checked_multiply(Size a, Size b) {
  std::uint64_t product = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &product)) return std::nullopt;
  return product;
}

// 1 for no factors; empty for a negative factor.
template <class T>
Size checked_product(std::span<const T> factors) {
  Size product = 1;
  for (const T& factor : factors) {
    if (factor < T{0}) return std::nullopt;
    product = checked_multiply(product, static_cast<std::uint64_t>(factor));
  }
  return product;
}

inline Size checked_round_up(Size value, std::uint64_t multiple) {
  const Size padded = checked_add(value, multiple - 1);
  return padded ? Size(*padded / multiple * multiple) : padded;
}

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

constexpr std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) { return value / by + (value % by != 0); }

}  // namespace slipway
