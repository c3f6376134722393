// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules for scenarios beyond the structure of single objects, as far as they need no other file: phase 3 of
// docs/spec/scenario.md#phases (references, format names, rules between objects).
#pragma once

#include <set>
#include <string>

#include "base/diagnostic.hpp"
#include "scenario/model.hpp"
#include "scenario/options.hpp"

namespace slipway::scenario {

// Returns the uids of the resources that nothing uses.
std::set<std::string, std::less<>> check_scenario(const Scenario& scenario, const ScenarioOptions& options,
                                                  Diagnostics& diagnostics);

}  // namespace slipway::scenario
