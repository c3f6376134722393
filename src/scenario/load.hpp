// The way of a scenario, from its text to its results, as the program and the library go it.
#pragma once

#include <optional>

#include "base/cache.hpp"
#include "base/diagnostic.hpp"
#include "base/log.hpp"
#include "launch/open_device.hpp"
#include "launch/plan.hpp"
#include "launch/run.hpp"
#include "model/graph_engine.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

// How far loading goes (the phases of scenario page, section 4).
enum class Depth : std::uint8_t { Structure, References, Files };

// `--emulate`: whether tensors and graphs run on what every device has. This program does not use VK_ARM_tensors, so that
// tensors are emulated wherever that is allowed.
enum class Emulation : std::uint8_t { Auto, Never, Always };

struct LoadSettings {
  Path output;            // base of relative `dst` paths; empty: the scenario's folder
  bool confine = false;   // refuse paths that leave the scenario's folder
  bool checking = false;  // `check`: unknown keys are errors, unused resources are noted
  Depth depth = Depth::Files;
  Cache cache;  // of compiled shaders
  model::GraphSettings graphs;  // what computes graphs
