// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators with operands that are not constant compute what they compute with constants of the same values.
#include "tosa/read/open_parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "reference/run.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::convert {
namespace {

using reference::Tensor;
using tosa::DataType;

tosa::Graph verified_graph(const std::string& lines) {
  Diagnostics problems;
  auto graph = tosa::parse(make_source("<graph>", "graph m {\n" + lines + "}\n"), problems);
  if (graph) tosa::verify(*graph, problems);
  EXPECT_EQ(problems.errors(), 0u) << format_diagnostics(problems.all(), {.sources = false});
  return graph ? std::move(*graph) : tosa::Graph();
}

struct Given {
  std::string name;  // of a zero point, a shift or a padding value
  DataType type;
};

// The last operator of the lines, with constant values, and the same with inputs that have these values.
void expect_equal_results(const std::string& lines, const std::vector<Given>& open, int range = 128) {
  SCOPED_TRACE(lines);
  const tosa::Graph constant = verified_graph(lines);
  tosa::Graph graph = constant;
  const tosa::Node node = graph.nodes.back();
  graph.nodes.pop_back();
  tosa::OpenOperator whole{.op = node.op,
                           .inputs = node.inputs,
                           .attributes = node.attributes,
                           .result = graph[node.outputs[0]].type,
                           .open = {}};
  std::mt19937 random(7);
  std::vector<Tensor> inputs;
  for (const tosa::ValueId value : graph.inputs) {
    Tensor tensor = Tensor::zeros(graph[value].type);
    for (std::int64_t& each : tensor.integers) each = static_cast<int>(random() % (2 * range)) - range;
    for (double& each : tensor.reals) each = static_cast<int>(random() % 256) / 16.0 - 8;
    inputs.push_back(std::move(tensor));
  }
  const auto expected = reference::run(constant, inputs);
  ASSERT_TRUE(expected);
  graph.values.pop_back();  // the result
  graph.outputs.clear();
  const auto add_value = [&](const tosa::TensorType& type, const Tensor& values) {
    inputs.push_back(values);
    return graph.add_input(type);
  };
  for (const Given& each : open) {
    const std::size_t tensor = each.name == "multiplier" ? 1 : each.name == "shift" && node.inputs.size() == 3 ? 2 : 0;
    if (tensor != 0) {
      const tosa::Constant& data = *constant.constant(node.inputs[tensor]);
      const tosa::TensorType& type = constant[node.inputs[tensor]].type;
      whole.inputs[tensor] = add_value(type, Tensor::from_bytes(type, data.data, data.splat));
      continue;
    }
    const tosa::TensorType type{each.type, {1}};
    Tensor value = Tensor::zeros(type);
    if (value.is_float())
      value.reals[0] = node.attributes.real(each.name);
    else
      value.integers[0] = node.attributes.integer(each.name);
    whole.open.push_back({info_of(node.op).operand(each.name)->name, add_value(type, value)});
    whole.attributes.set(whole.open.back().name, std::int64_t{0});
  }
  ASSERT_TRUE(tosa::is_open(graph, whole));
  const auto closed = tosa::close_operator(graph, whole);
  ASSERT_TRUE(closed) << closed.error();
  EXPECT_EQ(closed->warnings.size(), open.size());
  graph.outputs = {closed->result};
  Diagnostics problems;
  tosa::verify(graph, problems);
  ASSERT_EQ(problems.errors(), 0u) << format_diagnostics(problems.all(), {.sources = false});
  const auto made = reference::run(graph, inputs);
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)[0].type, (*expected)[0].type);
  EXPECT_EQ((*made)[0].integers, (*expected)[0].integers);
  EXPECT_EQ((*made)[0].reals, (*expected)[0].reals);
}

TEST(OpenParameters, Products) {
  const std::string matmul =
      "%0 = input i8[2, 3, 5]\n%1 = input i8[2, 5, 4]\n%2 = MATMUL(%0, %1) i32[2, 3, 4] A_zp=-7 B_zp=9\noutput %2\n";
  expect_equal_results(matmul, {{"A_zp", DataType::I8}});
  expect_equal_results(matmul, {{"B_zp", DataType::I8}});
  expect_equal_results(matmul, {{"A_zp", DataType::I8}, {"B_zp", DataType::I8}});
  const std::string conv =
      "%0 = input i8[1, 5, 6, 3]\n%1 = input i8[4, 3, 2, 3]\n%2 = input i32[4]\n"
      "%3 = CONV2D(%0, %1, %2) i32[1, 6, 3, 4] pad=[2, 1, 0, 0] stride=[1, 2] dilation=[1, 1] acc_type=INT32 "
      "local_bound=false input_zp=13 weight_zp=-128\noutput %3\n";
  expect_equal_results(conv, {{"input_zp", DataType::I8}});
  expect_equal_results(conv, {{"weight_zp", DataType::I8}});
  expect_equal_results(conv, {{"input_zp", DataType::I8}, {"weight_zp", DataType::I8}});
  expect_equal_results(
      "%0 = input i8[1, 4, 4, 2]\n%1 = input i8[3, 3, 2, 2]\n%2 = input i32[4]\n"
      "%3 = DEPTHWISE_CONV2D(%0, %1, %2) i32[1, 4, 4, 4] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] "
      "acc_type=INT32 local_bound=false input_zp=-3 weight_zp=5\noutput %3\n",
      {{"input_zp", DataType::I8}, {"weight_zp", DataType::I8}});
  expect_equal_results(
      "%0 = input i8[1, 2, 3, 2]\n%1 = input i8[3, 2, 2, 2]\n%2 = input i32[3]\n"
      "%3 = TRANSPOSE_CONV2D(%0, %1, %2) i32[1, 4, 6, 3] out_pad=[0, 0, 0, 0] stride=[2, 2] "
      "acc_type=INT32 local_bound=false input_zp=-3 weight_zp=5\noutput %3\n",
      {{"input_zp", DataType::I8}, {"weight_zp", DataType::I8}});
  // A type without zero points.
  expect_equal_results(
      "%0 = input f32[1, 2, 3]\n%1 = input f32[1, 3, 2]\n%2 = MATMUL(%0, %1) f32[1, 2, 2] A_zp=0 B_zp=0\n"
      "output %2\n",
      {{"A_zp", DataType::F32}, {"B_zp", DataType::F32}});
}

TEST(OpenParameters, NegateAndPools) {
  for (const int zero_point : {-128, -1, 0, 5, 127}) {
    const std::string negate =
        formatted("%0 = input i8[64]\n%1 = NEGATE(%0) i8[64] input1_zp={} output_zp=11\noutput %1\n", zero_point);
    expect_equal_results(negate, {{"input1_zp", DataType::I8}});
    expect_equal_results(negate, {{"output_zp", DataType::I8}});
    expect_equal_results(negate, {{"input1_zp", DataType::I8}, {"output_zp", DataType::I8}});
    expect_equal_results(formatted("%0 = input i8[1, 7, 6, 2]\n"
                                   "%1 = AVG_POOL2D(%0) i8[1, 4, 3, 2] kernel=[3, 2] stride=[2, 2] pad=[1, 1, 0, 0] "
                                   "acc_type=INT32 input_zp={} output_zp=-9\noutput %1\n",
                                   zero_point),
                         {{"input_zp", DataType::I8}, {"output_zp", DataType::I8}});
  }
}

TEST(OpenParameters, ShiftsAndPaddingValues) {
  for (const int shift : {0, 1, 7, 31, 40})
    expect_equal_results(
        formatted("%0 = input i32[2, 8]\n%1 = input i32[1, 8]\n%2 = MUL(%0, %1) i32[2, 8] shift={}\noutput %2\n",
                  shift),
        {{"shift", DataType::I8}}, 30000);
  expect_equal_results("%0 = input f32[4]\n%1 = MUL(%0, %0) f32[4] shift=0\noutput %1\n", {{"shift", DataType::I8}});
  expect_equal_results("%0 = input i8[2, 3]\n%1 = PAD(%0) i8[4, 4] padding=[1, 1, 0, 1] pad_const=-77\noutput %1\n",
                       {{"pad_const", DataType::I8}});
  expect_equal_results("%0 = input f32[2, 3]\n%1 = PAD(%0) f32[4, 4] padding=[1, 1, 0, 1] pad_const=1.5\noutput %1\n",
                       {{"pad_const", DataType::F32}});
}

TEST(OpenParameters, Rescale) {
  const auto rescale = [](std::string_view types, std::string_view more) {
    const std::size_t space = types.find(' ');
    return formatted(
        "%0 = input {}[5, 4]\n%1 = const i32[4] [1073741824, 1310000000, 2147483647, 1500000000]\n"
        "%2 = const i8[4] [31, 33, 38, 31]\n"
        "%3 = RESCALE(%0, %1, %2) {}[5, 4] scale32=true rounding_mode=SINGLE_ROUND per_channel=true {}\n"
        "output %3\n",
        types.substr(0, space), types.substr(space + 1), more);
  };
  const std::string plain = rescale("i8 i8", "input_unsigned=false output_unsigned=false input_zp=-5 output_zp=17");
  expect_equal_results(plain, {{"input_zp", DataType::I8}});
  expect_equal_results(plain, {{"output_zp", DataType::I8}});
  expect_equal_results(plain, {{"multiplier", DataType::I32}});
  expect_equal_results(plain, {{"shift", DataType::I8}});
  expect_equal_results(plain, {{"input_zp", DataType::I8},
                               {"output_zp", DataType::I8},
                               {"multiplier", DataType::I32},
                               {"shift", DataType::I8}});
  expect_equal_results(rescale("i8 i16", "input_unsigned=true output_unsigned=false input_zp=-56 output_zp=0"),
                       {{"input_zp", DataType::I8}, {"shift", DataType::I8}});
  expect_equal_results(rescale("i8 i16", "input_unsigned=true output_unsigned=false input_zp=-56 output_zp=0"),
                       {{"multiplier", DataType::I32}});
  const std::string to_unsigned =
      rescale("i8 i8", "input_unsigned=false output_unsigned=true input_zp=4 output_zp=-128");
  expect_equal_results(to_unsigned, {{"input_zp", DataType::I8}});
  expect_equal_results(to_unsigned, {{"output_zp", DataType::I8}});
  expect_equal_results(rescale("i32 i8", "input_unsigned=false output_unsigned=false input_zp=0 output_zp=-128"),
                       {{"output_zp", DataType::I8}, {"multiplier", DataType::I32}}, 30000);
}

TEST(OpenParameters, WhatCannotBeComputedIsSaid) {
  tosa::Graph graph;
  const tosa::ValueId x = graph.add_input({DataType::I48, {4}}), m = graph.add_input({DataType::I32, {1}}),
                      s = graph.add_input({DataType::I8, {1}});
  tosa::OpenOperator whole{
      .op = tosa::Op::RESCALE, .inputs = {x, m, s}, .attributes = {}, .result = {DataType::I32, {4}}, .open = {}};
  const auto closed = tosa::close_operator(graph, whole);
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error(), "the multiplier or the shift of a tensor of i48 is not constant");
}

}  // namespace
}  // namespace slipway::convert
