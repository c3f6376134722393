// A model with all of its shapes known, from the shapes of what is bound to it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/diagnostic.hpp"
#include "model/plan_model.hpp"
#include "tosa/graph.hpp"
#include "vgf/vgf.hpp"

namespace slipway::model {

struct ResolvedModel {
  std::vector<tensor::Shape> shapes;                       // of all resources of the file
  std::vector<std::shared_ptr<const tosa::Graph>> graphs;  // by segment; null for compute segments
};

// The slot of the model's interface with a logical number, or null.
const vgf::Slot* interface_slot(const vgf::File& file, std::uint32_t binding);
// The resource that a segment binds at a set and binding; none when it binds none.
std::optional<std::uint32_t> bound_resource(const vgf::Segment& segment, const tosa::Binding& binding);

// `graphs` as they were read, by segment. A shape goes from segment to segment through the results of graphs and within
// alias groups; what a compute shader writes has the shape that the file or what is bound says. Errors: shape-mismatch,
// unsupported (a dimension that nothing tells), and those of operators that cannot take their inputs.
std::optional<ResolvedModel> resolve_model(const vgf::File& file,
                                           std::span<const std::shared_ptr<const tosa::Graph>> graphs,
                                           std::span<const KnownShape> known, Diagnostics& diagnostics);

}  // namespace slipway::model
