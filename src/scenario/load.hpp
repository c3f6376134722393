// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and runs a scenario, from its text to its results, for the program and the library.
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "base/log.hpp"
#include "launch/plan/plan.hpp"
#include "scenario/model.hpp"
#include "scenario/options.hpp"

namespace slipway::vk {
struct Snapshot;
}  // namespace slipway::vk
namespace slipway::launch {
class Executor;
struct Report;
struct RunOptions;
}  // namespace slipway::launch

namespace slipway::scenario {

struct Loaded {
  std::optional<Scenario> scenario;
  std::optional<launch::Plan> plan;  // with depth Files and without errors
  Emulation emulation = Emulation::Auto;
};

// Reads, checks and plans as far as `options.depth`. Relative paths are resolved against `directory`. Diagnostics
// include hazards.
Loaded load(const SourcePtr& source, const Path& directory, const ScenarioOptions& options, Diagnostics& diagnostics);

// Reports errors for what `requires` names or the plan needs and the device lacks, and for native support that is
// missing where emulation is not allowed.
void check_device(const Loaded& loaded, const vk::Snapshot& device, Diagnostics& diagnostics);

// Runs the plan on an executor, after the same checks. Empty after an error.
std::optional<launch::Report> run(const Loaded& loaded, launch::Executor& executor, launch::RunOptions options,
                                  const Log& log, Diagnostics& diagnostics);

}  // namespace slipway::scenario
