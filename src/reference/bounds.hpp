// How far a float result may be from the reference: TOSA's own bounds (TOSA page 3.4, 3.5, 5).
#pragma once

#include <vector>

#include "reference/run.hpp"

namespace slipway::reference {

// Whether `test` is acceptable for the unrounded reference value `ref` with an absolute error of `bound`, in a float
// type. Infinities, NaN and flushed subnormals are as the specification has them.
bool accepts(DataType type, double test, double ref, double bound);

// The unit in the last place of a type at a value; 0 for 0, infinities and NaN.
double ulp(DataType type, double value);

// The absolute error that TOSA allows for each element of each result of a node with float results: 0 where the result
// is exact, infinity where anything goes. Integer results have none and get an empty list.
std::vector<std::vector<double>> bounds(const tosa::Graph& graph, const tosa::Node& node,
                                        std::span<const Tensor* const> inputs, const NodeResults& results);

// What rounding can do to sums of products (TOSA page 3.5): how many roundings count, and for each result the sums of
// the products' magnitudes. None for other operators and for integers.
struct DotProductScale {
  double steps = 0;
  std::vector<std::vector<double>> magnitudes;
};
std::optional<DotProductScale> dot_product_scale(const tosa::Graph& graph, const tosa::Node& node,
                                                 std::span<const Tensor* const> inputs, const NodeResults& results);
// Whether so large a sum may overflow, so that any result will do.
bool is_free(DataType type, double magnitude, double steps);

// By result of REDUCE_PRODUCT: whether what is between its factors stays in the range of normal numbers in whichever
// order they are taken (TOSA page 10). Where it does not, any result will do.
std::vector<bool> products_without_order(const tosa::Node& node, const Tensor& factors);

// The first element of a result that is not acceptable, integers being exact.
struct Difference {
  std::size_t result = 0, element = 0;
  double test = 0, reference = 0, bound = 0;
};
std::optional<Difference> first_difference(std::span<const Tensor> test, const NodeResults& reference,
                                           const std::vector<std::vector<double>>& bounds);

}  // namespace slipway::reference
