// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fixed-point multipliers as TensorFlow Lite has them (docs/spec/import.md#notation), and what its kernels compute with
// them, for the tables that are made at import.
#pragma once

#include <cstdint>

#include "importer/import_options.hpp"

namespace slipway::importer {

// mantissa * 2^(exponent - 31); the mantissa is 0 or at least 2^30.
struct Multiplier {
  std::int32_t mantissa = 0;
  int exponent = 0;
};

Multiplier multiplier_of(double scale);

// The product with a number that is not negative, in one of the arithmetics. Float is computed as Double.
std::int32_t multiplied(std::int32_t value, const Multiplier& by, Arithmetic arithmetic);

// (a * b + 2^30) >> 31.
std::int32_t high_product(std::int32_t a, std::int32_t b);
// value / 2^exponent, halves away from 0. From 32 on the kernels shift by the exponent modulo 32, and so does this.
std::int32_t divided_by_power(std::int32_t value, int exponent);

}  // namespace slipway::importer
