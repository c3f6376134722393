// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns a scenario into a launch plan: phase 4 of docs/spec/scenario.md#phases. All files that the scenario names are
// opened and checked, its shaders are compiled and reflected, and every command is matched with the declarations of its
// shaders.
//
//   Diagnostics diagnostics;
//   auto scenario = read_scenario(source, path.parent_path(), {}, diagnostics);
//   if (scenario) check_scenario(*scenario, {}, diagnostics);
//   if (scenario) auto plan = plan_scenario(*scenario, {.output = directory, .cache = cache}, diagnostics);
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "scenario/model.hpp"
#include "scenario/options.hpp"
#include "vk/snapshot.hpp"

namespace slipway::scenario {

// `diagnostics` holds what reading and checking found: objects with errors are left out here, so that consequences of
// these errors are not reported. Empty when there is any error, of any phase. The plan shares ownership of the
// scenario's document and may outlive `scenario`.
//
// The files of shaders, graphs and data with the uids of `unused` are not opened. A missing file of one of `unused` is
// a rule.
std::optional<launch::Plan> plan_scenario(const Scenario& scenario, const ScenarioOptions& options,
                                          Diagnostics& diagnostics,
                                          const std::set<std::string, std::less<>>& unused = {});

// Whether a device supports something natively, so that it need not be emulated
// (docs/spec/scenario.md#devices-and-emulation).
bool is_native(NativeFeature feature, const vk::Snapshot& device);

// The entries of the root's `requires` that a device lacks, a line each: `skipped: requires <what>`. Empty when it has
// everything.
std::vector<std::string> check_requires(const Requirements& requirements, const vk::Snapshot& device);

}  // namespace slipway::scenario
