// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "convert/segments/partition.hpp"

namespace slipway::convert {
namespace {

std::string title(const tosa::Graph& graph, std::size_t node) {
  const tosa::Node& of = graph.nodes[node];
  const std::string operation =
      of.op == tosa::Op::CUSTOM ? formatted("CUSTOM \"{}\"", of.custom->name) : std::string(name_of(of.op));
  return of.name.empty() ? formatted("{} {}", node, operation) : formatted("{} {} `{}`", node, operation, of.name);
}

std::string_view name_of(PartitionKind kind) { return kind == PartitionKind::Graph ? "GRAPH" : "COMPUTE"; }

std::vector<std::vector<std::size_t>> nodes_by_partition(const Partitioning& partitioning) {
  std::vector<std::vector<std::size_t>> nodes(partitioning.kinds.size());
  for (std::size_t i = 0; i < partitioning.of_node.size(); ++i) nodes[partitioning.of_node[i]].push_back(i);
  return nodes;
}

// The producer that decides: the one in the highest partition.
std::optional<std::size_t> deciding_producer(const tosa::Graph& graph, const Partitioning& partitioning,
                                             std::size_t node) {
  std::optional<std::size_t> highest;
  for (const tosa::ValueId input : graph.nodes[node].inputs) {
    if (graph[input].kind != tosa::ValueKind::Result) continue;
    const std::size_t producer = graph[input].source;
    if (!highest || partitioning.of_node[producer] > partitioning.of_node[*highest]) highest = producer;
  }
  return highest;
}

std::string dot_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string explain(const tosa::Graph& graph, const Partitioning& partitioning) {
  std::string text = formatted("{} operators in {} partitions\n", graph.nodes.size(), partitioning.kinds.size());
  const auto nodes = nodes_by_partition(partitioning);
  for (std::size_t p = 0; p < nodes.size(); ++p) {
    text += formatted("partition {}: {}, {} operator{}\n", p, name_of(partitioning.kinds[p]), nodes[p].size(),
                      nodes[p].size() == 1 ? "" : "s");
    for (const std::size_t node : nodes[p]) {
      const auto producer = deciding_producer(graph, partitioning, node);
      text += formatted("  {}: level {}, ", title(graph, node), partitioning.depth[node]);
      if (partitioning.kinds[p] == PartitionKind::Compute) {
        text += "a shader has its own partition\n";
      } else if (producer) {
        text += formatted("after {} of partition {}\n", title(graph, *producer), partitioning.of_node[*producer]);
      } else {
        text += "depends on no other operator\n";
      }
    }
    for (std::size_t c = 0; c < partitioning.of_constant.size(); ++c) {
      if (partitioning.of_constant[c] == p) {
        text +=
            formatted("  constant {} {}: handed on at run time\n", c, text_of(graph[graph.constants[c].value].type));
      }
    }
  }
  return text;
}

std::string partition_dot(const tosa::Graph& graph, const Partitioning& partitioning) {
  std::string text = "digraph partitions {\n  rankdir=TB; node [shape=box, fontname=\"sans-serif\"];\n";
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    text += formatted("  in{} [shape=ellipse, label=\"input {}\"];\n", i, i);
  const auto nodes = nodes_by_partition(partitioning);
  for (std::size_t p = 0; p < nodes.size(); ++p) {
    text += formatted("  subgraph cluster_{} {{\n    label=\"{} {}\"; style=filled; color=\"{}\";\n", p, p,
                      name_of(partitioning.kinds[p]),
                      partitioning.kinds[p] == PartitionKind::Graph ? "#dce9f7" : "#f9e0c7");
    for (const std::size_t node : nodes[p])
      text += formatted("    n{} [label=\"{}\"];\n", node, dot_text(title(graph, node)));
    for (std::size_t c = 0; c < partitioning.of_constant.size(); ++c) {
      if (partitioning.of_constant[c] == p) text += formatted("    c{} [label=\"constant {}\"];\n", c, c);
    }
    text += "  }\n";
  }
  const auto edge = [&](tosa::ValueId value, const std::string& to) {
    const tosa::Value& from = graph[value];
    const std::string label = text_of(from.type);
    if (from.kind == tosa::ValueKind::Constant && !partitioning.of_constant[from.source]) return;
    const char kind = from.kind == tosa::ValueKind::Result ? 'n' : from.kind == tosa::ValueKind::Constant ? 'c' : ' ';
    const std::string name = kind == ' ' ? formatted("in{}", from.source) : formatted("{}{}", kind, from.source);
    text += formatted("  {} -> {} [label=\"{}\"];\n", name, to, label);
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const tosa::ValueId input : graph.nodes[i].inputs) edge(input, formatted("n{}", i));
  }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    text += formatted("  out{} [shape=ellipse, label=\"output {}\"];\n", i, i);
    edge(graph.outputs[i], formatted("out{}", i));
  }
  return text + "}\n";
}

}  // namespace slipway::convert
