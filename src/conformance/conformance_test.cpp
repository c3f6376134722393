// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "conformance/case_runner.hpp"
#include "conformance/row.hpp"
#include "conformance/scenario_case.hpp"
#include "executors/open.hpp"
#include "tosa_cases/matrix/matrix.hpp"

namespace slipway::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

RunTarget host(std::optional<model::Engine> engine, bool emulates = true) {
  return RunTarget(
      {.executor = executors::open_executor({.selector = "cpu"}), .choices = {.engine = engine}, .emulates = emulates});
}

TEST(Conformance, EveryRowHasOneName) {
  for (const Extent extent : {Extent::Sample, Extent::Whole}) {
    const std::vector<std::string> names = row_names(extent);
    EXPECT_GT(names.size(), 500u);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
    EXPECT_THAT(names, IsSupersetOf({"tosa/CONV2D/i8 i8 i32 i32", "tosa/TANH/codes", "tosa/MATMUL/statistics",
                                     "tosa/CLZ/random", "graphs/random/0", "graphs/views/0", "tensors/copies/gaps",
                                     "data_graph/threads/one_session", "optical_flow/motion/8 fast",
                                     "scenario/images/R8_UNORM", "rpl/draws/attributes_by_name",
                                     "rpl/blend_factors/source_alpha", "known_wrong/graphs/pad_rank_3",
                                     "known_wrong/shaders/do_while_once", "known_wrong/recipes/chain_of_runs"}));
  }
}

TEST(Conformance, EveryRowHasCasesThatTheInterpreterPasses) {
  RunTarget target = host(model::Engine::Reference);
  std::uint64_t passed = 0;
  for (const std::string& name : row_names(Extent::Sample)) {
    if (!name.ends_with("i8") && !name.ends_with("f16") && !name.starts_with("graphs/views") &&
        !name.starts_with("known_wrong/graphs/"))
      continue;
    const auto outcome = run_row({.name = name}, target);
    ASSERT_TRUE(outcome) << name;
    EXPECT_GT(outcome->passed, 0u) << name;
    EXPECT_EQ(outcome->failed, 0u) << name;
    passed += outcome->passed;
  }
  EXPECT_GT(passed, 200u);
}

TEST(Conformance, AWrongResultIsCountedAndShownWithItsInputs) {
  RunTarget target = host(model::Engine::Reference);
  RowOutcome counted;
  CaseRunner runner(**target.graphs(), true, counted);
  std::size_t added = 0;
  for (std::size_t i = 0; i < tosa_cases::matrix().size() && added < 3; ++i) {
    if (tosa_cases::matrix()[i].label != "ADD/i32") continue;
    Diagnostics problems;
    auto made = tosa_cases::case_of(i, tosa_cases::Pattern::Random, problems);
    ASSERT_TRUE(made);
    // The second one is judged as if its last element were one more.
    const bool is_wrong = added++ == 1;
    ASSERT_TRUE(runner.add(std::move(*made),
                           [is_wrong](const tosa_cases::OperatorCase& one, std::span<const reference::Tensor> results) {
                             std::vector<reference::Tensor> changed(results.begin(), results.end());
                             if (is_wrong) ++changed[0].integers.back();
                             return tosa_cases::judge(one, changed);
                           }));
  }
  ASSERT_TRUE(runner.finish());
  EXPECT_EQ(counted.passed, 2u);
  EXPECT_EQ(counted.failed, 1u);
  const std::optional<FailedCase>& first = counted.first;
  ASSERT_TRUE(first);
  EXPECT_THAT(first->why, HasSubstr("instead of"));
  EXPECT_THAT(first->graph, HasSubstr("ADD(%0, %1)"));
  EXPECT_EQ(first->inputs.size(), 2u);
}

TEST(Conformance, WhatADeviceLacksIsUnsupportedAndNotWrong) {
  RunTarget target = host(std::nullopt, false);  // a CPU has no graphs of its own
  const auto outcome = run_row({.name = "tosa/ADD/i32", .together = false}, target);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->passed + outcome->failed, 0u);
  EXPECT_GT(outcome->unsupported, 0u);
  EXPECT_EQ(outcome->lacks.size(), 1u);
}

// The suites that are not graphs say what is missing.
TEST(Conformance, RowsOfOtherSuitesNeedAVulkanDevice) {
  RunTarget target = host(model::Engine::Reference);
  for (const char* name : {"tensors/copies/gaps", "data_graph/threads/one_session", "optical_flow/motion/8 fast",
                           "scenario/mips/levels", "rpl/draws/attributes_by_name", "rpl/cull/back",
                           "known_wrong/shaders/do_while_once", "known_wrong/recipes/chain_of_runs"}) {
    const auto outcome = run_row({.name = name}, target);
    ASSERT_TRUE(outcome) << name;
    EXPECT_EQ(outcome->passed + outcome->failed, 0u) << name;
    ASSERT_GT(outcome->unsupported, 0u) << name;
    EXPECT_THAT(outcome->lacks.begin()->first, HasSubstr("with --device")) << name;
  }
}

// A scenario whose expectation does not hold is shown as it can be run again.
TEST(Conformance, AScenarioThatFailsIsKept) {
  RunTarget target({.executor = executors::open_executor({.selector = "cpu"})});
  constexpr std::string_view kWrong =
      R"({"resources": [{"buffer": {"uid": "b", "size": 4, "shader_access": "readonly",
          "data": {"type": "u32", "values": [1]}, "expect": {"type": "u32", "data": [2]}}}], "commands": []})";
  RowOutcome counted;
  ASSERT_TRUE(run_scenario("wrong", kWrong, target, counted));
  EXPECT_EQ(counted.failed, 1u);
  ASSERT_TRUE(counted.first);
  EXPECT_THAT(counted.first->why, HasSubstr("1 of 1 elements differ"));
  EXPECT_EQ(counted.first->scenario, kWrong);
  ASSERT_TRUE(run_scenario("empty", R"({"resources": [], "commands": []})", target, counted));
  EXPECT_EQ(counted.failed, 2u);  // nothing was compared
}

TEST(Conformance, ARowThatDoesNotExistIsAnError) {
  RunTarget target = host(model::Engine::Reference);
  for (const char* name : {"tosa", "tosa/", "tosa/ADD/i9", "graphs/models/x", "other/ADD/i32", ""}) {
    const auto outcome = run_row({.name = name}, target);
    ASSERT_FALSE(outcome) << name;
    EXPECT_EQ(outcome.error().front().kind, DiagnosticKind::UnknownReference);
  }
}

TEST(Conformance, TheErrorOfRightFloatsIsMeasuredInTheirBound) {
  RunTarget target = host(model::Engine::Reference);
  const auto outcome = run_row({.name = "tosa/TANH/f16"}, target);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_GT(outcome->of_bound, 0);
  EXPECT_LE(outcome->of_bound, 1);
  EXPECT_THAT(outcome->nearest, HasSubstr("TANH/f16"));
}

}  // namespace
}  // namespace slipway::conformance
