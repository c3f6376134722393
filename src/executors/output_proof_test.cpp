// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs that a run does not write.
#include "launch/output_proof.hpp"

#include <gmock/gmock.h>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "executors/cpu/executor.hpp"
#include "executors/vulkan/test_shaders/add_comp.hpp"
#include "executors/vulkan/test_shaders/increment_comp.hpp"
#include "executors/vulkan/test_shaders/store_comp.hpp"
#include "testing/launch_fixture.hpp"

namespace slipway::launch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OutputProofTest : public LaunchTest {
 protected:
  // Messages of a run without locations.
  std::string problems_of(const Plan& plan, RunOptions options = {}) {
    const Report report = run_it(plan, std::move(options));
    return text_of(report.diagnostics);
  }
  std::string problems_on_host(const Plan& plan, RunOptions options = {}) {
    return text_of(must(launch::run(plan, CpuExecutor(), std::move(options), log())).diagnostics);
  }
  static std::string text_of(std::span<const Diagnostic> diagnostics) {
    std::string text;
    for (const Diagnostic& one : diagnostics)
      text += formatted("{}{} [{}]\n", one.severity == Severity::Warning ? "warning: " : "", one.message,
                        name_of(one.kind));
    return text;
  }

  ResourceIndex add_output(Plan& plan, const std::string& name, std::uint64_t size) {
    const ResourceIndex made = add_buffer(plan, name, size);
    plan.resources[made].outputs = {raw_output(directory_ / name)};
    return made;
  }
  ResourceIndex add_input(Plan& plan, const std::string& name, std::initializer_list<float> values) {
    const ResourceIndex made = add_buffer(plan, name, values.size() * sizeof(float));
    plan.resources[made].initial = {contents_of<float>(values)};
    return made;
  }

  // to = a + b for groups of 4 floats.
  static void add_sum(Plan& plan, ResourceIndex a, ResourceIndex b, ResourceIndex to, std::uint32_t groups) {
    if (plan.shaders.empty()) add_shader(plan, "add", add_comp);
    add_dispatch(plan, 0, {a, b, to}, {groups, 1, 1});
  }
  static Step& add_call(Plan& plan, ResourceIndex to, std::function<void(MutableBytes)> function) {
    plan.steps.push_back({.name = "call",
                          .action = Call{{{.buffer = to, .writes = true}},
                                         [function](std::span<const MutableBytes> arguments, CallControl&) -> Result<> {
                                           function(arguments[0]);
                                           return {};
                                         }}});
    return plan.steps.back();
  }
};

TEST_F(OutputProofTest, NamesWhatADispatchDoesNotWrite) {
  for (const bool mapped : {true, false}) {
    Plan plan{.name = "sum.json"};
    const ResourceIndex a = add_input(plan, "a", {1, 2, 3, 4, 5, 6, 7, 8}),
                        b = add_input(plan, "b", {1, 1, 1, 1, 1, 1, 1, 1});
    const ResourceIndex c = add_output(plan, "c", 32);
    add_sum(plan, a, b, c, 1);
    plan.expectations = {{.resource = c,
                          .type = tensor::ElementType::F32,
                          .shape = {8},
                          .expected = contents_of<float>({2, 3, 4, 5, 0, 0, 0, 0})}};
    if (!mapped) must(make_device(must(vk::plan_device(snapshot(), needs_of(plan))), {.map_device_memory = false}));
    const Report report = run_it(plan);
    EXPECT_EQ(text_of(report.diagnostics),
              "output `c` was not written: 4 of 8 elements, from element 4 (byte 16) on, hold what was in the memory "
              "before the run [output-not-written]\n");
    ASSERT_EQ(report.diagnostics.size(), 1u);
    EXPECT_EQ(report.diagnostics[0].path, "/c");
    // What is stored and compared is zeros there.
    EXPECT_THAT(read_raw<float>(directory_ / "c"), ElementsAre(2, 3, 4, 5, 0, 0, 0, 0));
    ASSERT_EQ(report.expectations.size(), 1u);
    EXPECT_TRUE(report.expectations[0].comparison.passed);
    EXPECT_EQ(problems_of(plan, {.unwritten = Severity::Warning}).substr(0, 20), "warning: output `c` ");
    EXPECT_EQ(problems_of(plan, {.prove_outputs = false}), "");
  }
}

TEST_F(OutputProofTest, WrittenOutputsAreFound) {
  Plan plan;
  const ResourceIndex a = add_input(plan, "a", {1, 2, 3, 4, 5, 6, 7, 8}),
                      b = add_input(plan, "b", {1, 1, 1, 1, 1, 1, 1, 1});
  const ResourceIndex c = add_output(plan, "c", 32);
  add_sum(plan, a, b, c, 2);
  for (const std::uint32_t repeat : {1u, 2u, 3u}) EXPECT_EQ(problems_of(plan, {.repeat = repeat}), "");
  EXPECT_THAT(read_raw<float>(directory_ / "c"), ElementsAre(2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_F(OutputProofTest, ImagesAreProvenByTexels) {
  for (const vk::Tiling tiling : {vk::Tiling::Optimal, vk::Tiling::Linear}) {
    Plan plan;
    const ResourceIndex i = add_image(
        plan, "i", {.format = vk::Format::R8G8B8A8_UNORM, .extent = {3, 2, 1}, .storage = true, .tiling = tiling});
    plan.resources[i].outputs = {raw_output(directory_ / "i")};
    add_dispatch(plan, add_shader(plan, "store", store_comp), {i}, {2, 2, 1});
    EXPECT_EQ(problems_of(plan),
              "output `i` was not written: 2 of 6 elements, from element 2 (byte 8) on, hold what was in the memory "
              "before the run [output-not-written]\n");
    EXPECT_THAT(read_raw<std::uint32_t>(directory_ / "i"),
                ElementsAre(0xff000000, 0xff000001, 0, 0xff000100, 0xff000101, 0));
    std::get<Dispatch>(plan.steps[0].action).groups = {3, 2, 1};
    EXPECT_EQ(problems_of(plan), "");
  }
}

// A resource without contents is zeros for what reads it.
TEST_F(OutputProofTest, WhatIsReadFirstHasItsContents) {
  Plan plan;
  const ResourceIndex x = add_output(plan, "x", 16);
  add_dispatch(plan, add_shader(plan, "increment", increment_comp), {x}, {2, 1, 1});
  EXPECT_EQ(problems_of(plan), "");
  EXPECT_THAT(read_raw<std::uint32_t>(directory_ / "x"), ElementsAre(1, 1, 0, 0));
  EXPECT_EQ(problems_of(plan, {.repeat = 3}), "");
  EXPECT_THAT(read_raw<std::uint32_t>(directory_ / "x"), ElementsAre(3, 3, 0, 0));
}

TEST_F(OutputProofTest, WhatIsReadAfterwardsIsComputedFromZeros) {
  Plan plan;
  const ResourceIndex a = add_input(plan, "a", {1, 2, 3, 4, 5, 6, 7, 8}), half = add_output(plan, "half", 32),
                      all = add_output(plan, "all", 32);
  add_sum(plan, a, a, half, 1);
  add_sum(plan, half, a, all, 2);
  EXPECT_THAT(problems_of(plan), HasSubstr("output `half` was not written: 4 of 8 elements"));
  EXPECT_THAT(read_raw<float>(directory_ / "half"), ElementsAre(2, 4, 6, 8, 0, 0, 0, 0));
  EXPECT_THAT(read_raw<float>(directory_ / "all"), ElementsAre(3, 6, 9, 12, 5, 6, 7, 8));
}

// Otherwise a step could compute with the pattern, although the output is complete in the end.
TEST_F(OutputProofTest, WhatIsWrittenAfterItWasReadHasNoPattern) {
  Plan plan;
  const ResourceIndex a = add_input(plan, "a", {1, 2, 3, 4, 5, 6, 7, 8}), x = add_output(plan, "x", 32),
                      y = add_output(plan, "y", 32);
  add_sum(plan, a, a, x, 1);
  add_sum(plan, x, a, y, 2);
  add_sum(plan, a, a, x, 2);
  EXPECT_EQ(problems_of(plan), "");
  EXPECT_THAT(read_raw<float>(directory_ / "y"), ElementsAre(3, 6, 9, 12, 5, 6, 7, 8));
}

TEST_F(OutputProofTest, NothingWritesTheOutput) {
  Plan plan;
  const ResourceIndex given = add_input(plan, "given", {1}), none = add_output(plan, "none", 8);
  plan.resources[given].outputs = {raw_output(directory_ / "given")};
  EXPECT_EQ(problems_of(plan), "output `none` was not written: no command writes to it [output-not-written]\n");
  EXPECT_THAT(read_raw<float>(directory_ / "none"), ElementsAre(0, 0));
  EXPECT_EQ(problems_on_host(plan), "output `none` was not written: no command writes to it [output-not-written]\n");
  // What is only read is not written either.
  const ResourceIndex to = add_buffer(plan, "to", 16);
  plan.resources[none].kind = Buffer{.size = 16};
  plan.resources[given].initial = {contents_of<float>({1, 2, 3, 4})};
  plan.resources[given].kind = Buffer{.size = 16};
  add_sum(plan, given, none, to, 1);
  EXPECT_EQ(problems_of(plan), "output `none` was not written: no command writes to it [output-not-written]\n");
}

TEST_F(OutputProofTest, SharedMemoryWithContentsIsWritten) {
  Plan plan;
  const ResourceIndex a = add_input(plan, "a", {1, 2, 3, 4}), view = add_output(plan, "view", 16);
  plan.resources[a].sharing = plan.resources[view].sharing = Sharing{"group", 0};
  EXPECT_EQ(problems_of(plan), "");
  EXPECT_THAT(read_raw<float>(directory_ / "view"), ElementsAre(1, 2, 3, 4));
}

TEST_F(OutputProofTest, CopiesWriteAndRead) {
  Plan plan;
  const ResourceIndex a = add_input(plan, "a", {1, 2, 3, 4}), to = add_output(plan, "to", 16);
  plan.steps.push_back({.name = "copy", .action = Copy{.from = a, .to = to, .to_offset = 4, .size = 12}});
  for (const std::string& text : {problems_of(plan), problems_on_host(plan)})
    EXPECT_THAT(text, HasSubstr("output `to` was not written: 1 of 4 elements, from element 0 (byte 0) on"));
  EXPECT_THAT(read_raw<float>(directory_ / "to"), ElementsAre(0, 1, 2, 3));
  std::get<Copy>(plan.steps[0].action) = {.from = a, .to = to, .size = 16};
  EXPECT_EQ(problems_of(plan), "");
  EXPECT_EQ(problems_on_host(plan), "");
}

TEST_F(OutputProofTest, FunctionsOfTheHost) {
  Plan plan;
  const ResourceIndex y = add_output(plan, "y", 4096);
  plan.resources[y].element_size = 1;
  add_call(plan, y, [](MutableBytes bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i != 77) bytes[i] = static_cast<std::byte>(i * 7 / 3);
    }
  });
  const std::string expected =
      "output `y` was not written: 1 of 4096 bytes, from byte 77 on, hold what was in the memory before the run "
      "[output-not-written]\n";
  EXPECT_EQ(problems_on_host(plan), expected);
  EXPECT_EQ(read_raw<std::uint8_t>(directory_ / "y")[77], 0);
  EXPECT_EQ(read_raw<std::uint8_t>(directory_ / "y")[78], 78 * 7 / 3);
  EXPECT_EQ(problems_of(plan), expected);
}

// Bytes that are equal to the pattern by chance need a second run, whose results are not stored.
TEST_F(OutputProofTest, ChanceIsNotAnError) {
  Plan plan;
  const ResourceIndex y = add_output(plan, "y", 4096);
  plan.resources[y].element_size = 1;
  std::uint8_t runs = 0;
  add_call(plan, y, [&](MutableBytes bytes) { std::ranges::fill(bytes, static_cast<std::byte>(2 + runs++)); });
  EXPECT_EQ(problems_on_host(plan), "");
  EXPECT_GT(runs, 1);
  EXPECT_THAT(read_raw<std::uint8_t>(directory_ / "y"), ::testing::Each(2));
  runs = 0;
  EXPECT_EQ(problems_of(plan), "");
  EXPECT_GT(runs, 1);
  EXPECT_THAT(read_raw<std::uint8_t>(directory_ / "y"), ::testing::Each(2));
}

// Every iteration must write a result; another output only once.
TEST_F(OutputProofTest, ResultsAreOfEachIteration) {
  Plan plan;
  const ResourceIndex y = add_output(plan, "y", 16);
  int runs = 0;
  add_call(plan, y, [&](MutableBytes bytes) {
    if (runs++ == 0) std::ranges::fill(bytes, std::byte{9});
  });
  const auto problems = [&](std::uint32_t repeat) {
    runs = 0;
    return problems_on_host(plan, {.repeat = repeat});
  };
  EXPECT_EQ(problems(2), "");
  EXPECT_THAT(read_raw<std::uint8_t>(directory_ / "y"), ::testing::Each(9));
  plan.resources[y].is_result = true;
  EXPECT_EQ(problems(1), "");
  EXPECT_THAT(problems(2), HasSubstr("output `y` was not written: all 4 elements"));
}

TEST_F(OutputProofTest, CapturesAreOutputsIfThePlanSaysSo) {
  Plan plan;
  const ResourceIndex y = add_buffer(plan, "y", 16);
  std::vector<std::byte> taken;
  plan.captures = {{.resource = y, .take = [&](Bytes bytes) { taken.assign(bytes.begin(), bytes.end()); }}};
  add_call(plan, y, [&](MutableBytes bytes) { std::ranges::fill(bytes.first(8), std::byte{9}); });
  EXPECT_EQ(problems_on_host(plan), "");
  plan.captures[0].is_output = true;
  EXPECT_THAT(problems_on_host(plan), HasSubstr("2 of 4 elements, from element 2 (byte 8) on"));
  EXPECT_THAT(std::span(taken).subspan(8), ::testing::Each(std::byte{0}));
}

}  // namespace
}  // namespace slipway::launch
