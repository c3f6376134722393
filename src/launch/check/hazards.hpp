// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The static hazard check (docs/spec/scenario.md#barriers-and-hazards): which steps touch the same memory without a
// barrier between them, and whether image barriers agree with the layouts that images are in. Missing barriers show up
// only on some devices; this finds them on any.
#pragma once

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"

namespace slipway::launch {

// Warnings of kind `hazard`, each with a note at the other command.
Diagnostics check_hazards(const Plan& plan);

}  // namespace slipway::launch
