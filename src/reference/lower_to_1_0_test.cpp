// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of TOSA 1.1 against what they become in TOSA 1.0, and the values of block-scaled tensors.
#include "tosa/lower_to_1_0.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/format.hpp"
#include "reference/run.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"
#include "tosa_cases/operator_case.hpp"
#include "tosa_cases/random_case.hpp"

namespace slipway::reference {
namespace {

constexpr DataType kElements[] = {DataType::F8E4M3, DataType::F8E5M2, DataType::F4E2M1,
                                  DataType::F6E2M3, DataType::F6E3M2, DataType::MXI8};

tosa::Graph graph_of(const std::string& statements) {
  Diagnostics problems;
  auto graph = tosa::parse(make_source("t.graph", "graph t {\n" + statements + "}\n"), problems);
  if (graph) tosa::verify(*graph, problems);
  EXPECT_FALSE(problems.has_errors()) << tosa_cases::text_of(problems) << statements;
  return graph.value_or(tosa::Graph());
}

std::vector<Tensor> run_graph(const tosa::Graph& graph, std::vector<Tensor> inputs) {
  auto outputs = run(graph, std::move(inputs));
  EXPECT_TRUE(outputs);
  return outputs ? std::move(*outputs) : std::vector<Tensor>();
}

void expect_equal(const Tensor& a, const Tensor& b, const std::string& where) {
  EXPECT_EQ(a.type.data, b.type.data) << where;
  EXPECT_EQ(a.integers, b.integers) << where;
  ASSERT_EQ(a.reals.size(), b.reals.size()) << where;
  for (std::size_t i = 0; i < a.reals.size(); ++i) {
    if (std::isnan(a.reals[i]) && std::isnan(b.reals[i])) continue;
    ASSERT_EQ(a.reals[i], b.reals[i]) << where << " element " << i;
  }
}

// The results of a graph and of what it becomes.
std::vector<Tensor> run_both(tosa::Graph graph, const std::vector<Tensor>& inputs) {
  const std::vector<Tensor> wanted = run_graph(graph, inputs);
  const std::string text = tosa::print(graph);
  tosa::lower_to_1_0(graph);
  Diagnostics problems;
  tosa::verify(graph, problems);
  EXPECT_FALSE(problems.has_errors()) << tosa_cases::text_of(problems) << text;
  for (const tosa::Node& node : graph.nodes) EXPECT_FALSE(tosa::is_tosa_1_1(node)) << tosa::print(graph);
  const std::vector<Tensor> given = run_graph(graph, inputs);
  for (std::size_t i = 0; i < wanted.size() && i < given.size(); ++i) expect_equal(wanted[i], given[i], text);
  return wanted;
}

TEST(LowerTo10, RandomCasesAreEqual) {
  std::size_t compared = 0;
  for (const tosa::Op op : {tosa::Op::MATMUL_T, tosa::Op::ROW_GATHER, tosa::Op::CAST}) {
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
      auto made = tosa_cases::random_case(op, seed, {.max_elements = 200});
      if (!made || !tosa::is_tosa_1_1(made->node())) continue;
      std::vector<Tensor> inputs;
      for (std::size_t i = 0; i < made->operands.size(); ++i) {
        if (made->graph[made->node().inputs[i]].kind == tosa::ValueKind::Input) inputs.push_back(made->operands[i]);
      }
      run_both(std::move(made->graph), inputs);
      ++compared;
    }
  }
  EXPECT_GT(compared, 150u);
}

// Values of many magnitudes, with zeros.
Tensor wide_values(DataType type, tensor::Shape shape, std::uint64_t seed) {
  Tensor made = Tensor::zeros({type, std::move(shape)});
  std::uint64_t state = seed;
  for (double& value : made.reals) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const auto bits = state >> 33;
    const int exponent = static_cast<int>(bits % 41) - 20;
    value = bits % 7 == 0 ? 0 : round_to(type, std::ldexp(static_cast<double>(bits % 1999) - 999, exponent - 10));
  }
  return made;
}

TEST(LowerTo10, BlockScaledTensorsAreEqual) {
  for (const DataType element : kElements) {
    const std::string_view name = tosa::name_of(element);
    for (const DataType input : {DataType::F32, DataType::BF16}) {
      const std::string_view in = tosa::name_of(input);
      const tosa::Graph graph = graph_of(formatted(
          "%0 = input {0}[2, 3, 64]\n%1 = input {0}[1, 5, 64]\n"
          "%2, %3 = CAST_TO_BLOCK_SCALED(%0) {1}[2, 3, 64], e8m0[2, 3, 2] block_size=BLOCK_SIZE_32\n"
          "%4, %5 = CAST_TO_BLOCK_SCALED(%1) {1}[1, 5, 64], e8m0[1, 5, 2] block_size=BLOCK_SIZE_32\n"
          "%6 = MATMUL_T_BLOCK_SCALED(%2, %3, %4, %5) f32[2, 3, 5] block_size=BLOCK_SIZE_32\n"
          "%7 = CAST_FROM_BLOCK_SCALED(%2, %3) {0}[2, 3, 64] block_size=BLOCK_SIZE_32\noutput %6\noutput %7\n",
          in, name));
      for (std::uint64_t seed = 1; seed <= 5; ++seed)
        run_both(graph, {wide_values(input, {2, 3, 64}, seed), wide_values(input, {1, 5, 64}, seed + 100)});
    }
    // Weights are constants of few bits.
    std::string codes;
    for (int i = 0; i < 2 * 2 * 32; ++i) {
      const Tensor code = Tensor::from_bytes({element, {1}}, std::array{static_cast<std::byte>(i * 7 % 64)});
      codes += formatted("{}{}", i ? ", " : "", code.reals[0]);
    }
    const tosa::Graph conv = graph_of(formatted(
        "%0 = input f32[1, 3, 3, 32]\n%1 = const {0}[2, 1, 2, 32] [{1}]\n%2 = const e8m0[2, 1, 2, 1] [0.5, 4, 1, "
        "0.25]\n"
        "%3 = const f32[2] [0.5, -1]\n"
        "%4, %5 = CAST_TO_BLOCK_SCALED(%0) {0}[1, 3, 3, 32], e8m0[1, 3, 3, 1] block_size=BLOCK_SIZE_32\n"
        "%6 = CONV2D_BLOCK_SCALED(%4, %5, %1, %2, %3) f32[1, 3, 2, 2] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] "
        "block_size=BLOCK_SIZE_32\noutput %6\n",
        name, codes));
    run_both(conv, {wide_values(DataType::F32, {1, 3, 3, 32}, 9)});
  }
}

// The data and the scales of one block of 32 with these values, others 0.
std::pair<std::vector<double>, double> block_of(DataType element, std::vector<double> values) {
  const tosa::Graph graph =
      graph_of(formatted("%0 = input f32[32]\n%1, %2 = CAST_TO_BLOCK_SCALED(%0) {}[32], e8m0[1] "
                         "block_size=BLOCK_SIZE_32\noutput %1\noutput %2\n",
                         tosa::name_of(element)));
  Tensor input = Tensor::zeros({DataType::F32, {32}});
  std::ranges::copy(values, input.reals.begin());
  std::vector<Tensor> outputs = run_graph(graph, {input});
  outputs[0].reals.resize(values.size());
  return {outputs[0].reals, outputs[1].reals[0]};
}

TEST(BlockScaled, TheLargestValueDecidesTheScale) {
  using Block = std::pair<std::vector<double>, double>;
  EXPECT_EQ(block_of(DataType::F4E2M1, {6, -3, 0.7, 0.2, 5}), Block({6, -3, 0.5, 0, 4}, 1));
  EXPECT_EQ(block_of(DataType::F4E2M1, {14, 1}), Block({6, 1 / 2.0}, 2));  // 7 is saturated
  EXPECT_EQ(block_of(DataType::F8E4M3, {1, 0.3}), Block({256, 80}, 0x1p-8));
  EXPECT_EQ(block_of(DataType::F8E5M2, {-0x1p20}), Block({-0x1p15}, 32));
  EXPECT_EQ(block_of(DataType::F6E2M3, {7.9, 0.06}), Block({7.5, 0}, 1));
  EXPECT_EQ(block_of(DataType::F6E3M2, {20, 0.06, 3.3}), Block({20, 0.0625, 3.5}, 1));
  EXPECT_EQ(block_of(DataType::MXI8, {1.5, -1.99, 0.01}), Block({1.5, -127.0 / 64, 1.0 / 64}, 1));
  EXPECT_EQ(block_of(DataType::MXI8, {0, 0}), Block({0, 0}, 0x1p-127));
  EXPECT_TRUE(std::isnan(block_of(DataType::F4E2M1, {1, NAN}).second));
  EXPECT_TRUE(std::isnan(block_of(DataType::F4E2M1, {1, HUGE_VAL}).second));
}

}  // namespace
}  // namespace slipway::reference
