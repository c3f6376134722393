// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan/plan_spirv_graph.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "model/plan/graph_engine.hpp"
#include "tosa/check/bind_constants.hpp"
#include "tosa/check/bound_shapes.hpp"
#include "tosa/read/read_spirv.hpp"

namespace slipway::model {
namespace {

const TensorResource* find(const SpirvGraph& request, const tosa::Binding& at) {
  const auto found = std::ranges::find(request.tensors, at, &TensorResource::at);
  return found == request.tensors.end() ? nullptr : &*found;
}

// Whether the tensors that are bound to the outputs can take the results.
bool check_outputs(const tosa::Graph& graph, const SpirvGraph& request, Diagnostics& diagnostics) {
  bool ok = true;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    ok &= tosa::takes_output(graph, i, find(request, graph.output_bindings[i])->shape, diagnostics);
  return ok;
}

}  // namespace

std::optional<tosa::Graph> read_spirv_graph(const spirv::Module& module, const SpirvGraph& request,
                                            Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  std::optional<tosa::Graph> graph = tosa::read_graph(module, request.entry_point, diagnostics);
  if (!graph) return std::nullopt;
  for (const auto* bindings : {&graph->input_bindings, &graph->output_bindings}) {
    for (const tosa::Binding& binding : *bindings) {
      if (find(request, binding)) continue;
      diagnostics.error(DiagnosticKind::BindingMismatch, {},
                        formatted("nothing is bound to {} of graph `{}`", text_of(binding), graph->name));
    }
  }
  tosa::bind_constants(
      *graph,
      [&](std::uint32_t id) -> std::optional<tosa::BoundConstant> {
        if (id >= request.constants.size() || !request.constants[id].data) return std::nullopt;
        return tosa::BoundConstant(*request.constants[id].data, request.constants[id].shape);
      },
      diagnostics);
  if (diagnostics.errors() != before) return std::nullopt;
  for (const GraphConstant& constant : request.constants) graph->storage.push_back(constant.data);
  std::vector<tensor::Shape> shapes;
  for (const tosa::Binding& binding : graph->input_bindings) shapes.push_back(find(request, binding)->shape);
  std::optional<tosa::Graph> resolved = tosa::with_bound_shapes(std::move(*graph), shapes, diagnostics);
  if (!resolved || !check_outputs(*resolved, request, diagnostics)) return std::nullopt;
  return resolved;
}

bool plan_spirv_graph(launch::Plan& plan, tosa::Graph graph, const spirv::Module& module, const SpirvGraph& request,
                      const GraphOptions& options, const std::string& name, const launch::Origin& origin,
                      bool barrier_after, Diagnostics& diagnostics) {
  const auto shared = std::make_shared<const tosa::Graph>(std::move(graph));
  auto words =
      options.native ? std::make_shared<const spirv::Words>(module.words().begin(), module.words().end()) : nullptr;
  auto planned = diagnostics.take(PlannedGraph::make(plan, shared, std::move(words), options, name, origin, {shared}));
  if (!planned) return false;
  const auto resources_of = [&](std::span<const tosa::Binding> bindings) {
    std::vector<launch::ResourceIndex> resources;
    for (const tosa::Binding& binding : bindings) resources.push_back(find(request, binding)->resource);
    return resources;
  };
  planned->dispatch(plan, {resources_of(shared->input_bindings), resources_of(shared->output_bindings)}, name, origin);
  plan.steps.back().barrier_after = barrier_after;
  return true;
}

}  // namespace slipway::model
