// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/open.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "platform/process.hpp"
#include "testing/gpu_fixture.hpp"

namespace slipway::executors {
namespace {

using testing::must;

std::string_view kind_of(const std::string& selector) {
  return must(open_executor({.selector = selector})->info()).kind;
}

TEST(OpenExecutor, TheSelectorChoosesTheKind) {
  EXPECT_EQ(kind_of("cpu"), "cpu");
  EXPECT_EQ(kind_of(""), "vulkan");
  platform::set_environment("SLIPWAY_DEVICE", "cpu");
  EXPECT_EQ(kind_of(""), "cpu");
  EXPECT_EQ(kind_of("0"), "vulkan");
  platform::remove_environment("SLIPWAY_DEVICE");
}

TEST(OpenExecutor, WhatFailsIsReportedLater) {
  const auto executor = open_executor({.selector = "no such device"});
  const Result<launch::ExecutorInfo> info = executor->info();
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().at(0).kind, DiagnosticKind::NoDevice);
  EXPECT_TRUE(executor->check({}).has_errors());
  EXPECT_FALSE(executor->prepare({}, {}));
}

TEST(OpenExecutor, TheCpuNamesAllThatItCannotRun) {
  launch::Plan plan;
  plan.resources.push_back({.name = "image", .kind = launch::Image{}});
  plan.steps.push_back({.name = "shader", .action = launch::Dispatch{}, .origin = {}});
  plan.steps.push_back({.name = "triangles", .action = launch::Draw{}, .origin = {}});
  EXPECT_EQ(host_kind().open({})->check(plan).errors(), 3u);
}

// A user that prepares plans holds the turn.
TEST(OpenExecutor, BuffersAreMadeDuringATurn) {
  for (const char* selector : {"", "cpu"}) {
    const auto executor = open_executor({.selector = selector});
    const auto turn = executor->take_turn();
    EXPECT_EQ(must(executor->create_buffer({.size = 16, .name = "buffer"}))->bytes().size(), 16u);
  }
}

TEST(OpenExecutor, ListedDevicesCanBeOpened) {
  std::size_t count = 0;
  for (const ExecutorKind& kind : kinds()) {
    for (const launch::ExecutorInfo& listed : must(kind.list())) {
      ++count;
      const launch::ExecutorInfo opened =
          must(open_executor({.selector = kind.name == "cpu" ? "cpu" : listed.name})->info());
      EXPECT_EQ(opened.kind, kind.name);
      EXPECT_EQ(opened.name, listed.name);
      EXPECT_EQ(opened.key.name, listed.key.name);
      EXPECT_EQ(opened.vulkan == nullptr, opened.runs_graphs_on_host);
    }
  }
  EXPECT_GE(count, 1u);
}

}  // namespace
}  // namespace slipway::executors
