// `check --portable`: everything in a file that the existing runner or its JSON schema would reject (page 5.2, 6).
#pragma once

#include "base/diagnostic.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

// Adds warnings of the kind not-portable.
void check_portable(const Scenario& scenario, Diagnostics& diagnostics);

}  // namespace slipway::scenario
