// The bindings of a `dispatch_graph` against the inputs and outputs of its model (scenario page 3.13).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "model/plan_model.hpp"
#include "scenario/model.hpp"
#include "scenario/plan_parts.hpp"

namespace slipway::scenario {

// `file` is what messages call the model. Every problem is reported; nothing is returned when there was one, or when a
// resource is not in the plan because it has errors.
std::optional<std::vector<model::ModelBinding>> resolve_graph_bindings(Planning& planning,
                                                                       const DispatchGraph& command,
                                                                       const vgf::File& file);

}  // namespace slipway::scenario
