// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/reduce/candidate_check.hpp"
#include "cli/reduce/delta.hpp"
#include "cli/reduce/reducer.hpp"
#include "testing/tosa/graph_text.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::cli {
namespace {

using slipway::testing::graph_of;

const ReduceNotes kNoNotes = [](std::string_view, const std::string&) {};

TEST(Minimise, FindsEachPairAmongMany) {
  for (std::size_t count : {1u, 2u, 7u, 64u, 100u}) {
    for (std::size_t a = 0; a < count; a += 5) {
      const std::size_t b = (a * 7 + 3) % count;
      std::size_t tests = 0;
      const auto kept = minimise(count, [&](const std::vector<std::size_t>& some) {
        ++tests;
        return std::ranges::binary_search(some, a) && std::ranges::binary_search(some, b);
      });
      EXPECT_EQ(kept, a == b ? std::vector{a} : std::vector({std::min(a, b), std::max(a, b)}));
      EXPECT_LE(tests, 4 * count + 10);
    }
  }
  EXPECT_TRUE(minimise(10, [](const auto&) { return true; }).empty());
  EXPECT_EQ(minimise(3, [](const auto&) { return false; }).size(), 3u);
  EXPECT_TRUE(minimise(0, [](const auto&) { return true; }).empty());
}

TEST(MessageIdentity, LeavesOutWhatMayChange) {
  EXPECT_EQ(message_identity("unknown name `total1` in line 12; did you mean `tot`?", true),
            "unknown name `total1` in line #");
  EXPECT_EQ(message_identity("unknown name `total1`", false), "unknown name `");
  EXPECT_EQ(message_identity("max abs 1.5e-07, at [0x1f, 3], x3", true), "max abs #, at [#, #], x#");
  EXPECT_EQ(message_identity("Could not open file /tmp/a/c.npy: No such", true), "Could not open file c.npy: No such");
  EXPECT_EQ(message_identity("Could not open file d/c.npy: No such", true), "Could not open file c.npy: No such");
  EXPECT_EQ(message_identity("shader `a/b.comp` is", true), "shader /b.comp` is");
  EXPECT_EQ(message_identity("`open", true), "`open");
  EXPECT_EQ(message_identity("", true), "");
}

TEST(MessageIdentity, TheLastKey) {
  EXPECT_EQ(last_key("/resources/3/image/dims/1"), "dims");
  EXPECT_EQ(last_key("/commands"), "commands");
  EXPECT_EQ(last_key("/0/1"), "");
  EXPECT_EQ(last_key(""), "");
}

TEST(ReduceText, KeepsTheStatementThatFails) {
  const std::string program =
      "// a program\nstruct A { float x; float y; };\nfloat unused(float v) { return v; }\n"
      "void main() {\n  float a = 1; // one\n  if (a > 0) {\n    for (int i = 0; i < 3; ++i) { a += 1; bad(\"}\"); }\n"
      "  } else { a = 2; }\n}\n";
  EXPECT_EQ(
      reduce_text(program, [](const std::string& text) { return text.contains("bad("); }, kNoNotes), "bad(\"}\");\n");
  // With the function around it.
  EXPECT_EQ(reduce_text(
                program,
                [](const std::string& text) {
                  return text.contains("bad(") && text.contains("void main()") &&
                         std::ranges::count(text, '{') == std::ranges::count(text, '}') - 1;
                },
                kNoNotes),
            "void main() {\n      bad(\"}\");\n}\n");
}

TEST(ReduceText, TextWithoutStructure) {
  for (const char* text : {"}}} bad {{{", "\"bad", "/* bad", "bad", "#define bad \\\n  1\n", "((bad"}) {
    const std::string smaller =
        reduce_text(text, [](const std::string& candidate) { return candidate.contains("bad"); }, kNoNotes);
    EXPECT_TRUE(smaller.contains("bad")) << text;
    EXPECT_LE(smaller.size(), std::string_view(text).size());
  }
}

TEST(ReduceJson, DropsCommandsResourcesAndMembers) {
  const std::string scenario =
      R"({"resources": [{"buffer": {"uid": "a", "size": 4}}, {"buffer": {"uid": "b", "size": 8, "x": 1}}],
    "commands": [{"dispatch": {"uses": "a"}}, {"mark": {"uses": "b", "more": [1, 2, 3]}}, {"dispatch": {}}]})";
  std::vector<std::string> passes;
  const std::string smaller = reduce_json(
      scenario,
      [](const std::string& text) {
        return text.contains("\"mark\"") && text.contains("\"size\": 8") && text.contains("\"uses\": \"b\"");
      },
      [&](std::string_view pass, const std::string&) { passes.emplace_back(pass); });
  EXPECT_EQ(smaller,
            "{\n  \"resources\": [\n    {\n      \"buffer\": {\n        \"size\": 8\n      }\n    }\n  ],\n"
            "  \"commands\": [\n    {\n      \"mark\": {\n        \"uses\": \"b\"\n      }\n    }\n  ]\n}\n");
  EXPECT_EQ(passes, (std::vector<std::string>{"commands", "unused resources", "members of level 4"}));
  EXPECT_EQ(size_of_json(smaller), "1 command, 1 resource, 158 bytes");
}

TEST(ReduceJson, CodeInStrings) {
  const std::string scenario =
      R"({"source": "#version 460\nint unused() { return 1; }\nvoid main() { int a = 1; bad(); }\n"})";
  const std::string smaller = reduce_json(
      scenario,
      [](const std::string& text) {
        return text.contains("#version 460") && text.contains("void main() {") && text.contains("bad();");
      },
      kNoNotes);
  EXPECT_FALSE(smaller.contains("unused"));
  EXPECT_FALSE(smaller.contains("int a"));
  EXPECT_TRUE(smaller.contains("bad();"));
}

bool has(const tosa::Graph& graph, tosa::Op op) { return std::ranges::contains(graph.nodes, op, &tosa::Node::op); }

const char* const kLongGraph =
    "%0 = input f32[4, 8] \"x\"\n%1 = const f32[4, 8] splat 2\n%2 = ABS(%0) f32[4, 8]\n%3 = ADD(%2, %1) f32[4, 8]\n"
    "%4 = EXP(%3) f32[4, 8]\n%5 = TANH(%4) f32[4, 8]\n%6 = ADD(%5, %2) f32[4, 8]\n%7 = NEGATE(%6) f32[4, 8] "
    "input1_zp=0 output_zp=0\noutput %7\noutput %4\n";

TEST(ReduceGraph, OneOperatorRemains) {
  const auto fails = [](const tosa::Graph& graph) {
    tosa::Graph copy = graph;
    Diagnostics problems;
    tosa::verify(copy, problems);
    EXPECT_FALSE(problems.has_errors());
    return has(graph, tosa::Op::TANH);
  };
  const tosa::Graph smaller = reduce_graph(graph_of(kLongGraph), fails, kNoNotes);
  EXPECT_EQ(tosa::print(smaller), "graph main {\n  %0 = input f32[1, 1]\n  %1 = TANH(%0) f32[1, 1]\n  output %1\n}\n");
}

// The failure needs two operators, one of which uses the result of the other, and their size.
TEST(ReduceGraph, WhatTheFailureNeedsStays) {
  const auto fails = [](const tosa::Graph& graph) {
    for (const tosa::Node& node : graph.nodes) {
      if (node.op != tosa::Op::TANH || graph[node.outputs[0]].type.shape[1] < 3) continue;
      const tosa::Node* from = graph.producer(node.inputs[0]);
      if (from && from->op == tosa::Op::EXP) return true;
    }
    return false;
  };
  const tosa::Graph smaller = reduce_graph(graph_of(kLongGraph), fails, kNoNotes);
  EXPECT_EQ(smaller.nodes.size(), 2u);
  EXPECT_EQ(smaller.inputs.size(), 1u);
  EXPECT_EQ(smaller[smaller.inputs[0]].type.shape, (tensor::Shape{1, 3}));
}

TEST(ReduceGraph, ConstantsKeepTheirFirstElements) {
  const tosa::Graph graph = graph_of(
      "%0 = input i32[2, 4]\n%1 = const i32[2, 4] [1, 2, 3, 4, 5, 6, 7, 8]\n%2 = ADD(%0, %1) i32[2, 4]\noutput %2\n");
  const auto fails = [](const tosa::Graph& candidate) {
    const std::vector<std::int64_t> values = tosa::integers_of(candidate, candidate.constants[0].value);
    return has(candidate, tosa::Op::ADD) && std::ranges::contains(values, 6);
  };
  const tosa::Graph smaller = reduce_graph(graph, fails, kNoNotes);
  EXPECT_EQ(tosa::integers_of(smaller, smaller.constants[0].value), (std::vector<std::int64_t>{1, 2, 5, 6}));
}

}  // namespace
}  // namespace slipway::cli
