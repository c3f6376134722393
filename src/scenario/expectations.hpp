// `expect`: what a resource must hold after the run (scenario page 3.7).
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "scenario/model.hpp"
#include "scenario/resource_indices.hpp"

namespace slipway::scenario {

// Nothing, with errors, when it cannot be compared; nothing and no error when the resource it refers to is not in the
// plan because it has errors itself.
std::optional<launch::Expectation> expectation(const Scenario& scenario, const launch::Plan& plan,
                                               const ResourceIndices& indices, const Resource& resource,
                                               const Expect& expect, Diagnostics& diagnostics);

}  // namespace slipway::scenario
