// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions and subgraphs.
#include "importer/onnx/read/graph_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "importer/onnx/testing.hpp"

namespace slipway::importer::onnx {
namespace {

std::vector<Proto> outputs(const std::vector<std::string>& names) {
  std::vector<Proto> all;
  for (const std::string& name : names) all.push_back(value(name, kF32, {}));
  return all;
}

// A call of `f` of the domain `a`, which the functions define.
std::string text_of_call(const std::vector<FunctionParts>& functions, const Proto& call,
                         const std::vector<std::string>& results = {"z"}) {
  std::vector<Proto> all;
  for (const FunctionParts& parts : functions) all.push_back(function(parts));
  const std::string file = model(
      graph({.nodes = {call}, .inputs = {value("x", kF32, {})}, .outputs = outputs(results)}), {.functions = all});
  return read(file).text();
}
std::string text_of_function(const FunctionParts& parts) {
  return text_of_call({parts}, node("f", {"x"}, {"z"}, {}, "a"));
}

TEST(Subgraphs, CaptureValuesOfEnclosingGraphs) {
  const Proto inner = graph({.nodes = {node("Add", {"x", "w"}, {"s"})}, .outputs = outputs({"s"}), .name = "inner"});
  const Proto then_graph =
      graph({.nodes = {node("If", {"c"}, {"t"}, {graph_attribute("then_branch", inner)}, {}, "deep")},
             .outputs = outputs({"t"}),
             .name = "then"});
  const Proto else_graph = graph({.nodes = {}, .outputs = outputs({"x"}), .name = "else"});
  const std::string file =
      model({.nodes = {node("If", {"c"}, {"z"},
                            {graph_attribute("then_branch", then_graph), graph_attribute("else_branch", else_graph)})},
             .inputs = {value("c", 9, {}), value("x", kF32, {2})},
             .outputs = outputs({"z"}),
             .initializers = {raw_tensor<float>("w", kF32, {1}, {1})}});
  EXPECT_EQ(read(file).text(),
            "g: c bool [] x float32 [2] -> z\n"
            "  w = float32 [1] {1}\n"
            "  z = If@20(c) {else_branch=graph, then_branch=graph}\n"
            "    else_branch: else: -> x\n"
            "      captured x (1)\n"
            "    then_branch: then: -> t\n"
            "      captured x (1)\n"
            "      captured w (2)\n"
            "      captured c (0)\n"
            "      t = If@20(c) {then_branch=graph} in If.then\n"
            "        then_branch: inner: -> s\n"
            "          captured x (1)\n"
            "          captured w (2)\n"
            "          s = Add@20(x, w) in If.then/deep.then\n");
}

TEST(Subgraphs, DoNotHideNames) {
  const Proto body = graph({.nodes = {node("Abs", {"x"}, {"y"})}, .outputs = outputs({"y"})});
  const std::string file =
      model({.nodes = {node("Abs", {"x"}, {"y"}), node("Loop", {}, {"z"}, {graph_attribute("body", body)})},
             .inputs = {value("x", kF32, {})},
             .outputs = outputs({"z"})});
  EXPECT_EQ(
      read(file).text(),
      "`Abs #0` of graph `g` of attribute `body` of `Loop #1` defines `y`, a name that an enclosing graph defines "
      "already [duplicate-name]\n");
}

TEST(Subgraphs, AreSortedByWhatTheyCapture) {
  const Proto body = graph({.nodes = {node("Abs", {"y"}, {"t"})}, .outputs = outputs({"t"})});
  const std::string file =
      model({.nodes = {node("Loop", {}, {"z"}, {graph_attribute("body", body)}), node("Abs", {"x"}, {"y"})},
             .inputs = {value("x", kF32, {})},
             .outputs = outputs({"z"})});
  EXPECT_EQ(read(file).text(),
            "g: x float32 [] -> z\n"
            "  y = Abs@20(x)\n"
            "  z = Loop@20() {body=graph}\n"
            "    body: g: -> t\n"
            "      captured y (2)\n"
            "      t = Abs@20(y) in Loop.body\n");
}

TEST(Subgraphs, HaveALimitedDepth) {
  Proto inner = graph({.nodes = {node("Abs", {"x"}, {"y"})}, .outputs = outputs({"y"})});
  for (int i = 0; i < 40; ++i)
    inner = graph({.nodes = {node("Loop", {"x"}, {formatted("y{}", i)}, {graph_attribute("body", inner)})},
                   .outputs = outputs({formatted("y{}", i)})});
  const std::string file = model(GraphParts{.nodes = {node("Loop", {"x"}, {"z"}, {graph_attribute("body", inner)})},
                                            .inputs = {value("x", kF32, {})},
                                            .outputs = outputs({"z"})});
  EXPECT_EQ(read(file).text(), "messages are nested deeper than 64 [file-format]\n");
}

TEST(OnnxFunctions, AreInlined) {
  const FunctionParts scale{.domain = "a",
                            .name = "f",
                            .inputs = {"p", "q"},
                            .outputs = {"r"},
                            .nodes = {node("Abs", {"p"}, {"t"}, {}, {}, "first"), node("Mul", {"t", "q"}, {"r"})},
                            .operator_sets = {operator_set("", 13)}};
  EXPECT_EQ(text_of_call({scale}, node("f", {"x"}, {"z"}, {}, "a", "call")),
            "g: x float32 [] -> z\n"
            "  call/t = Abs@13(x) in call\n"
            "  z = Mul@13(call/t, _) in call\n");
  EXPECT_EQ(text_of_call({scale}, node("f", {"x", "x"}, {"z"}, {}, "a")),
            "g: x float32 [] -> z\n"
            "  f#0/t = Abs@13(x) in f#0\n"
            "  z = Mul@13(f#0/t, x) in f#0\n");
}

TEST(OnnxFunctions, CallFunctions) {
  const FunctionParts inner{
      .domain = "b", .name = "g", .inputs = {"p"}, .outputs = {"r"}, .nodes = {node("Abs", {"p"}, {"r"})}};
  const FunctionParts outer{.domain = "a",
                            .name = "f",
                            .inputs = {"p"},
                            .outputs = {"r"},
                            .nodes = {node("g", {"p"}, {"r"}, {}, "b"), node("Neg", {"r"}, {"unused"})}};
  EXPECT_EQ(text_of_call({outer, inner}, node("f", {"x"}, {"z"}, {}, "a")),
            "g: x float32 [] -> z\n"
            "  z = Abs@20(x) in f#0/g#0\n"
            "  f#0/unused = Neg@20(z) in f#0\n");
}

TEST(OnnxFunctions, PassOperandsThrough) {
  EXPECT_EQ(text_of_function({.domain = "a", .name = "f", .inputs = {"p"}, .outputs = {"p"}}),
            "g: x float32 [] -> z\n  z = Identity@20(x) in f#0\n");
}

TEST(OnnxFunctions, HaveOptionalResults) {
  const FunctionParts two{.domain = "a",
                          .name = "f",
                          .inputs = {"p"},
                          .outputs = {"r", "s"},
                          .nodes = {node("Abs", {"p"}, {"r"}), node("Neg", {"p"}, {"s"})}};
  EXPECT_EQ(text_of_call({two}, node("f", {"x"}, {"", "z"}, {}, "a")),
            "g: x float32 [] -> z\n"
            "  f#0/r = Abs@20(x) in f#0\n"
            "  z = Neg@20(x) in f#0\n");
}

TEST(OnnxFunctions, TakeAttributesOfTheCall) {
  const FunctionParts parts{.domain = "a",
                            .name = "f",
                            .inputs = {"p"},
                            .outputs = {"r"},
                            .attributes = {"one", "two"},
                            .nodes = {node("A", {"p"}, {"r"},
                                           {reference_attribute("i", "one", 2), reference_attribute("j", "two", 2),
                                            reference_attribute("k", "three", 2), integer_attribute("l", 4)})},
                            .defaults = {integer_attribute("three", 3), integer_attribute("one", 99)}};
  EXPECT_EQ(text_of_call({parts}, node("f", {"x"}, {"z"}, {integer_attribute("one", 1)}, "a")),
            "g: x float32 [] -> z\n  z = A@20(x) {i=1, k=3, l=4} in f#0\n");
}

TEST(OnnxFunctions, HaveSubgraphs) {
  const Proto body = graph({.nodes = {node("Add", {"p", "t"}, {"s"})}, .outputs = outputs({"s"}), .name = "body"});
  EXPECT_EQ(text_of_function(
                {.domain = "a",
                 .name = "f",
                 .inputs = {"p"},
                 .outputs = {"r"},
                 .nodes = {node("Abs", {"p"}, {"t"}), node("Loop", {}, {"r"}, {graph_attribute("body", body)})}}),
            "g: x float32 [] -> z\n"
            "  f#0/t = Abs@20(x) in f#0\n"
            "  z = Loop@20() {body=graph} in f#0\n"
            "    body: body: -> f#0/Loop.body/s\n"
            "      captured x (0)\n"
            "      captured f#0/t (2)\n"
            "      f#0/Loop.body/s = Add@20(x, f#0/t) in f#0/Loop.body\n");
}

TEST(OnnxFunctions, SeeNoNamesOfTheCaller) {
  EXPECT_EQ(text_of_function(
                {.domain = "a", .name = "f", .inputs = {"p"}, .outputs = {"r"}, .nodes = {node("Abs", {"x"}, {"r"})}}),
            "`Abs #0` of function `f` uses `x`, which is not defined [unknown-reference]\n");
}

TEST(OnnxFunctions, AreChecked) {
  const Proto abs = node("Abs", {"p"}, {"r"});
  EXPECT_EQ(text_of_function({.domain = "a", .name = "f", .inputs = {}, .outputs = {"r"}, .nodes = {abs}}),
            "`f #0` has 1 operands and 1 results, but function `a.f` has 0 and 1 [file-format]\n");
  EXPECT_EQ(text_of_function({.domain = "a", .name = "f", .inputs = {"p"}, .outputs = {"q"}, .nodes = {abs}}),
            "function `a.f` does not define its result `q` [unknown-reference]\n");
  EXPECT_EQ(text_of_function({.domain = "a", .name = "f", .inputs = {"p", "p"}, .outputs = {"r"}, .nodes = {abs}}),
            "function `a.f` has two operands `p` [duplicate-name]\n");
  const FunctionParts twice{.domain = "a", .name = "f", .inputs = {"p"}, .outputs = {"r", "r"}, .nodes = {abs}};
  EXPECT_EQ(text_of_call({twice}, node("f", {"x"}, {"z", "y"}, {}, "a")),
            "function `a.f` has two results `r` [duplicate-name]\n");
  const FunctionParts ok{.domain = "a", .name = "f", .inputs = {"p"}, .outputs = {"r"}, .nodes = {abs}};
  EXPECT_EQ(text_of_call({ok, ok}, node("f", {"x"}, {"z"}, {}, "a")),
            "function `a.f` is defined twice [duplicate-name]\n");
  EXPECT_EQ(text_of_function(
                {.domain = "a", .name = "f", .inputs = {"p"}, .outputs = {"r"}, .nodes = {abs}, .operator_sets = {}}),
            "`Abs #0` of function `f` is of operator set `ai.onnx`, which the function does not import "
            "[unknown-reference]\n");
}

TEST(OnnxFunctions, AreNotRecursive) {
  const auto calls = [](const std::string& name, const std::string& callee) {
    return FunctionParts{
        .domain = "a", .name = name, .inputs = {"p"}, .outputs = {"r"}, .nodes = {node(callee, {"p"}, {"r"}, {}, "a")}};
  };
  EXPECT_EQ(text_of_call({calls("f", "g"), calls("g", "h"), calls("h", "g")}, node("f", {"x"}, {"z"}, {}, "a")),
            "a function calls itself: `a.g` calls `a.h` calls `a.g` [file-format]\n");
  EXPECT_EQ(text_of_function(calls("f", "f")), "a function calls itself: `a.f` calls `a.f` [file-format]\n");
}

TEST(OnnxFunctions, HaveALimitedDepth) {
  std::vector<FunctionParts> all;
  for (int i = 0; i < 100; ++i) {
    const std::string name = i == 0 ? "f" : formatted("f{}", i);
    all.push_back({.domain = "a",
                   .name = name,
                   .inputs = {"p"},
                   .outputs = {"r"},
                   .nodes = {node(formatted("f{}", i + 1), {"p"}, {"r"}, {}, "a")}});
  }
  EXPECT_EQ(text_of_call(all, node("f", {"x"}, {"z"}, {}, "a")),
            "`f63 #0` of function `f62` is inside more than 64 functions and subgraphs [out-of-range]\n");
}

// Each of 30 functions calls the next one twice: 2^30 nodes.
TEST(OnnxFunctions, HaveALimitedSize) {
  std::vector<FunctionParts> all;
  for (int i = 0; i < 30; ++i) {
    const std::string name = i == 0 ? "f" : formatted("f{}", i), callee = formatted("f{}", i + 1);
    all.push_back({.domain = "a",
                   .name = name,
                   .inputs = {"p"},
                   .outputs = {"r"},
                   .nodes = {node(callee, {"p"}, {"q"}, {}, "a"), node(callee, {"q"}, {"r"}, {}, "a")}});
  }
  const std::string text = text_of_call(all, node("f", {"x"}, {"z"}, {}, "a"));
  EXPECT_TRUE(text.contains("[out-of-range]")) << text.substr(0, 500);
  EXPECT_LT(std::ranges::count(text, '\n'), 5);
}

}  // namespace
}  // namespace slipway::importer::onnx
