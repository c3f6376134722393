// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts a graph into partitions: TOSA operators that run together, and shader operators, each alone
// (docs/spec/converter.md#partitioning).
//
//   g1(a) s1(g1) g2(s1) g3(b)   with shader s1:   partition 0: g1 g3, partition 1: s1, partition 2: g2
//
// Operators are visited breadth first by topological level: those without producers, then those that only depend on
// these, and so on. A shader opens a new partition; a graph operator joins the latest partition that its producers and
// the levels so far allow. Ids are dense, and no operator needs a result of a later partition. The result depends only
// on the graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tosa/graph.hpp"

namespace slipway::convert {

inline constexpr std::string_view kShaderDomain = "com.arm.VulkanCustomShader";
// Whether a node is in the domain of shader operators.
bool is_shader(const tosa::Node& node);

enum class PartitionKind : std::uint8_t { Graph, Compute };

// The order in which operators are visited: by topological level, or in program order as an earlier tool does.
enum class PartitionOrder : std::uint8_t { BreadthFirst, Program };

struct Partitioning {
  std::vector<PartitionKind> kinds;    // by partition
  std::vector<std::uint32_t> of_node;  // partitions
  std::vector<std::uint32_t> depth;    // by node: its topological level
  // The partition that outputs a constant at run time, because a shader reads it or the model returns it; by index of
  // Graph::constants. All other constants are repeated inside the graph partitions that use them.
  std::vector<std::optional<std::uint32_t>> of_constant;
};

// `shaders`: for each node whether it is a shader operator. A graph with a node or a returned constant has at least one
// partition.
// `separate_parts`: operators that are not connected, except through constants, are in different partitions.
Partitioning partition(const tosa::Graph& graph, const std::vector<bool>& shaders,
                       PartitionOrder order = PartitionOrder::BreadthFirst, bool separate_parts = false);

// A listing for people: the contents of each partition, and the reason for the partition of each operator.
std::string explain(const tosa::Graph& graph, const Partitioning& partitioning);
// The same as JSON, for a page: `{"nodes": N, "partitions": [{"kind", "operators": [{"id", "name", "level", "reason"}],
// "constants", "after": [partitions]}]}`.
std::string partition_json(const tosa::Graph& graph, const Partitioning& partitioning);
// A Graphviz graph with partitions as boxes.
std::string partition_dot(const tosa::Graph& graph, const Partitioning& partitioning);

}  // namespace slipway::convert
