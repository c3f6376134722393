// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/standalone/graph_device.hpp"

#include <cstring>

#include "base/format.hpp"
#include "launch/run.hpp"
#include "model/plan/graph_engine.hpp"
#include "model/plan/tensor_buffer.hpp"
#include "tosa/write/write_spirv.hpp"

namespace slipway::model {
namespace {

// With bindings, by which a driver finds its tensors; parts of a model have none.
std::shared_ptr<const tosa::Graph> bound(const std::shared_ptr<const tosa::Graph>& graph) {
  if (!graph->input_bindings.empty() || !graph->output_bindings.empty()) return graph;
  auto own = std::make_shared<tosa::Graph>(*graph);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < own->inputs.size(); ++i) own->input_bindings.push_back({.binding = next++});
  for (std::size_t i = 0; i < own->outputs.size(); ++i) own->output_bindings.push_back({.binding = next++});
  return own;
}

// Null for a graph that no module can represent.
std::shared_ptr<const spirv::Words> module_of(const tosa::Graph& graph) {
  auto words = tosa::write_graph_module(graph);
  return words ? std::make_shared<const spirv::Words>(std::move(*words)) : nullptr;
}

}  // namespace

Result<GraphDevice> GraphDevice::open(GraphDeviceOptions options, Diagnostics& diagnostics) {
  SLIPWAY_TRY(launch::ExecutorInfo info, options.executor->info());
  SLIPWAY_TRY(GraphOptions graphs, graph_options(options.executor.get(), options.choices, options.cache, diagnostics));
  return GraphDevice(std::move(options), std::move(graphs), std::move(info.name));
}

Result<std::vector<reference::Tensor>> GraphDevice::run(const std::shared_ptr<const tosa::Graph>& given,
                                                        std::span<const reference::Tensor> inputs) {
  const std::shared_ptr<const tosa::Graph> graph = graphs_.native ? bound(given) : given;
  launch::Plan plan;
  plan.name = graph->name;
  std::vector<launch::ResourceIndex> from, to;
  for (std::size_t i = 0; i < graph->inputs.size(); ++i) {
    from.push_back(add_tensor_buffer(plan, formatted("input {}", i), (*graph)[graph->inputs[i]].type));
    auto bytes = std::make_shared<std::vector<std::byte>>(inputs[i].to_bytes());
    plan.resources.back().initial = {{bytes->size(), [bytes](MutableBytes into) -> Result<> {
                                        std::memcpy(into.data(), bytes->data(), into.size());
                                        return {};
                                      }}};
  }
  std::vector<std::vector<std::byte>> results(graph->outputs.size());
  for (std::size_t i = 0; i < graph->outputs.size(); ++i) {
    to.push_back(add_tensor_buffer(plan, formatted("output {}", i), (*graph)[graph->outputs[i]].type));
    plan.captures.push_back({.resource = to.back(),
                             .take = [&result = results[i]](Bytes bytes) { result.assign(bytes.begin(), bytes.end()); },
                             .is_output = true});
  }
  SLIPWAY_TRY(PlannedGraph planned, PlannedGraph::make(plan, graph, graphs_.native ? module_of(*graph) : nullptr,
                                                       graphs_, "other", {}, {graph}));
  planned.dispatch(plan, {from, to}, "other", {});
  if (!options_.emulates) {
    for (const launch::GraphDispatch& one : plan.graphs) {
      if (!one.native)
        return fail(DiagnosticKind::DeviceLacks, {},
                    "the driver does not run this graph itself: " +
                        (one.emulated_because.empty() ? "it has no VK_ARM_data_graph" : one.emulated_because));
    }
  }
  if (Diagnostics lacks = options_.executor->check(plan); lacks.has_errors()) return fail(lacks.release());
  SLIPWAY_TRY(const launch::Report report,
              launch::run(plan, *options_.executor, {.time_out = options_.time_out, .cache = options_.cache}, Log()));
  if (!report.diagnostics.empty()) return fail(report.diagnostics);
  std::vector<reference::Tensor> outputs;
  for (std::size_t i = 0; i < results.size(); ++i)
    outputs.push_back(reference::Tensor::from_bytes((*graph)[graph->outputs[i]].type, results[i]));
  return outputs;
}

}  // namespace slipway::model
