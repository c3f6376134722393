// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "platform/process.hpp"
#include "slipway/slipway.h"
#include "testing/source_directory.hpp"

namespace slipway {
namespace {

// The problems of a call, freed at the end of a test.
struct ProblemList {
  slipway_problems* list = nullptr;
  ProblemList() = default;
  ProblemList(const ProblemList&) = delete;
  ProblemList& operator=(const ProblemList&) = delete;
  ~ProblemList() { slipway_problems_free(list); }
  std::size_t count() const { return slipway_problems_count(list); }
};

std::string source(const std::string& name) { return (testing::source_directory() / name).string(); }

TEST(CApi, RunsAScenario) {
  ProblemList problems;
  slipway_scenario* scenario = nullptr;
  ASSERT_EQ(slipway_scenario_load(source("examples/hello/scenario.json").c_str(), nullptr, &scenario, &problems.list),
            0)
      << slipway_problems_text(problems.list, 0);
  slipway_device* device = nullptr;
  ASSERT_EQ(slipway_device_open(nullptr, &device, &problems.list), 0) << slipway_problems_text(problems.list, 0);
  EXPECT_STRNE(slipway_device_name(device), "");

  const char* const capture[] = {"y"};
  slipway_run_options options = {};
  options.size = sizeof options;
  options.no_outputs = 1;
  options.capture = capture;
  options.capture_count = 1;
  slipway_report* report = nullptr;
  ASSERT_EQ(slipway_scenario_run(scenario, device, &options, &report, &problems.list), 0);
  EXPECT_TRUE(slipway_report_all_met(report));
  std::size_t size = 0;
  ASSERT_NE(slipway_report_captured(report, "y", &size), nullptr);
  EXPECT_EQ(size, 32);
  EXPECT_EQ(slipway_report_captured(report, "unknown", nullptr), nullptr);
  slipway_report_free(report);

  // Other contents: the expectation of the file does not hold any more.
  const std::vector<float> x(8, 4.0f);
  ASSERT_EQ(slipway_scenario_set_contents(scenario, "x", x.data(), sizeof(float) * x.size(), &problems.list), 0);
  ASSERT_EQ(slipway_scenario_run(scenario, device, &options, &report, &problems.list), 0);
  EXPECT_FALSE(slipway_report_all_met(report));
  float y = 0;
  std::memcpy(&y, slipway_report_captured(report, "y", nullptr), sizeof y);
  EXPECT_EQ(y, 11.0f);
  slipway_report_free(report);
  slipway_device_free(device);
  slipway_scenario_free(scenario);
}

TEST(CApi, ReportsProblemsWithTheirPlace) {
  ProblemList problems;
  slipway_scenario* scenario = nullptr;
  const std::string text = "{\n  \"resources\": 3 }";
  EXPECT_EQ(slipway_scenario_parse(text.data(), text.size(), nullptr, nullptr, &scenario, &problems.list), 3);
  EXPECT_EQ(scenario, nullptr);
  ASSERT_GE(problems.count(), 1);
  EXPECT_EQ(slipway_problems_severity(problems.list, 0), SLIPWAY_ERROR);
  EXPECT_EQ(slipway_problems_line(problems.list, problems.count() - 1), 2);
  EXPECT_STRNE(slipway_problems_kind(problems.list, 0), "");
  EXPECT_STREQ(slipway_problems_text(problems.list, 99), "") << "an index beyond the end is harmless";
}

TEST(CApi, TheSandboxHasFourModes) {
  EXPECT_EQ(slipway_set_sandbox(4), 2);
  for (const slipway_sandbox mode :
       {SLIPWAY_SANDBOX_REQUIRED, SLIPWAY_SANDBOX_BEST_EFFORT, SLIPWAY_SANDBOX_OFF, SLIPWAY_SANDBOX_DEFAULT})
    EXPECT_EQ(slipway_set_sandbox(mode), 0);
}

// In a process of its own, in which no call has chosen a mode.
TEST(CApi, ASandboxThatFailsIsNotTheFaultOfAFile) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        platform::set_environment("SLIPWAY_SANDBOX", "0");
        const std::string module = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }";
        void* file = nullptr;
        std::size_t size = 0;
        ProblemList problems;
        const int status = slipway_convert(module.data(), module.size(), "net.mlir", &file, &size, &problems.list);
        std::fputs(slipway_problems_kind(problems.list, 0), stderr);
        std::exit(status);
      },
      ::testing::ExitedWithCode(5), "sandbox-failed");
}

TEST(CApi, RefusesWrongCalls) {
  ProblemList problems;
  EXPECT_EQ(slipway_scenario_load(nullptr, nullptr, nullptr, &problems.list), 2);
  EXPECT_EQ(problems.count(), 1);
  EXPECT_EQ(slipway_scenario_load("missing.json", nullptr, nullptr, nullptr), 2) << "problems are not wanted";
  slipway_scenario* scenario = nullptr;
  EXPECT_NE(slipway_scenario_load("missing.json", nullptr, &scenario, nullptr), 0);
  slipway_scenario_free(nullptr);
  slipway_report_free(nullptr);
  EXPECT_EQ(slipway_problems_count(nullptr), 0);
}

// A caller may free the result of any call that failed.
TEST(CApi, ResultsOfWrongCallsAreNull) {
  const auto wrong = [](auto* garbage, auto call) {
    EXPECT_EQ(call(&garbage), 2);
    EXPECT_EQ(garbage, nullptr);
  };
  int other = 0;
  wrong(reinterpret_cast<slipway_scenario*>(&other),
        [](auto** result) { return slipway_scenario_load(nullptr, nullptr, result, nullptr); });
  wrong(reinterpret_cast<slipway_model*>(&other),
        [](auto** result) { return slipway_model_load(nullptr, result, nullptr); });
  wrong(reinterpret_cast<slipway_prepared_model*>(&other),
        [](auto** result) { return slipway_model_prepare(nullptr, nullptr, nullptr, result, nullptr); });
  wrong(reinterpret_cast<slipway_report*>(&other),
        [](auto** result) { return slipway_scenario_run(nullptr, nullptr, nullptr, result, nullptr); });
  wrong(reinterpret_cast<slipway_kernel_binary*>(&other),
        [](auto** result) { return slipway_kernel_binary_load(nullptr, nullptr, nullptr, result, nullptr); });
  std::size_t size = 1;
  wrong(static_cast<void*>(&other),
        [&](auto** result) { return slipway_convert(nullptr, 1, "", result, &size, nullptr); });
  EXPECT_EQ(size, 0);
}

// Lists that are missing although there is a count of their items.
TEST(CApi, RefusesMissingLists) {
  const auto refused = [](int status, ProblemList& problems, const char* message) {
    EXPECT_EQ(status, 2);
    ASSERT_EQ(problems.count(), 1);
    EXPECT_STREQ(slipway_problems_message(problems.list, 0), message);
    slipway_problems_free(std::exchange(problems.list, nullptr));
  };
  ProblemList problems;
  constexpr char kText[] = "graph net {\n  %0 = input f32[4] \"x\"\n  %1 = EXP(%0) f32[4]\n  output %1\n}\n";
  slipway_model* model = nullptr;
  ASSERT_EQ(slipway_model_parse(kText, sizeof kText - 1, "net", &model, nullptr), 0);
  slipway_prepared_model* prepared = nullptr;
  slipway_prepare_options options = {};
  options.size = sizeof options;
  options.shape_count = 1;
  refused(slipway_model_prepare(model, nullptr, &options, &prepared, &problems.list), problems,
          "the options have a shape_count, but no shapes");
  const slipway_tensor_shape shape = {"x", nullptr, 1};
  options.shapes = &shape;
  refused(slipway_model_prepare(model, nullptr, &options, &prepared, &problems.list), problems,
          "a slipway_tensor_shape has a rank, but no shape");
  EXPECT_EQ(prepared, nullptr);
  slipway_model_free(model);
}

TEST(CApi, ListsDevices) {
  slipway_devices* devices = nullptr;
  ProblemList problems;
  ASSERT_EQ(slipway_devices_list(&devices, &problems.list), 0) << slipway_problems_text(problems.list, 0);
  const std::size_t count = slipway_devices_count(devices);
  ASSERT_GT(count, 0);
  slipway_device* device = nullptr;
  ASSERT_EQ(slipway_device_open(slipway_devices_uuid(devices, 0), &device, nullptr), 0);
  EXPECT_STREQ(slipway_device_name(device), slipway_devices_name(devices, 0));
  EXPECT_STREQ(slipway_device_type(device), slipway_devices_type(devices, 0));
  EXPECT_STREQ(slipway_devices_name(devices, count), "");
  slipway_device_free(device);
  slipway_devices_free(devices);
  EXPECT_EQ(slipway_devices_list(nullptr, nullptr), 2);
  ASSERT_EQ(slipway_device_open("cpu", &device, nullptr), 0);
  EXPECT_STREQ(slipway_device_type(device), "Cpu");
  slipway_device_free(device);
}

constexpr char kNet[] = R"(graph net {
  %0 = input i32[-1, 2] "x"
  %1 = ADD(%0, %0) i32[-1, 2]
  output %1
}
)";

TEST(CApi, RunsAModelOnADeviceAndOnTheInterpreter) {
  ProblemList problems;
  slipway_model* model = nullptr;
  ASSERT_EQ(slipway_model_parse(kNet, sizeof kNet - 1, "net", &model, &problems.list), 0)
      << slipway_problems_text(problems.list, 0);
  slipway_prepared_model* prepared = nullptr;
  EXPECT_EQ(slipway_model_prepare(model, nullptr, nullptr, &prepared, &problems.list), 4) << "a dimension is open";
  EXPECT_EQ(prepared, nullptr);
  slipway_device* device = nullptr;
  ASSERT_EQ(slipway_device_open(nullptr, &device, nullptr), 0);
  const std::int64_t extents[] = {3, 2};
  const slipway_tensor_shape shape = {"x", extents, 2};
  slipway_prepare_options options = {};
  options.size = sizeof options;
  options.shapes = &shape;
  options.shape_count = 1;
  for (const bool reference : {false, true}) {
    options.reference = reference;
    slipway_problems_free(std::exchange(problems.list, nullptr));
    ASSERT_EQ(slipway_model_prepare(model, reference ? nullptr : device, &options, &prepared, &problems.list), 0)
        << slipway_problems_text(problems.list, 0);
    ASSERT_EQ(slipway_prepared_model_inputs(prepared), 1);
    slipway_tensor_info info = {};
    EXPECT_EQ(slipway_prepared_model_output_info(prepared, 0, &info), 2) << "the size is not set";
    info.size = sizeof info;
    EXPECT_EQ(slipway_prepared_model_output_info(prepared, 1, &info), 2);
    ASSERT_EQ(slipway_prepared_model_output_info(prepared, 0, &info), 0);
    EXPECT_STREQ(info.name, "output_0");
    EXPECT_STREQ(info.element_type, "i32");
    EXPECT_EQ(info.bytes, 24);
    ASSERT_EQ(info.rank, 2);
    EXPECT_EQ(info.shape[0], 3);
    const std::int32_t x[] = {1, 2, 3, 4, 5, -6};
    std::memcpy(slipway_prepared_model_input(prepared, 0), x, sizeof x);
    ASSERT_EQ(slipway_prepared_model_run(prepared, nullptr), 0);
    std::int32_t y[6];
    std::memcpy(y, slipway_prepared_model_output(prepared, 0), sizeof y);
    EXPECT_EQ(y[5], -12);
    EXPECT_EQ(slipway_prepared_model_output(prepared, 1), nullptr);
    slipway_prepared_model_free(prepared);
  }
  slipway_device_free(device);
  slipway_model_free(model);
}

TEST(CApi, ConvertsAModel) {
  ProblemList problems;
  void* file = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(slipway_convert(kNet, sizeof kNet - 1, "net", &file, &size, &problems.list), 0);
  EXPECT_GT(size, 100);
  slipway_model* model = nullptr;
  EXPECT_EQ(slipway_model_parse(file, size, "net.vgf", &model, nullptr), 0);
  slipway_model_free(model);
  slipway_bytes_free(file);
  EXPECT_EQ(slipway_convert("graph", 5, "net", &file, &size, &problems.list), 3);
  EXPECT_EQ(file, nullptr);
  EXPECT_EQ(slipway_convert(nullptr, 5, "net", &file, &size, nullptr), 2);
}

// The calls of a progress function, which stops or throws at a stage.
struct RecordedProgress {
  std::vector<std::string> stages;
  std::uint64_t done = 0, total = 0;  // of the last call with items
  std::string stop, fail;

  static int call(const slipway_progress* at, void* user) {
    auto& self = *static_cast<RecordedProgress*>(user);
    EXPECT_EQ(at->size, sizeof(slipway_progress));
    EXPECT_LT(at->index, at->count);
    EXPECT_LE(at->done, at->total);
    if (self.stages.empty() || self.stages.back() != at->stage) self.stages.emplace_back(at->stage);
    if (at->total != 0) {
      EXPECT_GE(at->done, self.done);
      self.done = at->done, self.total = at->total;
    }
    if (at->stage == self.fail) throw std::runtime_error("a function in C++ that throws");
    return at->stage == self.stop ? 1 : 0;
  }
};

constexpr char kProduct[] = R"(graph net {
  %0 = input f32[1, 24, 40] "x"
  %1 = input f32[1, 40, 32] "w"
  %2 = MATMUL(%0, %1) f32[1, 24, 32] A_zp=0 B_zp=0
  %3 = ABS(%2) f32[1, 24, 32]
  output %3
}
)";

TEST(CApi, ReportsProgressOfAllLongCalls) {
  using Stages = std::vector<std::string>;
  ProblemList problems;
  RecordedProgress loading, converting, preparing, tuning;
  slipway_model_options load = {};
  load.size = sizeof load;
  load.no_cache = 1;  // nothing of other runs is used or kept
  load.progress = RecordedProgress::call;
  load.progress_user = &loading;
  slipway_model* model = nullptr;
  ASSERT_EQ(slipway_model_parse_with(kProduct, sizeof kProduct - 1, "net", &load, &model, &problems.list), 0)
      << slipway_problems_text(problems.list, 0);
  EXPECT_EQ(loading.stages, (Stages{"read", "narrow", "simplify", "encode", "shaders"}));

  slipway_convert_options convert = {};
  convert.size = sizeof convert;
  convert.progress = RecordedProgress::call;
  convert.progress_user = &converting;
  void* file = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(slipway_convert_with(kProduct, sizeof kProduct - 1, "net", &convert, &file, &size, nullptr), 0);
  slipway_bytes_free(file);
  EXPECT_EQ(converting.stages, (Stages{"read", "narrow", "simplify", "encode", "check"}));
  EXPECT_EQ(converting.total, 0u) << "nothing to count";

  slipway_device* device = nullptr;
  ASSERT_EQ(slipway_device_open(nullptr, &device, nullptr), 0);
  slipway_prepare_options prepare = {};
  prepare.size = sizeof prepare;
  prepare.no_fuse = 1;  // two kernels
  prepare.progress = RecordedProgress::call;
  prepare.progress_user = &preparing;
  slipway_prepared_model* prepared = nullptr;
  ASSERT_EQ(slipway_model_prepare(model, device, &prepare, &prepared, &problems.list), 0);
  slipway_prepared_model_free(prepared);
  EXPECT_EQ(preparing.stages, (Stages{"plan", "check", "device"}));
  EXPECT_GE(preparing.total, 2u);
  EXPECT_EQ(preparing.done, preparing.total);

  slipway_tune_options tune = {};
  tune.size = sizeof tune;
  tune.limit = 1e-9;  // one round
  tune.progress = RecordedProgress::call;
  tune.progress_user = &tuning;
  slipway_tuning* tuned = nullptr;
  ASSERT_EQ(slipway_model_tune(model, device, &tune, &tuned, &problems.list), 0)
      << slipway_problems_text(problems.list, 0);
  EXPECT_EQ(tuning.stages, (Stages{"plan", "tune"}));
  EXPECT_GT(tuning.total, 0u);
  EXPECT_EQ(tuning.done, tuning.total);
  ASSERT_GE(slipway_tuning_count(tuned), 1u);
  slipway_tuned_kernel kernel = {};
  EXPECT_EQ(slipway_tuning_kernel(tuned, 0, &kernel), 2) << "the size is not set";
  kernel.size = sizeof kernel;
  ASSERT_EQ(slipway_tuning_kernel(tuned, 0, &kernel), 0);
  EXPECT_EQ(slipway_tuning_kernel(tuned, 99, &kernel), 2);
  EXPECT_STRNE(kernel.name, "");
  EXPECT_EQ(kernel.candidates, 1u);
  EXPECT_FALSE(kernel.better) << "only the estimate was measured";
  EXPECT_GT(slipway_tuning_before(tuned), 0);
  EXPECT_GT(slipway_tuning_after(tuned), 0);
  EXPECT_NE(std::string(slipway_tuning_table(tuned)).find("\"device\""), std::string::npos);
  slipway_tuning_free(tuned);
  slipway_tuning_free(nullptr);
  EXPECT_EQ(slipway_model_tune(nullptr, nullptr, nullptr, &tuned, nullptr), 2);
  slipway_device_free(device);
  slipway_model_free(model);
}

TEST(CApi, ProgressStopsCalls) {
  for (const bool throws : {false, true}) {
    ProblemList problems;
    RecordedProgress stopping;
    (throws ? stopping.fail : stopping.stop) = "simplify";
    slipway_model_options load = {};
    load.size = sizeof load;
    load.progress = RecordedProgress::call;
    load.progress_user = &stopping;
    slipway_model* model = nullptr;
    EXPECT_EQ(slipway_model_parse_with(kProduct, sizeof kProduct - 1, "net", &load, &model, &problems.list), 5);
    EXPECT_EQ(model, nullptr);
    EXPECT_EQ(stopping.stages.back(), "simplify");
    EXPECT_STREQ(slipway_problems_kind(problems.list, 0), throws ? "internal" : "interrupted");
  }
  // A program that was compiled before `progress` existed: what lies after its structure is not read.
  slipway_model* model = nullptr;
  ASSERT_EQ(slipway_model_parse(kProduct, sizeof kProduct - 1, "net", &model, nullptr), 0);
  const slipway_prepare_options old = {.size = offsetof(slipway_prepare_options, progress),
                                       .shapes = nullptr,
                                       .shape_count = 0,
                                       .reference = 1,
                                       .no_fuse = 0,
                                       .threads = 0,
                                       .timeout = 0,
                                       .progress = [](const slipway_progress*, void*) { return 1; },
                                       .progress_user = nullptr};
  slipway_prepared_model* prepared = nullptr;
  EXPECT_EQ(slipway_model_prepare(model, nullptr, &old, &prepared, nullptr), 0);
  slipway_prepared_model_free(prepared);
  slipway_model_free(model);
}

TEST(CApi, ComparesAndMeasuresModels) {
  constexpr char kStatic[] = "graph net {\n  %0 = input f32[4] \"x\"\n  %1 = EXP(%0) f32[4]\n  output %1\n}\n";
  ProblemList problems;
  slipway_model* model = nullptr;
  ASSERT_EQ(slipway_model_parse(kStatic, sizeof kStatic - 1, "net", &model, &problems.list), 0);
  slipway_device* device = nullptr;
  ASSERT_EQ(slipway_device_open(nullptr, &device, nullptr), 0);
  slipway_prepare_options options = {};
  options.size = sizeof options;
  slipway_prepared_model* prepared = nullptr;
  slipway_comparisons* comparisons = nullptr;
  slipway_step_times* times = nullptr;

  // Neither is kept without the options.
  ASSERT_EQ(slipway_model_prepare(model, device, &options, &prepared, nullptr), 0);
  ASSERT_EQ(slipway_prepared_model_run(prepared, nullptr), 0);
  EXPECT_EQ(slipway_prepared_model_compare(prepared, &comparisons, &problems.list), 2);
  EXPECT_EQ(comparisons, nullptr);
  ASSERT_EQ(slipway_prepared_model_times(prepared, &times, nullptr), 0);
  EXPECT_EQ(slipway_step_times_count(times), 0);
  slipway_step_times_free(times);
  slipway_prepared_model_free(prepared);

  options.times = options.compare = 1;
  ASSERT_EQ(slipway_model_prepare(model, device, &options, &prepared, nullptr), 0);
  ASSERT_EQ(slipway_prepared_model_run(prepared, nullptr), 0);
  ASSERT_EQ(slipway_prepared_model_compare(prepared, &comparisons, nullptr), 0);
  ASSERT_EQ(slipway_comparisons_count(comparisons), 1);
  slipway_output_comparison comparison = {};
  EXPECT_EQ(slipway_comparisons_get(comparisons, 0, &comparison), 2) << "the size is not set";
  comparison.size = sizeof comparison;
  ASSERT_EQ(slipway_comparisons_get(comparisons, 0, &comparison), 0);
  EXPECT_STREQ(comparison.name, "output_0");
  EXPECT_EQ(comparison.elements, 4);
  EXPECT_EQ(comparison.wrong, 0) << comparison.text;
  EXPECT_EQ(slipway_comparisons_get(comparisons, 1, &comparison), 2);
  slipway_comparisons_free(comparisons);
  ASSERT_EQ(slipway_prepared_model_times(prepared, &times, nullptr), 0);
  ASSERT_EQ(slipway_step_times_count(times), 1);
  slipway_step_time time = {};
  time.size = sizeof time;
  ASSERT_EQ(slipway_step_times_get(times, 0, &time), 0);
  EXPECT_STREQ(time.name, "EXP");
  EXPECT_EQ(time.bytes, 32);
  slipway_step_times_free(times);
  slipway_prepared_model_free(prepared);
  slipway_device_free(device);
  slipway_model_free(model);
}

TEST(CApi, ReadsMembersOfOldOptionsOnly) {
  // A program that was compiled before there were shapes: what lies after its structure is not read.
  union {
    std::size_t old;
    slipway_prepare_options whole;
  } given;
  std::memset(&given, 0xFF, sizeof given);
  given.old = sizeof given.old;
  constexpr char kText[] = "graph net {\n  %0 = input f32[4] \"x\"\n  %1 = EXP(%0) f32[4]\n  output %1\n}\n";
  slipway_model* model = nullptr;
  ASSERT_EQ(slipway_model_parse(kText, sizeof kText - 1, "net", &model, nullptr), 0);
  slipway_device* device = nullptr;
  ASSERT_EQ(slipway_device_open("cpu", &device, nullptr), 0);
  slipway_prepared_model* prepared = nullptr;
  EXPECT_EQ(slipway_model_prepare(model, device, &given.whole, &prepared, nullptr), 0);
  slipway_prepared_model_free(prepared);
  slipway_device_free(device);
  slipway_model_free(model);
}

TEST(CApi, ReadsKernels) {
  ProblemList problems;
  slipway_kernel_binary* binary = nullptr;
  ASSERT_EQ(slipway_kernel_binary_load(source("examples/kernel_info/saxpy.ze_info").c_str(), nullptr, nullptr, &binary,
                                       &problems.list),
            0);
  ASSERT_GE(slipway_kernel_binary_count(binary), 1);
  slipway_kernel_figures figures = {};
  EXPECT_EQ(slipway_kernel_binary_figures(binary, 0, &figures), 2) << "the size is not set";
  figures.size = sizeof figures;
  ASSERT_EQ(slipway_kernel_binary_figures(binary, 0, &figures), 0);
  EXPECT_STREQ(figures.name, "saxpy");
  EXPECT_GT(figures.simd, 0);
  EXPECT_EQ(slipway_kernel_binary_figures(binary, 99, &figures), 2);
  EXPECT_EQ(slipway_kernel_binary_check(binary, "nonsense", &problems.list), 3);
  EXPECT_STREQ(slipway_problems_kind(problems.list, 0), "unknown-value");

  slipway_payload_layout* layout = nullptr;
  slipway_problems_free(std::exchange(problems.list, nullptr));
  EXPECT_EQ(slipway_kernel_binary_layout(binary, "saxpi", &layout, &problems.list), 3);
  EXPECT_EQ(layout, nullptr);
  EXPECT_STREQ(slipway_problems_message(problems.list, 0), "there is no kernel `saxpi`");
  ASSERT_EQ(slipway_kernel_binary_layout(binary, "saxpy", &layout, nullptr), 0);
  slipway_payload_part part = {};
  EXPECT_EQ(slipway_payload_layout_get(layout, 0, &part), 2) << "the size is not set";
  std::uint32_t end = 0;
  for (std::size_t i = 0; i < slipway_payload_layout_count(layout); ++i) {
    part.size = sizeof part;
    ASSERT_EQ(slipway_payload_layout_get(layout, i, &part), 0);
    EXPECT_EQ(part.offset, end) << part.what;
    end += part.length;
  }
  EXPECT_EQ(end, figures.argument_bytes);
  EXPECT_EQ(slipway_payload_layout_get(layout, slipway_payload_layout_count(layout), &part), 2);
  slipway_payload_layout_free(layout);

  slipway_kernel_binary* spilling = nullptr;
  ASSERT_EQ(slipway_kernel_binary_load(source("examples/kernel_info/saxpy_spilling.ze_info").c_str(), nullptr, nullptr,
                                       &spilling, nullptr),
            0);
  slipway_kernel_changes* changes = nullptr;
  ASSERT_EQ(slipway_kernel_binary_diff(binary, binary, &changes, nullptr), 0);
  EXPECT_EQ(slipway_kernel_changes_count(changes), 0);
  slipway_kernel_changes_free(changes);
  ASSERT_EQ(slipway_kernel_binary_diff(binary, spilling, &changes, nullptr), 0);
  bool spills = false;
  for (std::size_t i = 0; i < slipway_kernel_changes_count(changes); ++i) {
    slipway_kernel_change change = {};
    change.size = sizeof change;
    ASSERT_EQ(slipway_kernel_changes_get(changes, i, &change), 0);
    if (std::string(change.field) != "spill") continue;
    spills = true;
    EXPECT_STREQ(change.kernel, "saxpy");
    EXPECT_STRNE(change.from, change.to);
  }
  EXPECT_TRUE(spills);
  slipway_kernel_changes_free(changes);
  slipway_kernel_binary_free(spilling);
  slipway_kernel_binary_free(binary);
  EXPECT_STREQ(slipway_version(), SLIPWAY_VERSION_TEXT);
}

TEST(CApi, OptionsWithoutTheirSizeAreAWrongCall) {
  ProblemList problems;
  slipway_scenario* scenario = nullptr;
  slipway_load_options options = {};
  options.strict = 1;
  EXPECT_EQ(slipway_scenario_load(source("examples/hello/scenario.json").c_str(), &options, &scenario, &problems.list),
            2);
  ASSERT_EQ(problems.count(), 1u);
  EXPECT_STREQ(slipway_problems_message(problems.list, 0),
               "options begin with their size: set `size` to the sizeof of the structure");
}

// The thread that opens the device must not use the driver while `exit` destroys it.
TEST(CApi, AProcessEndsWithAnOpenDevice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int i = 0; i < 8; ++i) {
    EXPECT_EXIT(
        {
          slipway_device* device = nullptr;
          std::exit(slipway_device_open(nullptr, &device, nullptr));
        },
        ::testing::ExitedWithCode(0), "");
  }
}

}  // namespace
}  // namespace slipway
