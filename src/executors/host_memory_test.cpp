// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PrepareOptions::host_inputs on every kind of executor.
#include <gmock/gmock.h>

#include <cstring>

#include "executors/open.hpp"
#include "testing/launch_fixture.hpp"

namespace slipway::executors {
namespace {

using launch::ResourceIndex;
using slipway::testing::must;
using ::testing::ElementsAre;

class HostMemory : public ::testing::TestWithParam<const char*> {};

std::vector<std::uint8_t> values_of(Bytes bytes) {
  std::vector<std::uint8_t> values(bytes.size());
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST_P(HostMemory, IsCopiedAroundEachIteration) {
  launch::Plan plan;
  const ResourceIndex from = add_buffer(plan, "from", 4), to = add_buffer(plan, "to", 4);
  plan.steps.push_back({.name = "copy", .action = launch::Copy{.from = from, .to = to, .size = 3}, .origin = {}});
  const auto executor = open_executor({.selector = GetParam()});
  ASSERT_TRUE(executor->check(plan).empty());
  const auto prepared = must(executor->prepare(plan, {.host_inputs = {from}, .host_outputs = {to, from, to}}));
  EXPECT_EQ(plan.resources.size(), 2u) << "the plan of the caller stays as it is";
  const MutableBytes input = prepared->host_input(0), output = prepared->host_output(0);
  EXPECT_THAT(values_of(output), ElementsAre(0, 0, 0, 0));
  for (std::uint8_t i = 1; i <= 2; ++i) {
    std::memset(input.data(), i, input.size());
    must(prepared->run_once());
    EXPECT_THAT(values_of(output), ElementsAre(i, i, i, 0));
    EXPECT_THAT(values_of(prepared->host_output(1)), ElementsAre(i, i, i, i));
    EXPECT_THAT(values_of(must(prepared->read_back({to})).bytes(to)), ElementsAre(i, i, i, 0));
  }
  EXPECT_EQ(prepared->host_input(0).data(), input.data());
  EXPECT_EQ(prepared->host_output(0).data(), output.data());
  EXPECT_EQ(prepared->host_output(2).data(), output.data());
}

// A call runs on the host, after the commands before it have ended.
TEST_P(HostMemory, IsCopiedAfterACallAtTheEnd) {
  launch::Plan plan;
  const ResourceIndex from = add_buffer(plan, "from", 4), to = add_buffer(plan, "to", 4);
  plan.steps.push_back(
      {.name = "add one",
       .action =
           launch::Call{.arguments = {{.buffer = from, .reads = true, .origin = {}},
                                      {.buffer = to, .writes = true, .origin = {}}},
                        .function = [](std::span<const MutableBytes> arguments, launch::CallControl&) -> Result<> {
                          for (std::size_t i = 0; i < arguments[1].size(); ++i)
                            arguments[1][i] = std::byte(std::to_integer<int>(arguments[0][i]) + 1);
                          return {};
                        }},
       .origin = {}});
  const auto executor = open_executor({.selector = GetParam()});
  ASSERT_TRUE(executor->check(plan).empty());
  const auto prepared = must(executor->prepare(plan, {.host_inputs = {from}, .host_outputs = {to}}));
  for (std::uint8_t i = 1; i <= 3; ++i) {
    std::memset(prepared->host_input(0).data(), i, 4);
    must(prepared->run_once());
    EXPECT_THAT(values_of(prepared->host_output(0)), ElementsAre(i + 1, i + 1, i + 1, i + 1));
  }
}

TEST_P(HostMemory, IsCopiedByAPlanWithoutSteps) {
  launch::Plan plan;
  const ResourceIndex buffer = add_buffer(plan, "buffer", 4);
  const auto executor = open_executor({.selector = GetParam()});
  const auto prepared = must(executor->prepare(plan, {.host_inputs = {buffer}, .host_outputs = {buffer}}));
  std::memset(prepared->host_input(0).data(), 7, 4);
  must(prepared->run_once());
  EXPECT_THAT(values_of(prepared->host_output(0)), ElementsAre(7, 7, 7, 7));
}

INSTANTIATE_TEST_SUITE_P(, HostMemory, ::testing::Values("cpu", ""),
                         [](const auto& test) { return std::string(*test.param ? test.param : "vulkan"); });

}  // namespace
}  // namespace slipway::executors
