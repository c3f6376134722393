// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/part_of_graph.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace slipway::tosa {
namespace {

class PartBuilder {
 public:
  PartBuilder(const Graph& whole, const std::function<bool(ValueId)>& is_known) : whole_(whole), is_known_(is_known) {}

  PartOfGraph build(std::span<const ValueId> outputs) {
    find_nodes(outputs);
    std::set<ValueId> leaves;
    const auto add_leaf = [&](ValueId value) {
      if (whole_[value].kind != ValueKind::Result || !nodes_.contains(whole_[value].source)) leaves.insert(value);
    };
    for (const std::uint32_t node : nodes_) std::ranges::for_each(whole_.nodes[node].inputs, add_leaf);
    std::ranges::for_each(outputs, add_leaf);
    part_.graph.name = whole_.name;
    for (const ValueId leaf : leaves) add(leaf);
    for (const std::uint32_t node : nodes_) add(whole_.nodes[node]);
    for (const ValueId output : outputs) part_.graph.outputs.push_back(made_.at(output));
    return std::move(part_);
  }

 private:
  void find_nodes(std::span<const ValueId> outputs) {
    std::vector<std::uint32_t> open;
    for (const ValueId output : outputs) {
      if (whole_[output].kind == ValueKind::Result) open.push_back(whole_[output].source);
    }
    while (!open.empty()) {
      const std::uint32_t node = open.back();
      open.pop_back();
      if (!nodes_.insert(node).second) continue;
      for (const ValueId input : whole_.nodes[node].inputs) {
        if (whole_[input].kind == ValueKind::Result && !is_known_(input)) open.push_back(whole_[input].source);
      }
    }
  }

  void add(ValueId of) {
    const Value& from = whole_[of];
    if (const Constant* constant = whole_.constant(of)) {
      made_[of] = part_.graph.add_constant(from.type, constant->data, constant->splat, from.name);
      part_.graph.constants.back().graph_constant = constant->graph_constant;
    } else {
      made_[of] = part_.graph.add_input(from.type, from.name);
      part_.inputs.push_back(of);
    }
  }

  void add(const Node& node) {
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(made_.at(input));
    std::vector<TensorType> types;
    for (const ValueId output : node.outputs) types.push_back(whole_[output].type);
    const std::vector<ValueId> results =
        part_.graph.add_node(node.op, std::move(inputs), node.attributes, std::move(types));
    for (std::size_t i = 0; i < results.size(); ++i) {
      made_[node.outputs[i]] = results[i];
      part_.graph[results[i]].name = whole_[node.outputs[i]].name;
    }
    Node& made = part_.graph.nodes.back();
    made.custom = node.custom;
    made.location = node.location;
    made.name = node.name;
  }

  const Graph& whole_;
  const std::function<bool(ValueId)>& is_known_;
  std::set<std::uint32_t> nodes_;
  PartOfGraph part_;
  std::map<ValueId, ValueId> made_;  // by value of the whole graph
};

}  // namespace

PartOfGraph part_of_graph(const Graph& whole, std::span<const ValueId> outputs,
                          const std::function<bool(ValueId)>& is_known) {
  return PartBuilder(whole, is_known).build(outputs);
}

}  // namespace slipway::tosa
