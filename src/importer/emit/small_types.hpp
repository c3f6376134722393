// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types whose bits graphs cannot compute with: the 8-bit floats without a negative zero (FNUZ), float4e2m1 and
// float8e8m0. Their values are decoded by a table, and encoded by a search in the numbers at which a code begins. Both
// are exact.
#pragma once

#include "importer/emit/builder/elementwise.hpp"

namespace slipway::importer {

// How a number between two powers of two becomes one (float8e8m0).
enum class ScaleRounding : std::uint8_t { Up, Down, Nearest };

struct Conversion {
  bool saturate = true;  // 8-bit floats: what is too large becomes the largest number; false: an infinity or NaN
  ScaleRounding scale = ScaleRounding::Up;
};

bool is_coded(FileType type);
// The number that each code of such a type means.
std::vector<double> decoded_values(FileType type);

// `x` in any type of numbers.
Term convert(Elementwise& b, const Term& x, FileType type, const Conversion& how = {});

}  // namespace slipway::importer
