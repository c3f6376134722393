// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/format.hpp"
#include "model/graph_view/diagram.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "lower/lower.hpp"
#include "model/graph_view/blocks.hpp"
#include "model/graph_view/build_diagram.hpp"
#include "model/graph_view/placement.hpp"
#include "testing/tosa/graph_text.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"
#include "vgf/testing.hpp"

namespace slipway::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using slipway::testing::graph_of;

// A convolution with pointwise operators, one kernel, and a sum with its input, another kernel.
tosa::Graph residual_block() {
  tosa::Graph graph = graph_of(
      "%0 = input f32[1, 4, 4, 8] \"x\"\n"
      "%1 = const f32[8, 3, 3, 8] graph_constant 0\n"
      "%2 = const f32[8] splat 0\n"
      "%3 = CONV2D(%0, %1, %2) f32[1, 4, 4, 8] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP32 "
      "local_bound=false input_zp=0 weight_zp=0 \"conv\"\n"
      "%4 = TANH(%3) f32[1, 4, 4, 8]\n"
      "%5 = REDUCE_SUM(%4) f32[1, 4, 4, 1] axis=3\n"
      "%6 = ADD(%5, %0) f32[1, 4, 4, 8]\n"
      "output %6\n");
  static const std::vector<std::byte> kWeights(8 * 3 * 3 * 8 * 4);
  graph.constants[0].data = kWeights;
  return graph;
}

struct Rectangle {
  double left, top, right, bottom;
  bool overlaps(const Rectangle& other) const {
    constexpr double kRoom = 1e-6;
    return left < other.right - kRoom && other.left < right - kRoom && top < other.bottom - kRoom &&
           other.top < bottom - kRoom;
  }
  bool holds(const Rectangle& other) const {
    return left <= other.left && other.right <= right && top <= other.top && other.bottom <= bottom;
  }
};

Rectangle rectangle_of(const PlacedBox& box) {
  return {box.at.x, box.at.y, box.at.x + box.width, box.at.y + box.height};
}

// Nodes do not overlap and are in their own clusters only; no line crosses a node.
void check_places(const Diagram& diagram) {
  const auto placement = place_diagram(diagram);
  ASSERT_TRUE(placement);
  const auto is_around = [&](std::uint32_t cluster, std::uint32_t inner) {
    while (inner != kNoCluster && inner != cluster) inner = diagram.clusters[inner].parent;
    return inner == cluster;
  };
  for (std::size_t i = 0; i < diagram.nodes.size(); ++i) {
    const Rectangle node = rectangle_of(placement->nodes[i]);
    EXPECT_TRUE((Rectangle{0, 0, placement->width, placement->height}.holds(node))) << i;
    for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(node.overlaps(rectangle_of(placement->nodes[k]))) << i << " " << k;
    for (std::uint32_t c = 0; c < diagram.clusters.size(); ++c) {
      const Rectangle cluster = rectangle_of(placement->clusters[c]);
      if (is_around(c, diagram.nodes[i].cluster))
        EXPECT_TRUE(cluster.holds(node)) << i << " in " << c;
      else
        EXPECT_FALSE(cluster.overlaps(node)) << i << " in " << c;
    }
  }
  for (const PlacedLink& link : placement->links) {
    for (std::size_t p = 1; p < link.points.size(); ++p) {
      const Point a = link.points[p - 1], b = link.points[p];
      const Rectangle reach{std::min(a.x, b.x), std::min(a.y, b.y), std::max(a.x, b.x), std::max(a.y, b.y)};
      for (std::size_t i = 0; i < diagram.nodes.size(); ++i)
        EXPECT_FALSE(reach.overlaps(rectangle_of(placement->nodes[i]))) << "line through " << i;
    }
  }
}

TEST(Diagram, OperatorsOfOneKernelAreACluster) {
  const tosa::Graph graph = residual_block();
  const auto program = lower::lower_graph(graph, {});
  ASSERT_TRUE(program);
  const Diagram diagram = build_diagram(graph, {&graph, &*program, {}});
  std::vector<std::string> titles;
  for (const DiagramNode& node : diagram.nodes) titles.push_back(node.title);
  EXPECT_THAT(titles, ElementsAre("x", "CONV2D", "TANH", "REDUCE_SUM", "ADD", "output 0"));
  // Whatever kernels are chosen, a cluster has the operators of one dispatch.
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const DiagramNode& node = diagram.nodes[1 + i];
    const auto& dispatches = program->dispatches;
    const auto dispatch = std::ranges::find_if(
        dispatches, [&](const auto& d) { return computes(graph, *program, d) && std::ranges::contains(d.nodes, i); });
    ASSERT_NE(dispatch, dispatches.end());
    EXPECT_EQ(node.cluster != kNoCluster, dispatch->nodes.size() > 1) << node.title;
    if (node.cluster != kNoCluster) {
      EXPECT_EQ(diagram.clusters[node.cluster].title, program->kernels[dispatch->kernel].name);
      EXPECT_THAT(diagram.clusters[node.cluster].details,
                  HasSubstr(formatted("kernel {}: ", dispatch - dispatches.begin())));
    }
  }
  EXPECT_THAT(diagram.nodes[1].lines, ElementsAre("conv", "pad 1,1,1,1", "weight f32[8, 3, 3, 8]", "bias f32[8]"));
  EXPECT_THAT(diagram.nodes[1].results, ElementsAre("f32[1, 4, 4, 8]"));
  EXPECT_THAT(diagram.nodes[1].details, HasSubstr("9216 multiply-adds"));
  EXPECT_EQ(diagram.edges.size(), 6u);
  check_places(diagram);
}

TEST(Diagram, TimesAreSharesOfTheWhole) {
  const tosa::Graph graph = residual_block();
  const auto program = lower::lower_graph(graph, {.fuse = false});
  ASSERT_EQ(program->dispatches.size(), 4u);
  const Diagram diagram = build_diagram(graph, {&graph, &*program, {3, 0.5, 0.25, 0.25}});
  EXPECT_DOUBLE_EQ(diagram.nodes[1].time.value().milliseconds, 3);
  EXPECT_DOUBLE_EQ(diagram.nodes[1].time.value().share, 0.75);
  const std::string page = write_html(diagram).value();
  EXPECT_THAT(page, HasSubstr("\"ms\":3.0,\"s\":0.75"));
  EXPECT_THAT(page, HasSubstr("[\"pad\",\"[1, 1, 1, 1]\"],[\"stride\",\"[1, 1]\"]"));
}

TEST(Diagram, AModelOfSeveralSegments) {
  const std::vector<std::byte> bytes = vgf::testing::test_vector();
  Diagnostics diagnostics;
  const auto file = vgf::read_vgf(bytes, "m.vgf", diagnostics);
  ASSERT_TRUE(file);
  const std::vector<DiagramSegment> segments(file->segments.size());
  const Diagram diagram = build_diagram(*file, segments);
  // The shader reads the input under its other name.
  EXPECT_EQ(diagram.nodes.size(), 4u);
  EXPECT_EQ(diagram.edges.size(), 3u);
  check_places(diagram);
}

TEST(Diagram, ThePageIsSelfContainedAndTextIsEscaped) {
  Diagram diagram{.title = "<script>alert(1)</script> & \"more\""};
  diagram.nodes.push_back({.title = "</svg>", .lines = {"a < b"}, .details = "<!-- \n", .results = {"&"}});
  diagram.nodes.push_back({.kind = DiagramKind::Output, .title = "y"});
  diagram.edges.push_back({0, 1, 0});
  const std::string page = write_html(diagram).value();
  EXPECT_THAT(page,
              HasSubstr("<title>&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;more&quot; \u2013 Slipway</title>"));
  EXPECT_THAT(page, HasSubstr("\"t\":\"<\\/svg>\""));
  EXPECT_EQ(page.find("<!-- "), std::string::npos);
  for (const std::string_view outside : {"src=", "href=\"http", "@import", "url(http"})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  EXPECT_EQ(page.find("</script> &"), std::string::npos);
}

// The title of the block of each operator, or `-`.
std::vector<std::string> blocks_of(Diagram diagram) {
  group_blocks(diagram);
  for (std::uint32_t c = 0; c < diagram.clusters.size(); ++c)
    EXPECT_TRUE(diagram.clusters[c].parent == kNoCluster || diagram.clusters[c].parent < c);
  check_places(diagram);
  std::vector<std::string> blocks;
  for (const DiagramNode& node : diagram.nodes) {
    std::uint32_t cluster = node.cluster;
    while (cluster != kNoCluster && !diagram.clusters[cluster].block) cluster = diagram.clusters[cluster].parent;
    blocks.push_back(cluster == kNoCluster ? "-" : diagram.clusters[cluster].title);
  }
  return blocks;
}

// A chain of operators; `A+` begins a bypass that ends at the next ADD.
Diagram chain_of(const std::vector<std::string>& titles) {
  Diagram diagram{.title = "chain"};
  diagram.nodes.push_back({.kind = DiagramKind::Input, .title = "x", .results = {"f32[1]"}});
  std::uint32_t bypass = 0;
  for (std::string title : titles) {
    const auto made = static_cast<std::uint32_t>(diagram.nodes.size());
    const bool begins = title.ends_with('+');
    if (begins) title.pop_back();
    diagram.edges.push_back({made - 1, made, 0});
    if (title == "ADD") diagram.edges.push_back({bypass, made, 0});
    diagram.nodes.push_back({.title = title, .results = {"f32[1]"}});
    if (begins) bypass = made;
  }
  diagram.nodes.push_back({.kind = DiagramKind::Output, .title = "y"});
  diagram.edges.push_back(
      {static_cast<std::uint32_t>(diagram.nodes.size() - 2), static_cast<std::uint32_t>(diagram.nodes.size() - 1), 0});
  return diagram;
}

TEST(Diagram, RepeatedOperatorsAreBlocks) {
  const std::string a1 = "block A, 1 of 3", a2 = "block A, 2 of 3", a3 = "block A, 3 of 3";
  EXPECT_THAT(blocks_of(chain_of({"PAD", "CONV", "EXP+", "ABS", "ADD", "CONV", "EXP+", "ABS", "ADD", "TANH", "CONV",
                                  "EXP+", "ABS", "ADD"})),
              ElementsAre("-", "-", a1, a1, a1, a1, a2, a2, a2, a2, "-", a3, a3, a3, a3, "-"));
  // The same operators, connected in another way, and blocks that are too short.
  EXPECT_THAT(blocks_of(chain_of({"CONV", "EXP+", "ABS", "ADD", "PAD", "CONV+", "EXP", "ABS", "ADD"})),
              ElementsAre("-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-"));
  EXPECT_THAT(blocks_of(chain_of({"ABS", "EXP", "ABS", "EXP"})), ElementsAre("-", "-", "-", "-", "-", "-"));
}

TEST(Diagram, BlocksDoNotDivideKernels) {
  Diagram diagram = chain_of({"A", "B", "C", "D", "A", "B", "C", "D", "A", "B", "C", "D", "A", "B", "C", "D"});
  // Each kernel has the last operator of one sequence and the first one of the next.
  for (std::uint32_t k = 0; k < 3; ++k) {
    diagram.clusters.push_back({.title = "kernel", .details = {}, .time = DiagramTime{1, 0.25}});
    diagram.nodes[4 + 4 * k].cluster = diagram.nodes[5 + 4 * k].cluster = k;
  }
  diagram.nodes[3].time = DiagramTime{2, 0.5};
  group_blocks(diagram);
  for (std::uint32_t k = 0; k < 3; ++k) EXPECT_EQ(diagram.nodes[4 + 4 * k].cluster, diagram.nodes[5 + 4 * k].cluster);
  const std::vector<DiagramCluster>& clusters = diagram.clusters;
  const auto first = std::ranges::find_if(clusters, [](const DiagramCluster& c) { return c.block.has_value(); });
  ASSERT_NE(first, clusters.end());
  EXPECT_EQ(first->time.value().milliseconds, 3);
}

TEST(Diagram, Graphviz) {
  Diagram diagram{.title = "m \"1\""};
  diagram.clusters = {{.title = "segment 0", .details = {}, .time = {}},
                      {.title = "kernel 0", .details = {}, .parent = 0, .time = DiagramTime{1.5, 0.5}}};
  diagram.nodes.push_back({.kind = DiagramKind::Input, .title = "x", .results = {"i8[4]"}});
  diagram.nodes.push_back({.title = "ABS", .lines = {"line"}, .details = "d", .cluster = 1, .results = {"i8[4]"}});
  diagram.edges.push_back({0, 1, 0});
  EXPECT_EQ(write_dot(diagram),
            "digraph \"m \\\"1\\\"\" {\n"
            "  node [fontname=\"monospace\"];\n"
            "  edge [fontname=\"monospace\"];\n"
            "  n0 [shape=ellipse, label=\"x\\l\", tooltip=\"\"];\n"
            "  subgraph cluster_0 {\n"
            "    label=\"segment 0\";\n"
            "    style=dashed;\n"
            "    subgraph cluster_1 {\n"
            "      label=\"kernel 0\\l1.500 ms, 50.0 %\";\n"
            "      style=dashed;\n"
            "      n1 [shape=box, label=\"ABS\\lline\\l\", tooltip=\"d\"];\n"
            "    }\n"
            "  }\n"
            "  n0 -> n1 [label=\"i8[4]\"];\n"
            "}\n");
}

TEST(Diagram, RandomDiagramsKeepTheRules) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t count) { return static_cast<std::uint32_t>(random() % count); };
  for (int round = 0; round < 60; ++round) {
    Diagram diagram;
    for (std::uint32_t c = 0; c < below(6); ++c)
      diagram.clusters.push_back({.title = std::string(below(40), 'c'), .parent = c > 1 && below(2) ? 0 : kNoCluster});
    const std::size_t count = 2 + below(25);
    for (std::size_t i = 0; i < count; ++i) {
      DiagramNode node{.title = std::string(1 + below(20), 'n'), .results = {1 + below(3), "i8[1, 2]"}};
      if (below(2)) node.lines.emplace_back(below(40), 'l');
      // Clusters of neighbours, so that links between them mostly go one way.
      if (!diagram.clusters.empty() && below(3))
        node.cluster =
            below(8) ? static_cast<std::uint32_t>(i * diagram.clusters.size() / count) : below(diagram.clusters.size());
      diagram.nodes.push_back(std::move(node));
    }
    for (std::size_t e = 0; e < 2 * count; ++e) {
      const std::uint32_t from = below(count - 1), to = from + 1 + below(count - 1 - from);
      diagram.edges.push_back({from, to, below(diagram.nodes[from].results.size())});
    }
    SCOPED_TRACE(round);
    check_places(diagram);
    if (HasFailure()) return;
  }
}

// Five hundred operators, each used by the next and some by one further on.
TEST(Diagram, LargeGraphsAreDrawn) {
  Diagram diagram{.title = "large"};
  for (std::uint32_t i = 0; i < 500; ++i) {
    diagram.nodes.push_back({.title = "ADD", .results = {"f32[1, 8]"}});
    if (i > 0) diagram.edges.push_back({i - 1, i, 0});
    if (i > 20 && i % 3 == 0) diagram.edges.push_back({i - 20, i, 0});
  }
  check_places(diagram);
  EXPECT_TRUE(write_html(diagram));
}

TEST(Diagram, TooLargeIsReported) {
  Diagram diagram{.title = "huge"};
  for (std::uint32_t i = 0; i < 3000; ++i) {
    diagram.nodes.push_back({.title = "ADD", .results = {"f32[1, 8]"}});
    if (i > 0) diagram.edges.push_back({i - 1, i, 0});
    if (i > 0) diagram.edges.push_back({i - 1, 0, 0});
  }
  const auto page = write_html(diagram);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error()[0].kind, DiagnosticKind::Unsupported);
}

}  // namespace
}  // namespace slipway::model
