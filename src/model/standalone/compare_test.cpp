// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan/intermediates.hpp"
#include "model/standalone/compare_layers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/run.hpp"
#include "testing/tosa/graph_text.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::model {
namespace {

using reference::Tensor;

using slipway::testing::graph_of;

Tensor reals(tensor::Shape shape, std::vector<double> values, tosa::DataType type = tosa::DataType::F32) {
  return {.type = {type, std::move(shape)}, .integers = {}, .reals = std::move(values)};
}

Tensor integers(tensor::Shape shape, std::vector<std::int64_t> values) {
  return {.type = {tosa::DataType::I32, std::move(shape)}, .integers = std::move(values), .reals = {}};
}

ValueComparison compare(const tosa::Graph& graph, std::vector<Tensor> inputs, const Tensor& output) {
  auto comparisons = compare_with_reference(graph, std::move(inputs), {&output, 1});
  if (!comparisons) throw std::runtime_error(comparisons.error()[0].message);
  return (*comparisons)[0];
}

TEST(Compare, IntegersAreEqualOrWrong) {
  const tosa::Graph graph = graph_of("%0 = input i32[3]\n%1 = ABS(%0) i32[3]\noutput %1\n");
  const Tensor input = integers({3}, {-1, 2, -3});
  const ValueComparison right = compare(graph, {input}, integers({3}, {1, 2, 3}));
  EXPECT_TRUE(right.passed());
  EXPECT_EQ(comparison_text(right), "ok (3 elements, all equal)");
  const ValueComparison wrong = compare(graph, {input}, integers({3}, {1, 4, 4}));
  EXPECT_FALSE(wrong.passed());
  EXPECT_EQ(comparison_text(wrong), "FAILED 2 of 3 elements differ; [1] is 4 instead of 2 (allowed 0)");
}

TEST(Compare, ExactOperatorsOnFloatsAreExact) {
  const tosa::Graph graph = graph_of("%0 = input f32[2]\n%1 = ABS(%0) f32[2]\noutput %1\n");
  EXPECT_TRUE(compare(graph, {reals({2}, {-1, 2})}, reals({2}, {1, 2})).passed());
  EXPECT_FALSE(compare(graph, {reals({2}, {-1, 2})}, reals({2}, {1, 2.0000002384185791})).passed());
}

// tanh(1) is 0.76159415595...; TOSA allows some units in the last place of f32, about 6e-8 each.
TEST(Compare, TheLastOperatorHasTheBoundsOfTosa) {
  const tosa::Graph graph = graph_of("%0 = input f32[1]\n%1 = TANH(%0) f32[1]\noutput %1\n");
  const ValueComparison near = compare(graph, {reals({1}, {1})}, reals({1}, {0.761594}));
  EXPECT_TRUE(near.passed());
  EXPECT_GT(near.max_of_allowed, 0);
  EXPECT_LE(near.max_of_allowed, 1);
  const ValueComparison far = compare(graph, {reals({1}, {1})}, reals({1}, {0.7617}));
  EXPECT_FALSE(far.passed());
  EXPECT_GT(far.max_of_allowed, 1);
  EXPECT_FALSE(compare(graph, {reals({1}, {1})}, reals({1}, {NAN})).passed());
}

TEST(Compare, BoundsAccumulateAlongTheWay) {
  const tosa::Graph one = graph_of("%0 = input f32[1]\n%1 = EXP(%0) f32[1]\noutput %1\n");
  const tosa::Graph two = graph_of("%0 = input f32[1]\n%1 = EXP(%0) f32[1]\n%2 = ABS(%1) f32[1]\noutput %2\n");
  const Tensor input = reals({1}, {2});
  const Tensor given = reals({1}, {std::exp(2.0) + 2e-6});
  const double once = compare(one, {input}, given).allowed;
  EXPECT_GT(once, 0);
  // The second operator is exact, and has the bound of the first.
  EXPECT_NEAR(compare(two, {input}, given).allowed, once, once * 1e-3);
}

TEST(Compare, ConvertedFloatsMayRoundTheOtherWay) {
  const tosa::Graph graph = graph_of("%0 = input f32[1]\n%1 = EXP(%0) f32[1]\n%2 = CAST(%1) i32[1]\noutput %2\n");
  EXPECT_TRUE(compare(graph, {reals({1}, {2})}, integers({1}, {8})).passed());  // 7.389
  EXPECT_FALSE(compare(graph, {reals({1}, {2})}, integers({1}, {9})).passed());
  const tosa::Graph exact = graph_of("%0 = input f32[1]\n%1 = CAST(%0) i32[1]\noutput %1\n");
  EXPECT_FALSE(compare(exact, {reals({1}, {2})}, integers({1}, {3})).passed());
}

// TOSA does not define powers of 0 with an exponent of 0 or less: any result is right, there only.
TEST(Compare, UndefinedPowers) {
  const tosa::Graph graph = graph_of("%0 = input f32[3]\n%1 = input f32[3]\n%2 = POW(%0, %1) f32[3]\noutput %2\n");
  const std::vector<Tensor> inputs = {reals({3}, {0, 2, -1}), reals({3}, {-1, 3, 0.5})};
  EXPECT_TRUE(compare(graph, inputs, reals({3}, {NAN, 8, 5})).passed());
  EXPECT_FALSE(compare(graph, inputs, reals({3}, {NAN, NAN, 5})).passed());
}

// Devices may take subnormal operands for zeros, in this operator or in one before it.
TEST(Compare, SubnormalOperandsMayBeZeros) {
  const tosa::Graph graph = graph_of(
      "%0 = input f32[2]\n%1 = input f32[2]\n%2 = EQUAL(%0, %1) bool[2]\n%3 = CAST(%2) i8[2]\n%4 = CAST(%3) f32[2]\n"
      "output %4\n");
  const std::vector<Tensor> inputs = {reals({2}, {0x1p-130, 1}), reals({2}, {0, 0x1p-130})};
  EXPECT_TRUE(compare(graph, inputs, reals({2}, {0, 0})).passed());
  EXPECT_TRUE(compare(graph, inputs, reals({2}, {1, 0})).passed());
  EXPECT_EQ(compare(graph, inputs, reals({2}, {1, 1})).wrong, 1);
  EXPECT_EQ(compare(graph, inputs, reals({2}, {2, 0})).wrong, 1);
}

TEST(Compare, OperatorsThatTheInterpreterDoesNotHave) {
  tosa::Graph graph;
  const tosa::ValueId x = graph.add_input({tosa::DataType::F32, {1}});
  graph.outputs = {graph.add(tosa::Op::CUSTOM, {x}, {}, {tosa::DataType::F32, {1}})};
  graph.nodes[0].custom = std::make_shared<const tosa::CustomOperator>("d", "n", "");
  const Tensor output = reals({1}, {0});
  const auto comparisons = compare_with_reference(graph, {reals({1}, {0})}, {&output, 1});
  ASSERT_FALSE(comparisons);
  EXPECT_EQ(comparisons.error()[0].kind, DiagnosticKind::Unsupported);
}

// --- devices ---

std::vector<DeviceComparison> compare_two(const tosa::Graph& graph, const Tensor& input, const Tensor& first,
                                          const Tensor& second) {
  auto comparisons = compare_devices(graph, {input}, {&first, 1}, {&second, 1});
  if (!comparisons) throw std::runtime_error(comparisons.error()[0].message);
  return *comparisons;
}

TEST(CompareDevices, IntegersAndExactOperatorsAreEqual) {
  const tosa::Graph graph = graph_of("%0 = input i32[3]\n%1 = ABS(%0) i32[3]\noutput %1\n");
  const Tensor input = integers({3}, {-1, 2, -3}), right = integers({3}, {1, 2, 3});
  EXPECT_TRUE(compare_two(graph, input, right, right)[0].between.passed());
  const DeviceComparison differ = compare_two(graph, input, right, integers({3}, {1, 7, 3}))[0];
  EXPECT_EQ(comparison_text(differ.between), "FAILED 1 of 3 elements differ; [1] is 2 instead of 7 (allowed 0)");
  EXPECT_EQ(differ.first_wrong, 0u);
  EXPECT_EQ(differ.second_wrong, 1u);
  // Both have the same wrong result.
  const Tensor wrong = integers({3}, {1, 7, 3});
  const DeviceComparison same = compare_two(graph, input, wrong, wrong)[0];
  EXPECT_TRUE(same.between.passed());
  EXPECT_EQ(same.first_wrong, 1u);
}

// Results at both ends of the bound differ by twice the bound.
TEST(CompareDevices, TwiceTheBoundIsAllowed) {
  const tosa::Graph graph = graph_of("%0 = input f32[1]\n%1 = TANH(%0) f32[1]\noutput %1\n");
  const Tensor input = reals({1}, {1});
  const double exact = std::tanh(1.0);
  const double bound = compare(graph, {input}, reals({1}, {0.7617})).allowed;
  ASSERT_GT(bound, 0);
  const auto between = [&](double first, double second) {
    return compare_two(graph, input, reals({1}, {exact + first * bound}), reals({1}, {exact + second * bound}))[0];
  };
  EXPECT_TRUE(between(0.9, -0.9).between.passed());
  EXPECT_EQ(between(0.9, -0.9).first_wrong + between(0.9, -0.9).second_wrong, 0u);
  EXPECT_FALSE(between(0.9, -1.2).between.passed());
  EXPECT_EQ(between(0.9, -1.2).second_wrong, 1u);
  EXPECT_FALSE(between(3, 0).between.passed());
  EXPECT_EQ(between(3, 0).first_wrong, 1u);
}

// --- layers ----------------------------------------------------------------------------------------------------------

// x -> |x| -> 2 * |x| -> its negative
const char* const kThreeLayers =
    "%0 = input i32[3]\n%1 = const i32[3] [2, 2, 2]\n%2 = ABS(%0) i32[3]\n%3 = MUL(%2, %1) i32[3] shift=0\n"
    "%4 = NEGATE(%3) i32[3] input1_zp=0 output_zp=0\noutput %4\n";

StoredValue stored(std::uint32_t value, const std::string& kernel, std::vector<std::int64_t> values) {
  return {tosa::ValueId{value}, kernel, integers({3}, std::move(values)).to_bytes()};
}

std::string layers_of(const std::string& text, const Tensor& input, const std::vector<StoredValue>& values) {
  const tosa::Graph graph = graph_of(text);
  const auto layers = compare_layers(graph, {&input, 1}, values);
  if (!layers) throw std::runtime_error(layers.error()[0].message);
  return layers_text(*layers);
}

TEST(CompareLayers, EachKernelIsComparedForItsOwnInputs) {
  const Tensor input = integers({3}, {-1, 2, -3});
  EXPECT_EQ(layers_of(kThreeLayers, input,
                      {stored(2, "ABS", {1, 2, 3}), stored(3, "MUL", {2, 4, 6}), stored(4, "NEGATE", {-2, -4, -6})}),
            "layer 0 `ABS`: ok (3 elements, all equal)\nlayer 1 `MUL`: ok (3 elements, all equal)\n"
            "layer 2 `NEGATE`: ok (3 elements, all equal)\n");
  // The second kernel is wrong, and the third one is right for what it had.
  EXPECT_EQ(layers_of(kThreeLayers, input,
                      {stored(2, "ABS", {1, 2, 3}), stored(3, "MUL", {2, 9, 6}), stored(4, "NEGATE", {-2, -9, -6})}),
            "layer 0 `ABS`: ok (3 elements, all equal)\n"
            "layer 1 `MUL`: FAILED 1 of 3 elements differ; [1] is 9 instead of 4 (allowed 0)\n"
            "layer 2 `NEGATE`: ok (3 elements, all equal); inherited: 1 of 3 differ, max difference 5\n");
  // Two wrong kernels.
  EXPECT_EQ(
      layers_of(kThreeLayers, input,
                {stored(2, "ABS", {1, 3, 3}), stored(3, "MUL", {2, 6, 6}), stored(4, "NEGATE", {-2, -6, 6})}),
      "layer 0 `ABS`: FAILED 1 of 3 elements differ; [1] is 3 instead of 2 (allowed 0)\n"
      "layer 1 `MUL`: ok (3 elements, all equal); inherited: 1 of 3 differ, max difference 2\n"
      "layer 2 `NEGATE`: FAILED 1 of 3 elements differ; [2] is 6 instead of -6 (allowed 0); inherited: 1 of 3 differ, "
      "max difference 2\n");
}

// The other device negates wrongly.
TEST(CompareLayers, AnotherDeviceTakesThePlaceOfTheInterpreter) {
  const tosa::Graph graph = graph_of(kThreeLayers);
  const Tensor input = integers({3}, {-1, 2, -3});
  const GraphRunner other = [](const std::shared_ptr<const tosa::Graph>& part, std::span<const Tensor> inputs) {
    auto outputs = reference::run(*part, {inputs.begin(), inputs.end()});
    if (outputs && part->nodes.back().op == tosa::Op::NEGATE) (*outputs)[0].integers[0] += 10;
    return outputs;
  };
  const auto layers = compare_layers(
      graph, {&input, 1},
      std::vector{stored(2, "ABS", {1, 2, 3}), stored(3, "MUL", {2, 9, 6}), stored(4, "NEGATE", {-2, -9, -6})}, other);
  ASSERT_TRUE(layers);
  EXPECT_EQ(layers_text(*layers),
            "layer 0 `ABS`: ok (3 elements, all equal)\n"
            "layer 1 `MUL`: FAILED 1 of 3 elements differ; [1] is 9 instead of 4 (allowed 0)\n"
            "layer 2 `NEGATE`: FAILED 1 of 3 elements differ; [0] is -2 instead of 8 (allowed 0); inherited: 1 of 3 "
            "differ, max difference 5\n");
  ASSERT_TRUE((*layers)[1].devices);
  EXPECT_EQ((*layers)[1].devices->first_wrong, 1u);
  EXPECT_EQ((*layers)[1].devices->second_wrong, 0u);
  EXPECT_EQ((*layers)[2].devices->first_wrong, 0u);
  EXPECT_EQ((*layers)[2].devices->second_wrong, 1u);
}

// A kernel of several operators starts from the values that are stored before it.
TEST(CompareLayers, KernelsOfSeveralOperators) {
  const Tensor input = integers({3}, {-1, 2, -3});
  EXPECT_EQ(layers_of(kThreeLayers, input, {stored(4, "ABS+MUL+NEGATE", {-2, -4, -5})}),
            "layer 0 `ABS+MUL+NEGATE`: FAILED 1 of 3 elements differ; [2] is -5 instead of -6 (allowed 0)\n");
  EXPECT_EQ(layers_of(kThreeLayers, input, {stored(3, "ABS+MUL", {2, 4, 6}), stored(4, "NEGATE", {-2, -4, -6})}),
            "layer 0 `ABS+MUL`: ok (3 elements, all equal)\nlayer 1 `NEGATE`: ok (3 elements, all equal)\n");
  // A value that is not known is computed.
  EXPECT_EQ(layers_of(kThreeLayers, input, {{tosa::ValueId{2}, "ABS"}, stored(4, "MUL+NEGATE", {-2, -4, -6})}),
            "layer 0 `MUL+NEGATE`: ok (3 elements, all equal)\n");
}

}  // namespace
}  // namespace slipway::model
