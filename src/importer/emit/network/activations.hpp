// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activation functions of floats. Parameters are those of ONNX.
#pragma once

#include "importer/emit/builder.hpp"

namespace slipway::importer {

Term relu(Builder& b, const Term& x);
Term leaky_relu(Builder& b, const Term& x, double alpha);
// alpha * (exp(x) - 1) for x <= 0.
Term elu(Builder& b, const Term& x, double alpha);
Term selu(Builder& b, const Term& x, double alpha, double gamma);
Term celu(Builder& b, const Term& x, double alpha);
Term thresholded_relu(Builder& b, const Term& x, double alpha);
Term shrink(Builder& b, const Term& x, double bias, double limit);
Term hard_sigmoid(Builder& b, const Term& x, double alpha, double beta);
Term hard_swish(Builder& b, const Term& x);
Term softsign(Builder& b, const Term& x);
Term mish(Builder& b, const Term& x);
// x * sigmoid(alpha * x)
Term swish(Builder& b, const Term& x, double alpha);
Term gelu(Builder& b, const Term& x);
// By the hyperbolic tangent.
Term gelu_tanh(Builder& b, const Term& x);
// x^exponent for x > 0.
Term positive_power(Builder& b, const Term& x, double exponent);

}  // namespace slipway::importer
