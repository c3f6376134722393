// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan as text for people (`--explain`): what would be made and run, without touching a device.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "launch/plan/plan.hpp"

namespace slipway::launch {

std::string print_plan(const Plan& plan);
// The same in parts of whole lines: a plan may have millions of steps.
void print_plan(const Plan& plan, const std::function<void(std::string_view)>& print);

}  // namespace slipway::launch
