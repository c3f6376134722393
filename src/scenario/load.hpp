// The way of a scenario, from its text to its results, as the program and the library go it.
#pragma once

#include <functional>
#include <optional>

#include "base/cache.hpp"
#include "base/diagnostic.hpp"
#include "base/log.hpp"
#include "launch/execute/open_device.hpp"
#include "launch/execute/run.hpp"
#include "launch/plan/plan.hpp"
#include "model/graph_engine.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

// How far loading goes (the phases of scenario page, section 4).
enum class Depth : std::uint8_t { Structure, References, Files };

// `--emulate`: whether tensors and graphs run on what every device has. Auto: where the device cannot run them itself.
enum class Emulation : std::uint8_t { Auto, Never, Always };

struct LoadSettings {
  Path output;            // base of relative `dst` paths; empty: the scenario's directory
  bool confine = false;   // refuse paths that leave the scenario's directory
  bool checking = false;  // `check`: unknown keys are errors, unused resources are noted
  Depth depth = Depth::Files;
  Cache cache;  // of compiled shaders
  Emulation emulation = Emulation::Auto;
  model::GraphSettings graphs;                       // what computes graphs
  std::function<lower::DeviceFacts()> device_facts;  // asked when there is a graph (plan.hpp)
  // Asked when there are tensors or graphs, unless all are to be emulated: the device that will run the plan.
  std::function<const gpu::Snapshot*()> native_device;
};

struct Loaded {
  std::optional<Scenario> scenario;
  std::optional<launch::Plan> plan;  // with depth Files and without errors
  Emulation emulation = Emulation::Auto;
};

// Relative paths are resolved against `directory`. Hazards are among the diagnostics.
Loaded load(const SourcePtr& source, const Path& directory, const LoadSettings& settings, Diagnostics& diagnostics);

// What `requires` names, and what the plan needs besides, that the device lacks: errors. So is what may not be
// emulated.
void check_device(const Loaded& loaded, const gpu::Needs& needs, const gpu::Snapshot& device, Diagnostics& diagnostics);

// Checks the device that is being opened, and runs the plan on it. Nothing when there was an error.
std::optional<launch::Report> run(const Loaded& loaded, launch::DeviceOpening& opening, launch::RunOptions options,
                                  const Log& log, Diagnostics& diagnostics);

}  // namespace slipway::scenario
