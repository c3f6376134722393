// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/segments/segments.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace slipway::convert {
namespace {

using tosa::index;
using tosa::ValueId;
using tosa::ValueKind;

class SegmentBuilder {
 public:
  SegmentBuilder(const tosa::Graph& graph, const Partitioning& partitioning)
      : graph_(graph), partitioning_(partitioning), result_position_(graph.values.size(), kNowhere) {}

  Segments run() {
    for (const ValueId output : graph_.outputs) {
      if (result_position_[index(output)] != kNowhere) continue;
      result_position_[index(output)] = made_.returned.size();
      made_.returned.push_back(output);
    }
    nodes();
    find_inputs();
    find_results();
    give_ids();
    return std::move(made_);
  }

 private:
  static constexpr std::size_t kNowhere = SIZE_MAX;

  bool is_returned(ValueId value) const { return result_position_[index(value)] != kNowhere; }

  void nodes() {
    made_.segments.resize(std::max<std::size_t>(partitioning_.kinds.size(), 1));
    for (std::size_t p = 0; p < partitioning_.kinds.size(); ++p) made_.segments[p].kind = partitioning_.kinds[p];
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) made_.segments[partitioning_.of_node[i]].nodes.push_back(i);
  }

  // The segment that outputs a value; none for inputs of the model and constants that no segment outputs.
  std::optional<std::uint32_t> made_in(ValueId value) const {
    const tosa::Value& of = graph_[value];
    if (of.kind == ValueKind::Result) return partitioning_.of_node[of.source];
    if (of.kind == ValueKind::Constant) return partitioning_.of_constant[of.source];
    return std::nullopt;
  }

  void find_inputs() {
    std::vector<std::size_t> seen(graph_.values.size(), kNowhere);  // the last segment that used a value
    const auto add = [&](std::size_t segment, ValueId value) {
      if (seen[index(value)] == segment) return;
      seen[index(value)] = segment;
      made_.segments[segment].inputs.push_back(value);
    };
    needed_.assign(graph_.values.size(), false);
    for (std::size_t s = 0; s < made_.segments.size(); ++s) {
      const bool compute = made_.segments[s].kind == PartitionKind::Compute;
      for (const std::uint32_t node : made_.segments[s].nodes) {
        for (const ValueId input : graph_.nodes[node].inputs) {
          if (graph_[input].kind == ValueKind::Constant && !compute) continue;
          if (graph_[input].kind == ValueKind::Result && made_in(input) == s) continue;
          needed_[index(input)] = true;
          add(s, input);
        }
      }
    }
    if (made_.segments.size() > 1 || made_.segments[0].kind == PartitionKind::Compute) return;
    // A single segment has all inputs of the model, including unused ones; without operators, those that are returned.
    Segment& only = made_.segments[0];
    only.inputs.clear();
    for (const ValueId input : graph_.inputs) {
      if (!only.nodes.empty() || is_returned(input)) only.inputs.push_back(input);
    }
  }

  void find_results() {
    const auto add = [&](std::size_t segment, ValueId value) { made_.segments[segment].results.push_back(value); };
    for (std::size_t c = 0; c < graph_.constants.size(); ++c) {
      if (partitioning_.of_constant[c]) add(*partitioning_.of_constant[c], graph_.constants[c].value);
    }
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) {
      const std::uint32_t segment = partitioning_.of_node[i];
      const bool shader = made_.segments[segment].kind == PartitionKind::Compute;
      for (const ValueId output : graph_.nodes[i].outputs) {
        if (shader || needed_[index(output)] || is_returned(output)) add(segment, output);
      }
    }
    if (graph_.nodes.empty()) {
      for (const ValueId value : made_.returned) {
        if (graph_[value].kind == ValueKind::Input) add(0, value);
      }
    }
    for (Segment& segment : made_.segments) {
      std::ranges::stable_sort(segment.results, {}, [&](ValueId value) { return result_position_[index(value)]; });
      segment.returned = static_cast<std::size_t>(
          std::ranges::count_if(segment.results, [&](ValueId value) { return is_returned(value); }));
    }
  }

  void give_ids() {
    made_.logical_ids.assign(graph_.values.size(), std::nullopt);
    std::uint32_t next = 0;
    const auto give = [&](ValueId value) {
      if (!made_.logical_ids[index(value)]) made_.logical_ids[index(value)] = next++;
    };
    for (const ValueId input : graph_.inputs) give(input);
    for (const Segment& segment : made_.segments) {
      for (const ValueId value : segment.inputs) give(value);
      for (const ValueId value : segment.results) {
        if (!is_returned(value)) give(value);
      }
    }
    for (const ValueId value : made_.returned) {
      give(value);
      if (graph_.nodes.empty() && graph_[value].kind == ValueKind::Input) made_.output_ids[index(value)] = next++;
    }
  }

  const tosa::Graph& graph_;
  const Partitioning& partitioning_;
  std::vector<std::size_t> result_position_;  // index into the distinct outputs of the model
  std::vector<bool> needed_;                  // by another segment
  Segments made_;
};

}  // namespace

Segments make_segments(const tosa::Graph& graph, const Partitioning& partitioning) {
  return SegmentBuilder(graph, partitioning).run();
}

tosa::Graph segment_graph(const tosa::Graph& graph, const Segments& segments, std::size_t which) {
  const Segment& segment = segments.segments[which];
  tosa::Graph part;
  part.name = "graph_partition_" + std::to_string(which);
  std::unordered_map<std::size_t, ValueId> moved;
  for (const ValueId value : segment.inputs) {
    moved[index(value)] = part.add_input(graph[value].type, graph[value].name);
    part.input_bindings.push_back({0, segments.id(value)});
  }
  const auto in_part = [&](ValueId value) {
    if (const auto known = moved.find(index(value)); known != moved.end()) return known->second;
    const tosa::Constant& constant = *graph.constant(value);
    const ValueId copy = part.add_constant(graph[value].type, constant.data, constant.splat, graph[value].name);
    part.constants.back().graph_constant = constant.graph_constant;
    moved[index(value)] = copy;
    return copy;
  };
  for (const std::uint32_t i : segment.nodes) {
    tosa::Node node = graph.nodes[i];
    for (ValueId& input : node.inputs) input = in_part(input);
    for (ValueId& output : node.outputs) {
      const ValueId copy{static_cast<std::uint32_t>(part.values.size())};
      part.values.push_back(
          {graph[output].type, ValueKind::Result, static_cast<std::uint32_t>(part.nodes.size()), graph[output].name});
      moved[index(output)] = copy;
      output = copy;
    }
    part.nodes.push_back(std::move(node));
  }
  for (const ValueId value : segment.results) {
    part.outputs.push_back(in_part(value));
    part.output_bindings.push_back({0, segments.output_id(value)});
  }
  return part;
}

}  // namespace slipway::convert
