// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/segments/partition.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "convert/testing.hpp"

namespace slipway::convert {
namespace {

using testing::Program;

std::string ids(const std::string& text, PartitionOrder order = PartitionOrder::BreadthFirst) {
  const Program program(text);
  const Partitioning made = partition(program.graph, program.shaders, order);
  std::string all;
  for (const auto& segment : made.of_constant) {
    if (segment) all += formatted("k{} ", *segment);
  }
  for (const std::uint32_t partition : made.of_node) all += formatted("{} ", partition);
  if (!all.empty()) all.pop_back();
  return all;
}

struct Case {
  std::string_view program, breadth_first, program_order;
};

// `g`: a graph operator, `s`: a shader, `k`: a constant, `a` to `f`: inputs; `kN` in the ids: the partition that
// outputs a constant. The first eight cases are those of docs/spec/converter.md#partitioning.
constexpr Case kCases[] = {
    {"g1(a) s1(g1) g2(s1)", "0 1 2", "0 1 2"},
    {"s1(a) s2(s1) g1(s2)", "0 1 2", "0 1 2"},
    {"g1(a) s1(a) g2(a)", "0 1 2", "0 1 2"},
    {"g1(a) s1(g1) s2(g1) g2(s1,s2)", "0 1 2 3", "0 1 2 3"},
    {"s1(k1)", "k0 1", "k0 1"},
    {"g1(a) s1(g1) g2(b)", "0 1 0", "0 1 2"},
    {"g1(a) s1(g1) g2(s1) g3(b) s2(g3) g4(s2)", "0 1 3 0 2 3", "0 1 2 2 3 4"},
    {"g1(a) s1(g1) g3(g1) g2(s1) g4(g2,g3)", "0 1 0 2 2", "0 1 0 2 2"},
    // One kind only.
    {"g1(a)", "0", "0"},
    {"s1(a)", "0", "0"},
    {"g1(a) g2(b)", "0 0", "0 0"},
    {"g1(a) g2(g1) g3(g2)", "0 0 0", "0 0 0"},
    {"g1(a) g2(g1) g3(g1) g4(g2,g3)", "0 0 0 0", "0 0 0 0"},
    {"s1(a) s2(a)", "0 1", "0 1"},
    {"s1(a) s2(b) s3(s1,s2)", "0 1 2", "0 1 2"},
    {"s1(a) s2(s1) s3(s2)", "0 1 2", "0 1 2"},
    // Alternating chains.
    {"s1(a) g1(s1) s2(g1) g2(s2)", "0 1 2 3", "0 1 2 3"},
    {"g1(a) s1(g1) g2(s1) s2(g2) g3(s2)", "0 1 2 3 4", "0 1 2 3 4"},
    {"g1(a) s1(g1) s2(s1) g2(s2)", "0 1 2 3", "0 1 2 3"},
    {"s1(a) g1(s1) g2(g1) s2(g2)", "0 1 1 2", "0 1 1 2"},
    // Parallel branches share partitions where their levels allow it.
    {"g1(a) g2(b) s1(g1) s2(g2) g3(s1) g4(s2)", "0 0 1 2 3 3", "0 0 1 2 3 3"},
    {"g1(a) s1(g1) g2(b) s2(g2)", "0 1 0 2", "0 1 2 3"},
    {"s1(a) g1(b)", "0 1", "0 1"},
    {"g1(b) s1(a)", "0 1", "0 1"},
    {"s1(a) g1(b) s2(c) g2(d)", "0 1 2 3", "0 1 2 3"},
    {"g1(a) s1(b) g2(g1)", "0 1 0", "0 1 0"},
    {"g1(a) s1(b) g2(g1,s1)", "0 1 2", "0 1 2"},
    {"s1(a) g1(s1) g2(a)", "0 1 1", "0 1 1"},
    {"s1(a) g1(a) g2(s1)", "0 1 1", "0 1 1"},
    {"s1(a) s2(a) g1(s1) g2(s2)", "0 1 2 2", "0 1 2 2"},
    {"g1(a) s1(g1) g2(g1) s2(g2) g3(s1,s2)", "0 1 0 2 3", "0 1 0 2 3"},
    {"g1(a) g2(g1) s1(g1) g3(s1) g4(g2,g3)", "0 0 1 2 2", "0 0 1 2 2"},
    {"g1(a) s1(g1) g2(s1) g3(g1) s2(g3) g4(g2,s2)", "0 1 2 0 3 4", "0 1 2 0 3 4"},
    {"s1(a) g1(s1) s2(s1) g2(s2)", "0 1 2 3", "0 1 2 3"},
    {"s1(a) s2(s1) g1(s1) g2(s2)", "0 1 2 2", "0 1 2 2"},
    // Skips over partitions.
    {"g1(a) s1(g1) g2(g1,s1) g3(a,g2)", "0 1 2 2", "0 1 2 2"},
    {"g1(a) s1(g1) s2(s1) s3(s2) g2(g1,s3)", "0 1 2 3 4", "0 1 2 3 4"},
    // Constants.
    {"g1(k1)", "0", "0"},
    {"g1(k1) s1(k1)", "k0 0 1", "k0 0 1"},
    {"s1(k1) g1(k1)", "k0 1 2", "k0 1 2"},
    {"g1(a) s1(g1,k1)", "k0 0 1", "k0 0 1"},
    {"s1(a) s2(s1,k1)", "k1 0 2", "k1 0 2"},
    {"s1(a,k1) s2(s1,k2)", "k0 k2 1 3", "k0 k2 1 3"},
    {"s1(a,k1) s2(s1,k1)", "k0 1 2", "k0 1 2"},
    {"s1(a,k1) s2(b,k2)", "k0 k2 1 3", "k0 k2 1 3"},
    {"g1(a,k1) s1(g1) g2(s1,k1)", "0 1 2", "0 1 2"},
    {"g1(a) s1(g1) g2(s1,k1) s2(g2,k1)", "k2 0 1 2 3", "k2 0 1 2 3"},
    {"s1(a) g1(s1,k1) s2(g1,k1)", "k1 0 1 2", "k1 0 1 2"},
    // Returned constants: the values after `>` are returned by the model.
    {"g1(a) > k1", "k0 0", "k0 0"},
    {"s1(a) > k1", "k1 0", "k1 0"},
    {"g1(a,k1) s1(g1) > k1", "k0 0 1", "k0 0 1"},
    {"> k1", "k0", "k0"},
};

TEST(Partition, Table) {
  for (const Case& each : kCases) {
    SCOPED_TRACE(each.program);
    EXPECT_EQ(ids(std::string(each.program)), each.breadth_first);
    EXPECT_EQ(ids(std::string(each.program), PartitionOrder::Program), each.program_order);
  }
  EXPECT_GE(std::size(kCases), 40u);
}

void expect_properties(const Program& program, const Partitioning& made) {
  const tosa::Graph& graph = program.graph;
  std::vector<int> sizes(made.kinds.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    ASSERT_LT(made.of_node[i], made.kinds.size());
    ++sizes[made.of_node[i]];
    const bool compute = made.kinds[made.of_node[i]] == PartitionKind::Compute;
    ASSERT_EQ(compute, program.shaders[i]);
    for (const tosa::ValueId input : graph.nodes[i].inputs) {
      const tosa::Value& value = graph[input];
      if (value.kind == tosa::ValueKind::Constant) {
        ASSERT_EQ(made.of_constant[value.source].has_value() || !compute, true);
        if (compute) {
          ASSERT_LT(*made.of_constant[value.source], made.of_node[i]);
        }
      }
      if (value.kind != tosa::ValueKind::Result) continue;
      const std::uint32_t from = made.of_node[value.source];
      ASSERT_TRUE(from < made.of_node[i] || (from == made.of_node[i] && !compute));
    }
  }
  // Ids are dense: each partition has operators, that of a shader exactly one.
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    if (made.kinds[p] == PartitionKind::Compute)
      ASSERT_EQ(sizes[p], 1);
    else
      ASSERT_TRUE(sizes[p] > 0 ||
                  std::ranges::contains(made.of_constant, std::optional(static_cast<std::uint32_t>(p))));
  }
}

TEST(Partition, PropertiesHoldOnRandomGraphs) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    const Program program(testing::random_program(random, 1 + random() % 24));
    for (const PartitionOrder order : {PartitionOrder::BreadthFirst, PartitionOrder::Program}) {
      const Partitioning made = partition(program.graph, program.shaders, order);
      expect_properties(program, made);
      const Partitioning again = partition(program.graph, program.shaders, order);
      ASSERT_EQ(made.of_node, again.of_node);
    }
  }
}

TEST(Partition, ExplainPrintsReasons) {
  const Program program("g1(a) s1(g1,k1) g2(s1)");
  EXPECT_EQ(explain(program.graph, partition(program.graph, program.shaders)),
            "3 operators in 3 partitions\n"
            "partition 0: GRAPH, 1 operator\n"
            "  0 ABS `g1`: level 0, depends on no other operator\n"
            "  constant 0 f32[2]: handed on at run time\n"
            "partition 1: COMPUTE, 1 operator\n"
            "  1 CUSTOM \"s1\" `s1`: level 1, a shader has its own partition\n"
            "partition 2: GRAPH, 1 operator\n"
            "  2 ABS `g2`: level 2, after 1 CUSTOM \"s1\" `s1` of partition 1\n");
  const std::string dot = partition_dot(program.graph, partition(program.graph, program.shaders));
  EXPECT_THAT(dot, ::testing::HasSubstr("subgraph cluster_1"));
  EXPECT_THAT(dot, ::testing::HasSubstr("n0 -> n1"));
  EXPECT_THAT(dot, ::testing::HasSubstr("c0 -> n1"));
}

// Parts that share constants only.
TEST(Partition, SeparateParts) {
  const Program program("g1(a,k1) g2(b,k1) g3(g1) s1(g2) g4(s1) g5(b)");
  for (const PartitionOrder order : {PartitionOrder::BreadthFirst, PartitionOrder::Program}) {
    const Partitioning apart = partition(program.graph, program.shaders, order, true);
    EXPECT_EQ(apart.of_node[0], apart.of_node[2]);                                                             // g1 g3
    EXPECT_NE(apart.of_node[0], apart.of_node[1]);                                                             // g1 g2
    EXPECT_NE(apart.of_node[4], apart.of_node[0]);                                                             // g4 g1
    EXPECT_GT(apart.of_node[4], apart.of_node[3]);                                                             // g4 s1
    EXPECT_EQ(apart.of_node[5], order == PartitionOrder::BreadthFirst ? apart.of_node[1] : apart.of_node[4]);  // g5
    EXPECT_EQ(apart.kinds.size(), 4u);
    EXPECT_LT(partition(program.graph, program.shaders, order).kinds.size(), 4u);
  }
}

}  // namespace
}  // namespace slipway::convert
