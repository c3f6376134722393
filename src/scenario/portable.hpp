// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `check --portable`: reports everything in a file that the existing runner or its JSON schema would reject
// (docs/spec/scenario.md#differences, docs/spec/scenario.md#design-goals).
#pragma once

#include "base/diagnostic.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

// Adds warnings of the kind not-portable.
void check_portable(const Scenario& scenario, Diagnostics& diagnostics);

}  // namespace slipway::scenario
