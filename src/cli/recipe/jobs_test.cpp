// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/recipe/jobs.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <charconv>
#include <filesystem>

#include "base/system/files.hpp"
#include "executors/cpu/info.hpp"
#include "testing/graph_recipe.hpp"
#include "testing/scratch_directory.hpp"
#include "testing/vgf_recipe.hpp"

namespace slipway::cli {
namespace {

const std::string kModel = slipway::testing::graph_recipe("R32_SINT", "i32[4]", "ABS(%0) i32[4]");
constexpr std::string_view kRecipe = R"({"resources": {
  "buffers": [{"name": "x", "type": "input", "size": 16}, {"name": "y", "type": "output", "size": 16}],
  "kernels": [{"name": "abs", "module": "abs.vgf"}]},
  "execution": {"runs": [{"kernel": "abs", "arguments": [{"name": "x", "argidx": 0}, {"name": "y", "argidx": 1}]}]}})";

// The threads of this process that may use one CPU only.
std::size_t pinned_threads() {
  std::size_t pinned = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string name = task.path().filename().string();
    pid_t id = 0;
    std::from_chars(name.data(), name.data() + name.size(), id);
    cpu_set_t cpus;
    pinned += sched_getaffinity(id, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) == 1;
  }
  return pinned;
}

// The pool of the engine stays, so its threads can be counted after the run.
TEST(Jobs, ThreadsOfTheEngine) {
  if (!launch::has_cpu_engine()) GTEST_SKIP() << "this build has no CPU engine";
  if (cpu_set_t cpus; sched_getaffinity(0, sizeof cpus, &cpus) != 0 || CPU_COUNT(&cpus) == 1)
    GTEST_SKIP() << "all threads use one CPU";
  const slipway::testing::ScratchDirectory directory;
  ASSERT_TRUE(write_file(directory / "abs.vgf", Bytes(slipway::testing::cook_vgf(kModel))));
  ASSERT_TRUE(write_file(directory / "recipe.json", kRecipe));
  ASSERT_TRUE(
      write_file(directory / "jobs.json", R"({"jobs": [{"recipe": "recipe.json"}, {"recipe": "recipe.json"}]})"));
  const std::size_t before = pinned_threads();
  const std::string script = (directory / "jobs.json").string();
  EXPECT_EQ(run_jobs({.words = {script, "--engine", "cpu", "--engine-threads", "4"}}), 0);
  EXPECT_EQ(pinned_threads(), before);
  EXPECT_EQ(run_jobs({.words = {script, "--engine", "cpu", "--engine-threads", "6", "--pin", "--threads", "1"}}), 0);
  EXPECT_EQ(pinned_threads(), before + 5);
}

}  // namespace
}  // namespace slipway::cli
