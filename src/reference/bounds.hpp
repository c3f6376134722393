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

// The first element of a result that is not acceptable, integers being exact.
struct Difference {
  std::size_t result = 0, element = 0;
  double test = 0, reference = 0, bound = 0;
};
std::optional<Difference> first_difference(std::span<const Tensor> test, const NodeResults& reference,
                                           const std::vector<std::vector<double>>& bounds);

}  // namespace slipway::reference
