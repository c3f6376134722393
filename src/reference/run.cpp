// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reference/run.hpp"

#include <array>

#include "base/format.hpp"
#include "reference/operation.hpp"

namespace slipway::reference {

Result<NodeResults> run_node(const tosa::Graph& graph, const tosa::Node& node, std::span<const Tensor* const> inputs) {
  using Run = void (*)(Operation&);
  static constexpr std::array kRuns = {
#define OPERATOR(name, set, number, rule, operands, results, variables, types) static_cast<Run>(run_##name),
#include "tosa/operators.def"
#undef OPERATOR
  };
  if (node.op == Op::CUSTOM) {
    return fail(DiagnosticKind::Unsupported, node.location,
                formatted("the custom operator `{}` of `{}` has no reference", node.custom->name, node.custom->domain));
  }
  NodeResults made;
  for (const tosa::ValueId output : node.outputs) made.values.push_back(Tensor::zeros(graph[output].type));
  Operation operation{node, inputs, made.values};
  SLIPWAY_TRY_VOID(stoppable(node, [&] {
    go_on();
    kRuns[static_cast<std::size_t>(node.op)](operation);
    for (Tensor& value : made.values) {
      made.unrounded.push_back(value.reals);
      for (std::size_t i = 0; i < value.reals.size(); ++i) {
        go_on_at(i);
        value.reals[i] = round_to(value.type.data, value.reals[i]);
      }
    }
    go_on();
  }));
  return made;
}

Result<std::vector<Tensor>> run(const tosa::Graph& graph, std::vector<Tensor> inputs, const RunOptions& options) {
  // The last node that uses each value, after which its memory is released; outputs are kept.
  std::vector<std::size_t> last_use(graph.values.size(), 0);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const tosa::ValueId input : graph.nodes[i].inputs) last_use[index(input)] = i;
  }
  for (const tosa::ValueId output : graph.outputs) last_use[index(output)] = graph.nodes.size();

  std::vector<Tensor> values(graph.values.size());
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) values[index(graph.inputs[i])] = std::move(inputs[i]);
  for (const tosa::Constant& constant : graph.constants) {
    values[index(constant.value)] = Tensor::from_bytes(graph[constant.value].type, constant.data, constant.splat);
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const tosa::Node& node = graph.nodes[i];
    std::vector<const Tensor*> operands;
    for (const tosa::ValueId input : node.inputs) operands.push_back(&values[index(input)]);
    Result<NodeResults> made = run_node(graph, node, operands);
    if (!made) return fail(std::move(made.error()));
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
      Tensor& value = values[index(node.outputs[k])];
      value = std::move(made->values[k]);
      if (options.observe) options.observe(node.outputs[k], value);
    }
    for (const tosa::ValueId input : node.inputs) {
      if (last_use[index(input)] == i) values[index(input)] = {};
    }
  }
  std::vector<Tensor> outputs;
  for (const tosa::ValueId output : graph.outputs) outputs.push_back(values[index(output)]);
  return outputs;
}

}  // namespace slipway::reference
