// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/network/activations.hpp"

#include <limits>
#include <numbers>

namespace slipway::importer {

Term relu(Builder& b, const Term& x) {
  if (!is_real(x.type)) return b.binary(Binary::Max, x, 0);
  return b.clamp(x, 0, std::numeric_limits<double>::infinity());
}

Term leaky_relu(Builder& b, const Term& x, double alpha) {
  const Term scaled = b.binary(Binary::Mul, x, alpha);
  if (alpha >= 0 && alpha <= 1) return b.binary(Binary::Max, x, scaled);
  return b.select(b.binary(Binary::GreaterEqual, x, 0), x, scaled);
}

Term elu(Builder& b, const Term& x, double alpha) {
  const Term below = b.affine(b.unary(Unary::Expm1, x), alpha, 0);
  return b.select(b.binary(Binary::Greater, x, 0), x, below);
}

Term selu(Builder& b, const Term& x, double alpha, double gamma) { return b.affine(elu(b, x, alpha), gamma, 0); }

Term celu(Builder& b, const Term& x, double alpha) {
  const Term scaled = b.binary(Binary::Div, x, b.number(x.type, alpha));
  const Term below = b.affine(b.unary(Unary::Expm1, scaled), alpha, 0);
  return b.select(b.binary(Binary::Greater, x, 0), x, below);
}

Term thresholded_relu(Builder& b, const Term& x, double alpha) {
  return b.select(b.binary(Binary::Greater, x, alpha), x, b.number(x.type, 0));
}

Term shrink(Builder& b, const Term& x, double bias, double limit) {
  const Term above = b.select(b.binary(Binary::Greater, x, limit), b.binary(Binary::Sub, x, bias), b.number(x.type, 0));
  return b.select(b.binary(Binary::Less, x, -limit), b.binary(Binary::Add, x, bias), above);
}

Term hard_sigmoid(Builder& b, const Term& x, double alpha, double beta) {
  return b.clamp(b.affine(x, alpha, beta), 0, 1);
}

Term hard_swish(Builder& b, const Term& x) { return b.mul(x, hard_sigmoid(b, x, 1.0 / 6, 0.5)); }

Term softsign(Builder& b, const Term& x) { return b.div(x, b.affine(b.unary(Unary::Abs, x), 1, 1)); }

Term mish(Builder& b, const Term& x) { return b.mul(x, b.unary(Unary::Tanh, b.unary(Unary::Softplus, x))); }

Term swish(Builder& b, const Term& x, double alpha) { return b.mul(x, b.unary(Unary::Sigmoid, b.affine(x, alpha, 0))); }

Term gelu(Builder& b, const Term& x) {
  const Term share = b.affine(b.unary(Unary::Erf, b.affine(x, 1 / std::numbers::sqrt2, 0)), 1, 1);
  return b.mul(b.affine(x, 0.5, 0), share);
}

Term gelu_tanh(Builder& b, const Term& x) {
  constexpr double kCubic = 0.044715, kRoot = 0.7978845608028654;  // the root of 2/pi
  const Term cube = b.mul(b.mul(x, x), x);
  const Term argument = b.affine(b.add(x, b.affine(cube, kCubic, 0)), kRoot, 0);
  return b.mul(b.affine(x, 0.5, 0), b.affine(b.unary(Unary::Tanh, argument), 1, 1));
}

Term positive_power(Builder& b, const Term& x, double exponent) {
  if (exponent == -0.5 || exponent == 0.5 || exponent == -1 ||
      (exponent >= 0 && exponent <= 3 && exponent == static_cast<int>(exponent)))
    return b.binary(Binary::Pow, x, exponent);
  const Term of = b.computable(x);
  const Term power = b.number(of.type, exponent, tensor::Shape(x.rank(), 1));
  const Term made = b.term(b.add(tosa::Op::POW, {b.value(of), b.value(power)}), of.type);
  return b.cast(b.reshape(made, x.shape), x.type);
}

}  // namespace slipway::importer
