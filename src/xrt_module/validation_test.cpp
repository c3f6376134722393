// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Validation suites on XRT with the software NPU: which figures tests have, and that they agree.
#include "recipe/validation/validation.hpp"

#include <gmock/gmock.h>

#include "base/containers/ar.hpp"
#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "base/system/files.hpp"
#include "recipe/open_backend.hpp"
#include "testing/scratch_directory.hpp"
#include "testing/source_directory.hpp"

namespace slipway::recipe {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string recipe_text(int size) {
  return formatted(R"({{"header": {{"xclbin": "dpu.xclbin"}}, "resources": {{"buffers": [
    {{"name": "x", "type": "input", "size": {0}}}, {{"name": "y", "type": "output", "size": {0}}}],
    "kernels": [{{"name": "k", "instance": "DPU", "ctrlcode": "copy.elf"}}]}},
    "execution": {{"runs": [{{"kernel": "k", "name": "r", "arguments": [{{"name": "x", "argidx": 3}},
      {{"name": "y", "argidx": 5}}], "constants": [{{"value": 3, "type": "int", "argidx": 0}}]}}]}}}})",
                   size);
}
std::string profile_text(int size, int iterations) {
  return formatted(R"({{"bindings": [{{"name": "x", "size": {}, "init": {{"stride": 4, "value": 1000}}}}],
    "execution": {{"mode": "latency", "iterations": {}}}}})",
                   size, iterations);
}

class Validation : public ::testing::Test {
 protected:
  void add(const std::string& name, std::string_view text) { ASSERT_TRUE(write_file(directory_ / name, text)); }
  void add_test(const std::string& name, int size = 128, int iterations = 5) {
    add(formatted("recipe_{}.json", name), recipe_text(size));
    add(formatted("profile_{}.json", name), profile_text(size, iterations));
  }
  void SetUp() override {
    for (const char* name : {"dpu.xclbin", "copy.elf"}) {
      const auto file = map_file(testing::source_directory() / "tests/data/xrt" / name);
      ASSERT_TRUE(file);
      add(name, text_of(file->bytes()));
    }
  }

  std::vector<ValidationOutcome> run(const std::string& path, double clock_mhz = 0) {
    auto suite = read_suite(path);
    if (!suite) {
      ADD_FAILURE() << format_diagnostics(suite.error());
      return {};
    }
    auto backends = std::make_shared<Backends>("", Cache());
    ValidationOptions options{.clock_mhz = clock_mhz};
    options.open = [backends] {
      return OpenOptions{.runner = {.open_backend = [backends](BackendKind kind) { return backends->open(kind); }}};
    };
    std::vector<ValidationOutcome> outcomes;
    for (const ValidationTest& test : suite->tests) {
      ValidationOutcome outcome = run_test(*suite, test, options);
#ifdef __SANITIZE_ADDRESS__
      if (!outcome.diagnostics.empty() && outcome.diagnostics[0].kind == DiagnosticKind::NoDevice) continue;
#endif
      outcomes.push_back(std::move(outcome));
    }
    return outcomes;
  }
  static std::vector<std::string_view> names(const ValidationOutcome& outcome) {
    std::vector<std::string_view> all;
    for (const Figure& figure : outcome.figures) all.push_back(figure.name);
    return all;
  }

  testing::ScratchDirectory directory_;
};

TEST_F(Validation, FiguresFollowFromTheNames) {
  for (const char* name : {"latency", "df_bw", "aie_reconfig", "aie_reconfig_nop", "temporal_sharing", "gemm_int8"})
    add_test(name);
  const auto outcomes = run(directory_.path().string(), 1000);
  if (outcomes.empty()) GTEST_SKIP() << "XRT does not use the software NPU";
  ASSERT_EQ(outcomes.size(), 6u);
  for (const ValidationOutcome& one : outcomes) {
    ASSERT_EQ(format_diagnostics(one.diagnostics, {.sources = false}), "") << one.name;
    EXPECT_EQ(one.iterations, 5u) << one.name;
    EXPECT_THAT(*one.figure("latency") * 5, DoubleNear(*one.figure("elapsed"), 1e-6));
    EXPECT_THAT(*one.figure("latency") * *one.figure("throughput"), DoubleNear(1e6, 1e-3));
  }
  EXPECT_THAT(names(outcomes[0]), ElementsAre("elapsed", "latency", "throughput", "reconfiguration"));
  EXPECT_THAT(names(outcomes[1]), ElementsAre("elapsed", "latency", "throughput"));
  // 128 bytes are read and written in each iteration.
  EXPECT_EQ(outcomes[2].name, "df_bw");
  EXPECT_THAT(*outcomes[2].figure("bandwidth") / *outcomes[2].figure("throughput") * (1 << 30), DoubleNear(256, 1e-6));
  // The only core counts 1000 cycles: 196608 operations in 1 us.
  EXPECT_THAT(*outcomes[3].figure("rate"), DoubleNear(0.196608, 1e-9));
  EXPECT_TRUE(outcomes[5].figure("sharing"));
}

TEST_F(Validation, ArchivesAreTheSame) {
  std::string archive(kArMagic);
  const auto member = [&](const std::string& name, std::string_view text) {
    const ArHeader header = ar_member(name, text.size());
    archive += header.before + std::string(text) + std::string(header.padding);
  };
  for (const char* name : {"dpu.xclbin", "copy.elf"}) member(name, *read_text(directory_ / name));
  member("recipe_throughput.json", recipe_text(16));
  member("profile_throughput.json", profile_text(16, 2));
  add("suite.a", archive);
  const auto outcomes = run((directory_ / "suite.a").string());
  if (outcomes.empty()) GTEST_SKIP() << "XRT does not use the software NPU";
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].name, "throughput");
  EXPECT_EQ(format_diagnostics(outcomes[0].diagnostics, {.sources = false}), "");
  EXPECT_EQ(outcomes[0].iterations, 2u);
}

TEST_F(Validation, WhatIsMissingIsNamed) {
  add_test("aie_reconfig");
  add_test("broken", 8);  // the control code copies 16 bytes
  const auto outcomes = run(directory_.path().string());
  if (outcomes.empty()) GTEST_SKIP() << "XRT does not use the software NPU";
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_THAT(format_diagnostics(outcomes[0].diagnostics, {.sources = false}),
              HasSubstr("the suite has no test `aie_reconfig_nop`"));
  EXPECT_TRUE(outcomes[0].figures.empty());
  EXPECT_THAT(format_diagnostics(outcomes[1].diagnostics, {.sources = false}),
              HasSubstr("run 'r' of kernel `k` failed"));
  testing::ScratchDirectory empty;
  EXPECT_EQ(read_suite(empty.path().string()).error().front().message,
            "there is no recipe: the files of a test are called `recipe_NAME.json` and `profile_NAME.json`");
  EXPECT_THAT(read_suite((directory_ / "copy.elf").string()).error().front().message,
              HasSubstr("not a validation archive"));
}

TEST(MatrixRate, IsOfAllCores) {
  std::vector<std::uint32_t> cycles(2 * 32, 7);  // the words after the first one of a core do not count
  cycles[0] = 1000;
  cycles[32] = 500;
  EXPECT_THAT(*matrix_rate(std::as_bytes(std::span(cycles)), 1000, 196608), DoubleNear(3 * 0.196608, 1e-9));
  cycles[32] = 0;
  EXPECT_EQ(matrix_rate(std::as_bytes(std::span(cycles)), 1000, 1).error().front().message, "core 1 counted 0 cycles");
  EXPECT_EQ(matrix_rate({}, 1000, 1).error().front().message,
            "the buffer has 0 bytes, and the cycles of one core need 128");
}

}  // namespace
}  // namespace slipway::recipe
