// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The indices of a scenario's buffers, tensors and images in its plan.
#pragma once

#include <map>
#include <string>

#include "launch/plan/plan.hpp"

namespace slipway::scenario {

// By uid. A resource that is missing here has errors, which are already reported: its users report nothing.
using ResourceIndices = std::map<std::string, launch::ResourceIndex, std::less<>>;

}  // namespace slipway::scenario
