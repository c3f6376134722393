// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The times of the operators of one graph as JSON (docs/spec/scenario.md#graph-profile-file). The Vulkan layer writes
// the same text.
#pragma once

#include <span>
#include <string>

#include "launch/report/profile.hpp"

namespace slipway::launch {

// The samples in their order, and what each kind of operator took. `period`: nanoseconds a tick.
std::string graph_profile_text(std::span<const OperatorTime> samples, float period);

}  // namespace slipway::launch
