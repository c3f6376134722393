// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/strategies/attention/attention_match.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "lower/operator_traits.hpp"

namespace slipway::lower {
namespace {

using tosa::DataType;
using tosa::Node;
using tosa::Op;
using tosa::ValueId;

constexpr std::int64_t kMaxDepth = 256;
constexpr std::size_t kMaxPath = 12, kMaxOperands = 8;  // operators between scores and logits; stored operands of them

bool is_computed(DataType type) { return type == DataType::F32 || type == DataType::F16 || type == DataType::BF16; }

const Node* producer_with(const tosa::Graph& graph, ValueId value, Op op) {
  const Node* node = graph.producer(value);
  return node && node->op == op ? node : nullptr;
}

// Of two operands in any order, the other one.
std::optional<ValueId> other_operand(const Node& node, ValueId one) {
  if (node.inputs[0] == one) return node.inputs[1];
  return node.inputs[1] == one ? std::optional(node.inputs[0]) : std::nullopt;
}

// Finds the way from a value back to the one MATMUL that it is computed from, element by element. Values without such a
// way are remembered, so that each is visited once.
class ScoresFinder {
 public:
  explicit ScoresFinder(const tosa::Graph& graph) : graph_(graph) {}

  // The nodes on the way, the MATMUL last; empty if no way exists, or if several meet.
  std::vector<const Node*> find(ValueId value, std::size_t length = 0) {
    const Node* node = graph_.producer(value);
    if (!node || length > kMaxPath || !is_computed(graph_[value].type.data) || failed_.contains(value)) return {};
    if (node->op == Op::MATMUL) return {node};
    std::vector<const Node*> path = rest(*node, length);
    if (path.empty())
      failed_.insert(value);
    else
      path.insert(path.begin(), node);
    return path;
  }

 private:
  std::vector<const Node*> rest(const Node& node, std::size_t length) {
    if (node.op == Op::RESHAPE) return find(node.inputs[0], length + 1);
    std::vector<const Node*> found;
    if (!is_pointwise(node.op)) return found;
    for (std::size_t i = 0; i < elementwise_inputs(node); ++i) {
      if (graph_[node.inputs[i]].type.shape != graph_[node.outputs[0]].type.shape) continue;
      std::vector<const Node*> path = find(node.inputs[i], length + 1);
      if (path.empty()) continue;
      if (!found.empty()) return {};
      found = std::move(path);
    }
    return found;
  }

  const tosa::Graph& graph_;
  std::set<ValueId> failed_;
};

// Softmax as TOSA writes it, along the last dimension, and the logits that it is of.
bool match_softmax(const tosa::Graph& graph, ValueId shares, Attention& found) {
  found.shares = producer_with(graph, shares, Op::MUL);
  if (!found.shares || found.shares->attributes.integer("shift") != 0) return false;
  for (const ValueId factor : found.shares->inputs) {
    found.reciprocal = producer_with(graph, factor, Op::RECIPROCAL);
    if (!found.reciprocal) continue;
    found.sum = producer_with(graph, found.reciprocal->inputs[0], Op::REDUCE_SUM);
    found.powers = producer_with(graph, *other_operand(*found.shares, factor), Op::EXP);
    if (!found.sum || !found.powers || found.sum->inputs[0] != found.powers->outputs[0]) continue;
    found.difference = producer_with(graph, found.powers->inputs[0], Op::SUB);
    if (!found.difference) continue;
    found.max = producer_with(graph, found.difference->inputs[1], Op::REDUCE_MAX);
    if (!found.max || found.max->inputs[0] != found.difference->inputs[0]) continue;
    found.logits = found.max->inputs[0];
    const std::int64_t last = std::ssize(graph[found.logits].type.shape) - 1;
    return is_computed(graph[found.logits].type.data) && found.max->attributes.integer("axis") == last &&
           found.sum->attributes.integer("axis") == last;
  }
  return false;
}

bool has_one_type(const tosa::Graph& graph, const Attention& found) {
  return std::ranges::all_of(std::array{found.q, found.k, found.v, found.values->inputs[0]},
                             [&](ValueId value) { return graph[value].type.data == found.type; });
}

// All nodes of the group but the one that stores; `inside` are those between the operands and the softmax's result.
std::vector<const Node*> nodes_of(const Attention& a) {
  std::vector<const Node*> nodes = {a.scores, a.max, a.difference, a.powers, a.sum, a.reciprocal, a.shares, a.values};
  nodes.insert(nodes.end(), a.path.begin(), a.path.end());
  nodes.insert(nodes.end(), a.cast.begin(), a.cast.end());
  nodes.insert(nodes.end(), a.after.begin(), a.after.end());
  return nodes;
}

bool is_arranged(Op op) { return op == Op::RESHAPE || op == Op::TRANSPOSE; }

}  // namespace

std::optional<Attention> match_attention(const tosa::Graph& graph, const Node& last) {
  Attention found;
  const Node* node = &last;
  while (node && is_arranged(node->op)) {
    found.after.insert(found.after.begin(), node);
    node = graph.producer(node->inputs[0]);
  }
  if (!node || node->op != Op::MATMUL) return std::nullopt;
  found.values = node;
  ValueId shares = node->inputs[0];
  for (const Node* producer = graph.producer(shares);
       producer && (producer->op == Op::RESHAPE || producer->op == Op::CAST); producer = graph.producer(shares)) {
    found.cast.push_back(producer);
    shares = producer->inputs[0];
    if (!is_computed(graph[shares].type.data)) return std::nullopt;
  }
  if (!match_softmax(graph, shares, found)) return std::nullopt;
  std::vector<const Node*> path = ScoresFinder(graph).find(found.logits);
  if (path.empty()) return std::nullopt;
  found.scores = path.back();
  path.pop_back();
  found.path.assign(path.rbegin(), path.rend());
  found.q = found.scores->inputs[0];
  found.k = found.scores->inputs[1];
  found.v = found.values->inputs[1];
  const tensor::Shape &scores = graph[found.scores->outputs[0]].type.shape,
                      &result = graph[node->outputs[0]].type.shape;
  found.batches = scores[0];
  found.rows = scores[1];
  found.keys = scores[2];
  found.depth = graph[found.q].type.shape[2];
  found.columns = result[2];
  found.type = graph[found.q].type.data;
  const bool same_rows =
      graph[node->inputs[0]].type.shape == scores && graph[found.logits].type.shape.back() == found.keys;
  if (!same_rows || !is_computed(found.type) || !has_one_type(graph, found)) return std::nullopt;
  return found;
}

namespace {

class AttentionPlanner {
 public:
  AttentionPlanner(const tosa::Graph& graph, const DeviceFacts& device, const Uses& uses, std::vector<bool>& stored)
      : graph_(graph), device_(device), uses_(uses), stored_(stored) {}

  void plan(const Node& values) {
    const auto found = match_attention(graph_, last_view(values));
    if (!found || found->values != &values || !is_closed(*found) || !is_worthwhile(*found)) return;
    const std::set<ValueId> operands = operands_of(*found);
    if (operands.size() > kMaxOperands || !has_attention_kernel(*found, device_)) return;
    for (const Node* node : nodes_of(*found)) stored_[index(node->outputs[0])] = node == &found->last();
    for (const ValueId operand : operands) {
      const Node* producer = graph_.producer(operand);
      if (producer && !is_view(producer->op)) stored_[index(operand)] = true;
    }
    absorb_into_queries(*found);
  }

 private:
  bool has_one_reader(ValueId value) const {
    return !uses_.is_output[index(value)] && uses_.readers[index(value)].size() == 1;
  }

  // The result is stored in the order in which its only reader wants it.
  const Node& last_view(const Node& values) const {
    const Node* last = &values;
    while (has_one_reader(last->outputs[0])) {
      const Node& reader = graph_.nodes[uses_.readers[index(last->outputs[0])][0]];
      if (!is_arranged(reader.op)) break;
      last = &reader;
    }
    return *last;
  }

  // Whether all values inside are read by the group only.
  bool is_closed(const Attention& found) const {
    std::set<const Node*> nodes;
    for (const Node* node : nodes_of(found)) nodes.insert(node);
    return std::ranges::all_of(nodes, [&](const Node* node) {
      if (node == &found.last()) return true;
      const ValueId value = node->outputs[0];
      return !uses_.is_output[index(value)] &&
             std::ranges::all_of(uses_.readers[index(value)],
                                 [&](std::uint32_t reader) { return nodes.contains(&graph_.nodes[reader]); });
    });
  }

  // A few long rows are better spread over the device by separate kernels: here one workgroup passes over all keys of
  // its rows.
  static bool is_worthwhile(const Attention& found) {
    constexpr std::int64_t kLongRow = 2048, kFewRows = 256;
    return found.depth <= kMaxDepth && found.columns <= kMaxDepth &&
           (found.keys < kLongRow || found.batches * found.rows >= kFewRows);
  }

  // What the operators between the scores and the logits read besides the scores.
  std::set<ValueId> operands_of(const Attention& found) const {
    std::set<ValueId> operands;
    for (const Node* node : found.path) {
      for (const ValueId input : node->inputs) {
        const Node* producer = graph_.producer(input);
        if (producer != found.scores && std::ranges::find(found.path, producer) == found.path.end())
          operands.insert(input);
      }
    }
    return operands;
  }

  // Each element of Q is read once for a block of rows, so that a scale or a bias of Q costs nothing there.
  void absorb_into_queries(const Attention& found) {
    ValueId value = found.q;
    for (std::size_t count = 0; count < kMaxPath && has_one_reader(value); ++count) {
      const Node* node = graph_.producer(value);
      if (!node || (is_view(node->op) && node->op == Op::TILE)) return;
      const bool scales = (node->op == Op::MUL || node->op == Op::ADD || node->op == Op::CAST) &&
                          stored_[index(value)] && is_computed(graph_[value].type.data);
      if (!is_view(node->op) && !scales) return;
      if (scales) {
        const auto whole = std::ranges::find_if(node->inputs, [&](ValueId input) {
          const Node* producer = graph_.producer(input);
          return producer && is_view(producer->op) && graph_[input].type.shape == graph_[value].type.shape;
        });
        const bool others_are_constants = std::ranges::all_of(node->inputs, [&](ValueId input) {
          return (whole != node->inputs.end() && input == *whole) || graph_.constant(input);
        });
        if (whole == node->inputs.end() || !others_are_constants || !views_stored_value(graph_, stored_, *whole))
          return;
        stored_[index(value)] = false;
        value = *whole;
      } else {
        value = node->inputs[0];
      }
    }
  }

  const tosa::Graph& graph_;
  const DeviceFacts& device_;
  const Uses& uses_;
  std::vector<bool>& stored_;
};

}  // namespace

void plan_attention(const tosa::Graph& graph, const DeviceFacts& device, const Uses& uses, std::vector<bool>& stored) {
  AttentionPlanner planner(graph, device, uses, stored);
  for (const Node& node : graph.nodes) {
    if (node.op == Op::MATMUL) planner.plan(node);
  }
}

std::optional<Attention> planned_attention(const tosa::Graph& graph, const std::vector<bool>& stored,
                                           const Node& last) {
  if (last.op != Op::MATMUL && !is_arranged(last.op)) return std::nullopt;
  auto found = match_attention(graph, last);
  if (!found) return found;
  const std::vector<const Node*> nodes = nodes_of(*found);
  const bool planned =
      std::ranges::all_of(nodes, [&](const Node* node) { return stored[index(node->outputs[0])] == (node == &last); });
  return planned ? found : std::nullopt;
}

std::string print_attention(const Attention& a) {
  std::string text = formatted("{} x {} rows, {} keys, depth {}, columns {}, {}: MATMUL", a.batches, a.rows, a.keys,
                               a.depth, a.columns, tosa::name_of(a.type));
  for (const Node* node : a.path) text += formatted(" + {}", tosa::name_of(node->op));
  text += ", softmax";
  for (const Node* node : a.cast) text += formatted(" + {}", tosa::name_of(node->op));
  text += ", MATMUL";
  for (const Node* node : a.after) text += formatted(" + {}", tosa::name_of(node->op));
  return text;
}

}  // namespace slipway::lower
