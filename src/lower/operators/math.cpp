// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/operators/math.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include "lower/kernel/small_floats.hpp"
#include "lower/operators/operation.hpp"

namespace slipway::lower {
namespace {

constexpr std::int64_t kSignBit = INT32_MIN, kMagnitudeBits = 0x7fffffff, kInfinityBits = 0x7f800000;

Value infinity(Kernel& k) { return k.float_of_bits(k.integer(kInfinityBits)); }
Value magnitude(Kernel& k, Value x) { return k.float_of_bits(k.bits_of(x) & kMagnitudeBits); }
Value with_sign_of(Kernel& k, Value positive, Value x) {
  return k.float_of_bits(k.bits_of(positive) | (k.bits_of(x) & kSignBit));
}
Value is_infinite(Kernel& k, Value x) { return (k.bits_of(x) & kMagnitudeBits) == kInfinityBits; }

// a * b + c, in one instruction where the device has it. Elsewhere a compiler must not change the order.
Value multiply_add(Kernel& k, Value a, Value b, Value c) {
  return k.floats().fused_multiply_add ? k.multiply_add(a, b, c) : a * b + c;
}

// Horner's scheme; the constant term first.
Value polynomial(Kernel& k, Value x, std::initializer_list<float> coefficients) {
  const auto* last = coefficients.end();
  Value sum = k.real(*--last);
  while (last != coefficients.begin()) sum = multiply_add(k, sum, x, k.real(*--last));
  return sum;
}

// x * 2^n for |n| up to 252, in two steps, so that neither factor leaves the range of normal floats.
Value scale_by_power(Kernel& k, Value x, Value n) {
  const Value half = n >> 1, rest = n - half;
  const auto power = [&](Value exponent) { return k.float_of_bits((exponent + 127) << 23); };
  return x * power(half) * power(rest);
}

// Of values below 2^22.
Value nearest_int(Kernel& k, Value x) { return k.int_of_whole(k.extended(GLSLstd450RoundEven, {x}), 22); }

// exp x = 2^n p, for |x| up to 105.
struct PowerOfE {
  Value n, p;
};
PowerOfE power_of_e(Kernel& k, Value x) {
  // x = n ln 2 + r. ln 2 is split into two parts; the first has so few bits that its product with n is exact.
  const Value steps = k.extended(GLSLstd450RoundEven, {x * k.real(1.44269504f)});
  const Value high = multiply_add(k, steps, k.real(-0.693359375f), x);
  const Value r = multiply_add(k, steps, k.real(2.12194440e-4f), high);
  return {k.int_of_whole(steps, 22),
          polynomial(k, r, {1, 1, 0.5f, 1 / 6.0f, 1 / 24.0f, 1 / 120.0f, 1 / 720.0f, 1 / 5040.0f})};
}

}  // namespace

Value exp(Kernel& k, Value x) {
  const Value inside = k.select(x < k.real(-105), k.real(-105), k.select(x > k.real(90), k.real(90), x));
  const Value safe = k.select(is_nan(k, x), k.real(0), inside);
  const PowerOfE power = power_of_e(k, safe);
  Value result = scale_by_power(k, power.p, power.n);
  result = k.select(x > k.real(89), infinity(k), k.select(x < k.real(-104), k.real(0), result));
  return k.select(is_nan(k, x), nan_of(k), result);
}

Value short_exp(Kernel& k, Value x) {
  // Elsewhere infinities and NaN may be lost.
  if (!k.is_for_gpu() || !k.floats().signed_zero_inf_nan_preserve) return exp(k, x);
  return k.select(x < k.real(-104), k.real(0), k.extended(GLSLstd450Exp, {x}));
}

Value log(Kernel& k, Value x) {
  // Subnormals are scaled by 2^24 first. x = 2^e m, m from sqrt(1/2) to sqrt(2); log m = 2 artanh((m - 1) / (m +
  // 1)).
  const Value bits_of_x = k.bits_of(x), subnormal = bits_of_x < 0x800000;
  const Value bits = k.select(subnormal, k.bits_of(k.to_float(bits_of_x) * k.real(0x1p-125f)), bits_of_x);
  const Value moved = bits - 0x3f3504f3;  // sqrt(1/2)
  const Value e = (moved >> 23) - k.select(subnormal, k.integer(24), k.integer(0));
  const Value m = k.float_of_bits((moved & 0x7fffff) + 0x3f3504f3);
  const Value f = m - k.real(1), s = f / (k.real(2) + f), s2 = s * s;
  const Value series = s2 * polynomial(k, s2, {2 / 3.0f, 2 / 5.0f, 2 / 7.0f, 2 / 9.0f, 2 / 11.0f});
  // 2 s = f - s f, which keeps the leading term exact.
  const Value steps = k.to_float(e);
  const Value low = steps * k.real(-2.12194440e-4f) + (s * (series - f));
  Value result = steps * k.real(0.693359375f) + (f + low);
  result = k.select(is_infinite(k, x), infinity(k), result);
  result = k.select(bits_of_x < 0, nan_of(k), result);
  result = k.select((bits_of_x & kMagnitudeBits) == 0, -infinity(k), result);
  return k.select(is_nan(k, x), nan_of(k), result);
}

Value pow(Kernel& k, Value x, Value y) {
  const Value result = exp(k, log(k, x) * y);
  const Value x_zero = (k.bits_of(x) & kMagnitudeBits) == 0, y_zero = (k.bits_of(y) & kMagnitudeBits) == 0;
  return k.select(y_zero, k.real(1), k.select(x_zero, k.real(0), result));
}

namespace {

// For |r| up to pi / 4.
Value sin_near_zero(Kernel& k, Value r) {
  const Value z = r * r;
  return r + r * z * polynomial(k, z, {-1 / 6.0f, 1 / 120.0f, -1 / 5040.0f, 1 / 362880.0f});
}
Value cos_near_zero(Kernel& k, Value r) {
  const Value z = r * r;
  return k.real(1) - k.real(0.5f) * z +
         z * z * polynomial(k, z, {1 / 24.0f, -1 / 720.0f, 1 / 40320.0f, -1 / 3628800.0f});
}

// sin(r + quarter * pi / 2).
Value sin_2pi_quadrant(Kernel& k, Value r, Value quarter) {
  const Value odd = (quarter & 1) != 0, negative = (quarter & 2) != 0;
  const Value value = k.select(odd, cos_near_zero(k, r), sin_near_zero(k, r));
  return k.select(negative, -value, value);
}

Value sin_of_shifted(Kernel& k, Value x, std::int64_t quarters) {
  // Beyond this size every value from -1 to 1 is accepted; infinities and NaN become NaN.
  const Value large = magnitude(k, x) > k.real(8192), special = (k.bits_of(x) & kMagnitudeBits) >= kInfinityBits;
  const Value safe = k.select(large | special, k.real(0), x);
  const Value n = nearest_int(k, safe * k.real(0.636619772f)), steps = k.to_float(n);
  // pi / 2 is split into three parts; the first two have so few bits that their products are exact.
  const Value r = ((safe - steps * k.real(1.5703125f)) - steps * k.real(4.837512969970703125e-4f)) -
                  steps * k.real(7.549789948768648e-8f);
  return k.select(special, nan_of(k), sin_2pi_quadrant(k, r, n + quarters));
}

Value sin_2pi_shifted(Kernel& k, Value turn, std::int64_t quarters) {
  const Value n = nearest_int(k, turn * k.real(4));
  const Value r = (turn - k.to_float(n) * k.real(0.25f)) * k.real(6.28318531f);  // exact up to the product
  return sin_2pi_quadrant(k, r, n + quarters);
}

}  // namespace

Value sin(Kernel& k, Value x) { return sin_of_shifted(k, x, 0); }
Value cos(Kernel& k, Value x) { return sin_of_shifted(k, x, 1); }
Value sin_2pi(Kernel& k, Value turn) { return sin_2pi_shifted(k, turn, 0); }
Value cos_2pi(Kernel& k, Value turn) { return sin_2pi_shifted(k, turn, 1); }

Value tanh(Kernel& k, Value x) {
  const Value size = magnitude(k, x), z = x * x;
  const Value near_zero =
      x +
      x * z * polynomial(k, z, {-0.33333328f, 0.13333149f, -0.053940658f, 0.021670097f, -0.0081058666f, 0.0020799856f});
  const Value far = k.real(1) - k.real(2) / (exp(k, size + size) + k.real(1));
  const Value result = k.select(size < k.real(0.625f), near_zero, with_sign_of(k, far, x));
  return k.select(is_nan(k, x), nan_of(k), result);
}

Value sigmoid(Kernel& k, Value x) {
  const Value e = exp(k, -magnitude(k, x)), one = k.real(1);
  const Value result = quotient(k, k.select(x < k.real(0), e, one), one + e);
  return k.select(is_nan(k, x), nan_of(k), result);
}

Value erf(Kernel& k, Value x) {
  const Value size = magnitude(k, x), z = x * x;
  const Value near_zero = x * polynomial(k, z,
                                         {1.1283792257f, -0.3761263787f, 0.1128378287f, -0.0268654376f, 0.0052210535f,
                                          -0.00084843964f, 0.00011268254f, -9.6735903e-6f});
  const Value limited = k.select(size < k.real(4), size, k.real(4));
  const Value tail = polynomial(k, limited,
                                {0.9873726964f, -1.0576153994f, 0.8199871778f, -0.4739140570f, 0.2027943581f,
                                 -0.0629083738f, 0.0136715183f, -0.0019656061f, 0.00016744447f, -6.3860857e-6f});
  // From -16 to 0, so the power needs no limits. At 4 the result is 1.
  const PowerOfE power = power_of_e(k, -(limited * limited));
  const Value far = k.real(1) - power.p * k.float_of_bits((power.n + 127) << 23) * tail;
  const Value result = k.select(size < k.real(1), near_zero, with_sign_of(k, far, x));
  return k.select(is_nan(k, x), nan_of(k), result);
}

Value short_erf(Kernel& k, Value x) {
  constexpr float kEnd = 2.75f;  // 1 - erf(kEnd) is less than half a unit of 16-bit floats
  const Value inside = k.select(x < k.real(-kEnd), k.real(-kEnd), k.select(x > k.real(kEnd), k.real(kEnd), x));
  const Value result = inside * polynomial(k, inside * inside,
                                           {1.1283303499f, -0.3753730655f, 0.1107921898f, -0.0246306658f, 0.0039486424f,
                                            -0.00042353669f, 2.6727922886e-5f, -7.4087353141e-7f});
  return k.select(is_nan(k, x), nan_of(k), result);
}

namespace {

// 1 / x for a finite x other than 0, without its sign, rounded to nearest even with integers only: right however a
// device divides and whether or not it flushes subnormals.
Value rounded_reciprocal(Kernel& k, Value x) {
  const Value bits = k.bits_of(x) & kMagnitudeBits, subnormal = bits < 0x800000;
  // x = m 2^(e - 150), 2^23 <= m < 2^24.
  const Value missing = (k.integer(23) - k.find_most_significant(bits)) & 31;
  const Value m = k.select(subnormal, bits << missing, (bits & 0x7fffff) | k.integer(0x800000));
  const Value e = k.select(subnormal, k.integer(1) - missing, bits >> 23);
  // 2^47 / m as a whole number q and a remainder r, from the quotient of the device, which is a few units off. 2^47 is
  // 0 modulo 2^32, and the remainder fits into 32 bits.
  const Value near = k.real(1) / k.to_float(m);
  const Value first = k.to_int(near * k.real(0x1p47f)), first_rest = -(first * m);
  const Value missed = nearest_int(k, k.to_float(first_rest) * near);
  const Value rest = first_rest - missed * m, below = rest < 0;
  const Value q = first + missed - k.to_int(below), r = rest + k.select(below, m, k.integer(0));
  // 1 / x = (q + r / m) 2^(103 - e), 2^23 <= q <= 2^24; a carry goes into the exponent.
  const Value exponent = k.integer(253) - e;
  const Value odd = (q & 1) == 1, up = (r * 2 > m) | ((r * 2 == m) & odd);
  const Value normal = k.min((exponent << 23) + (q - 0x800000) + k.to_int(up), k.integer(kInfinityBits));
  // One or two bits of a subnormal result are dropped.
  const Value cut = k.clamp(k.integer(1) - exponent, k.integer(1), k.integer(2));
  const Value kept = q >> cut, half = k.integer(1) << cut;
  const Value twice = (q - (kept << cut)) * 2 + k.to_int(r > 0);
  const Value small = kept + k.to_int((twice > half) | ((twice == half) & ((kept & 1) == 1)));
  return k.float_of_bits(k.select(exponent <= 0, small, k.select(exponent >= 255, k.integer(kInfinityBits), normal)));
}

// The upper half of the mantissa of a float; the remainder fits into the other half.
Value high_half(Kernel& k, Value x) { return k.float_of_bits(k.bits_of(x) & -4096); }

}  // namespace

Value quotient(Kernel& k, Value a, Value b) {
  const Value q = a / b;
  if (k.floats().exact_division) return q;
  // The exact remainder: products of halves are exact. Near the ends of the range the halves would not be floats.
  const Value q_high = high_half(k, q), q_low = q - q_high, b_high = high_half(k, b), b_low = b - b_high;
  const Value rest = (((a - q_high * b_high) - q_high * b_low) - q_low * b_high) - q_low * b_low;
  const Value size = magnitude(k, q);
  return k.select((size > k.real(0x1p-90f)) & (size < k.real(0x1p90f)), q + rest / b, q);
}

Value reciprocal(Kernel& k, Value x) {
  const bool exact = k.floats().exact_division;
  const Value inside = exact ? k.real(1) / x : with_sign_of(k, rounded_reciprocal(k, x), x);
  const Value zero = (k.bits_of(x) & kMagnitudeBits) == 0;
  const Value result = k.select(zero, with_sign_of(k, infinity(k), x), inside);
  return k.select(is_nan(k, x), nan_of(k), k.select(is_infinite(k, x), with_sign_of(k, k.real(0), x), result));
}

Value rsqrt(Kernel& k, Value x) {
  // A subnormal is a whole number times 2^-149, recognised by its bits: a device may flush it to 0.
  const Value bits = k.bits_of(x), size = bits & kMagnitudeBits, subnormal = size < 0x800000;
  const Value normal = k.select(subnormal, k.to_float(size) * k.real(2), x);
  const Value y = k.extended(GLSLstd450InverseSqrt, {normal});
  const Value refined = y * (k.real(1.5f) - normal * y * y * k.real(0.5f));  // half of x might be subnormal
  Value result = k.select(subnormal, refined * k.real(0x1p75f), refined);
  result = k.select(bits < 0, nan_of(k), result);
  result = k.select(size == 0, with_sign_of(k, infinity(k), x), result);
  result = k.select(bits == kInfinityBits, k.real(0), result);
  return k.select(is_nan(k, x), nan_of(k), result);
}

Value ceil(Kernel& k, Value x) { return k.select(is_nan(k, x), nan_of(k), k.extended(GLSLstd450Ceil, {x})); }
Value floor(Kernel& k, Value x) { return k.select(is_nan(k, x), nan_of(k), k.extended(GLSLstd450Floor, {x})); }

}  // namespace slipway::lower
