// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CAST and RESCALE (docs/spec/tosa.md#cast, docs/spec/tosa.md#rescale).
#include <algorithm>

#include <spirv/unified1/GLSL.std.450.h>

#include "lower/operators/operation.hpp"
#include "lower/operators/value_range.hpp"

namespace slipway::lower {

using tosa::DataType;

namespace {

Value float_to_integer(Kernel& k, Value x, DataType to) {
  // Nearest even, then brought inside the type before the conversion, which is undefined outside it. A NaN is
  // unpredictable.
  const Value nearest = k.extended(GLSLstd450RoundEven, {x});
  const std::int64_t max = (std::int64_t{1} << (tosa::bits_of(to) - 1)) - 1;
  if (to != DataType::I32) {
    const Value low = k.real(static_cast<float>(-max - 1)), high = k.real(static_cast<float>(max));
    return k.int_of_whole(
        k.select(nearest < low, low, k.select(nearest > high, high, k.select(is_nan(k, x), k.real(0), nearest))),
        tosa::bits_of(to));
  }
  // 2^31 - 1 is not a float: values of 2^31 or more are replaced by it with a selection.
  const Value high = k.real(0x1p31f), low = k.real(-0x1p31f);
  const Value inside = k.select((nearest >= low) & (nearest < high), nearest, k.real(0));
  return k.select(nearest >= high, k.integer(INT32_MAX),
                  k.select(nearest < low, k.integer(INT32_MIN), k.to_int(inside)));
}

// A result in bf16 is rounded once only if the 32-bit float holds the integer: the last of 24 bits of a large one then
// represents all bits below it.
Value integer_to_float(Kernel& k, Value x, DataType to) {
  if (to != DataType::BF16) return k.to_float(x);
  const Value odd = (x & -256) | k.select((x & 255) != 0, k.integer(256), k.integer(0)), high = x >> 24;
  return k.to_float(k.select((high == 0) | (high == -1), x, odd));
}

constexpr std::int64_t kFar = 33;  // larger shifts discard the whole lower half of a product

// value * multiplier * 2^-shift, rounded to nearest, ties up, where the shift is far: the upper half of the product
// decides alone.
Value scaled_far(Kernel& k, Value value, Value multiplier, Value shift) {
  const Value bits = k.clamp(shift, k.integer(kFar), k.integer(62)) - 32;
  return (k.multiply_high(value, multiplier) + (k.integer(1) << (bits - 1))) >> bits;
}

}  // namespace

bool shifts_far(const tosa::Graph& graph, const tosa::Node& node) {
  if (node.op != tosa::Op::RESCALE || graph[node.inputs[0]].type.data == DataType::I48) return false;
  if (node.attributes.enumerant<tosa::RoundingMode>("rounding_mode") != tosa::RoundingMode::SingleRound) return false;
  const tosa::Constant* shifts = graph.constant(node.inputs[2]);
  return shifts && std::ranges::all_of(shifts->data, [](std::byte shift) {
           return static_cast<std::int64_t>(shift) >= kFar && static_cast<std::int64_t>(shift) <= 62;
         });
}

Value emit_CAST(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  const DataType from = operation.in_type(), to = operation.out_type();
  Value x = operation.in(0, at);
  const bool is_unsigned = operation.flag("input_unsigned");
  if (is_unsigned && from != DataType::I32) x = x & ((std::int64_t{1} << tosa::bits_of(from)) - 1);
  if (is_unsigned && from == DataType::I32 && tosa::is_float(to)) {
    // Half of a large value, whose last bit represents all bits that are shifted out, rounds as the value does.
    const Value half = ((x >> 1) & INT32_MAX) | (x & 1);
    return k.select(x < 0, integer_to_float(k, half, to) * k.real(2), integer_to_float(k, x, to));
  }
  if (from == DataType::I32 && tosa::is_float(to)) return integer_to_float(k, x, to);
  if (tosa::is_float(to)) return k.to_float(x);
  const std::uint32_t bits = bits_of_cast(operation.graph, operation.node);
  if (x.type() == Scalar::Float && bits != 0) {
    constexpr std::uint32_t kMaxWhole = 24;
    const Value nearest = k.extended(GLSLstd450RoundEven, {x});
    return bits <= kMaxWhole ? k.int_of_whole(nearest, bits) : k.to_int(nearest);
  }
  if (x.type() == Scalar::Float) return float_to_integer(k, x, to);
  if (to == DataType::Bool) return x != 0;
  const std::uint32_t unused = bits != 0 ? 0 : 32 - tosa::bits_of(to);
  const Value whole = k.to_int(x);
  return unused ? (whole << unused) >> unused : whole;
}

Value emit_RESCALE(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  const DataType from = operation.in_type(), to = operation.out_type();
  const bool in_unsigned = operation.flag("input_unsigned"), out_unsigned = operation.flag("output_unsigned");
  const bool double_round =
      operation.node.attributes.enumerant<tosa::RoundingMode>("rounding_mode") == tosa::RoundingMode::DoubleRound;
  const auto mask = [](DataType type) { return (std::int64_t{1} << tosa::bits_of(type)) - 1; };
  Value x = operation.in(0, at);
  std::int64_t in_zero = operation.integer("input_zp"), out_zero = operation.integer("output_zp");
  if (in_unsigned) {
    x = x & mask(from);
    in_zero &= mask(from);
  }
  if (out_unsigned) out_zero &= mask(to);
  const Value channel = operation.flag("per_channel") ? at.back() : k.integer(0);
  const Value multiplier = operation.in(1, {channel}), shift = operation.in(2, {channel});
  const Value result = shifts_far(operation.graph, operation.node)
                           ? scaled_far(k, x - in_zero, multiplier, shift)
                           : k.to_int(scaled(k, k.to_long(x) - in_zero, multiplier, shift, double_round));
  // The zero point may carry the sum over the edge of 32 bits only where the result is unpredictable.
  const Value moved = result + out_zero;
  if (out_unsigned) {
    const Value limited = k.clamp(moved, k.integer(0), k.integer(mask(to)));
    const std::uint32_t unused = 32 - tosa::bits_of(to);
    return (limited << unused) >> unused;
  }
  return to == DataType::I32 ? moved : saturated(k, to, moved);
}

}  // namespace slipway::lower
