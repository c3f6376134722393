// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact scaling of integers by multiplier * 2^-shift (docs/spec/tosa.md#scaling-helpers).
#pragma once

#include <cstdint>

namespace slipway::reference {

__extension__ using Int128 = __int128;  // holds every product of two 64-bit integers

// Rounded to nearest, ties toward +infinity; `double_round`: as DOUBLE_ROUND of RESCALE.
std::int64_t scale32(std::int64_t value, std::int64_t multiplier, std::int64_t shift, bool double_round);
std::int64_t scale16(std::int64_t value, std::int64_t multiplier, std::int64_t shift);

// Multiplier and shift for 1 / n, n >= 1.
struct Reciprocal {
  std::int64_t multiplier, shift;
};
Reciprocal reciprocal(std::int64_t n);

}  // namespace slipway::reference
