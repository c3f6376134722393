// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The error bounds of float results in TOSA (docs/spec/tosa.md#error-bounds, docs/spec/tosa.md#dot-product-check).
#pragma once

#include <vector>

#include "reference/run.hpp"

namespace slipway::reference {

// Whether `test` is acceptable for the unrounded reference value `ref` with an absolute error of `bound`, in a float
// type. Infinities, NaN and flushed subnormals follow the specification.
bool accepts(DataType type, double test, double ref, double bound);

// Whether a device may take the value, an operand of this type, for a zero of its sign.
bool may_flush(DataType type, double value);

// The unit in the last place of a type at a value; 0 for 0, infinities and NaN.
double ulp(DataType type, double value);

// The absolute error that TOSA allows for each element of each result of a node with float results: 0 where the result
// is exact, infinity where any value is permitted. Integer results get an empty list. Errors: interrupted, timed-out.
Result<std::vector<std::vector<double>>> bounds(const tosa::Graph& graph, const tosa::Node& node,
                                                std::span<const Tensor* const> inputs, const NodeResults& results);

// The rounding errors of sums of products (docs/spec/tosa.md#dot-product-check): how many roundings count, and for each
// result the sum of the magnitudes of its products. Empty for other operators and for integers.
struct DotProductScale {
  double steps = 0;
  std::vector<std::vector<double>> magnitudes;
};
std::optional<DotProductScale> dot_product_scale(const tosa::Graph& graph, const tosa::Node& node,
                                                 std::span<const Tensor* const> inputs, const NodeResults& results);
// Whether a sum of this size may overflow, so that any result is permitted.
bool is_free(DataType type, double magnitude, double steps);

// By result of REDUCE_PRODUCT: whether intermediate products stay in the range of normal numbers in every order of the
// factors (docs/spec/tosa.md#vulkan-lowering). Where they do not, any result is permitted.
std::vector<bool> products_without_order(const tosa::Node& node, const Tensor& factors);

// The first element of a result that is not acceptable. Integers must be equal.
struct WrongElement {
  std::size_t result = 0, element = 0;
  double test = 0, reference = 0, bound = 0;
};
std::optional<WrongElement> first_difference(std::span<const Tensor> test, const NodeResults& reference,
                                             const std::vector<std::vector<double>>& bounds);

}  // namespace slipway::reference
