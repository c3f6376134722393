// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>
#include <limits>

#include "lower/operators/operation.hpp"

namespace slipway::lower {

using tosa::DataType;

Scalar scalar_of(DataType type) {
  if (type == DataType::Bool) return Scalar::Bool;
  if (type == DataType::I48) return Scalar::Long;
  return tosa::is_float(type) ? Scalar::Float : Scalar::Int;
}

Value nan_of(Kernel& kernel) { return kernel.float_of_bits(kernel.integer(0x7fc00000)); }

namespace {

Value choose_with(Kernel& k, Value a, Value b, bool ignore_nan, bool larger) {
  const Value a_nan = is_nan(k, a), b_nan = is_nan(k, b);
  const Value better = k.select(larger ? a >= b : a < b, a, b);
  if (ignore_nan) return k.select(a_nan, b, k.select(b_nan, a, better));
  return k.select(a_nan, a, k.select(b_nan, b, better));
}

}  // namespace

Value max_with(Kernel& k, Value a, Value b, bool ignore_nan) {
  return a.type() == Scalar::Float ? choose_with(k, a, b, ignore_nan, true) : k.max(a, b);
}
Value min_with(Kernel& k, Value a, Value b, bool ignore_nan) {
  return a.type() == Scalar::Float ? choose_with(k, a, b, ignore_nan, false) : k.min(a, b);
}

Value min_value(Kernel& k, DataType type) {
  if (type == DataType::F8E4M3) return k.real(-448);
  if (tosa::is_float(type)) return k.float_of_bits(k.integer(static_cast<std::int32_t>(0xff800000)));
  return k.constant(scalar_of(type), -(std::int64_t{1} << (tosa::bits_of(type) - 1)));
}
Value max_value(Kernel& k, DataType type) {
  if (type == DataType::F8E4M3) return k.real(448);
  if (tosa::is_float(type)) return k.float_of_bits(k.integer(0x7f800000));
  return k.constant(scalar_of(type), (std::int64_t{1} << (tosa::bits_of(type) - 1)) - 1);
}

Value saturated(Kernel& k, DataType type, Value value) {
  const std::int64_t max = (std::int64_t{1} << (tosa::bits_of(type) - 1)) - 1;
  return k.clamp(value, k.constant(value.type(), -max - 1), k.constant(value.type(), max));
}

Value scaled(Kernel& k, Value value, Value multiplier, Value shift, bool double_round) {
  // A shift outside 0 to 62 has an unpredictable result, but must not be undefined behaviour. A shift of 0 rounds
  // nothing.
  const Value bits = k.clamp(shift, k.integer(0), k.integer(62));
  Value round = (k.long_integer(1) << bits) >> 1;
  if (double_round) {
    const Value half =
        k.select(value >= 0, k.long_integer(std::int64_t{1} << 30), k.long_integer(-(std::int64_t{1} << 30)));
    round = k.select(bits > 31, round + half, round);
  }
  return (value * k.to_long(multiplier) + round) >> bits;
}

}  // namespace slipway::lower
