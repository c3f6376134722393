// From a recipe's text to its plan: everything that can be known without a device, all problems together.
#pragma once

#include <optional>

#include "base/cache.hpp"
#include "base/diagnostic.hpp"
#include "recipe/artifacts.hpp"
#include "recipe/plan.hpp"
#include "recipe/read/read.hpp"

namespace slipway::recipe {

enum class Depth {
  References,  // the recipe and the profile alone
  Files,       // also the files that they name
};

struct PlanOptions {
  Depth depth = Depth::Files;
  std::optional<BackendKind> backend;  // --backend; none: auto (decision 7)
  Cache cache;                         // of compiled shaders
  const Profile* profile = nullptr;    // whose `qos` is for the header's context
};

// Nothing when there are errors, or with Depth::References.
std::optional<Plan> plan_recipe(const Recipe& recipe, const Artifacts& artifacts, const PlanOptions& options,
                                Diagnostics& diagnostics);

// What a profile says against its recipe and its files: `recipe` may be null.
void check_profile(const Profile& profile, const Recipe* recipe, const Artifacts* artifacts, Diagnostics& diagnostics);

}  // namespace slipway::recipe
