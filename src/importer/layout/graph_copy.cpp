// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/layout/graph_copy.hpp"

#include <algorithm>
#include <ranges>

namespace slipway::importer {

using tosa::Node;
using tosa::ValueId;

GraphCopy::GraphCopy(const tosa::Graph& from) : from_(from), ids_(from.values.size(), tosa::kNoValue) {
  made_.name = from.name;
  made_.storage = from.storage;
  for (const ValueId input : from.inputs) ids_[index(input)] = made_.add_input(from[input].type, from[input].name);
}

ValueId GraphCopy::find(ValueId old) {
  ValueId& made = ids_[index(old)];
  const tosa::Constant* const constant = made == tosa::kNoValue ? from_.constant(old) : nullptr;
  if (constant) made = made_.add_constant(from_[old].type, constant->data, constant->splat, from_[old].name);
  return made;
}

void GraphCopy::set(ValueId old, ValueId made) {
  ids_[index(old)] = made;
  std::string& name = made_[made].name;
  if (name.empty()) name = from_[old].name;
}

void GraphCopy::describe(const Node& node) {
  Node& made = made_.nodes.back();
  made.name = node.name;
  made.location = node.location;
  made.custom = node.custom;
}

void GraphCopy::copy(const Node& node, std::vector<ValueId> inputs) {
  std::vector<tosa::TensorType> types;
  for (const ValueId output : node.outputs) types.push_back(from_[output].type);
  const std::vector<ValueId> outputs = made_.add_node(node.op, std::move(inputs), node.attributes, std::move(types));
  describe(node);
  for (std::size_t i = 0; i < outputs.size(); ++i) set(node.outputs[i], outputs[i]);
}

ValueId GraphCopy::add(const Node& node, tosa::Op op, std::vector<ValueId> inputs, tosa::Attributes attributes,
                       tosa::TensorType type) {
  const ValueId made = made_.add(op, std::move(inputs), std::move(attributes), std::move(type));
  describe(node);
  return made;
}

tosa::Graph GraphCopy::finish(const std::vector<ValueId>& outputs) {
  made_.outputs = outputs;
  made_.input_bindings = from_.input_bindings;
  made_.output_bindings = from_.output_bindings;
  return std::move(made_);
}

tosa::Graph without_unused(const tosa::Graph& graph) {
  std::vector<bool> needed(graph.values.size());
  for (const ValueId output : graph.outputs) needed[index(output)] = true;
  std::vector<const Node*> used;
  for (const Node& node : graph.nodes | std::views::reverse) {
    if (std::ranges::none_of(node.outputs, [&](ValueId value) -> bool { return needed[index(value)]; })) continue;
    for (const ValueId input : node.inputs) needed[index(input)] = true;
    used.push_back(&node);
  }
  GraphCopy copy(graph);
  for (const Node* node : used | std::views::reverse) {
    std::vector<ValueId> inputs;
    for (const ValueId input : node->inputs) inputs.push_back(copy.find(input));
    copy.copy(*node, std::move(inputs));
  }
  std::vector<ValueId> outputs;
  for (const ValueId output : graph.outputs) outputs.push_back(copy.find(output));
  return copy.finish(outputs);
}

}  // namespace slipway::importer
