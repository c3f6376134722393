// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs that decide shapes: they get their elements where a node needs them.
#include <gmock/gmock.h>

#include "importer/import.hpp"
#include "importer/onnx/testing.hpp"

namespace slipway::importer::onnx {
namespace {

using ::testing::ElementsAre;

// y is x [12] reshaped to `sides` + 1 and its first `rows` rows, which are known one after the other.
std::string chained(std::vector<Proto> between = {}, std::string ends = "ends") {
  GraphParts parts{.nodes = {node("Relu", {"x"}, {"positive"}), node("Add", {"sides", "one"}, {"shape"}),
                             node("Mul", {"rows", "one"}, {"ends"})},
                   .inputs = {value("x", kF32, {12}), value("sides", kI64, {2}), value("rows", kI64, {1})},
                   .outputs = {value("y", kF32, {-1, -1})},
                   .initializers = {raw_tensor("one", kI64, {1}, std::vector<std::int64_t>{1}),
                                    raw_tensor("zero", kI64, {1}, std::vector<std::int64_t>{0})}};
  for (Proto& each : between) parts.nodes.push_back(std::move(each));
  parts.nodes.push_back(node("Reshape", {"positive", "shape"}, {"matrix"}));
  parts.nodes.push_back(node("Slice", {"matrix", "zero", std::move(ends)}, {"y"}));
  return model(parts);
}

struct Specialised {
  std::string operators;
  tensor::Shape shape;               // of the output
  std::vector<std::string> queried;  // inputs whose elements were asked for
  std::string messages;
};

Specialised specialised(const std::string& file, std::map<std::string, std::vector<std::int64_t>> given,
                        std::set<std::string, std::less<>> bound = {}) {
  Specialised result;
  Diagnostics diagnostics;
  const auto imported = ImportedModel::open(bytes_of(file), "net.onnx", {}, diagnostics);
  ImportOptions options;
  options.bound = std::move(bound);
  options.elements_of = [&](const std::string& name) -> std::optional<Array> {
    result.queried.push_back(name);
    const auto found = given.find(name);
    if (found == given.end()) return std::nullopt;
    return array_of(FileType::I64, {std::ssize(found->second)}, std::span<const std::int64_t>(found->second));
  };
  const auto made = imported ? imported->specialise(options, diagnostics) : std::nullopt;
  for (const Diagnostic& each : diagnostics.all()) result.messages += each.message + "\n";
  if (!made) return result;
  for (const tosa::Node& each : made->graph.nodes) append_formatted(result.operators, "{} ", tosa::name_of(each.op));
  result.shape = made->graph[made->graph.outputs[0]].type.shape;
  return result;
}

// Values that reach nothing would be lost.
TEST(Specialise, InputsThatDecideNothingCannotBeBound) {
  const std::map<std::string, std::vector<std::int64_t>> given = {{"sides", {2, 3}}, {"rows", {2}}};
  EXPECT_EQ(specialised(chained(), given, {"sides", "rows"}).messages, "");
  EXPECT_EQ(specialised(chained(), given, {"x"}).messages,
            "no shape or parameter depends on input `x`, so that it cannot be bound to values; it is given to a run\n");
  EXPECT_EQ(specialised(chained(), given, {"row"}).messages, "the model has no input `row`; did you mean `rows`?\n");
}

// What was computed of the inputs before they were bound is not in the graph; nothing else is computed again.
TEST(Specialise, InputsAreBoundWhereTheyAreNeeded) {
  const Specialised made = specialised(chained(), {{"sides", {2, 3}}, {"rows", {2}}});
  EXPECT_EQ(made.messages, "");
  EXPECT_EQ(made.operators, "CLAMP RESHAPE SLICE ");
  EXPECT_THAT(made.shape, ElementsAre(2, 4));
  EXPECT_THAT(made.queried, ElementsAre("sides", "rows"));
}

// A branch reads values of the graph around it.
TEST(Specialise, BranchesThatReadThemAreComputedAgain) {
  const Proto branch = graph({.nodes = {node("Identity", {"ends"}, {"then_rows"})},
                              .outputs = {value("then_rows", kI64, {1})},
                              .name = "then"});
  const Proto other = graph({.nodes = {node("Identity", {"zero"}, {"else_rows"})},
                             .outputs = {value("else_rows", kI64, {1})},
                             .name = "else"});
  const std::string file =
      chained({node("Constant", {}, {"yes"},
                    {tensor_attribute("value", raw_tensor("", kBool, {}, std::vector<std::uint8_t>{1}))}),
               node("If", {"yes"}, {"chosen"},
                    {graph_attribute("then_branch", branch), graph_attribute("else_branch", other)})},
              "chosen");
  const Specialised made = specialised(file, {{"sides", {2, 3}}, {"rows", {1}}});
  EXPECT_EQ(made.messages, "");
  EXPECT_EQ(made.operators, "CLAMP RESHAPE SLICE ");
  EXPECT_THAT(made.shape, ElementsAre(1, 4));
}

// Each loop has few iterations, but they multiply.
TEST(Specialise, LoopsInLoopsAreBounded) {
  const auto loop = [](std::string_view of, std::string_view to, const Proto& body) {
    return node("Loop", {"count", "", std::string(of)}, {std::string(to)}, {graph_attribute("body", body)});
  };
  const auto body = [](int depth, const Proto& inside) {
    return graph({.nodes = {node("Identity", {formatted("c{}", depth)}, {formatted("d{}", depth)}), inside},
                  .inputs = {value(formatted("i{}", depth), kI64, {}), value(formatted("c{}", depth), kBool, {}),
                             value(formatted("v{}", depth), kF32, {4})},
                  .outputs = {value(formatted("d{}", depth), kBool, {}), value(formatted("w{}", depth), kF32, {4})},
                  .name = "body"});
  };
  Proto made = node("Abs", {"v0"}, {"w0"});
  for (int i = 1; i < 3; ++i) made = loop(formatted("v{}", i), formatted("w{}", i), body(i - 1, made));
  const std::string file = model({.nodes = {loop("x", "y", body(2, made))},
                                  .inputs = {value("x", kF32, {4})},
                                  .outputs = {value("y", kF32, {4})},
                                  .initializers = {raw_tensor("count", kI64, {}, std::vector<std::int64_t>{4000})}});
  EXPECT_EQ(specialised(file, {}).messages, "1 of 699051 nodes cannot be converted\n");
}

// Nodes that became one with others are not computed again alone: all is computed anew.
TEST(Specialise, InputsOfQuantisedGroupsAreBound) {
  const GraphParts parts{
      .nodes = {node("Cast", {"sides"}, {"real"}, {integer_attribute("to", kF32)}),
                node("QuantizeLinear", {"real", "scale", "none"}, {"q"}),
                node("DequantizeLinear", {"q", "scale", "none"}, {"d"}), node("Relu", {"d"}, {"positive"}),
                node("QuantizeLinear", {"positive", "scale", "none"}, {"r"}),
                node("DequantizeLinear", {"r", "scale", "none"}, {"z"}), node("Reshape", {"x", "sides"}, {"y"})},
      .inputs = {value("x", kF32, {12}), value("sides", kI64, {2})},
      .outputs = {value("y", kF32, {-1, -1}), value("z", kF32, {2})},
      .initializers = {raw_tensor("scale", kF32, {}, std::vector<float>{0.5F}),
                       raw_tensor("none", kI8, {}, std::vector<std::int8_t>{0})}};
  const Specialised made = specialised(model(parts), {{"sides", {3, 4}}});
  EXPECT_EQ(made.messages, "");
  EXPECT_THAT(made.shape, ElementsAre(3, 4));
}

TEST(Specialise, InputsWithoutElementsAreReported) {
  const Specialised made = specialised(chained(), {{"sides", {2, 3}}});
  EXPECT_EQ(made.operators, "");
  EXPECT_THAT(made.messages,
              ::testing::HasSubstr("with --bind rows=... more of them may; a run also takes --input rows=FILE"));
  EXPECT_THAT(specialised(chained(), {{"sides", {2, 3, 4}}, {"rows", {1}}}).messages,
              ::testing::HasSubstr("input `sides` has the shape [2] and is given 3 values"));
}

}  // namespace
}  // namespace slipway::importer::onnx
