// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recipes on the back end `xrt`: XRT itself, with the software NPU as its device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/system/files.hpp"
#include "recipe/backends/xrt/module.hpp"
#include "recipe/open_backend.hpp"
#include "recipe/replay/run.hpp"
#include "recipe/report_records.hpp"
#include "testing/recipes.hpp"
#include "testing/source_directory.hpp"
#include "xrt_module/module.hpp"
#include "xrt_module/software_npu/software_npu.hpp"

namespace slipway::recipe {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A kernel run: every kernel adds 1 from its first buffer to its second.
std::string npu_run(std::string_view from, std::string_view to, std::string_view slices = "") {
  return formatted(R"({{"kernel": "k", "name": "{}_to_{}", "arguments": [{{"name": "{}", "argidx": 3{}}},
    {{"name": "{}", "argidx": 5{}}}], "constants": [{{"value": 3, "type": "int", "argidx": 0}}]}})",
                   from, to, from, slices, to, slices);
}
std::string npu_recipe(std::string_view buffers, std::string_view runs, std::string_view cpus = "") {
  return formatted(R"({{"header": {{"xclbin": "dpu.xclbin"}}, "resources": {{"buffers": [{}],
    "kernels": [{{"name": "k", "instance": "DPU", "ctrlcode": "patch.elf"}}], "cpus": [{}]}},
    "execution": {{"runs": [{}]}}}})",
                   buffers, cpus, runs);
}

ArtifactMap npu_files() {
  ArtifactMap files;
  for (const char* name : {"dpu.xclbin", "patch.elf", "copy.elf", "config_two.elf"}) {
    const MappedFile file = *map_file(testing::source_directory() / "tests/data/xrt" / name);
    const std::string_view text = text_of(file.bytes());
    files.emplace(name, std::vector<char>(text.begin(), text.end()));
  }
  return files;
}

class XrtBackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::xrt::system::enumerate_devices();  // XRT opens its device library
    npu_ = software_npu::software_npu();
#ifdef __SANITIZE_ADDRESS__
    if (!npu_) GTEST_SKIP() << "with the sanitizer, XRT does not open the device library beside its own";
#endif
    ASSERT_TRUE(npu_) << "XRT does not use the software NPU";
    npu_->reset();
  }
  OpenOptions options(std::string selector = "") {
    auto backends = std::make_shared<Backends>(std::move(selector), Cache());
    return {.runner = {.open_backend = [backends](BackendKind kind) { return backends->open(kind); }}};
  }
  Opened open(std::string recipe, std::string profile = "", std::string selector = "") {
    return Opened(std::move(recipe), options(std::move(selector)), std::move(profile), npu_files());
  }
  static constexpr std::string_view kTwoBuffers =
      R"({"name": "x", "type": "input", "size": 16}, {"name": "y", "type": "output", "size": 16})";
  software_npu::State* npu_ = nullptr;
};

TEST_F(XrtBackendTest, AKernelOfADesign) {
  Opened opened = open(npu_recipe(kTwoBuffers, npu_run("x", "y")));
  ASSERT_EQ(opened.problems, "");
  opened.bind("x", {1, 2, 3, 4});
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(npu_->commands, 1u);
  EXPECT_EQ(npu_->lists, 0u);
}

TEST_F(XrtBackendTest, KernelsOfAConfiguration) {
  Opened opened = open(R"({"header": {"program": "config_two.elf"}, "resources": {
    "buffers": [{"name": "x", "type": "input", "size": 16}, {"name": "t", "type": "internal", "size": 16},
                {"name": "y", "type": "output", "size": 16}],
    "kernels": [{"name": "first", "instance": "CONV:b"}, {"name": "second", "instance": "POOL"}]},
    "execution": {"runs": [
      {"name": "first", "arguments": [{"name": "x", "argidx": 0}, {"name": "t", "argidx": 2}]},
      {"name": "second", "arguments": [{"name": "t", "argidx": 0}, {"name": "y", "argidx": 1}]}]}})");
  ASSERT_EQ(opened.problems, "");
  opened.bind("x", {1, 2, 3, 4});
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), ElementsAre(3, 4, 5, 6));
}

// Control code that copies: the software NPU executes it, so that a wrong size and an unset argument show.
TEST_F(XrtBackendTest, ControlCodeIsExecuted) {
  const auto copying = [](std::string recipe) {
    recipe.replace(recipe.find("patch.elf"), 9, "copy.elf");
    return recipe;
  };
  Opened opened = open(copying(npu_recipe(kTwoBuffers, npu_run("x", "y"))));
  ASSERT_EQ(opened.problems, "");
  opened.bind("x", {1, 2, 3, 4});
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), ElementsAre(1, 2, 3, 4));  // not the sum
  EXPECT_EQ(npu_->fault, "");

  npu_->reset();
  Opened small = open(copying(npu_recipe(
      R"({"name": "x", "type": "input", "size": 16}, {"name": "y", "type": "output", "size": 8})", npu_run("x", "y"))));
  small.bind("x", {1, 2, 3, 4});
  EXPECT_THAT(small.run(), HasSubstr("run 'x_to_y' of kernel `k` failed"));
  EXPECT_THAT(npu_->fault, HasSubstr("reaches byte 12 after its address, where 8 bytes are left in the buffer"));

  npu_->reset();
  Opened unset = open(copying(npu_recipe(R"({"name": "x", "type": "input", "size": 16})",
                                         R"({"kernel": "k", "name": "r", "arguments": [{"name": "x", "argidx": 3}],
          "constants": [{"value": 3, "type": "int", "argidx": 0}]})")));
  EXPECT_THAT(unset.problems, HasSubstr("run `r` does not set parameter 5 (`bo2`) of kernel `k`"));
  unset.bind("x", {1, 2, 3, 4});
  EXPECT_NE(unset.run(), "ok");
  EXPECT_THAT(npu_->fault, HasSubstr("argument 2 is not set"));
}

TEST_F(XrtBackendTest, SlicesAreSubBuffers) {
  Opened opened = open(npu_recipe(kTwoBuffers, npu_run("x", "y", R"(, "offset": 8, "size": 8)")));
  ASSERT_EQ(opened.problems, "");
  opened.bind("x", {1, 2, 3, 4});
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), ElementsAre(0, 0, 4, 5));
}

// Buffers that only kernels use are never synchronised, others once before the first execution.
TEST_F(XrtBackendTest, ExecutionsDoNotSynchronise) {
  Opened opened = open(npu_recipe(std::string(kTwoBuffers) + R"(, {"name": "t", "type": "internal", "size": 16})",
                                  npu_run("x", "t") + "," + npu_run("t", "y")));
  ASSERT_EQ(opened.problems, "");
  opened.bind("x", {1, 2, 3, 4});
  EXPECT_EQ(opened.run(), "ok");
  npu_->syncs_to_device = npu_->syncs_from_device = 0;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(opened.run(), "ok");
  EXPECT_EQ(npu_->syncs_to_device, 0u);
  EXPECT_EQ(npu_->syncs_from_device, 0u);
  EXPECT_THAT(opened.words("y"), ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(npu_->syncs_from_device, 1u);
}

TEST_F(XrtBackendTest, TimedIterationsOfAProfileDoNotSynchronise) {
  const auto syncs = [&](int iterations, std::string_view mode) -> std::uint64_t {
    npu_->reset();
    Opened opened = open(npu_recipe(kTwoBuffers, npu_run("x", "y")),
                         formatted(R"({{"bindings": [{{"name": "x", "size": 16, "init": {{"stride": 4, "value": 41}}}},
    {{"name": "y", "size": 16, "validate": {{"name": "gold"}}}},
    {{"name": "gold", "size": 16, "init": {{"stride": 4, "value": 42}}}}],
    "executions": [{{"mode": "{}", "iterations": {}}}]}})",
                                   mode, iterations));
    EXPECT_EQ(opened.problems, "");
    EXPECT_FALSE(opened.session.run());
    EXPECT_EQ(npu_->commands % static_cast<std::uint64_t>(iterations), 0u);
    return npu_->syncs_to_device + npu_->syncs_from_device;
  };
  EXPECT_EQ(syncs(100, "latency"), syncs(1, "latency"));
  EXPECT_EQ(syncs(100, "throughput"), syncs(1, "throughput"));
  EXPECT_EQ(syncs(1, "validate"), syncs(1, "latency") + 1);
}

// Each side sees what the other wrote, for several executions.
TEST_F(XrtBackendTest, CpuFunctionsBetweenKernels) {
  Opened opened =
      open(npu_recipe(std::string(kTwoBuffers) + R"(, {"name": "t", "type": "internal", "size": 16})",
                      npu_run("x", "t") + "," +
                          cpu_run("add", R"({"name": "t", "argidx": 0, "offset": 8})", R"({"value": 1, "argidx": 1})") +
                          "," + npu_run("t", "y"),
                      cpus_json({"add"})));
  ASSERT_EQ(opened.problems, "");
  for (std::uint32_t i = 0; i < 3; ++i) {
    opened.bind("x", {i, i, i, i});
    EXPECT_EQ(opened.run(), "ok");
    EXPECT_THAT(opened.words("y"), ElementsAre(i + 2, i + 2, i + 0x01010103, i + 0x01010103));
  }
}

// Functions for XRT get objects of XRT, also for buffers that are host memory.
TEST_F(XrtBackendTest, CpuLibrariesForXrt) {
  const std::string twice =
      R"({"name": "twice", "where": "cpu", "arguments": [{"name": "x", "argidx": 0, "offset": 8}]})";
  const std::string cpus = R"({"name": "twice", "library_path": "for_xrt"})";
  Opened opened = open(npu_recipe(kTwoBuffers, twice + "," + npu_run("x", "y"), cpus));
  ASSERT_EQ(opened.problems, "");
  opened.bind("x", {1, 2, 3, 4});
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), ElementsAre(2, 3, 7, 9));
  const BufferPtr host = *cpu::make_host_buffer(16);
  for (std::uint32_t i = 0; i < 4; ++i) store(host_bytes(*host).data() + 4 * i, i + 10);
  ASSERT_TRUE(opened.runner().bind("x", {host, 0, 16}));
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("x"), ElementsAre(10, 11, 24, 26));
  EXPECT_THAT(opened.words("y"), ElementsAre(11, 12, 25, 27));
}

TEST_F(XrtBackendTest, ManyRunsAreRunLists) {
  std::string runs, buffers = std::string(kTwoBuffers);
  for (int i = 0; i < 100; ++i) runs += (i == 0 ? "" : ",") + npu_run(i == 0 ? "x" : "y", "y");
  Opened opened = open(npu_recipe(buffers, runs));
  ASSERT_EQ(opened.problems, "");
  opened.bind("x", {0, 1, 2, 3});
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), ElementsAre(100, 101, 102, 103));
  EXPECT_EQ(npu_->commands, 100u);
  EXPECT_EQ(npu_->lists, 5u);  // of at most 24 runs each
  EXPECT_TRUE(opened.runner().chained(0));
}

std::vector<RunStatus> statuses(Opened& opened) {
  std::vector<RunStatus> all;
  for (const RunRecord& record : opened.runner().records()) all.push_back(record.status);
  return all;
}

constexpr RunStatus kOk = RunStatus::Ok, kFailed = RunStatus::Failed, kSkipped = RunStatus::Skipped;

TEST_F(XrtBackendTest, AFailureNamesItsRun) {
  Opened opened = open(npu_recipe(kTwoBuffers, npu_run("x", "y") + "," + npu_run("y", "x") + "," + npu_run("x", "y")));
  ASSERT_EQ(opened.problems, "");
  npu_->fail_at = 2;
  ASSERT_TRUE(opened.runner().execute());
  const auto done = opened.runner().wait();
  ASSERT_FALSE(done);
  const Diagnostic& problem = done.error().diagnostics.front();
  EXPECT_THAT(problem.message, HasSubstr("run 'y_to_x' of kernel `k` failed"));
  EXPECT_EQ(problem.path, "/execution/runs/1");
  EXPECT_EQ(name_of(problem.kind), "run-failed");
  EXPECT_THAT(statuses(opened), ElementsAre(kOk, kFailed, kOk));  // XRT had started all three
  npu_->fail_at = 0;
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(statuses(opened), Each(kOk));
}

// Times of iterations that did not run say nothing.
TEST_F(XrtBackendTest, AFailedExecutionOfAProfileHasNoMetrics) {
  const auto metrics = [&](std::string_view mode, std::uint64_t fail_at) {
    npu_->reset();
    npu_->fail_at = fail_at;
    Opened opened = open(npu_recipe(kTwoBuffers, npu_run("x", "y")),
                         formatted(R"({{"bindings": [{{"name": "x", "size": 16}}, {{"name": "y", "size": 16}}],
    "executions": [{{"mode": "{}", "iterations": 3}}]}})",
                                   mode));
    EXPECT_EQ(opened.problems, "");
    EXPECT_EQ(opened.session.run().has_value(), fail_at != 0);
    const ExecutionOutcome& outcome = opened.session.engine().executions().at(0);
    return outcome.latency_us.has_value() || outcome.throughput.has_value();
  };
  for (const std::string_view mode : {"latency", "throughput"}) {
    EXPECT_TRUE(metrics(mode, 0));
    EXPECT_FALSE(metrics(mode, 2));
  }
}

TEST_F(XrtBackendTest, AFailedExecutionReportsCompletedIterationsOnly) {
  npu_->fail_at = 3;
  Opened opened = open(npu_recipe(kTwoBuffers, npu_run("x", "y")),
                       R"({"executions": [{"mode": "latency", "iterations": 5, "verbose": false}]})");
  EXPECT_TRUE(opened.session.run());
  EXPECT_EQ(opened.session.details().executions->at(0).samples->count, 2u);
  npu_->reset();
  npu_->fail_at = 1;
  EXPECT_TRUE(opened.session.run());
  EXPECT_FALSE(opened.session.details().executions->at(0).samples);
}

// XRT does not measure runs, so each is started alone.
TEST_F(XrtBackendTest, RunsAreMeasured) {
  std::string runs;
  for (int i = 0; i < 8; ++i) runs += (i == 0 ? "" : ",") + npu_run("x", "y");
  OpenOptions measuring = options();
  measuring.runner.timings = true;
  Opened opened(npu_recipe(kTwoBuffers, runs), std::move(measuring), "", npu_files());
  ASSERT_EQ(opened.problems, "");
  opened.bind("x", {1, 2, 3, 4});
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(npu_->lists, 0u);
  ASSERT_EQ(opened.runner().records().size(), 8u);
  for (const RunRecord& record : opened.runner().records()) EXPECT_GT(record.total_ns.value_or(0), 0);
  npu_->fail_at = npu_->commands + 2;
  EXPECT_THAT(opened.run(), HasSubstr("run 'x_to_y' of kernel `k` failed"));
  EXPECT_THAT(statuses(opened), ElementsAre(kOk, kFailed, kSkipped, kSkipped, kSkipped, kSkipped, kSkipped, kSkipped));
}

TEST_F(XrtBackendTest, BuffersThatTheProfileBindsAreMadeOnce) {
  const auto allocated = [&](const std::string& buffers) {
    npu_->reset();
    Opened opened = open(npu_recipe(buffers, npu_run("x", "y")), R"({"bindings": [
      {"name": "x", "size": 16, "init": {"stride": 4, "value": 1}}, {"name": "y", "size": 16}]})");
    EXPECT_EQ(opened.problems, "");
    EXPECT_FALSE(opened.session.run());
    EXPECT_EQ(opened.runner().created_bytes(), 0u);
    EXPECT_THAT(opened.words("y"), Each(2u));
    return npu_->allocated.load();
  };
  EXPECT_EQ(allocated(std::string(kTwoBuffers)),
            allocated(R"({"name": "x", "type": "input"}, {"name": "y", "type": "output"})"));
}

// What the shipped runner accepts runs with the same data (docs/acceptance.md).
TEST_F(XrtBackendTest, WhatTheShippedRunnerAccepts) {
  const auto result = [&](const std::string& buffers, const std::string& arguments, std::string_view profile,
                          std::string_view warning) {
    Opened opened = open(npu_recipe(buffers, formatted(R"({{"kernel": "k", "where": "gpu", "arguments": [{}],
      "constants": [{{"value": 3, "argidx": 0}}, {{"value": 7, "argidx": 3}}]}})",
                                                       arguments)),
                         std::string(profile));
    EXPECT_THAT(opened.problems, HasSubstr(warning));
    EXPECT_THAT(opened.problems, ::testing::Not(HasSubstr("error:")));
    EXPECT_FALSE(opened.session.run());
    return opened.words("y");
  };
  const std::string x = R"({"name": "x", "type": "input", "size": 16})",
                    y = R"({"name": "y", "type": "output", "size": 16})";
  const std::string z = R"({"name": "z", "type": "input"})";
  constexpr std::string_view kProfile = R"({"bindings": [
    {"name": "x", "size": 16, "init": {"stride": 4, "value": 10}}, {"name": "z", "size": 16, "init": {"stride": 4, "value": 20}},
    {"name": "y", "size": 16}, {"name": "x", "size": 64, "init": {"stride": 4, "value": 90}}]})";
  constexpr std::string_view kTo = R"(, {"name": "y", "argidx": 5})";
  const std::string from_x = R"({"name": "x", "argidx": 3})", from_z = R"({"name": "z", "argidx": 3})";
  // Other values of `where`; the buffer x is bound twice, and the constant for its argument has no effect.
  EXPECT_THAT(result(x + "," + y + "," + z, from_x + std::string(kTo), kProfile, "is taken as npu"), Each(11u));
  EXPECT_THAT(result(x + "," + y + "," + z, from_x + std::string(kTo), kProfile,
                     "argidx 3 is used twice in run `k`; it is buffer `x`"),
              Each(11u));
  // The argument that is bound last: by the names of the buffers.
  EXPECT_THAT(result(x + "," + y + "," + z, from_z + "," + from_x + std::string(kTo), kProfile, "it is buffer `z`"),
              Each(21u));
  // The first of two buffers.
  EXPECT_THAT(result(x + "," + y + R"(, {"name": "x", "type": "internal", "size": 128})", from_x + std::string(kTo),
                     kProfile, "two buffers are called `x`; the first one is used"),
              Each(11u));
  // An offset of a whole buffer, and one past its end.
  EXPECT_THAT(result(x + "," + y, R"({"name": "x", "argidx": 3, "offset": 8, "size": 16})" + std::string(kTo), kProfile,
                     "its offset 8 is ignored"),
              Each(11u));
  EXPECT_THAT(
      result(z + "," + y, R"({"name": "z", "argidx": 3, "offset": 24})" + std::string(kTo), kProfile, "is used twice"),
      Each(21u));
  // A buffer that is not bound: the argument is not set.
  const std::string both = R"({"name": "x", "argidx": 3}, {"name": "w", "argidx": 4})" + std::string(kTo);
  EXPECT_THAT(result(x + "," + y + R"(, {"name": "w", "type": "input"})", both, kProfile,
                     "buffer `w` is not bound; arguments that it is for stay unset [runner-state]"),
              Each(11u));
}

TEST_F(XrtBackendTest, ArgumentsThatTheControlCodeUses) {
  const auto problems = [&](const std::string& run) { return open(npu_recipe(kTwoBuffers, run)).problems; };
  EXPECT_EQ(problems(npu_run("x", "y")), "");
  EXPECT_THAT(
      problems(R"({"kernel": "k", "arguments": [{"name": "x", "argidx": 3}, {"name": "y", "argidx": 5}]})"),
      HasSubstr("warning: run `k` does not set parameter 0 (`opcode`) of kernel `k`, which the NPU uses; it is 0 "
                "[unset-argument]"));
  EXPECT_THAT(
      problems(
          R"({"kernel": "k", "arguments": [{"name": "x", "argidx": 3}], "constants": [{"value": 3, "argidx": 0}]})"),
      HasSubstr("does not set parameter 5 (`bo2`) of kernel `k`"));
  EXPECT_THAT(problems(R"({"kernel": "DPU"})"),
              HasSubstr("Unknown kernel 'DPU'; it is the `instance` of kernel `k`; runs take "
                        "the `name` of a kernel [unknown-reference]"));
}

TEST_F(XrtBackendTest, OutputsAreProven) {
  const auto unwritten = [&](std::string_view profile, std::string_view y_slice, std::string_view later = "") {
    npu_->reset();
    Opened opened = open(
        npu_recipe(
            R"({"name": "x", "type": "input", "size": 16}, {"name": "y", "type": "output", "size": 32})",
            formatted(R"({{"kernel": "k", "arguments": [{{"name": "x", "argidx": 3}}, {{"name": "y", "argidx": 5{}}}],
                     "constants": [{{"value": 3, "argidx": 0}}]}}{})",
                      y_slice, later)),
        std::string(profile));
    EXPECT_EQ(opened.problems, "");
    EXPECT_FALSE(opened.session.run());
    EXPECT_EQ(npu_->commands, opened.session.plan()->runs.size());
    const Failure failure = opened.runner().unwritten_outputs();
    return std::pair(failure.empty() ? "" : Opened::text(failure), opened.words("y"));
  };
  constexpr std::string_view kHalf = R"(, "offset": 16, "size": 16)";
  const auto [text, words] = unwritten("", kHalf);
  EXPECT_THAT(text, HasSubstr("output `y` was not written: 4 of 8 elements, from element 0"));
  EXPECT_THAT(text, HasSubstr("[output-not-written]"));
  EXPECT_THAT(words, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));  // not the pattern
  // A binding without contents is proven too, one with contents is not.
  EXPECT_THAT(unwritten(R"({"bindings": [{"name": "y", "size": 32}]})", kHalf).first, HasSubstr("4 of 8 elements"));
  const auto initial =
      unwritten(R"({"bindings": [{"name": "y", "size": 32, "init": {"stride": 4, "value": 9}}]})", kHalf);
  EXPECT_EQ(initial.first, "");
  EXPECT_THAT(initial.second, ElementsAre(9, 9, 9, 9, 1, 1, 1, 1));
  // A later run may read what the first one did not write.
  const auto later = unwritten("", kHalf, "," + npu_run("y", "y", R"(, "size": 32)"));
  EXPECT_EQ(later.first, "");
}

TEST_F(XrtBackendTest, AFailureInARunListNamesItsRun) {
  std::string runs;
  for (int i = 0; i < 8; ++i) runs += (i == 0 ? "" : ",") + npu_run("x", "y");
  Opened opened = open(npu_recipe(kTwoBuffers, runs));
  ASSERT_EQ(opened.problems, "");
  npu_->fail_at = 4;
  ASSERT_TRUE(opened.runner().execute());
  const auto done = opened.runner().wait();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().diagnostics.front().path, "/execution/runs/3");
  EXPECT_THAT(statuses(opened), ElementsAre(kOk, kOk, kOk, kFailed, kSkipped, kSkipped, kSkipped, kSkipped));
}

TEST_F(XrtBackendTest, ATimeOutNamesWhatHangs) {
  Opened opened = open(npu_recipe(kTwoBuffers, npu_run("x", "y") + "," + npu_run("y", "x") + "," + npu_run("x", "y")));
  ASSERT_EQ(opened.problems, "");
  npu_->hang_at = 2;
  ASSERT_TRUE(opened.runner().prepare({.time_out = std::chrono::milliseconds(1000)}));
  ASSERT_TRUE(opened.runner().execute());
  const auto done = opened.runner().wait();
  ASSERT_FALSE(done);
  const Diagnostic& problem = done.error().diagnostics.front();
  EXPECT_EQ(problem.message,
            "the list of 3 runs from `x_to_y` to `x_to_y` did not end within 1000 ms; 1 of its runs completed");
  EXPECT_EQ(problem.path, "/execution/runs/1");
  EXPECT_EQ(name_of(problem.kind), "timed-out");
  EXPECT_THAT(statuses(opened), ElementsAre(kOk, kFailed, kSkipped));
  npu_->hang_at = 0;  // the destructor waits
}

TEST_F(XrtBackendTest, TheSelectorChoosesTheDevice) {
  npu_->devices = 3;
  const std::string recipe = npu_recipe(kTwoBuffers, npu_run("x", "y"));
  const auto device_of = [&](std::string selector) -> std::string {
    Opened opened = open(recipe, "", std::move(selector));
    if (!opened.problems.empty()) return opened.problems;
    npu_->device_of_run.clear();
    opened.bind("x", {1, 2, 3, 4});
    EXPECT_EQ(opened.run(), "ok");
    EXPECT_EQ(opened.runner().backends().front().second.device,
              formatted("Software NPU {}", npu_->device_of_run.front()));
    return formatted("{}", npu_->device_of_run.front());
  };
  EXPECT_EQ(device_of(""), "0");
  EXPECT_EQ(device_of("1"), "1");
  EXPECT_EQ(device_of("NPU 2"), "2");
  EXPECT_EQ(device_of("xrt:2"), "2");
  EXPECT_EQ(device_of("vulkan:llvmpipe"), "0");
  EXPECT_THAT(device_of("7"), HasSubstr("XRT has no device `7`; there are 0 `Software NPU 0`, 1 `Software NPU 1`, 2 "
                                        "`Software NPU 2` [no-device]"));
  npu_->devices = 0;
  EXPECT_THAT(device_of(""), HasSubstr("XRT found no device (0 devices)"));
}

TEST_F(XrtBackendTest, MemoryIsExhausted) {
  npu_->max_buffer = 1 << 16;
  Opened opened = open(npu_recipe(R"({"name": "x", "type": "input", "size": 131072},
    {"name": "y", "type": "output", "size": 131072})",
                                  npu_run("x", "y")));
  EXPECT_THAT(opened.problems, HasSubstr("XRT cannot create buffer `x` of 131072 bytes"));
}

// Scripts of runs that cannot be traced are ignored.
TEST_F(XrtBackendTest, TracesOfControlCodeThatHasNone) {
  ArtifactMap files = npu_files();
  files.emplace("trace.ct", std::vector<char>{'x'});
  Opened opened(npu_recipe(kTwoBuffers, npu_run("x", "y")), options(),
                R"({"bindings": [{"name": "x", "size": 16}, {"name": "y", "size": 16}],
                    "dtrace": [{"name": "x_to_y", "file": "trace.ct"}]})",
                std::move(files));
  EXPECT_THAT(opened.problems,
              HasSubstr("warning: run `x_to_y` is not traced: XRT has no trace scripts for control code "
                        "of the platform aie2p; `trace.ct` is ignored"));
  EXPECT_EQ(opened.run(), "ok");
}

// Two threads: the second one adds 1 to what the first one loads and computes, and waits for it.
constexpr std::string_view kCapture = R"({"version": "1.0",
  "resources": {
    "hwctxs": [{"name": "h", "xclbin": "dpu.xclbin"}],
    "buffers": [{"name": "x", "size": 16, "type": "inout"}, {"name": "y", "size": 16, "type": "inout"},
                {"name": "z", "size": 16, "type": "inout"}],
    "kernels": [{"name": "k", "instance": "DPU", "hwctx": "h", "ctrlcode": "patch.elf"}],
    "runs": [
      {"name": "a", "kernel": "k", "arguments": [{"bo": "x", "argidx": 3}, {"bo": "y", "argidx": 5}]},
      {"name": "b", "kernel": "k", "arguments": [{"bo": "y", "argidx": 3}, {"bo": "z", "argidx": 5}],
       "constants": [{"value": 3, "argidx": 0, "type": "int"}]}]},
  "execution": {"threads": [1, 2], "iterations": 3, "frames": [
    {"name": "f1", "tid": 1, "runs": [{"run": "a", "arguments": [{"bo": "x", "argidx": 3, "fnm": "x.bin"}]}], "waits": ["f1"]},
    {"name": "f2", "tid": 2, "runs": [{"run": "a"}], "waits": ["f1", "f2"]},
    {"name": "f3", "tid": 2, "runs": [{"run": "b"}, {"run": "b"}], "waits": ["f3"]}]}})";

TEST_F(XrtBackendTest, CapturesAreReplayed) {
  ArtifactMap files = npu_files();
  files.emplace("x.bin", std::vector<char>{1, 0, 0, 0, 2, 0, 0, 0});
  const Artifacts artifacts = Artifacts::in_memory(std::make_shared<const ArtifactMap>(std::move(files)));
  Diagnostics diagnostics;
  auto document = read_document(make_source("capture.json", std::string(kCapture)), {}, diagnostics);
  const auto replay = read_replay(std::move(document), {}, diagnostics);
  ASSERT_TRUE(replay);
  check_replay(*replay, &artifacts, diagnostics);
  ASSERT_EQ(format_diagnostics(diagnostics.all(), {.sources = false}), "");
  const BackendPtr backend = *xrt_module::open_backend();
  const auto result = run_replay(*replay, artifacts, *backend);
  ASSERT_TRUE(result) << result.error().front().message;
  EXPECT_EQ(result->frames, 3u);
  EXPECT_EQ(result->iterations, 3u);
  EXPECT_EQ(result->threads, 2u);
  EXPECT_EQ(npu_->commands, 12u);
  EXPECT_EQ(npu_->lists, 3u);  // f3
  EXPECT_THAT(replay_report(*result), HasSubstr("\"frames\": 3"));
  npu_->reset();
  EXPECT_EQ(run_replay(*replay, artifacts, *backend, {.iterations = 1})->iterations, 1u);
  EXPECT_EQ(npu_->commands, 4u);
  npu_->fail_at = npu_->commands + 1;
  const auto failed = run_replay(*replay, artifacts, *backend);
  ASSERT_FALSE(failed);
  EXPECT_EQ(name_of(failed.error().front().kind), "run-failed");
  EXPECT_THAT(failed.error().front().path, HasSubstr("/execution/frames/"));
}

TEST_F(XrtBackendTest, RunnersInThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> bad = 0;
  const auto backends = std::make_shared<Backends>("", Cache());
  for (std::uint32_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      OpenOptions with{.runner = {.open_backend = [&](BackendKind kind) { return backends->open(kind); }}};
      Opened opened(npu_recipe(kTwoBuffers, npu_run("x", "y")), std::move(with), "", npu_files());
      opened.bind("x", {i, i, i, i});
      for (int k = 0; k < 20; ++k) bad += opened.run() == "ok" ? 0 : 1;
      for (const std::uint32_t word : opened.words("y")) bad += word == i + 1 ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(bad, 0);
}

}  // namespace
}  // namespace slipway::recipe
