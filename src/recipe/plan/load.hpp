// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans a recipe: checks everything that can be checked without a device, and reports all problems together.
#pragma once

#include <memory>
#include <optional>

#include "base/diagnostic.hpp"
#include "base/system/cache.hpp"
#include "recipe/artifacts.hpp"
#include "recipe/plan.hpp"
#include "recipe/read/read.hpp"

namespace slipway::model {
struct GraphChoices;  // graph_target.hpp
}

namespace slipway::recipe {

enum class Depth {
  References,  // the recipe and the profile only
  Files,       // and the files that they name
};

struct PlanOptions {
  Depth depth = Depth::Files;
  std::optional<BackendKind> backend;                 // --backend; nothing: auto (docs/spec/recipe.md#decision-7)
  Cache cache;                                        // of compiled shaders
  std::shared_ptr<const model::GraphChoices> graphs;  // of models; null: kernels on the device
  bool emulates = true;                               // false: the driver must run graphs of models
  const Profile* profile = nullptr;                   // may be null; its `qos` configures the header's context
};

// Returns nothing if there are errors, or with Depth::References.
std::optional<Plan> plan_recipe(const Recipe& recipe, const Artifacts& artifacts, const PlanOptions& options,
                                Diagnostics& diagnostics);

// Checks a profile against its recipe and its files. `recipe` and `artifacts` may be null.
void check_profile(const Profile& profile, const Recipe* recipe, const Artifacts* artifacts, Diagnostics& diagnostics);

}  // namespace slipway::recipe
