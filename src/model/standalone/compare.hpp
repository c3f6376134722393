// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the results of a device with those of the interpreter for the same inputs.
//
// Integers must be equal. A float result may differ from the interpreter's by the bound that TOSA allows for the last
// operator, plus the bounds of the operators before it, accumulated along the longest path and each relative to the
// largest element of its result. That is looser than a check of every single operator, and never rejects right results.
//
// Two devices are compared by the same rules: each may be off by the bound, so their results may differ by twice that.
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
  std::uint64_t wrong = 0;      // further away than the bound
  // The largest difference, and the largest in units of its bound; the element of the latter.
  double max_difference = 0, max_of_allowed = 0;
  std::uint64_t worst = 0;
  double got = 0, wanted = 0, allowed = 0;  // of that element

  bool passed() const { return wrong == 0; }
};

// One for each output of the graph, which must be verified and static. Errors: unsupported, for operators that the
// interpreter does not have. `wanted` receives the interpreter's outputs.
Result<std::vector<ValueComparison>> compare_with_reference(const tosa::Graph& graph,
                                                            std::vector<reference::Tensor> inputs,
                                                            std::span<const reference::Tensor> outputs,
                                                            std::vector<reference::Tensor>* wanted = nullptr);

// The results of two devices for the same inputs.
struct DeviceComparison {
  ValueComparison between;  // the first one against the second
  // Elements that each has wrong by the interpreter.
  std::uint64_t first_wrong = 0, second_wrong = 0;
};

// As compare_with_reference, for outputs of two devices.
Result<std::vector<DeviceComparison>> compare_devices(const tosa::Graph& graph, std::vector<reference::Tensor> inputs,
                                                      std::span<const reference::Tensor> first,
                                                      std::span<const reference::Tensor> second);

// `ok (1001 elements, all equal)`, `FAILED 3 of 8 elements differ; [0, 1] is 5 instead of 4 (allowed 0)`.
std::string comparison_text(const ValueComparison& comparison);

}  // namespace slipway::model
