// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/format.hpp"
#include "convert/segments/partition.hpp"
#include "json/writer.hpp"

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

// Why an operator is in its partition.
std::string reason_of(const tosa::Graph& graph, const Partitioning& partitioning, std::size_t node) {
  if (partitioning.kinds[partitioning.of_node[node]] == PartitionKind::Compute) return "a shader has its own partition";
  const auto producer = deciding_producer(graph, partitioning, node);
  if (!producer) return "depends on no other operator";
  return formatted("after {} of partition {}", title(graph, *producer), partitioning.of_node[*producer]);
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
      text += formatted("  {}: level {}, {}\n", title(graph, node), partitioning.depth[node],
                        reason_of(graph, partitioning, node));
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

std::string partition_json(const tosa::Graph& graph, const Partitioning& partitioning) {
  json::Writer out(json::kCompact);
  const auto nodes = nodes_by_partition(partitioning);
  out.object([&] {
    out.member("nodes", graph.nodes.size());
    out.key("partitions").array([&] {
      for (std::size_t p = 0; p < nodes.size(); ++p) {
        std::set<std::size_t> after;
        out.object([&] {
          out.member("kind", name_of(partitioning.kinds[p]));
          out.key("operators").array([&] {
            for (const std::size_t node : nodes[p]) {
              out.object([&] {
                out.member("id", node).member("name", title(graph, node));
                out.member("level", partitioning.depth[node]).member("reason", reason_of(graph, partitioning, node));
              });
              for (const tosa::ValueId input : graph.nodes[node].inputs) {
                const tosa::Value& value = graph[input];
                if (value.kind == tosa::ValueKind::Result) after.insert(partitioning.of_node[value.source]);
                if (value.kind == tosa::ValueKind::Constant && partitioning.of_constant[value.source])
                  after.insert(*partitioning.of_constant[value.source]);
              }
            }
          });
          out.member("constants",
                     std::ranges::count(partitioning.of_constant, std::optional(static_cast<std::uint32_t>(p))));
          after.erase(p);
          out.key("after").array([&] {
            for (const std::size_t other : after) out.value(other);
          });
        });
      }
    });
  });
  return out.text();
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
