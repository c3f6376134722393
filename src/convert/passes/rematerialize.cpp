// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/passes/rematerialize.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace slipway::convert {
namespace {

using tosa::index;
using tosa::ValueId;
using tosa::ValueKind;

bool is_widening(const tosa::Graph& graph, const tosa::Node& node) {
  if (node.op != tosa::Op::RESCALE) return false;
  const auto is_constant = [&](ValueId value) { return graph[value].kind == ValueKind::Constant; };
  return bits_of(graph[node.outputs[0]].type.data) > bits_of(graph[node.inputs[0]].type.data) &&
         !is_constant(node.inputs[0]) && std::all_of(node.inputs.begin() + 1, node.inputs.end(), is_constant);
}

class Rematerializer {
 public:
  Rematerializer(tosa::Graph& graph, Partitioning& partitioning) : graph_(graph), partitioning_(partitioning) {}

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> moved(graph_.nodes.size(), kGone);
    widening_.resize(graph_.nodes.size());
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) widening_[i] = is_widening(graph_, graph_.nodes[i]);
    old_ = std::exchange(graph_.nodes, {});
    before_ = partitioning_;
    partitioning_.of_node.clear();
    partitioning_.depth.clear();
    for (std::uint32_t i = 0; i < old_.size(); ++i) {
      tosa::Node node = old_[i];
      if (before_.kinds[before_.of_node[i]] == PartitionKind::Graph) take_copies(node, before_.of_node[i], i);
      moved[i] = append(std::move(node), before_.of_node[i], before_.depth[i]);
    }
    drop_unused(moved);
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const ValueId output : graph_.nodes[i].outputs) graph_[output].source = i;
    }
    close_gaps();
    return moved;
  }

 private:
  std::uint32_t append(tosa::Node node, std::uint32_t partition, std::uint32_t depth) {
    graph_.nodes.push_back(std::move(node));
    partitioning_.of_node.push_back(partition);
    partitioning_.depth.push_back(depth);
    return static_cast<std::uint32_t>(graph_.nodes.size() - 1);
  }

  // `user`: the old node that needs the copy in its partition.
  void take_copies(tosa::Node& node, std::uint32_t partition, std::uint32_t user) {
    for (ValueId& input : node.inputs) {
      if (graph_[input].kind != ValueKind::Result) continue;
      const std::uint32_t producer = graph_[input].source;  // in the old order, which values keep until the end
      if (widening_[producer] && before_.of_node[producer] != partition) input = copy(old_[producer], partition, user);
    }
  }

  // The result of the node's copy in a partition, which is inserted right before its first user.
  ValueId copy(const tosa::Node& of, std::uint32_t partition, std::uint32_t user) {
    const auto [known, is_new] = copies_.emplace(std::pair(index(of.outputs[0]), partition), tosa::kNoValue);
    if (!is_new) return known->second;
    tosa::Node node = of;
    take_copies(node, partition, user);
    const ValueId made{static_cast<std::uint32_t>(graph_.values.size())};
    tosa::Value value = graph_[of.outputs[0]];
    graph_.values.push_back(std::move(value));
    known->second = made;
    node.outputs = {made};
    append(std::move(node), partition, before_.depth[user]);
    return made;
  }

  void drop_unused(std::vector<std::uint32_t>& moved) {
    std::vector<std::uint32_t> uses(graph_.values.size());
    for (const tosa::Node& node : graph_.nodes) {
      for (const ValueId input : node.inputs) ++uses[index(input)];
    }
    for (const ValueId output : graph_.outputs) ++uses[index(output)];
    std::vector<bool> gone(graph_.nodes.size());
    for (std::size_t i = widening_.size(); i-- > 0;) {
      const tosa::Node& node = graph_.nodes[moved[i]];
      if (!widening_[i] || uses[index(node.outputs[0])] != 0) continue;
      gone[moved[i]] = true;
      for (const ValueId input : node.inputs) --uses[index(input)];
    }
    std::vector<std::uint32_t> position(gone.size(), kGone);
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i < gone.size(); ++i) {
      if (gone[i]) continue;
      position[i] = kept;
      if (kept != i) graph_.nodes[kept] = std::move(graph_.nodes[i]);
      partitioning_.of_node[kept] = partitioning_.of_node[i];
      partitioning_.depth[kept++] = partitioning_.depth[i];
    }
    graph_.nodes.resize(kept);
    partitioning_.of_node.resize(kept);
    partitioning_.depth.resize(kept);
    for (std::uint32_t& node : moved) node = position[node];
  }

  // Keeps ids dense when a partition has become empty.
  void close_gaps() {
    std::vector<bool> used(partitioning_.kinds.size());
    for (const std::uint32_t partition : partitioning_.of_node) used[partition] = true;
    for (const auto& partition : partitioning_.of_constant) {
      if (partition) used[*partition] = true;
    }
    std::vector<std::uint32_t> id(used.size());
    std::vector<PartitionKind> kinds;
    for (std::size_t p = 0; p < used.size(); ++p) {
      id[p] = static_cast<std::uint32_t>(kinds.size());
      if (used[p]) kinds.push_back(partitioning_.kinds[p]);
    }
    partitioning_.kinds = std::move(kinds);
    for (std::uint32_t& partition : partitioning_.of_node) partition = id[partition];
    for (auto& partition : partitioning_.of_constant) {
      if (partition) partition = id[*partition];
    }
  }

  tosa::Graph& graph_;
  Partitioning& partitioning_;
  std::vector<tosa::Node> old_;
  Partitioning before_;
  std::vector<bool> widening_;                                       // by old node
  std::map<std::pair<std::size_t, std::uint32_t>, ValueId> copies_;  // by value and partition
};

}  // namespace

std::vector<std::uint32_t> rematerialize_rescale(tosa::Graph& graph, Partitioning& partitioning) {
  return Rematerializer(graph, partitioning).run();
}

}  // namespace slipway::convert
