// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "launch/plan/plan.hpp"
#include "tosa/graph.hpp"

namespace slipway::model {

// Adds an empty buffer for a tensor of a graph to the plan.
launch::ResourceIndex add_tensor_buffer(launch::Plan& plan, std::string name, const tosa::TensorType& type);

}  // namespace slipway::model
