// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/kernel/longs.hpp"

namespace slipway::lower {
namespace {

// The bits of a long beyond those of its low int.
constexpr std::int64_t kHalf = 32;

Value bit_of(Kernel& k, Value condition) { return k.select(condition, k.integer(1), k.integer(0)); }

}  // namespace

LongParts add_longs(Kernel& k, LongParts a, LongParts b) {
  const Value low = a.low + b.low;
  return {low, a.high + b.high + bit_of(k, k.unsigned_less(low, b.low))};
}

LongParts subtract_longs(Kernel& k, LongParts a, LongParts b) {
  return {a.low - b.low, a.high - b.high - bit_of(k, k.unsigned_less(a.low, b.low))};
}

LongParts multiply_longs(Kernel& k, LongParts a, LongParts b) {
  // The upper int of the product of both low ints, as unsigned ones.
  const Value high = k.multiply_high(a.low, b.low) + k.select(a.low < 0, b.low, k.integer(0)) +
                     k.select(b.low < 0, a.low, k.integer(0));
  return {a.low * b.low, high + a.low * b.high + a.high * b.low};
}

// Bit by bit, as on paper: rare operators divide, and each result once.
LongParts divide_longs(Kernel& k, LongParts a, LongParts b) {
  const Value zero = k.integer(0);
  const Variable rest_low = k.variable(zero), rest_high = k.variable(zero), low = k.variable(a.low),
                 high = k.variable(a.high);
  k.loop(k.integer(2 * kHalf), [&](Value) {
    // Of four ints in a row, the upper two are the remainder, and the lower two the dividend and then the quotient.
    const Value next_low = (k.get(rest_low) << 1) | k.shift_right_logical(k.get(high), k.integer(kHalf - 1));
    const Value next_high = (k.get(rest_high) << 1) | k.shift_right_logical(k.get(rest_low), k.integer(kHalf - 1));
    const Value shifted_high = (k.get(high) << 1) | k.shift_right_logical(k.get(low), k.integer(kHalf - 1));
    const LongParts next{next_low, next_high};
    const Value fits = !is_less(k, next, b, true);
    const LongParts rest = subtract_longs(k, next, b);
    const Value shifted_low = (k.get(low) << 1) | bit_of(k, fits);
    k.set(rest_low, k.select(fits, rest.low, next.low));
    k.set(rest_high, k.select(fits, rest.high, next.high));
    k.set(high, shifted_high);
    k.set(low, shifted_low);
  });
  return {k.get(low), k.get(high)};
}

// Shifts by 32 or more bits move one int into the other. What moves between them is shifted in two steps, because an
// int cannot be shifted by 32.
LongParts shift_long_left(Kernel& k, LongParts a, Value bits) {
  const Value within = bits & (kHalf - 1), others = k.integer(kHalf - 1) - within;
  const Value low = a.low << within;
  const Value carried = k.shift_right_logical(k.shift_right_logical(a.low, k.integer(1)), others);
  const Value is_far = bits >= kHalf;
  return {k.select(is_far, k.integer(0), low), k.select(is_far, low, (a.high << within) | carried)};
}

LongParts shift_long_right(Kernel& k, LongParts a, Value bits, bool arithmetic) {
  const Value within = bits & (kHalf - 1), others = k.integer(kHalf - 1) - within;
  const Value high = arithmetic ? a.high >> within : k.shift_right_logical(a.high, within);
  const Value carried = (a.high << 1) << others;
  const Value is_far = bits >= kHalf;
  const Value sign = arithmetic ? a.high >> (kHalf - 1) : k.integer(0);
  return {k.select(is_far, high, k.shift_right_logical(a.low, within) | carried), k.select(is_far, sign, high)};
}

Value is_less(Kernel& k, LongParts a, LongParts b, bool is_unsigned) {
  const Value high = is_unsigned ? k.unsigned_less(a.high, b.high) : a.high < b.high;
  return high | ((a.high == b.high) & k.unsigned_less(a.low, b.low));
}

}  // namespace slipway::lower
