// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph as steps of a plan: its kernels as shaders, its constants and intermediates as resources, its dispatches as
// steps.
//
//   GraphInPlan kernels(plan, graph, program, "blur/conv", origin, file);
//   kernels.dispatch(plan, {{x}, {y}}, "blur/conv", origin);
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "launch/plan/plan.hpp"
#include "lower/program.hpp"

namespace slipway::model {

// Resources of the plan for the inputs and outputs of a graph, in its order, each a buffer of the size that its tensor
// has.
struct GraphResources {
  std::span<const launch::ResourceIndex> inputs, outputs;
};

// Keeps alive the data of constants that a graph does not own.
struct DataOwner {
  std::shared_ptr<const void> owner;
  // Data in this range are in a mapped file, and are evicted from memory once the device has them.
  Bytes mapped = {};
};

// A program whose shaders, constants and intermediates are in a plan, to be dispatched any number of times.
class GraphInPlan {
 public:
  // `name` distinguishes the resources of this graph from those of others.
  GraphInPlan(launch::Plan& plan, std::shared_ptr<const tosa::Graph> graph, lower::KernelProgram program,
              const std::string& name, const launch::Origin& origin, DataOwner owner);

  // `name`: of the graph dispatch. There is a full barrier after every step.
  void dispatch(launch::Plan& plan, const GraphResources& resources, const std::string& name,
                const launch::Origin& origin) const;

  const lower::KernelProgram& program() const { return program_; }

 private:
  std::shared_ptr<const tosa::Graph> graph_;
  lower::KernelProgram program_;
  std::vector<launch::ResourceIndex> resources_;  // by buffer of the program; unused for inputs and outputs
  launch::ShaderIndex first_shader_ = 0;
  std::optional<launch::ResourceIndex> session_;
};

// The same for one dispatch of a graph; the data of its constants must outlive the plan.
void add_graph(launch::Plan& plan, const tosa::Graph& graph, const lower::KernelProgram& program,
               std::span<const launch::ResourceIndex> inputs, std::span<const launch::ResourceIndex> outputs,
               const std::string& name, const launch::Origin& origin);

}  // namespace slipway::model
