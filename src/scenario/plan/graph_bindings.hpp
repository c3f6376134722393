// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bindings of a `dispatch_graph` against the inputs and outputs of its model
// (docs/spec/scenario.md#model-dispatch).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "model/plan/plan_model.hpp"
#include "scenario/model.hpp"
#include "scenario/plan/planning.hpp"

namespace slipway::scenario {

// `file` is the name of the model in messages. Reports all errors. Empty after an error, or when a resource is not in
// the plan because of its own errors.
std::optional<std::vector<model::ModelBinding>> resolve_graph_bindings(Planning& planning, const DispatchGraph& command,
                                                                       const vgf::File& file);

}  // namespace slipway::scenario
