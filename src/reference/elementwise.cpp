// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators on single elements (docs/spec/tosa.md#activations to docs/spec/tosa.md#selection-and-comparison).
#include <algorithm>
#include <bit>

#include "reference/operation.hpp"
#include "reference/scale.hpp"

namespace slipway::reference {
namespace {

template <class T, class F>
void apply(const std::vector<T>& from, std::vector<T>& to, F&& f) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    go_on_at(i);
    to[i] = f(from[i]);
  }
}
template <class F>
void unary_real(Operation& operation, F&& f) {
  apply(operation.in().reals, operation.out().reals, f);
}
template <class F>
void unary_integer(Operation& operation, F&& f) {
  apply(operation.in().integers, operation.out().integers, f);
}

// Two operands, broadcast, read from the vector of their kind.
template <class T, class R, class F>
void binary(Operation& operation, const std::vector<T>& a, const std::vector<T>& b, std::vector<R>& to, F&& f) {
  const tensor::Shape& shape = operation.out().type.shape;
  std::vector<std::size_t> source(to.size());
  for_each_strided(shape, broadcast_strides(operation.in(0).type.shape, shape), 0,
                   [&](std::size_t i, std::size_t from) { source[i] = from; });
  for_each_strided(shape, broadcast_strides(operation.in(1).type.shape, shape), 0,
                   [&](std::size_t i, std::size_t from) { to[i] = f(a[source[i]], b[from]); });
}
template <class F>
void binary_real(Operation& operation, F&& f) {
  binary(operation, operation.in(0).reals, operation.in(1).reals, operation.out().reals, f);
}
template <class F>
void binary_integer(Operation& operation, F&& f) {
  const DataType type = operation.out().type.data;
  binary(operation, operation.in(0).integers, operation.in(1).integers, operation.out().integers,
         [&](std::int64_t a, std::int64_t b) { return wrap_to(type, f(a, b)); });
}
template <class F, class G>
void binary_either(Operation& operation, F&& real, G&& integer) {
  if (operation.out().is_float())
    binary_real(operation, real);
  else
    binary_integer(operation, integer);
}
template <class F>
void compare(Operation& operation, F&& f) {
  if (operation.in().is_float())
    binary(operation, operation.in(0).reals, operation.in(1).reals, operation.out().integers, f);
  else
    binary(operation, operation.in(0).integers, operation.in(1).integers, operation.out().integers, f);
}

// A shift amount outside the width of the type is unpredictable in TOSA; here it is masked.
int shift_amount(const Operation& operation, std::int64_t amount) {
  return static_cast<int>(amount & (tosa::bits_of(operation.in().type.data) - 1));
}

std::uint64_t zero_extended(DataType type, std::int64_t value) {
  return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << tosa::bits_of(type)) - 1);
}

}  // namespace

void run_CLAMP(Operation& operation) {
  if (operation.out().is_float()) {
    const double low = operation.real("min_val"), high = operation.real("max_val");
    const bool ignore = operation.ignores_nan();
    return unary_real(operation, [&](double x) { return min_with(max_with(x, low, ignore), high, ignore); });
  }
  const std::int64_t low = operation.integer("min_val"), high = operation.integer("max_val");
  unary_integer(operation, [&](std::int64_t x) { return std::min(std::max(x, low), high); });
}

void run_ERF(Operation& operation) {
  unary_real(operation, [](double x) { return std::erf(x); });
}
void run_SIGMOID(Operation& operation) {
  unary_real(operation, [](double x) { return 1 / (1 + std::exp(-x)); });
}
void run_TANH(Operation& operation) {
  unary_real(operation, [](double x) { return std::tanh(x); });
}
void run_CEIL(Operation& operation) {
  unary_real(operation, [](double x) { return std::ceil(x); });
}
void run_COS(Operation& operation) {
  unary_real(operation, [](double x) { return std::cos(x); });
}
void run_EXP(Operation& operation) {
  unary_real(operation, [](double x) { return std::exp(x); });
}
void run_FLOOR(Operation& operation) {
  unary_real(operation, [](double x) { return std::floor(x); });
}
void run_LOG(Operation& operation) {
  unary_real(operation, [](double x) { return std::log(x); });
}
void run_RECIPROCAL(Operation& operation) {
  unary_real(operation, [](double x) { return 1 / x; });
}
void run_SIN(Operation& operation) {
  unary_real(operation, [](double x) { return std::sin(x); });
}
// The square root of -0 is -0, but TOSA requires the result -inf; all other negative operands result in NaN.
void run_RSQRT(Operation& operation) {
  unary_real(operation, [](double x) { return 1 / std::sqrt(x); });
}

void run_ABS(Operation& operation) {
  if (operation.out().is_float()) return unary_real(operation, [](double x) { return std::fabs(x); });
  const DataType type = operation.out().type.data;
  unary_integer(operation, [&](std::int64_t x) { return wrap_to(type, x < 0 ? -x : x); });
}

void run_NEGATE(Operation& operation) {
  if (operation.out().is_float()) return unary_real(operation, [](double x) { return -x; });
  const DataType type = operation.out().type.data;
  const std::int64_t in_zero = operation.integer("input1_zp"), out_zero = operation.integer("output_zp");
  unary_integer(operation, [&](std::int64_t x) { return saturate_to(type, -(x - in_zero) + out_zero); });
}

void run_BITWISE_NOT(Operation& operation) {
  unary_integer(operation, [](std::int64_t x) { return ~x; });
}
void run_LOGICAL_NOT(Operation& operation) {
  unary_integer(operation, [](std::int64_t x) { return std::int64_t{x == 0}; });
}
void run_CLZ(Operation& operation) {
  unary_integer(operation,
                [](std::int64_t x) { return std::int64_t{std::countl_zero(static_cast<std::uint32_t>(x))}; });
}

void run_ADD(Operation& operation) { binary_either(operation, std::plus<double>(), std::plus<std::int64_t>()); }
void run_SUB(Operation& operation) { binary_either(operation, std::minus<double>(), std::minus<std::int64_t>()); }

void run_MUL(Operation& operation) {
  const std::int64_t shift = operation.integer("shift");
  binary_either(operation, std::multiplies<double>(), [&](std::int64_t a, std::int64_t b) {
    const Int128 product = static_cast<Int128>(a) * b;
    if (shift == 0) return static_cast<std::int64_t>(product);
    return static_cast<std::int64_t>((product + (static_cast<Int128>(1) << (shift - 1))) >> shift);
  });
}

void run_POW(Operation& operation) {
  binary_real(operation, [](double a, double b) { return std::pow(a, b); });
}

void run_INTDIV(Operation& operation) {
  binary_integer(operation, [](std::int64_t a, std::int64_t b) { return b == 0 ? 0 : a / b; });
}

void run_MAXIMUM(Operation& operation) {
  const bool ignore = operation.ignores_nan();
  binary_either(
      operation, [&](double a, double b) { return max_with(a, b, ignore); },
      [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
}
void run_MINIMUM(Operation& operation) {
  const bool ignore = operation.ignores_nan();
  binary_either(
      operation, [&](double a, double b) { return min_with(a, b, ignore); },
      [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
}

void run_ARITHMETIC_RIGHT_SHIFT(Operation& operation) {
  const bool round = operation.flag("round");
  binary_integer(operation, [&](std::int64_t a, std::int64_t b) {
    const int amount = shift_amount(operation, b);
    return (a >> amount) + (round && amount > 0 ? (a >> (amount - 1)) & 1 : 0);
  });
}
void run_LOGICAL_LEFT_SHIFT(Operation& operation) {
  binary_integer(operation, [&](std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << shift_amount(operation, b));
  });
}
void run_LOGICAL_RIGHT_SHIFT(Operation& operation) {
  const DataType type = operation.in().type.data;
  binary_integer(operation, [&](std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(zero_extended(type, a) >> shift_amount(operation, b));
  });
}

void run_BITWISE_AND(Operation& operation) { binary_integer(operation, std::bit_and<std::int64_t>()); }
void run_BITWISE_OR(Operation& operation) { binary_integer(operation, std::bit_or<std::int64_t>()); }
void run_BITWISE_XOR(Operation& operation) { binary_integer(operation, std::bit_xor<std::int64_t>()); }
void run_LOGICAL_AND(Operation& operation) { binary_integer(operation, std::bit_and<std::int64_t>()); }
void run_LOGICAL_OR(Operation& operation) { binary_integer(operation, std::bit_or<std::int64_t>()); }
void run_LOGICAL_XOR(Operation& operation) { binary_integer(operation, std::bit_xor<std::int64_t>()); }

// Comparisons with a NaN are false.
void run_EQUAL(Operation& operation) { compare(operation, std::equal_to<>()); }
void run_GREATER(Operation& operation) { compare(operation, std::greater<>()); }
void run_GREATER_EQUAL(Operation& operation) { compare(operation, std::greater_equal<>()); }

void run_SELECT(Operation& operation) {
  const tensor::Shape& shape = operation.out().type.shape;
  std::vector<std::int64_t> chosen(operation.out().size());
  for_each_strided(shape, broadcast_strides(operation.in(0).type.shape, shape), 0,
                   [&](std::size_t i, std::size_t from) { chosen[i] = operation.in(0).integers[from]; });
  for (const std::size_t side : {1u, 2u}) {
    with_elements(operation.out(), operation.in(side), [&](auto& to, const auto& from) {
      for_each_strided(shape, broadcast_strides(operation.in(side).type.shape, shape), 0,
                       [&](std::size_t i, std::size_t source) {
                         if ((chosen[i] != 0) == (side == 1)) to[i] = from[source];
                       });
    });
  }
}

// i8 looks up one of 256 values; i16 interpolates between two of 513, with 7 bits of fraction
// (docs/spec/tosa.md#table).
void run_TABLE(Operation& operation) {
  const std::vector<std::int64_t>& table = operation.in(1).integers;
  if (operation.in().type.data == DataType::I8) {
    return unary_integer(operation, [&](std::int64_t x) { return table[static_cast<std::size_t>(x + 128)]; });
  }
  unary_integer(operation, [&](std::int64_t x) {
    const auto entry = static_cast<std::size_t>((x + 32768) >> 7);
    const std::int64_t fraction = x & 0x7f;
    return wrap_to(DataType::I32, table[entry] * 128 + (table[entry + 1] - table[entry]) * fraction);
  });
}

}  // namespace slipway::reference
