// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A single graph module, without a VGF file, as steps of a plan (docs/spec/scenario.md#commands, dispatch_spirv_graph).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "spirv/module.hpp"
#include "tosa/graph.hpp"

namespace slipway::model {

struct GraphOptions;

// A buffer of the plan that holds the tensor at a set and binding, packed.
struct TensorResource {
  tosa::Binding at;
  launch::ResourceIndex resource = 0;
  tensor::Shape shape;
};

struct GraphConstant {
  std::shared_ptr<const std::vector<std::byte>> data;  // null: missing
  tensor::Shape shape;
};

struct SpirvGraph {
  std::string entry_point;
  std::vector<GraphConstant> constants;  // by GraphConstantID
  std::vector<TensorResource> tensors;   // every input and output
};

// Reads and verifies the graph, with the shapes of the tensors and constants (tosa/check/bound_shapes.hpp). Errors:
// those of reading and verifying, binding-mismatch, shape-mismatch, unsupported.
std::optional<tosa::Graph> read_spirv_graph(const spirv::Module& module, const SpirvGraph& request,
                                            Diagnostics& diagnostics);

// Adds the steps of a graph that was read that way, with a full barrier after the last one if `barrier_after`.
bool plan_spirv_graph(launch::Plan& plan, tosa::Graph graph, const spirv::Module& module, const SpirvGraph& request,
                      const GraphOptions& options, const std::string& name, const launch::Origin& origin,
                      bool barrier_after, Diagnostics& diagnostics);

}  // namespace slipway::model
