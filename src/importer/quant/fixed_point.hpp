// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of numbers with a fixed point, as the kernels of TensorFlow Lite compute them in 32 bits. QI.F: I bits
// before the point and F after it. On the host they make tables; those that take terms are computed by the graph.
#pragma once

#include "importer/emit/builder.hpp"
#include "importer/quant/multiplier.hpp"

namespace slipway::importer {

// 1 / (1 + x), both Q0.31, for x from 0 on.
std::int32_t inverse_of_one_plus(std::int32_t x);
Term inverse_of_one_plus(Builder& b, const Term& x);

// exp(x) as Q0.31, for x up to 0 in Q5.26.
std::int32_t exp_of_negative(std::int32_t x);

// 1 / (1 + exp(-x)) and tanh(x) as Q0.15, of 16 bits with 3 or up to 6 bits before the point.
std::int16_t logistic_of_16_bits(std::int16_t x);
std::int16_t tanh_of_16_bits(std::int16_t x, int integer_bits);

// The same as high_product on the host, of int32.
Term high_product(Builder& b, const Term& x, const Term& y);

// 1 / sqrt(x) of an integer from 1 on.
Multiplier inverse_square_root(std::int32_t x);
struct InverseRoots {
  Term mantissa;
  Term shift;  // to the right, 0 or more
};
InverseRoots inverse_square_root(Builder& b, const Term& x);

}  // namespace slipway::importer
