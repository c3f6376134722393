// What a device made of a graph beside what the interpreter makes of the same inputs.
//
// Integers have to be equal. A float of the last operator may be as far from the interpreter's as TOSA allows for that
// operator; what the operators before it are allowed adds up along the longest way, each relative to the largest
// element of its result. That is looser than a check of every operator on its own and never fails what is right.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "reference/tensor.hpp"
#include "tosa/graph.hpp"

namespace slipway::model {

struct ValueComparison {
  tosa::TensorType type;
  std::uint64_t elements = 0;
  std::uint64_t different = 0;  // not equal
  std::uint64_t wrong = 0;      // further away than is allowed
  // The largest difference, and the largest in units of what is allowed; the element of the latter.
  double greatest = 0, greatest_of_allowed = 0;
  std::uint64_t worst = 0;
  double got = 0, wanted = 0, allowed = 0;  // of that element

  bool passed() const { return wrong == 0; }
};

// One for each output of the graph, which must be verified and static. Errors: unsupported, for operators that the
// interpreter does not have.
Result<std::vector<ValueComparison>> compare_with_reference(const tosa::Graph& graph,
                                                            std::vector<reference::Tensor> inputs,
                                                            std::span<const reference::Tensor> outputs);

// `ok (1001 elements, all equal)`, `FAILED 3 of 8 elements differ; [0, 1] is 5 instead of 4 (allowed 0)`.
std::string comparison_text(const ValueComparison& comparison);

}  // namespace slipway::model
