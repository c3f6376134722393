// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan as text for people (`--explain`): what would be made and run, without touching a device.
#pragma once

#include <string>

#include "launch/plan/plan.hpp"

namespace slipway::launch {

std::string print_plan(const Plan& plan);

}  // namespace slipway::launch
