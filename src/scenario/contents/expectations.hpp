// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `expect`: what a resource must hold after the run (docs/spec/scenario.md#additive-keys).
#pragma once

#include <optional>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "scenario/model.hpp"
#include "scenario/plan/resource_indices.hpp"

namespace slipway::scenario {

// Empty, with errors, when it cannot be compared; empty without an error when the resource it refers to is not in the
// plan because of its own errors.
std::optional<launch::Expectation> expectation(const Scenario& scenario, const launch::Plan& plan,
                                               const ResourceIndices& indices, const Resource& resource,
                                               const Expect& expect, Diagnostics& diagnostics);

}  // namespace slipway::scenario
