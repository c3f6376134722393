// Cuts a graph into partitions: TOSA operators that run together, and shader operators, each alone (converter page
// 3.10; seed 002, partitioning).
//
//   g1(a) s1(g1) g2(s1) g3(b)   with shader s1:   partition 0: g1 g3, partition 1: s1, partition 2: g2
//
// Operators are visited in waves, breadth first: those without producers, then those that only need these, and so on. A
// shader opens a new partition; a graph operator joins the latest partition that its producers and the waves so far
// allow. Ids are dense, and no operator needs a result of a later partition. The outcome depends on the graph alone.
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

// The order in which operators are visited: waves, or as they stand in the program, which is what an earlier tool does.
enum class PartitionOrder : std::uint8_t { BreadthFirst, Program };

struct Partitioning {
  std::vector<PartitionKind> kinds;    // by partition
  std::vector<std::uint32_t> of_node;  // partitions
  std::vector<std::uint32_t> depth;    // of nodes: the wave in which each is visited
  // The partition that hands a constant to others at run time, because a shader reads it or the model returns it; by
  // index of Graph::constants. All others are repeated inside the graph partitions that use them.
  std::vector<std::optional<std::uint32_t>> of_constant;
};

// `shaders`: for each node whether it is one. At least one node, or a returned constant, gives at least one partition.
Partitioning partition(const tosa::Graph& graph, const std::vector<bool>& shaders,
                       PartitionOrder order = PartitionOrder::BreadthFirst);

// For people: what is in each partition, and why each operator is where it is.
std::string explain(const tosa::Graph& graph, const Partitioning& partitioning);
// A picture: partitions as boxes, in the language of Graphviz.
std::string partition_dot(const tosa::Graph& graph, const Partitioning& partitioning);

}  // namespace slipway::convert
