// Where the buffers, tensors and images of a scenario are in its plan.
#pragma once

#include <map>
#include <string>

#include "launch/plan/plan.hpp"

namespace slipway::scenario {

// By uid. A resource that is not here has errors, which are reported already: what uses it says nothing more.
using ResourceIndices = std::map<std::string, launch::ResourceIndex, std::less<>>;

}  // namespace slipway::scenario
