// A scenario to a launch plan: phase 4 of the page's section 4. All files that the scenario names are opened and
// checked, its shaders compiled and reflected, and every command is matched with what its shaders declare.
//
//   Diagnostics diagnostics;
//   auto scenario = read_scenario(source, path.parent_path(), {}, diagnostics);
//   if (scenario) check_scenario(*scenario, {}, diagnostics);
//   if (scenario) auto plan = plan_scenario(*scenario, {.output = directory, .cache = cache}, diagnostics);
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cache.hpp"
#include "base/diagnostic.hpp"
#include "gpu/device/snapshot.hpp"
#include "launch/plan/plan.hpp"
#include "model/graph_engine.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

struct PlanOptions {
  Path output;                       // what `dst` is relative to; empty: the scenario's directory
  bool confine = false;              // files that shaders include must lie in the scenario's directory too
  Cache cache;                       // of compiled shaders
  bool checking = false;             // `check`: what only warns in a run because it has no effect is an error
  model::GraphSettings graphs = {};  // what computes graphs
  // Asked when there is a graph: the device that it will run on, when that is known. Else kernels are of the plainest
  // kind.
  std::function<lower::DeviceFacts()> device_facts = {};
  // Asked when there is a graph or a shader with tensors: the device that may run them itself. None: all is emulated.
  std::function<const gpu::Snapshot*()> native_device = {};
};

// `diagnostics` holds what reading and checking found: objects with errors are left out here, so that nothing is
// reported that only follows from them. Nothing is returned when there is any error, of whichever phase. The plan
// refers to the scenario's document through its origins and contents, and may outlive `scenario`.
std::optional<launch::Plan> plan_scenario(const Scenario& scenario, const PlanOptions& options,
                                          Diagnostics& diagnostics);

// Whether a device has something itself, so that it need not be emulated (scenario page 3.14).
bool is_native(NativeFeature feature, const gpu::Snapshot& device);

// What of the root's `requires` a device does not have, a line each: `skipped: requires <what>`. Empty: it has
// everything.
std::vector<std::string> check_requires(const Requirements& requirements, const gpu::Snapshot& device);

}  // namespace slipway::scenario
