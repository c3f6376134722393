// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan asks of a device, and what of it a device lacks (docs/spec/scenario.md#bad-input). Decided from the
// snapshot alone, before anything reaches the driver.
#pragma once

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "vk/device_plan.hpp"
#include "vk/snapshot.hpp"

namespace slipway::launch {

// The caller adds what does not come from the plan: timestamps for profiles, disabled extensions, what `requires` asks
// for.
vk::Needs needs_of(const Plan& plan);

// Everything that is missing together, as errors of kind device-lacks with the value and the limit, at the origin of
// what asks for it.
Diagnostics check_device(const Plan& plan, const vk::Needs& needs, const vk::Snapshot& snapshot);

}  // namespace slipway::launch
