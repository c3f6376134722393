// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/inspect/describe_model.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "convert/model_json.hpp"
#include "tensor/element.hpp"
#include "tosa/cost.hpp"

namespace slipway::cli {
namespace {

std::map<std::string, int> operators_of(const tosa::Graph& graph) {
  std::map<std::string, int> counts;
  for (const tosa::Node& node : graph.nodes)
    ++counts[node.op == tosa::Op::CUSTOM ? formatted("CUSTOM {}", node.custom->domain) : std::string(name_of(node.op))];
  return counts;
}

}  // namespace

std::string describe_model(const tosa::Model& model) {
  const tosa::Graph& graph = model.graph;
  const tosa::Parameters parameters = tosa::parameters_of(graph);
  std::string text = formatted("{}: {} operators, {} parameters in {} constants ({} bytes), {} multiply-adds\n",
                               model.file, graph.nodes.size(), parameters.elements, parameters.count, parameters.bytes,
                               tosa::cost_of(graph).multiply_adds);
  const auto values = [&](std::span<const tosa::ValueId> list, const std::vector<std::string>& names,
                          std::string_view what) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      text += formatted("  {} {}{}: {}\n", what, i, i < names.size() ? formatted(" `{}`", names[i]) : "",
                        text_of(graph[list[i]].type));
    }
  };
  values(graph.inputs, model.input_names, "input");
  values(graph.outputs, model.output_names, "output");
  for (const auto& [name, count] : operators_of(graph)) text += formatted("  {:4} {}\n", count, name);
  for (const tosa::Constant& constant : graph.constants) {
    const convert::Statistics statistics = convert::statistics_of(graph, constant);
    const std::string& name = graph[constant.value].name;
    text += formatted("constant{}: {}, {} to {}, {:.0f}% zeros\n", name.empty() ? "" : formatted(" `{}`", name),
                      text_of(graph[constant.value].type), tensor::shortest_text(statistics.min),
                      tensor::shortest_text(statistics.max),
                      100.0 * static_cast<double>(statistics.zeros) /
                          static_cast<double>(std::max<std::uint64_t>(statistics.count, 1)));
  }
  return text;
}

}  // namespace slipway::cli
