// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs written as SPIR-V and read again compute the same: model blocks, random graphs, a sample of the matrix.
#include <gtest/gtest.h>

#include <cmath>

#include "spirv/tools.hpp"
#include "testing/tosa/suite.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/lower_to_1_0.hpp"
#include "tosa/read/read_spirv.hpp"
#include "tosa/write/write_spirv.hpp"
#include "tosa_cases/graphs.hpp"
#include "tosa_cases/matrix/matrix.hpp"
#include "tosa_cases/random_graph.hpp"

namespace slipway::tosa_cases {
namespace {

std::optional<tosa::Graph> read_back(tosa::Graph graph, bool validate) {
  graph.name = "main";
  const auto words = tosa::write_graph_module(graph);
  if (!words) {
    ADD_FAILURE() << words.error()[0].message;
    return std::nullopt;
  }
  if (validate) {
    const Result<> valid = spirv::validate(*words, "g.spv");
    EXPECT_TRUE(valid) << valid.error()[0].message;
  }
  const auto module = spirv::read_module(*words, "g.spv");
  if (!module) {
    ADD_FAILURE() << module.error()[0].message;
    return std::nullopt;
  }
  Diagnostics problems;
  auto again = tosa::read_graph(*module, "main", problems);
  if (again) tosa::verify(*again, problems);
  EXPECT_FALSE(problems.has_errors()) << text_of(problems);
  return again;
}

// SPIR-V has no tensors of rank 0: tensors of one element are used instead.
void expect_same(std::span<const Tensor> given, std::span<const Tensor> wanted) {
  ASSERT_EQ(given.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(given[i].integers, wanted[i].integers);
    ASSERT_EQ(given[i].reals.size(), wanted[i].reals.size());
    for (std::size_t k = 0; k < wanted[i].reals.size(); ++k) {
      if (std::isnan(wanted[i].reals[k])) {
        EXPECT_TRUE(std::isnan(given[i].reals[k]));
      } else {
        EXPECT_EQ(given[i].reals[k], wanted[i].reals[k]);
      }
    }
  }
}

void expect_same_after_writing(const GraphBuilder& builder, bool validate) {
  const auto again = read_back(builder.graph, validate);
  if (!again) return;
  ASSERT_EQ(again->inputs.size(), builder.graph.inputs.size());
  std::vector<Tensor> inputs = builder.inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i].type = (*again)[again->inputs[i]].type;
  const auto outputs = reference::run(*again, std::move(inputs));
  ASSERT_TRUE(outputs);
  expect_same(*outputs, builder.outputs());
}

TEST(RoundTrip, GraphsOfModels) {
  for (const NamedGraph& each : model_graphs()) {
    SCOPED_TRACE(each.name);
    expect_same_after_writing(each.builder, true);
  }
}

TEST(RoundTrip, RandomGraphs) {
  for (std::uint64_t seed = 1; seed <= (slipway::testing::whole_suite() ? 500u : 25u); ++seed) {
    SCOPED_TRACE(seed);
    expect_same_after_writing(random_graph(seed), seed % 5 == 0);
  }
}

TEST(RoundTrip, EveryOperator) {
  for (std::size_t i = 0; i < matrix().size(); i += slipway::testing::whole_suite() ? 1 : 11) {
    Diagnostics problems;
    const auto made = case_of(i, Pattern::Random2, problems);
    if (!made || tosa::is_tosa_1_1(made->node())) continue;
    SCOPED_TRACE(made->name);
    const auto again = read_back(made->graph, i % 3 == 0);
    if (!again) continue;
    ASSERT_EQ(again->nodes.size(), 1u);
    std::vector<const Tensor*> operands;
    for (const Tensor& operand : made->operands) operands.push_back(&operand);
    const auto wanted = reference::run_node(made->graph, made->node(), operands);
    std::vector<Tensor> narrowed = made->operands;
    operands.clear();
    for (std::size_t k = 0; k < narrowed.size(); ++k) {
      narrowed[k].type = (*again)[again->nodes[0].inputs[k]].type;
      operands.push_back(&narrowed[k]);
    }
    const auto given = reference::run_node(*again, again->nodes[0], operands);
    ASSERT_TRUE(wanted && given);
    expect_same(given->values, wanted->values);
  }
}

}  // namespace
}  // namespace slipway::tosa_cases
