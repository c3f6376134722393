// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators on single elements (docs/spec/tosa.md#activations to docs/spec/tosa.md#selection-and-comparison).
#include "lower/operators/math.hpp"
#include "lower/operators/operation.hpp"

namespace slipway::lower {

using tosa::DataType;

Coordinates broadcast(Kernel& k, const tensor::Shape& shape, const Coordinates& at) {
  Coordinates from = at;
  for (std::size_t d = 0; d < from.size(); ++d) {
    if (shape[d] == 1) from[d] = k.integer(0);
  }
  return from;
}

namespace {

Value operand(Operation& operation, std::size_t input, const Coordinates& at) {
  return operation.in(input, broadcast(operation.kernel, operation.in_shape(input), at));
}

// Integers that wrapped to the width of their type.
Value wrapped(Operation& operation, Value value) {
  const DataType type = operation.out_type();
  const std::uint32_t width = tosa::bits_of(type);
  if (type == DataType::Bool || width == 32 || value.type() != Scalar::Int) return value;
  return (value << (32 - width)) >> (32 - width);
}

Value shift_amount(Operation& operation, const Coordinates& at) {
  return operand(operation, 1, at) & (tosa::bits_of(operation.in_type()) - 1);
}

Value limit(Operation& operation, std::string_view name) {
  if (tosa::is_float(operation.in_type())) return operation.kernel.real(static_cast<float>(operation.real(name)));
  return operation.kernel.integer(operation.integer(name));
}

}  // namespace

#define UNARY(NAME, EXPRESSION)                                                 \
  Value emit_##NAME(Operation& operation, const Coordinates& at, std::size_t) { \
    [[maybe_unused]] Kernel& k = operation.kernel;                              \
    const Value x = operation.in(0, at);                                        \
    return EXPRESSION;                                                          \
  }
#define BINARY(NAME, EXPRESSION)                                                \
  Value emit_##NAME(Operation& operation, const Coordinates& at, std::size_t) { \
    [[maybe_unused]] Kernel& k = operation.kernel;                              \
    const Value a = operand(operation, 0, at), b = operand(operation, 1, at);   \
    return EXPRESSION;                                                          \
  }

UNARY(ERF, tensor::size_of(tosa::storage_of(operation.out_type())) < 4 ? short_erf(k, x) : erf(k, x))
UNARY(SIGMOID, sigmoid(k, x))
UNARY(TANH, tanh(k, x))
UNARY(CEIL, ceil(k, x))
UNARY(COS, cos(k, x))
UNARY(EXP, exp(k, x))
UNARY(FLOOR, floor(k, x))
UNARY(LOG, log(k, x))
UNARY(RECIPROCAL, reciprocal(k, x))
UNARY(RSQRT, rsqrt(k, x))
UNARY(SIN, sin(k, x))
UNARY(BITWISE_NOT, ~x)
UNARY(LOGICAL_NOT, !x)
UNARY(CLZ, k.integer(31) - k.find_most_significant(x))
UNARY(ABS, x.type() == Scalar::Float ? k.float_of_bits(k.bits_of(x) & 0x7fffffff) : k.select(x < 0, -x, x))

BINARY(ADD, a + b)
BINARY(SUB, a - b)
BINARY(POW, pow(k, a, b))
BINARY(BITWISE_AND, a& b)
BINARY(BITWISE_OR, a | b)
BINARY(BITWISE_XOR, a ^ b)
BINARY(LOGICAL_AND, a& b)
BINARY(LOGICAL_OR, a | b)
BINARY(LOGICAL_XOR, a ^ b)
BINARY(EQUAL, a == b)
BINARY(GREATER, a > b)
BINARY(GREATER_EQUAL, a >= b)
BINARY(MAXIMUM, max_with(k, a, b, operation.ignores_nan()))
BINARY(MINIMUM, min_with(k, a, b, operation.ignores_nan()))
// Division by zero, and of the minimum by -1, are unpredictable, but must not be undefined behaviour.
BINARY(INTDIV,
       k.select(b == 0, k.integer(0), k.select(b == -1, -a, a / k.select((b == 0) | (b == -1), k.integer(1), b))))
#undef UNARY
#undef BINARY

Value emit_CLAMP(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  const Value x = operation.in(0, at), low = limit(operation, "min_val"), high = limit(operation, "max_val");
  const Value below_high = k.select(x > high, high, x);
  const Value clamped = k.select(below_high < low, low, below_high);  // as instructions for a minimum and a maximum
  if (x.type() != Scalar::Float) return clamped;
  // A NaN is neither above nor below a limit. Devices with this execution mode must respect that.
  if (k.floats().signed_zero_inf_nan_preserve && !operation.ignores_nan()) return clamped;
  // Other drivers replace this by their own minimum and maximum, which lose a NaN, so it is recognised by its bits. It
  // propagates or, where NaN is ignored, becomes the lower limit.
  return k.select(is_nan(k, x), operation.ignores_nan() ? low : x, clamped);
}

Value emit_NEGATE(Operation& operation, const Coordinates& at, std::size_t) {
  const Value x = operation.in(0, at);
  if (x.type() == Scalar::Float) return -x;
  const Value negated = operation.kernel.integer(operation.integer("output_zp")) - (x - operation.integer("input1_zp"));
  return operation.out_type() == DataType::I32 ? negated : saturated(operation.kernel, operation.out_type(), negated);
}

Value emit_MUL(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  const Value a = operand(operation, 0, at), b = operand(operation, 1, at);
  const std::int64_t shift = operation.integer("shift");
  if (a.type() == Scalar::Float || shift == 0) return a * b;
  return k.to_int((k.to_long(a) * k.to_long(b) + (std::int64_t{1} << (shift - 1))) >> shift);
}

Value emit_ARITHMETIC_RIGHT_SHIFT(Operation& operation, const Coordinates& at, std::size_t) {
  Kernel& k = operation.kernel;
  const Value a = operand(operation, 0, at), bits = shift_amount(operation, at);
  const Value shifted = a >> bits;
  if (!operation.flag("round")) return shifted;
  const Value last = (a >> k.max(bits - 1, k.integer(0))) & 1;
  return shifted + k.select(bits > 0, last, k.integer(0));
}

Value emit_LOGICAL_LEFT_SHIFT(Operation& operation, const Coordinates& at, std::size_t) {
  return wrapped(operation, operand(operation, 0, at) << shift_amount(operation, at));
}

Value emit_LOGICAL_RIGHT_SHIFT(Operation& operation, const Coordinates& at, std::size_t) {
  Value a = operand(operation, 0, at);
  const std::uint32_t width = tosa::bits_of(operation.in_type());
  if (width < 32) a = a & ((std::int64_t{1} << width) - 1);
  return wrapped(operation, operation.kernel.shift_right_logical(a, shift_amount(operation, at)));
}

Value emit_SELECT(Operation& operation, const Coordinates& at, std::size_t) {
  const Value condition = operand(operation, 0, at), yes = operand(operation, 1, at), no = operand(operation, 2, at);
  return operation.kernel.select(condition, yes, no);
}

Value emit_TABLE(Operation& operation, const Coordinates& at, std::size_t) {
  const Value x = operation.in(0, at);
  const auto entry = [&](Value i) { return operation.in(1, {i}); };
  if (operation.in_type() == DataType::I8) return entry(x + 128);
  const Value i = (x + 32768) >> 7, low = entry(i);
  return (low << 7) + (entry(i + 1) - low) * (x & 0x7f);
}

}  // namespace slipway::lower
