// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one tensor, element by element.
#include <cmath>
#include <limits>
#include <numbers>

#include "importer/quant/fixed_point.hpp"
#include "importer/quant/tables.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {
namespace {

void unary(NodeContext& node, Unary op) { node.out(0, node.b.unary(op, node.in(0))); }

void unary_or_table(NodeContext& node, Unary op, const RealFunction& function) {
  return is_quantised(node) ? out_by_function(node, function) : unary(node, op);
}

// The parameters of a kernel of integers for one operand, with the zero points of the file.
struct Kernel {
  QuantisedType from, to;
  std::int64_t zero, result_zero;
  Arithmetic arithmetic;
};

Kernel kernel_of(NodeContext& node) {
  const Term& x = node.in(0);
  Kernel made{.from = quantised_type(x.type, x.quantization.get()),
              .to = result_type(node),
              .zero = 0,
              .result_zero = 0,
              .arithmetic = arithmetic_of(node)};
  made.zero = made.from.zero + made.from.moved();
  made.result_zero = made.to.zero + made.to.moved();
  return made;
}

void quantised_abs(NodeContext& node) {
  const Kernel k = kernel_of(node);
  const bool scales = k.from.scale != k.to.scale;
  const Multiplier by = multiplier_of(static_cast<double>(k.from.scale / k.to.scale));
  node.out(0, by_table(node.b, node.in(0), k.to.stored, [&](std::int64_t x) {
             const auto value = static_cast<std::int32_t>(std::abs(x - k.zero));
             return k.result_zero + (scales ? multiplied(value, by, k.arithmetic) : value);
           }));
}

// Without the function of the C library, which the compiler calls for negative numbers: its version of glibc 2.43 is
// one that a wheel would need.
float square_root(float x) { return x < 0 ? std::numeric_limits<float>::quiet_NaN() : std::sqrt(x); }

void quantised_rsqrt(NodeContext& node) {
  constexpr int kShift = 20;  // keeps bits of a number below 1
  const Kernel k = kernel_of(node);
  const double scale = 1.0 / static_cast<double>(square_root(k.from.scale) * k.to.scale);
  const Multiplier by = multiplier_of(scale);
  node.out(0, by_table(node.b, node.in(0), k.to.stored, [&](std::int64_t x) -> std::int64_t {
             const auto value = static_cast<std::int32_t>(x - k.zero);
             if (value <= 0) return std::numeric_limits<std::int32_t>::max();
             Multiplier root = inverse_square_root(value);
             root.exponent += kShift;
             const std::int32_t inverse = multiplied(1, root, k.arithmetic);
             return multiplied(inverse, {by.mantissa, by.exponent - kShift}, k.arithmetic) + k.result_zero;
           }));
}

}  // namespace

#define UNARY(name, op) \
  void emit_tflite_##name(NodeContext& node) { unary(node, Unary::op); }
UNARY(CEIL, Ceil)
UNARY(COS, Cos)
UNARY(FLOOR, Floor)
UNARY(LOGICAL_NOT, Not)
UNARY(NEG, Neg)
UNARY(ROUND, RoundEven)
UNARY(SIGN, Sign)
UNARY(SIN, Sin)
#undef UNARY

void emit_tflite_SQRT(NodeContext& node) { unary_or_table(node, Unary::Sqrt, square_root); }

void emit_tflite_ABS(NodeContext& node) { return is_quantised(node) ? quantised_abs(node) : unary(node, Unary::Abs); }
void emit_tflite_RSQRT(NodeContext& node) {
  return is_quantised(node) ? quantised_rsqrt(node) : unary(node, Unary::Rsqrt);
}

void emit_tflite_EXP(NodeContext& node) {
  unary_or_table(node, Unary::Exp, [](float x) { return std::exp(x); });
}

void emit_tflite_LOG(NodeContext& node) {
  if (!is_quantised(node)) return unary(node, Unary::Log);
  const Kernel k = kernel_of(node);
  const auto least = static_cast<float>(k.to.low() - k.to.zero) * k.to.scale;
  out_by_function(node, [least](float x) { return x <= 0 ? least : std::log(x); });
}

void emit_tflite_SQUARE(NodeContext& node) { node.out(0, node.b.mul(node.in(0), node.in(0))); }

void emit_tflite_ELU(NodeContext& node) {
  if (is_quantised(node)) return out_by_function(node, [](float x) { return x < 0 ? std::expm1(x) : x; });
  Builder& b = node.b;
  const Term& x = node.in(0);
  node.out(0, b.select(b.binary(Binary::Less, x, 0), b.unary(Unary::Expm1, x), x));
}

void emit_tflite_GELU(NodeContext& node) {
  const bool approximate = node.flag("approximate");
  constexpr float kRootOf2OverPi = std::numbers::sqrt2_v<float> * std::numbers::inv_sqrtpi_v<float>;
  if (is_quantised(node)) {
    return out_by_function(node, [approximate](float x) {
      if (approximate) return 0.5F * x * (1 + std::tanh(kRootOf2OverPi * (x + 0.044715F * x * x * x)));
      return x * (0.5F * std::erfc(x * static_cast<float>(-1 / std::numbers::sqrt2)));
    });
  }
  Builder& b = node.b;
  const Term& x = node.in(0);
  Term inner;
  if (approximate) {
    const Term cube = b.mul(b.mul(x, x), x);
    inner =
        b.unary(Unary::Tanh, b.binary(Binary::Mul, b.add(x, b.binary(Binary::Mul, cube, 0.044715)), kRootOf2OverPi));
  } else {
    inner = b.unary(Unary::Erf, b.binary(Binary::Mul, x, 1 / std::numbers::sqrt2));
  }
  node.out(0, b.mul(b.binary(Binary::Mul, x, 0.5), b.binary(Binary::Add, inner, 1)));
}

void emit_tflite_FLOOR_DIV(NodeContext& node) { node.out(0, node.b.binary(Binary::FloorDiv, node.in(0), node.in(1))); }
void emit_tflite_FLOOR_MOD(NodeContext& node) { node.out(0, node.b.binary(Binary::Mod, node.in(0), node.in(1))); }
void emit_tflite_POW(NodeContext& node) { node.out(0, node.b.binary(Binary::Pow, node.in(0), node.in(1))); }
void emit_tflite_LOGICAL_AND(NodeContext& node) { node.out(0, node.b.logical(Binary::BitAnd, node.in(0), node.in(1))); }
void emit_tflite_LOGICAL_OR(NodeContext& node) { node.out(0, node.b.logical(Binary::BitOr, node.in(0), node.in(1))); }
void emit_tflite_BITWISE_XOR(NodeContext& node) { node.out(0, node.b.binary(Binary::BitXor, node.in(0), node.in(1))); }
void emit_tflite_RIGHT_SHIFT(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  // Counts of the width or more give what the last count gives, or 0 without a sign.
  const double last = bits_of(x.type) - 1;
  const Term& count = node.in(1);
  const Term shifted = b.binary(Binary::ShiftRight, x, b.binary(Binary::Min, count, last));
  if (!is_unsigned(x.type)) return node.out(0, shifted);
  node.out(0, b.select(b.binary(Binary::Greater, count, last), b.number(x.type, 0), shifted));
}

void emit_tflite_ATAN2(NodeContext& node) {
  Builder& b = node.b;
  const Term& y = node.in(0);
  const Term& x = node.in(1);
  const Term magnitude_x = b.unary(Unary::Abs, x), magnitude_y = b.unary(Unary::Abs, y);
  const Term is_steep = b.binary(Binary::Greater, magnitude_y, magnitude_x);
  const Term low = b.binary(Binary::Min, magnitude_x, magnitude_y),
             high = b.binary(Binary::Max, magnitude_x, magnitude_y);
  const Term is_origin = b.binary(Binary::Equal, high, 0);
  const Term angle = b.unary(Unary::Atan, b.div(low, b.select(is_origin, b.number(x.type, 1), high)));
  const auto mirrored = [&](const Term& condition, double sum, const Term& of) {
    return b.select(condition, b.sub(b.number(x.type, sum), of), of);
  };
  const Term quarter = mirrored(is_steep, std::numbers::pi / 2, angle);
  const Term half = mirrored(b.binary(Binary::Less, x, 0), std::numbers::pi, quarter);
  node.out(0, b.select(b.binary(Binary::Less, y, 0), b.unary(Unary::Neg, half), half));
}

}  // namespace slipway::importer
