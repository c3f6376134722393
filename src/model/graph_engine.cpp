#include "model/graph_engine.hpp"

#include <algorithm>
#include <format>

#include "reference/run.hpp"

namespace slipway::model {
namespace {

// Arguments are the inputs, then the outputs.
Result<> interpret(const tosa::Graph& graph, std::span<const MutableBytes> arguments) {
  std::vector<reference::Tensor> inputs;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    inputs.push_back(reference::Tensor::from_bytes(graph[graph.inputs[i]].type, arguments[i]));
  const Result<std::vector<reference::Tensor>> outputs = reference::run(graph, std::move(inputs));
  if (!outputs) return fail(outputs.error());
  for (std::size_t i = 0; i < outputs->size(); ++i)
    std::ranges::copy((*outputs)[i].to_bytes(), arguments[graph.inputs.size() + i].begin());
  return {};
}

// CUSTOM operators are known only to devices, and a failure now is better than one in the middle of a run.
Result<> check_operators(const tosa::Graph& graph) {
  Failure failure;
  for (const tosa::Node& node : graph.nodes) {
    if (node.op != tosa::Op::CUSTOM) continue;
    failure.push_back({.kind = DiagnosticKind::Unsupported,
                       .message = std::format("the reference engine has no operator `{}`; substitute its module, or run "
                                              "it on a device that has it",
                                              node.custom ? node.custom->name : "CUSTOM"),
                       .place = node.place});
  }
  if (!failure.empty()) return fail(std::move(failure));
  return {};
}

}  // namespace

Result<PlannedGraph> PlannedGraph::make(launch::Plan& plan, std::shared_ptr<const tosa::Graph> graph,
                                        const GraphSettings& settings, const std::string& name,
                                        const launch::Origin& origin, std::shared_ptr<const void> owner) {
  if (settings.engine == Engine::Reference) {
    return check_operators(*graph).transform(
        [&] { return PlannedGraph(Interpreted{std::move(graph), std::move(owner)}); });
  }
  return lower::lower_graph(*graph, settings.lower).transform([&](lower::KernelProgram program) {
    return PlannedGraph(GraphInPlan(plan, graph, std::move(program), name, origin, std::move(owner)));
  });
}

void PlannedGraph::dispatch(launch::Plan& plan, const GraphResources& resources, const std::string& name,
                            const launch::Origin& origin) {
  const std::size_t first = plan.steps.size();
  std::vector<launch::ResourceIndex> inputs, outputs;
  for (const launch::ResourceIndex input : resources.inputs) inputs.push_back(rows_.packed(plan, input));
  for (const launch::ResourceIndex output : resources.outputs) outputs.push_back(rows_.packed(plan, output));
  for (const launch::ResourceIndex input : resources.inputs) rows_.gather(plan, input, origin);
  const std::size_t gathered = plan.steps.size() - first;
  compute(plan, {inputs, outputs}, name, origin);
  const std::size_t computed = plan.steps.size();
  for (const launch::ResourceIndex output : resources.outputs) rows_.scatter(plan, output, origin);
  // The copies are part of the graph.
  launch::GraphDispatch& whole = plan.graphs.back();
  whole.first_step = first;
  whole.step_count = plan.steps.size() - first;
  whole.operators.insert(whole.operators.begin(), gathered, "COPY");
  whole.operators.insert(whole.operators.end(), plan.steps.size() - computed, "COPY");
}

void PlannedGraph::compute(launch::Plan& plan, const GraphResources& resources, const std::string& name,
                           const launch::Origin& origin) const {
  if (const auto* kernels = std::get_if<GraphInPlan>(&engine_)) return kernels->dispatch(plan, resources, name, origin);
  launch::Call call{.arguments = {},
                    .function = [interpreted = std::get<Interpreted>(engine_)](
                                    std::span<const MutableBytes> arguments) {
                      return interpret(*interpreted.graph, arguments);
                    }};
  for (const launch::ResourceIndex input : resources.inputs)
    call.arguments.push_back({.buffer = input, .reads = true, .writes = false, .origin = origin});
  for (const launch::ResourceIndex output : resources.outputs)
    call.arguments.push_back({.buffer = output, .reads = false, .writes = true, .origin = origin});
  plan.graphs.push_back({.name = name,
                         .first_step = plan.steps.size(),
                         .step_count = 1,
                         .operators = {"reference"},
                         .session_size = 0,
                         .session_memory = std::nullopt});
  plan.steps.push_back({.name = name, .action = std::move(call), .barrier_after = true, .origin = origin});
}

}  // namespace slipway::model
