// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph in a plan, computed by the chosen engine: the device's own graph support, kernels on the device, kernels on
// the CPU engine, or the interpreter on the host.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "base/diagnostic.hpp"
#include "cpu/program.hpp"
#include "lower/program.hpp"
#include "model/plan/graph_options.hpp"
#include "model/plan/packed_rows.hpp"
#include "model/plan/plan_graph.hpp"

namespace slipway::model {

class PlannedGraph {
 public:
  // The graph must be verified and static, and its constants must have their data, which `owner` keeps alive. `words`
  // is its module, for a device that runs it natively. Errors: unsupported (an operator that no engine has).
  static Result<PlannedGraph> make(launch::Plan& plan, std::shared_ptr<const tosa::Graph> graph,
                                   std::shared_ptr<const spirv::Words> words, const GraphOptions& options,
                                   const std::string& name, const launch::Origin& origin, DataOwner owner);

  // Adds one dispatch with this name. There is a full barrier after every step. Tensors that view the texels of images
  // are copied.
  void dispatch(launch::Plan& plan, const GraphResources& resources, const std::string& name,
                const launch::Origin& origin);

  // Null where the graph is not computed by kernels.
  const lower::KernelProgram* program() const {
    if (const auto* compiled = std::get_if<Compiled>(&engine_)) return &compiled->program.program();
    const auto* kernels = std::get_if<GraphInPlan>(&engine_);
    return kernels ? &kernels->program() : nullptr;
  }

 private:
  struct Interpreted {
    std::shared_ptr<const tosa::Graph> graph;
    DataOwner owner;
  };
  struct Compiled {
    cpu::Program program;
    unsigned threads = 0;
    bool pin_threads = false;
  };
  struct Native {
    launch::ShaderIndex shader = 0;
    std::vector<vk::TensorInfo> inputs, outputs;
    std::vector<tosa::Binding> input_bindings, output_bindings;
  };
  using Engines = std::variant<GraphInPlan, Compiled, Interpreted, Native>;
  explicit PlannedGraph(Engines engine) : engine_(std::move(engine)) {}
  // `own`: the graph with the outputs that the program has.
  static Result<PlannedGraph> compile(std::shared_ptr<const tosa::Graph> own, lower::KernelProgram program,
                                      const GraphOptions& options, DataOwner owner);
  static void run_natively(launch::Plan& plan, const Native& native, const GraphResources& resources,
                           const std::string& name, const launch::Origin& origin);
  void dispatch_apart(launch::Plan& plan, const GraphResources& resources, const std::string& name,
                      const launch::Origin& origin);
  void compute(launch::Plan& plan, const GraphResources& resources, const std::string& name,
               const launch::Origin& origin) const;

  Engines engine_;
  std::string emulated_because_;
  std::vector<launch::ResourceIndex> intermediates_;  // further outputs of the program
  PackedRows rows_;
};

}  // namespace slipway::model
