// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/plan/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace slipway::lower {
namespace {

constexpr std::size_t kBuffers = 8;

// Dispatches from the buffers that they read and, last, write. Kernel indices follow this order.
std::vector<ProgramDispatch> dispatches_of(const std::vector<std::vector<std::uint32_t>>& buffers) {
  std::vector<ProgramDispatch> dispatches;
  for (const std::vector<std::uint32_t>& one : buffers)
    dispatches.push_back(
        {.kernel = static_cast<std::uint32_t>(dispatches.size()), .buffers = one, .groups = {1, 1, 1}, .nodes = {}});
  return dispatches;
}

// The kernels of each stage.
std::vector<std::vector<std::uint32_t>> stages_of(std::vector<ProgramDispatch> dispatches, bool one_by_one = false) {
  schedule(dispatches, kBuffers, one_by_one);
  std::vector<std::vector<std::uint32_t>> stages;
  for (const ProgramDispatch& dispatch : dispatches) {
    stages.resize(std::max<std::size_t>(stages.size(), dispatch.stage + 1));
    stages[dispatch.stage].push_back(dispatch.kernel);
  }
  return stages;
}

using Stages = std::vector<std::vector<std::uint32_t>>;

TEST(Schedule, IndependentDispatchesAreOneStage) {
  EXPECT_EQ(stages_of(dispatches_of({{0, 1}, {1, 2}, {1, 3}, {2, 3, 4}})), (Stages{{0}, {1, 2}, {3}}));
}

TEST(Schedule, LateDispatchesMoveToTheirEarliestStage) {
  EXPECT_EQ(stages_of(dispatches_of({{0, 1}, {1, 2}, {2, 3}, {0, 4}, {3, 4, 5}})), (Stages{{0, 3}, {1}, {2}, {4}}));
}

TEST(Schedule, AReadBufferIsWrittenInALaterStage) {
  EXPECT_EQ(stages_of(dispatches_of({{0, 1}, {2, 0}, {0, 3}})), (Stages{{0}, {1}, {2}}));
}

TEST(Schedule, TwoWritersOfABufferKeepTheirOrder) {
  EXPECT_EQ(stages_of(dispatches_of({{0, 1}, {2, 1}, {1, 3}})), (Stages{{0}, {1}, {2}}));
}

TEST(Schedule, ADispatchThatReadsNothing) {
  EXPECT_EQ(stages_of(dispatches_of({{0}, {1}, {0, 1, 2}})), (Stages{{0, 1}, {2}}));
}

TEST(Schedule, IsPrintedForPeople) {
  std::vector<ProgramDispatch> dispatches = dispatches_of({{0, 1}, {1, 2}, {0, 3}, {4}});
  schedule(dispatches, kBuffers, false);
  EXPECT_EQ(print_schedule(dispatches),
            "stage 0: kernel 0 reads 0 writes 1\n"
            "stage 0: kernel 2 reads 0 writes 3\n"
            "stage 0: kernel 3 writes 4\n"
            "stage 1: kernel 1 reads 1 writes 2\n");
}

TEST(Schedule, OneByOne) {
  EXPECT_EQ(stages_of(dispatches_of({{0, 1}, {0, 2}, {0, 3}}), true), (Stages{{0}, {1}, {2}}));
  EXPECT_EQ(stages_of({}), Stages{});
}

// In any order of the dispatches of a stage, the final contents of buffers are the same as one by one.
TEST(Schedule, KeepsTheFinalContentsOfBuffers) {
  std::minstd_rand random(3);
  std::uniform_int_distribution<std::uint32_t> any(0, kBuffers - 1), count(1, 4);
  const auto run = [](const std::vector<ProgramDispatch>& dispatches) {
    std::vector<std::uint64_t> held(kBuffers);
    for (std::uint64_t i = 0; i < kBuffers; ++i) held[i] = i;
    for (const ProgramDispatch& dispatch : dispatches) {
      std::uint64_t made = dispatch.kernel + 1;
      for (std::size_t i = 0; i + 1 < dispatch.buffers.size(); ++i) made = made * 1000003 + held[dispatch.buffers[i]];
      held[dispatch.buffers.back()] = made;
    }
    return held;
  };
  for (int round = 0; round < 500; ++round) {
    std::vector<std::vector<std::uint32_t>> buffers(12);
    for (auto& one : buffers) {
      one.resize(count(random));
      for (std::uint32_t& buffer : one) buffer = any(random);
    }
    const std::vector<ProgramDispatch> before = dispatches_of(buffers);
    std::vector<ProgramDispatch> after = before;
    schedule(after, kBuffers, false);
    EXPECT_EQ(run(before), run(after));
    std::ranges::reverse(after);
    std::ranges::stable_sort(after, {}, &ProgramDispatch::stage);
    EXPECT_EQ(run(before), run(after));
  }
}

}  // namespace
}  // namespace slipway::lower
