// A scenario file to a plan, all phases of checking on the way (scenario page, section 4). Shared by `run`, `check` and the
// drop-in name.
#pragma once

#include <optional>
#include <string>

#include "base/cache.hpp"
#include "base/diagnostic.hpp"
#include "launch/plan.hpp"
#include "scenario/model.hpp"

namespace slipway::cli {

enum class CheckDepth { Syntax, References, Files };

struct LoadSettings {
  Path output;
  bool confine = false;
  bool checking = false;  // `check`: unknown keys are errors, unused resources are noted
  CheckDepth depth = CheckDepth::Files;
  Cache cache;
};

struct Loaded {
  std::optional<scenario::Scenario> scenario;
  std::optional<launch::Plan> plan;  // with depth Files and without errors
};

// `file` may be `-`. Hazards are among the diagnostics.
Loaded load_scenario(const std::string& file, const LoadSettings& settings, Diagnostics& diagnostics);

}  // namespace slipway::cli
