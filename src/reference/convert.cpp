// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CAST and RESCALE, and the scaling that integers share (docs/spec/tosa.md#cast,
// docs/spec/tosa.md#rescale).
#include "reference/scale.hpp"

#include <algorithm>

#include "reference/operation.hpp"

namespace slipway::reference {

std::int64_t scale32(std::int64_t value, std::int64_t multiplier, std::int64_t shift, bool double_round) {
  if (shift < 0 || shift > 62) return 0;  // unpredictable
  std::int64_t round = shift == 0 ? 0 : std::int64_t{1} << (shift - 1);
  if (double_round && shift > 31) round += value >= 0 ? std::int64_t{1} << 30 : -(std::int64_t{1} << 30);
  return static_cast<std::int64_t>((static_cast<Int128>(value) * multiplier + round) >> shift);
}

std::int64_t scale16(std::int64_t value, std::int64_t multiplier, std::int64_t shift) {
  return scale32(value, multiplier, shift, false);
}

Reciprocal reciprocal(std::int64_t n) {
  std::int64_t k = 0;
  while ((std::int64_t{1} << k) < n) ++k;  // 2^(k-1) < n <= 2^k
  return {((std::int64_t{1} << 30) + 1) * (std::int64_t{1} << k) / n, 30 + k};
}

namespace {

// An unsigned value, and the zero point of one, are the same bits, zero-extended.
std::int64_t extended(DataType type, std::int64_t value, bool is_unsigned) {
  return is_unsigned ? value & ((std::int64_t{1} << tosa::bits_of(type)) - 1) : value;
}

}  // namespace

void run_RESCALE(Operation& operation) {
  const DataType from = operation.in().type.data, to = operation.out().type.data;
  const bool per_channel = operation.flag("per_channel"), is_scale32 = operation.flag("scale32");
  const bool in_unsigned = operation.flag("input_unsigned"), out_unsigned = operation.flag("output_unsigned");
  const bool double_round =
      operation.node.attributes.enumerant<tosa::RoundingMode>("rounding_mode") == tosa::RoundingMode::DoubleRound;
  const std::int64_t in_zero = extended(from, operation.integer("input_zp"), in_unsigned);
  const std::int64_t out_zero = extended(to, operation.integer("output_zp"), out_unsigned);
  const std::int64_t channels = per_channel ? operation.in().type.shape.back() : 1;
  const std::vector<std::int64_t>&multiplier = operation.in(1).integers, &shift = operation.in(2).integers;
  for (std::size_t i = 0; i < operation.in().size(); ++i) {
    go_on_at(i);
    const auto channel = static_cast<std::size_t>(static_cast<std::int64_t>(i) % channels);
    const std::int64_t value = extended(from, operation.in().integers[i], in_unsigned) - in_zero;
    std::int64_t scaled = is_scale32 ? scale32(value, multiplier[channel], shift[channel], double_round)
                                     : scale16(value, multiplier[channel], shift[channel]);
    scaled = wrap_to(DataType::I32, scaled) + out_zero;
    operation.out().integers[i] =
        out_unsigned ? wrap_to(to, std::clamp<std::int64_t>(scaled, 0, (std::int64_t{1} << tosa::bits_of(to)) - 1))
                     : saturate_to(to, scaled);
  }
}

void run_CAST(Operation& operation) {
  const Tensor& in = operation.in();
  Tensor& out = operation.out();
  const DataType to = out.type.data;
  const bool is_unsigned = operation.flag("input_unsigned");
  for (std::size_t i = 0; i < in.size(); ++i) {
    go_on_at(i);
    const std::int64_t integer = in.is_float() ? 0 : extended(in.type.data, in.integers[i], is_unsigned);
    if (in.is_float() && out.is_float()) {
      out.reals[i] = in.reals[i];
    } else if (out.is_float()) {
      out.reals[i] = static_cast<double>(integer);
    } else if (!in.is_float()) {
      out.integers[i] = to == DataType::Bool ? integer != 0 : wrap_to(to, integer);
    } else if (std::isnan(in.reals[i])) {
      out.integers[i] = 0;  // unpredictable
    } else {
      const double nearest = std::nearbyint(in.reals[i]);  // ties to even, the default mode
      const auto low = static_cast<double>(min_integer(to)), high = static_cast<double>(max_integer(to));
      out.integers[i] = static_cast<std::int64_t>(std::clamp(nearest, low, high));
    }
  }
}

}  // namespace slipway::reference
