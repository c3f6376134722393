// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What runs a graph on tensors in memory, in the place of the interpreter.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/diagnostic.hpp"
#include "reference/tensor.hpp"
#include "tosa/graph.hpp"

namespace slipway::model {

// Returns the outputs of a verified and static graph whose constants have their data.
using GraphRunner = std::function<Result<std::vector<reference::Tensor>>(
    const std::shared_ptr<const tosa::Graph>& graph, std::span<const reference::Tensor> inputs)>;

}  // namespace slipway::model
