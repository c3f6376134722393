// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resolves all shapes of a model from the shapes of the resources that are bound to it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/diagnostic.hpp"
#include "model/plan/plan_model.hpp"
#include "tosa/graph.hpp"
#include "vgf/vgf.hpp"

namespace slipway::model {

struct ResolvedModel {
  std::vector<tensor::Shape> shapes;                       // of all resources of the file
  std::vector<std::shared_ptr<const tosa::Graph>> graphs;  // by segment; null for compute segments
};

// The resource that a segment binds at a set and binding; empty if the segment binds nothing there.
std::optional<std::uint32_t> bound_resource(const vgf::Segment& segment, const tosa::Binding& binding);

// `graphs` as they were read, by segment. A shape goes from segment to segment through the results of graphs and within
// alias groups; results of compute shaders have the shapes of the file or of the bound resources. Errors:
// shape-mismatch, unsupported (a dimension that remains unknown), and those of operators that reject their inputs.
std::optional<ResolvedModel> resolve_model(const vgf::File& file,
                                           std::span<const std::shared_ptr<const tosa::Graph>> graphs,
                                           std::span<const KnownShape> known, Diagnostics& diagnostics);

}  // namespace slipway::model
