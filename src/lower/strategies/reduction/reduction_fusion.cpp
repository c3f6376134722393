// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/strategies/reduction/reduction_fusion.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <set>

#include "lower/operator_traits.hpp"
#include "lower/operators/reduce.hpp"

namespace slipway::lower {
namespace {

using tosa::Node;
using tosa::Op;
using tosa::ValueId;

ReductionAxis axis_of(const tosa::Graph& graph, const Node& reduction) {
  return {graph[reduction.inputs[0]].type.shape, static_cast<std::size_t>(reduction.attributes.integer("axis"))};
}

// Whether an operator may be part of a fusion along this axis.
bool fits(const tosa::Graph& graph, const Node& node, const ReductionAxis& axis) {
  if (is_reduction(node.op)) return axis_of(graph, node) == axis;
  if (!is_pointwise(node.op)) return false;
  const tensor::Shape& shape = graph[node.outputs[0]].type.shape;
  return axis.is_whole(shape) || axis.is_reduced(shape);
}

// The indices of the nodes that a node computes on the way; false if one of them cannot be part of a fusion.
bool collect(const tosa::Graph& graph, const std::vector<bool>& stored, const Node& node,
             std::set<std::uint32_t>& nodes) {
  if (!is_pointwise(node.op) && !is_reduction(node.op)) return false;
  if (!nodes.insert(graph[node.outputs[0]].source).second) return true;
  const std::size_t at_same_position = is_reduction(node.op) ? 1 : elementwise_inputs(node);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Node* producer = graph.producer(node.inputs[i]);
    // The source of a view is stored.
    if (stored[index(node.inputs[i])] || is_view(producer->op)) continue;
    if (i >= at_same_position || !collect(graph, stored, *producer, nodes)) return false;
  }
  return true;
}

}  // namespace

std::optional<ReductionFusion> match_reduction_fusion(const tosa::Graph& graph, const std::vector<bool>& stored,
                                                      const Node& node) {
  std::set<std::uint32_t> indices;
  if (!collect(graph, stored, node, indices)) return std::nullopt;
  ReductionFusion fusion;
  for (const std::uint32_t index : indices) fusion.nodes.push_back(&graph.nodes[index]);
  const auto reduction = std::ranges::find_if(fusion.nodes, [](const Node* one) { return is_reduction(one->op); });
  if (reduction == fusion.nodes.end()) return std::nullopt;
  fusion.axis = axis_of(graph, **reduction);
  const bool all_fit =
      std::ranges::all_of(fusion.nodes, [&](const Node* one) { return fits(graph, *one, fusion.axis); });
  return all_fit ? std::optional(std::move(fusion)) : std::nullopt;
}

// --- planning ---

namespace {

// A region that is being grown: nodes by their indices, each with the passes along a row that need its elements; a
// softmax has three passes (maximum, sum, result). A pass
// is identified by the node that it is made for: a reduction, or the node that stores whole rows.
using Passes = std::set<std::uint32_t>;
using Region = std::map<std::uint32_t, Passes>;

bool is_slow(Op op) {
  constexpr std::array kSlow = {Op::COS,        Op::ERF,   Op::EXP,     Op::LOG, Op::POW,
                                Op::RECIPROCAL, Op::RSQRT, Op::SIGMOID, Op::SIN, Op::TANH};
  return std::ranges::contains(kSlow, op);
}

// Grows regions, from the operator that stores a result towards what it reads.
class FusionRegionGrower {
 public:
  FusionRegionGrower(const tosa::Graph& graph, const DeviceFacts& device, const Uses& uses,
                     const std::vector<bool>& windows)
      : graph_(graph), is_cpu_(device.lanes != 0), uses_(uses), windows_(windows) {}

  // The largest region along this axis that ends with this node.
  Region grow(std::uint32_t last, const ReductionAxis& axis, const ReductionGrid& grid) const {
    Region region = {{last, is_whole(last, axis) ? Passes{last} : Passes{}}};
    std::set<std::uint32_t> candidates = producers(last);
    // The largest index first: all readers of a candidate are decided before it.
    while (!candidates.empty()) {
      const std::uint32_t candidate = *candidates.rbegin();
      candidates.erase(candidate);
      if (!may_join(candidate, axis, region)) continue;
      Passes passes = is_whole(candidate, axis) ? passes_of_readers(candidate, region) : Passes{};
      // CPUs compute it more slowly than they read it again.
      if (is_cpu_ && !grid.in_registers && passes.size() > 1 && is_slow(graph_.nodes[candidate].op)) continue;
      region.emplace(candidate, std::move(passes));
      if (within_limits(region, grid))
        candidates.merge(producers(candidate));
      else
        region.erase(candidate);
    }
    return region;
  }

 private:
  ValueId result_of(std::uint32_t node) const { return graph_.nodes[node].outputs[0]; }
  bool is_whole(std::uint32_t node, const ReductionAxis& axis) const {
    return axis.is_whole(graph_[result_of(node)].type.shape);
  }

  std::set<std::uint32_t> producers(std::uint32_t node) const {
    std::set<std::uint32_t> found;
    for (const ValueId input : graph_.nodes[node].inputs) {
      if (graph_.producer(input)) found.insert(graph_[input].source);
    }
    return found;
  }

  // Whether only the region reads it.
  bool may_join(std::uint32_t candidate, const ReductionAxis& axis, const Region& region) const {
    const Node& node = graph_.nodes[candidate];
    if (node.outputs.size() != 1 || !fits(graph_, node, axis)) return false;
    const ValueId value = node.outputs[0];
    if (uses_.is_output[index(value)] || windows_[index(value)]) return false;
    return std::ranges::all_of(uses_.readers[index(value)], [&](std::uint32_t reader) {
      return region.contains(reader) && reads_at_same_position(graph_.nodes[reader], value);
    });
  }

  static bool reads_at_same_position(const Node& reader, ValueId value) {
    if (is_reduction(reader.op)) return true;
    const auto elsewhere = reader.inputs.begin() + static_cast<std::ptrdiff_t>(elementwise_inputs(reader));
    return std::find(elsewhere, reader.inputs.end(), value) == reader.inputs.end();
  }

  Passes passes_of_readers(std::uint32_t node, const Region& region) const {
    Passes passes;
    for (const std::uint32_t reader : uses_.readers[index(result_of(node))]) {
      if (is_reduction(graph_.nodes[reader].op))
        passes.insert(reader);
      else
        passes.insert_range(region.at(reader));
    }
    return passes;
  }

  bool within_limits(const Region& region, const ReductionGrid& grid) const {
    std::set<ValueId> read;
    std::size_t computed = 0;
    for (const auto& [node, passes] : region) {
      for (const ValueId input : graph_.nodes[node].inputs) {
        if (!graph_.producer(input) || !region.contains(graph_[input].source)) read.insert(input);
      }
      // In registers everything is computed once, otherwise in each pass that needs it.
      computed += grid.in_registers ? 1 : std::max<std::size_t>(passes.size(), 1);
    }
    constexpr std::size_t kMaxCode = 512;  // straight code for each element of an invocation
    const bool is_short = !grid.in_registers || computed * static_cast<std::size_t>(grid.steps) <= kMaxCode;
    return computed <= kMaxNodes && is_short && read.size() + 2 <= kMaxAddresses;
  }

  const tosa::Graph& graph_;
  const bool is_cpu_;
  const Uses& uses_;
  const std::vector<bool>& windows_;
};

struct AxisCandidate {
  ReductionAxis axis;
  ReductionGrid grid;
};

// The axes and shapes along which the graph has reductions.
std::vector<AxisCandidate> candidates_of(const tosa::Graph& graph, const DeviceFacts& device) {
  std::vector<AxisCandidate> candidates;
  for (const Node& node : graph.nodes) {
    if (!is_reduction(node.op)) continue;
    const ReductionAxis axis = axis_of(graph, node);
    if (std::ranges::contains(candidates, axis, &AxisCandidate::axis)) continue;
    if (const auto grid = plan_reduction_grid(axis, device)) candidates.push_back({axis, *grid});
  }
  return candidates;
}

}  // namespace

void plan_reduction_fusion(const tosa::Graph& graph, const DeviceFacts& device, const Uses& uses,
                           const std::vector<bool>& windows, std::vector<bool>& stored) {
  const std::vector<AxisCandidate> candidates = candidates_of(graph, device);
  if (candidates.empty()) return;
  const FusionRegionGrower grower(graph, device, uses, windows);
  const auto reduces = [&](std::uint32_t node) { return is_reduction(graph.nodes[node].op); };
  std::vector<bool> joined(graph.nodes.size(), false);
  for (auto last = static_cast<std::uint32_t>(graph.nodes.size()); last-- > 0;) {
    const Node& node = graph.nodes[last];
    if (node.outputs.size() != 1 || windows[index(node.outputs[0])] || joined[last]) continue;
    // A pointwise operator that is not stored is part of its reader's kernel; a reduction is better in its own kernel.
    if (!stored[index(node.outputs[0])] && !reduces(last)) continue;
    Region region;
    for (const auto& [axis, grid] : candidates) {
      if (!fits(graph, node, axis)) continue;
      Region grown = grower.grow(last, axis, grid);
      if (std::ranges::any_of(grown | std::views::keys, reduces) && grown.size() > region.size())
        region = std::move(grown);
    }
    for (const std::uint32_t part : region | std::views::keys) {
      joined[part] = true;
      stored[index(graph.nodes[part].outputs[0])] = part == last;
      for (const ValueId input : graph.nodes[part].inputs) {
        const Node* producer = graph.producer(input);
        if (producer && !is_view(producer->op) && !region.contains(graph[input].source)) stored[index(input)] = true;
      }
    }
  }
}

}  // namespace slipway::lower
