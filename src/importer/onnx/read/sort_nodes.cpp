// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/read/sort_nodes.hpp"

#include <algorithm>

namespace slipway::importer::onnx {
namespace {

constexpr std::uint32_t kNoNode = 0xffffffff;

// A depth-first search with a stack of its own: chains of nodes may be long.
class NodeOrder {
 public:
  explicit NodeOrder(const NetGraph& graph)
      : graph_(graph), producers_(graph.values.size(), kNoNode), states_(graph.nodes.size(), State::New) {
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
      for (const NetValueId value : graph.nodes[i].outputs) {
        if (value != kAbsent) producers_[value] = i;
      }
    }
  }

  // Returns whether there is an order.
  bool find() {
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
      if (states_[i] != State::New) continue;
      push(i);
      while (!stack_.empty()) {
        if (!step()) return false;
      }
    }
    return true;
  }

  const std::vector<std::uint32_t>& order() const { return order_; }
  const std::vector<std::uint32_t>& cycle() const { return cycle_; }

 private:
  enum class State : std::uint8_t { New, Open, Done };
  struct Visit {
    std::uint32_t node;
    std::vector<std::uint32_t> needs;
    std::size_t next = 0;
  };

  void push(std::uint32_t node) {
    states_[node] = State::Open;
    stack_.push_back({.node = node, .needs = needs_of(graph_.nodes[node])});
  }

  std::vector<std::uint32_t> needs_of(const NetNode& node) const {
    std::vector<std::uint32_t> needs;
    const auto add = [&](NetValueId value) {
      if (value != kAbsent && producers_[value] != kNoNode) needs.push_back(producers_[value]);
    };
    for (const NetValueId value : node.inputs) add(value);
    for (const auto& [name, value] : node.attributes) {
      if (const auto* graph = std::get_if<std::shared_ptr<const NetGraph>>(&value)) {
        for (const auto& [here, there] : (*graph)->captured) add(there);
      }
    }
    return needs;
  }

  bool step() {
    Visit& visit = stack_.back();
    if (visit.next == visit.needs.size()) {
      states_[visit.node] = State::Done;
      order_.push_back(visit.node);
      stack_.pop_back();
      return true;
    }
    const std::uint32_t need = visit.needs[visit.next++];
    if (states_[need] == State::New) {
      push(need);
    } else if (states_[need] == State::Open) {
      const auto first = std::ranges::find(stack_, need, &Visit::node);
      for (auto open = first; open != stack_.end(); ++open) cycle_.push_back(open->node);
      return false;
    }
    return true;
  }

  std::vector<std::uint32_t> order_, cycle_;
  const NetGraph& graph_;
  std::vector<std::uint32_t> producers_;
  std::vector<State> states_;
  std::vector<Visit> stack_;
};

}  // namespace

std::vector<std::uint32_t> sort_nodes(NetGraph& graph) {
  NodeOrder order(graph);
  if (!order.find()) return order.cycle();
  std::vector<NetNode> sorted;
  sorted.reserve(graph.nodes.size());
  for (const std::uint32_t i : order.order()) sorted.push_back(std::move(graph.nodes[i]));
  graph.nodes = std::move(sorted);
  return {};
}

}  // namespace slipway::importer::onnx
