// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/kernel/small_floats.hpp"

namespace slipway::lower {
namespace {

constexpr std::int64_t kSign = INT32_MIN, kMagnitude = 0x7fffffff, kInfinity = 0x7f800000, kNan = 0x7fc00000;

Value magnitude_of(Kernel& k, Value real) { return k.bits_of(real) & kMagnitude; }

// A small float has `exponent` and `mantissa` bits. Its subnormals are converted through integers, so that the result
// is right on devices that flush 32-bit subnormals.
struct SmallFloatLayout {
  int exponent_bits, mantissa_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

// Bits of the magnitude of the small float nearest to a 32-bit float that is not a NaN; may exceed the largest finite
// one.
Value round_magnitude(Kernel& k, Value magnitude, SmallFloatLayout layout) {
  const int dropped = 23 - layout.mantissa_bits;
  const std::int64_t rebias = static_cast<std::int64_t>(127 - layout.bias()) << 23;
  // Normal: the exponent is rebiased, and half a unit in the last place (less one for ties to even) is added before the
  // shift.
  const auto round_shift = [&](Value bits, Value shift) {
    const Value odd = k.shift_right_logical(bits, shift) & 1;
    const Value half = (k.integer(1) << (shift - 1)) - 1;
    return k.shift_right_logical(bits + half + odd, shift);
  };
  const Value normal = round_shift(magnitude - rebias, k.integer(dropped));
  // Subnormal: the mantissa with its hidden bit is shifted further, by the deficit of the exponent.
  const Value exponent = k.shift_right_logical(magnitude, k.integer(23));
  const Value mantissa = (magnitude & 0x7fffff) | k.integer(0x800000);
  const Value shift = k.min(k.integer(dropped + 1 + 127 - layout.bias()) - exponent, k.integer(25));
  const Value subnormal = round_shift(mantissa, shift);
  const std::int64_t min_normal = static_cast<std::int64_t>(127 - layout.bias() + 1) << 23;
  return k.select(magnitude < min_normal, subnormal, normal);
}

Value small_bits(Kernel& k, Value real, SmallFloatLayout layout, std::int64_t infinity_bits, std::int64_t nan_bits) {
  const Value bits = k.bits_of(real), magnitude = bits & kMagnitude;
  const int width = 1 + layout.exponent_bits + layout.mantissa_bits;
  const Value sign = k.shift_right_logical(bits & kSign, k.integer(32 - width));
  Value small = k.min(round_magnitude(k, magnitude, layout), k.integer(infinity_bits));
  small = k.select(magnitude >= kInfinity,
                   k.select(magnitude > kInfinity, k.integer(nan_bits), k.integer(infinity_bits)), small);
  return small | sign;
}

Value f16_bits_of_integers(Kernel& k, Value real) { return small_bits(k, real, {5, 10}, 0x7c00, 0x7e00); }

}  // namespace

Value is_nan(Kernel& kernel, Value real) { return magnitude_of(kernel, real) > kInfinity; }

Value with_one_nan(Kernel& k, Value real) {
  // (A comparison with itself is one instruction; a driver that need not preserve NaN may take it as known.)
  const Value is_one = k.floats().signed_zero_inf_nan_preserve ? real != real : is_nan(k, real);
  return k.select(is_one, k.float_of_bits(k.integer(kNan)), real);
}

Value float_from_f16(Kernel& k, Value bits) {
  if (k.floats().f16_conversions) return k.float_of_f16_bits(bits);
  const Value sign = (bits & 0x8000) << 16, magnitude = bits & 0x7fff;
  const Value normal = (magnitude << 13) + (static_cast<std::int64_t>(127 - 15) << 23);
  const Value special = (magnitude << 13) | k.integer(kInfinity);
  // A subnormal is its mantissa times 2^-24, which 32 bits hold as a normal number.
  const Value subnormal = k.bits_of(k.to_float(magnitude) * k.real(0x1p-24f));
  const Value result = k.select(magnitude < 0x400, subnormal, k.select(magnitude >= 0x7c00, special, normal));
  return k.float_of_bits(result | sign);
}

Value float_from_e4m3(Kernel& k, Value bits) {
  const Value sign = (bits & 0x80) << 24, magnitude = bits & 0x7f;
  const Value normal = (magnitude << 20) + (static_cast<std::int64_t>(127 - 7) << 23);
  const Value subnormal = k.bits_of(k.to_float(magnitude) * k.real(0x1p-9f));
  const Value result = k.select(magnitude < 0x08, subnormal, k.select(magnitude == 0x7f, k.integer(kNan), normal));
  return k.float_of_bits(result | sign);
}

Value f16_bits(Kernel& k, Value real) {
  return k.floats().f16_conversions ? k.f16_bits_of(real) : f16_bits_of_integers(k, real);
}
Value e5m2_bits(Kernel& k, Value real) { return small_bits(k, real, {5, 2}, 0x7c, 0x7e); }
// There is no infinity: everything above the largest value, infinities included, becomes the one NaN.
Value e4m3_bits(Kernel& k, Value real) { return small_bits(k, real, {4, 3}, 0x7f, 0x7f); }

Value bf16_bits(Kernel& k, Value real) {
  const Value bits = k.bits_of(real);
  const Value odd = k.shift_right_logical(bits, k.integer(16)) & 1;
  const Value nearest = k.shift_right_logical(bits + 0x7fff + odd, k.integer(16));
  return k.select(is_nan(k, real), k.shift_right_logical(bits, k.integer(16)) | k.integer(0x40), nearest);
}

Value rounded(Kernel& k, ElementType type, Value real) {
  if (type == ElementType::F16 && k.floats().removes_conversions)
    return float_from_f16(k, f16_bits_of_integers(k, real));
  return rounded_or_exact(k, type, real);
}

Value rounded_or_exact(Kernel& k, ElementType type, Value real) {
  switch (type) {
    case ElementType::F16:
      return float_from_f16(k, f16_bits(k, real));
    case ElementType::BF16:
      return k.float_of_bits(bf16_bits(k, real) << 16);
    case ElementType::F8E4M3:
      return float_from_e4m3(k, e4m3_bits(k, real));
    case ElementType::F8E5M2:
      return float_from_f16(k, e5m2_bits(k, real) << 8);
    default:
      return real;
  }
}

}  // namespace slipway::lower
