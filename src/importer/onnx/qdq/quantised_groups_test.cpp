// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models with QuantizeLinear and DequantizeLinear as graphs: which operators they become.
#include <gmock/gmock.h>

#include <cmath>

#include "importer/import.hpp"
#include "importer/onnx/qdq/quantised_pairs.hpp"
#include "importer/onnx/testing.hpp"

namespace slipway::importer::onnx {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Proto scale(std::string_view name, float value) { return raw_tensor(name, kF32, {}, std::vector{value}); }
Proto zero(std::string_view name, std::uint8_t value) { return raw_tensor(name, kU8, {}, std::vector{value}); }

// x and y are uint8 [1, 2, 4, 4]; their reals are `a` and `b`. The real `r` becomes the result.
GraphParts between(std::vector<Proto> nodes) {
  GraphParts parts{
      .nodes = {node("DequantizeLinear", {"x", "s", "z"}, {"a"}), node("DequantizeLinear", {"y", "t", "z"}, {"b"})},
      .inputs = {value("x", kU8, {1, 2, 4, 4}), value("y", kU8, {1, 2, 4, 4})},
      .outputs = {value("q", kU8, {})},
      .initializers = {scale("s", 0.1031277F), scale("t", 0.0712345F), scale("u", 0.2034567F), zero("z", 100)}};
  for (Proto& each : nodes) parts.nodes.push_back(std::move(each));
  parts.nodes.push_back(node("QuantizeLinear", {"r", "u", "z"}, {"q"}));
  return parts;
}

// The kinds of operators, in order: "RESCALE CONV2D CAST".
std::string operators_of(const GraphParts& parts, const ImportOptions& options = {}) {
  const std::string file = model(parts);
  Diagnostics diagnostics;
  const auto imported = ImportedModel::open(bytes_of(file), "net.onnx", {}, diagnostics);
  const auto made = imported ? imported->specialise(options, diagnostics) : std::nullopt;
  if (!made) return diagnostics.all().empty() ? "nothing" : diagnostics.all().front().message;
  std::string text;
  for (const tosa::Node& each : made->graph.nodes) append_formatted(text, "{} ", tosa::name_of(each.op));
  return text;
}

GraphParts convolution(std::vector<Proto> after = {}, std::string_view last = "r") {
  std::vector<Proto> nodes{node("DequantizeLinear", {"w", "v"}, {"weights"}, {integer_attribute("axis", 0)}),
                           node("Conv", {"a", "weights"}, {std::string(last)})};
  for (Proto& each : after) nodes.push_back(std::move(each));
  GraphParts parts = between(std::move(nodes));
  parts.initializers.push_back(raw_tensor("w", kI8, {3, 2, 1, 1}, std::vector<std::int8_t>{1, 2, 3, 4, 5, 6}));
  parts.initializers.push_back(raw_tensor("v", kF32, {3}, std::vector{0.1F, 0.2F, 0.3F}));
  return parts;
}

TEST(QuantisedGroups, ConvolveIntegers) {
  EXPECT_EQ(operators_of(convolution()),
            "RESCALE TRANSPOSE CONV2D CAST RESHAPE MUL CLAMP CAST ADD CAST RESCALE TRANSPOSE ");
}

// Limits of Relu and Clip are limits of the integers: no operator is added.
TEST(QuantisedGroups, TakeLimitsAlong) {
  const std::string plain = operators_of(convolution());
  EXPECT_EQ(operators_of(convolution({node("Relu", {"c"}, {"r"})}, "c")), plain);
}

// A function that is not a limit is computed in floats, after integers were multiplied.
TEST(QuantisedGroups, LeaveFloatsAfterSums) {
  EXPECT_THAT(operators_of(convolution({node("Sigmoid", {"c"}, {"r"})}, "c")),
              AllOf(HasSubstr("CONV2D"), HasSubstr("SIGMOID"), Not(HasSubstr("TABLE"))));
}

TEST(QuantisedGroups, TabulateFunctions) {
  EXPECT_EQ(operators_of(between({node("Sigmoid", {"a"}, {"r"})})), "RESCALE TABLE RESCALE ");
  EXPECT_EQ(operators_of(between({node("Relu", {"a"}, {"c"}), node("Mul", {"c", "u"}, {"r"})})),
            "RESCALE TABLE RESCALE ");
}

// A result with another scale is one table more.
TEST(QuantisedGroups, MoveIntegers) {
  EXPECT_EQ(operators_of(between({node("Transpose", {"a"}, {"r"})})), "RESCALE TABLE RESCALE TRANSPOSE ");
  GraphParts same = between({node("Transpose", {"a"}, {"r"})});
  same.initializers[2] = scale("u", 0.1031277F);
  EXPECT_EQ(operators_of(same), "TRANSPOSE ");
}

TEST(QuantisedGroups, AddIntegers) {
  EXPECT_EQ(operators_of(between({node("Add", {"a", "b"}, {"r"})})),
            "RESCALE CAST SUB CAST RESCALE CAST SUB CAST MUL MUL ADD CLAMP CAST ADD CAST RESCALE ");
  // Many sums are halves of the last digit here, and are rounded as the definition rounds them.
  GraphParts halves = between({node("Add", {"a", "b"}, {"r"})});
  halves.initializers[0] = scale("s", 0.1F);
  halves.initializers[1] = scale("t", 0.07F);
  halves.initializers[2] = scale("u", 0.2F);
  EXPECT_THAT(operators_of(halves), HasSubstr("FLOOR"));
}

// Whatever else uses a value keeps it as it is in the file.
TEST(QuantisedGroups, KeepWhatIsUsedElsewhere) {
  GraphParts parts = between({node("Sigmoid", {"a"}, {"r"})});
  parts.outputs.push_back(value("r", kF32, {}));
  EXPECT_THAT(operators_of(parts), AllOf(HasSubstr("SIGMOID"), Not(HasSubstr("TABLE"))));
  GraphParts both = between({node("Sigmoid", {"a"}, {"r"})});
  both.outputs.push_back(value("a", kF32, {}));
  EXPECT_THAT(operators_of(both), AllOf(HasSubstr("TABLE"), HasSubstr("MUL")));
  EXPECT_THAT(operators_of(between({node("Sigmoid", {"a"}, {"r"})}), {.expose = {"r"}}), HasSubstr("SIGMOID"));
}

// Parts of the nodes are absent, or have other types than ONNX defines: what remains is an error, or a graph.
TEST(QuantisedGroups, SurviveOddNodes) {
  GraphParts parts = convolution();
  parts.nodes.push_back(node("DequantizeLinear", {"x", "s", "z"}, {}));
  parts.nodes.push_back(node("DequantizeLinear", {"", "s", "z"}, {"absent"}, {text_attribute("axis", "1")}));
  parts.nodes.push_back(node("Relu", {"absent"}, {""}));
  parts.nodes.push_back(node("GlobalAveragePool", {"absent"}, {"mean"}));
  parts.nodes.push_back(node("QuantizeLinear", {"mean", "u", "z"}, {""}));
  parts.nodes.push_back(node("Clip", {"a"}, {}, {text_attribute("min", "0")}));
  parts.nodes.push_back(node("Identity", {}, {"nothing"}));
  parts.nodes.push_back(node("DequantizeLinear", {"y", "nothing", "nothing"}, {"c"}));
  EXPECT_NE(operators_of(parts), "nothing");
}

// Bilinear interpolation computes: the model is converted as floats.
TEST(QuantisedGroups, FallBackToFloats) {
  GraphParts parts = between({node("Resize", {"a", "", "sizes"}, {"r"}, {text_attribute("mode", "linear")})});
  parts.initializers.push_back(raw_tensor("sizes", kF32, {4}, std::vector{1.0F, 1.0F, 2.0F, 2.0F}));
  EXPECT_THAT(operators_of(parts), AllOf(HasSubstr("RESIZE"), HasSubstr("MUL")));
}

TEST(QuantisedGroups, AreNotMadeOnRequest) {
  EXPECT_THAT(operators_of(convolution(), {.fuses_quantised = false}), HasSubstr("MUL"));
  EXPECT_THAT(operators_of(between({node("Sigmoid", {"a"}, {"r"})}), {.fuses_quantised = false}), HasSubstr("SIGMOID"));
}

// The factors are as exact as the definition, for each of the 65,536 pairs; it is computed here in another way.
TEST(QuantisedPairs, AgreeWithTheDefinition) {
  const PairOperands operands{.scales = {0.01732051F, 0.02915476F}, .zeros = {-3, 17}, .result_scale = 0.04123106F};
  const PairLimits limits{.low = -140, .high = 115};
  for (const Binary op : {Binary::Add, Binary::Sub, Binary::Mul}) {
    const auto factors = pair_factors(op, operands, limits);
    ASSERT_TRUE(factors) << static_cast<int>(op);
    for (int a = -128; a < 128; ++a) {
      for (int b = -128; b < 128; ++b) {
        const auto x = static_cast<float>(a + 3), y = static_cast<float>(b - 17);
        const float left = x * operands.scales[0], right = y * operands.scales[1];
        const float real = op == Binary::Add ? left + right : op == Binary::Sub ? left - right : left * right;
        const float made = op == Binary::Add   ? x * factors->first + y * factors->second
                           : op == Binary::Sub ? x * factors->first - y * factors->second
                                               : x * y * factors->first;
        const float expected = std::nearbyint(real / operands.result_scale);
        if (expected < -140 || expected > 115) continue;
        ASSERT_EQ(std::nearbyint(made), expected) << a << " " << b;
      }
    }
  }
}

}  // namespace
}  // namespace slipway::importer::onnx
