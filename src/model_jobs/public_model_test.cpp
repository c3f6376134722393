// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/system/files.hpp"
#include "executors/cpu/info.hpp"
#include "slipway/convert.hpp"
#include "slipway/model.hpp"
#include "testing/source_directory.hpp"
#include "testing/vgf_recipe.hpp"

namespace slipway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// `output_0` is a + b, `output_1` the maximum of both.
constexpr std::string_view kTwoInputs = R"(graph net {
  %0 = input f32[2, 3] "a"
  %1 = input f32[2, 3] "b"
  %2 = ADD(%0, %1) f32[2, 3]
  %3 = MAXIMUM(%0, %1) f32[2, 3] nan_mode=PROPAGATE
  output %2
  output %3
}
)";

// A shader that adds one.
constexpr std::string_view kShader = R"(
resource x input tensor R32_SINT [4]
resource y output tensor R32_SINT [4]
module more compute main glsl
| #version 460
| #extension GL_ARM_tensors : require
| #extension GL_EXT_shader_explicit_arithmetic_types : require
| layout(set = 0, binding = 0) uniform tensorARM<int32_t, 1> x;
| layout(set = 0, binding = 1) uniform tensorARM<int32_t, 1> y;
| void main() {
|   for (uint i = 0; i < 4; ++i) {
|     int32_t value;
|     tensorReadARM(x, uint[](i), value);
|     value += 1;
|     tensorWriteARM(y, uint[](i), value);
|   }
| }
segment only more 1 1 1
set 0: 0 x, 1 y
in 0 x
out 1 y
input 0 x x
output 1 y y
)";

// A model with an open dimension.
constexpr std::string_view kOpen = R"(graph net {
  %0 = input i32[-1, 2] "x"
  %1 = ADD(%0, %0) i32[-1, 2]
  output %1
}
)";

Model parsed(std::string_view text) { return Model::parse(ByteView(text), "net").value(); }

std::vector<float> floats(const PreparedModel& model, std::string_view output) {
  const ByteView bytes = model.output(output).value();
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string text_of(const Problems& problems) {
  std::string text;
  for (const Problem& problem : problems) text += problem.text;
  return text;
}

// On the CPU engine, on the interpreter, and on a Vulkan device.
class PublicModel : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "cpu" && !launch::has_cpu_engine()) GTEST_SKIP() << "this build has no CPU engine";
    if (GetParam().starts_with("vulkan")) device_.emplace(Device::open().value());
  }
  Outcome<PreparedModel> prepare(const Model& model, PrepareOptions options = {}) {
    options.reference = GetParam().ends_with("reference");
    return device_ ? model.prepare(*device_, options) : model.prepare(options);
  }

  std::optional<Device> device_;
};

TEST_P(PublicModel, RunsAsOftenAsWanted) {
  const Model model = parsed(kTwoInputs);
  ASSERT_EQ(model.inputs().size(), 2u);
  EXPECT_EQ(model.inputs()[0].name, "a");
  EXPECT_EQ(model.inputs()[0].element_type, "f32");
  EXPECT_EQ(model.inputs()[0].size(), 24u);
  EXPECT_THAT(model.outputs()[1].shape, ElementsAre(2, 3));

  PreparedModel prepared = prepare(model).value();
  prepared.set_input("a", std::vector<float>{1, 2, 3, 4, 5, 6}).value();
  prepared.set_input("b", std::vector<float>{6, 5, 4, 3, 2, 1}).value();
  prepared.run().value();
  EXPECT_THAT(floats(prepared, "output_0"), ElementsAre(7, 7, 7, 7, 7, 7));
  EXPECT_THAT(floats(prepared, "output_1"), ElementsAre(6, 5, 4, 4, 5, 6));

  // Another input, written in place; the other one keeps its contents.
  std::byte* const memory = prepared.input_data(0);
  const float more = 100;
  std::memcpy(memory, &more, sizeof more);
  prepared.run().value();
  EXPECT_EQ(prepared.input_data(0), memory);
  EXPECT_THAT(floats(prepared, "output_0"), ElementsAre(106, 7, 7, 7, 7, 7));
}

// Each thread prepares and runs a model of its own, some with measured times.
TEST_P(PublicModel, ThreadsTakeTurnsOnOneDevice) {
  const auto work = [this](unsigned t) {
    const Model model = parsed(kTwoInputs);
    PreparedModel prepared = prepare(model, {.times = t % 2 == 1}).value();
    for (unsigned i = 0; i < 10; ++i) {
      const auto a = static_cast<float>(i), b = static_cast<float>(t);
      prepared.set_input("a", std::vector<float>(6, a)).value();
      prepared.set_input("b", std::vector<float>(6, b)).value();
      ASSERT_TRUE(prepared.run());
      EXPECT_THAT(floats(prepared, "output_0"), ::testing::Each(a + b));
      EXPECT_THAT(floats(prepared, "output_1"), ::testing::Each(std::max(a, b)));
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < 4; ++t) threads.emplace_back(work, t);
}

// NOLINTBEGIN(bugprone-use-after-move)
TEST_P(PublicModel, ObjectsThatWereMovedFromThrow) {
  Model model = parsed(kTwoInputs);
  PreparedModel prepared = prepare(model).value();
  PreparedModel taken = std::move(prepared);
  EXPECT_THROW((void)prepared.run(), std::logic_error);
  EXPECT_THROW((void)prepared.inputs(), std::logic_error);
  EXPECT_THROW((void)prepared.input_data(0), std::logic_error);
  EXPECT_THROW((void)prepared.output("output_0"), std::logic_error);
  EXPECT_TRUE(taken.run());
  const Model other = std::move(model);
  EXPECT_THROW((void)model.outputs(), std::logic_error);
  EXPECT_THROW((void)prepare(model), std::logic_error);
  prepared = prepare(other).value();
  EXPECT_TRUE(prepared.run());
}
// NOLINTEND(bugprone-use-after-move)

TEST_P(PublicModel, InputsBeginAsZeros) {
  PreparedModel prepared = prepare(parsed(kTwoInputs)).value();
  prepared.run().value();
  EXPECT_THAT(floats(prepared, "output_1"), ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST_P(PublicModel, ComparesWithTheInterpreterAndMeasures) {
  PrepareOptions options;
  options.compare = options.times = true;
  PreparedModel prepared = prepare(parsed(kTwoInputs), options).value();
  prepared.set_input("a", std::vector<float>{1, -2, 3.5f, 1e30f, 5, 6}).value();
  EXPECT_FALSE(prepared.compare_with_reference()) << "nothing ran";
  EXPECT_TRUE(prepared.times().empty());
  prepared.run().value();
  const std::vector<OutputComparison> outputs = prepared.compare_with_reference().value();
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].name, "output_0");
  EXPECT_EQ(outputs[0].elements, 6u);
  EXPECT_EQ(outputs[0].wrong, 0u);
  ASSERT_FALSE(prepared.times().empty());
  EXPECT_GE(prepared.times()[0].milliseconds, 0);
}

TEST_P(PublicModel, TheCallerChoosesOpenDimensions) {
  const Model model = parsed(kOpen);
  EXPECT_THAT(model.inputs()[0].shape, ElementsAre(-1, 2));
  EXPECT_EQ(model.inputs()[0].size(), 0u);
  const auto open = prepare(model);
  ASSERT_FALSE(open);
  EXPECT_THAT(text_of(open.error()), HasSubstr("`--shape x=Nx2`"));

  PrepareOptions options;
  options.shapes = {{"x", {2, 2}}};
  PreparedModel prepared = prepare(model, options).value();
  EXPECT_THAT(prepared.outputs()[0].shape, ElementsAre(2, 2));
  prepared.set_input("x", std::vector<std::int32_t>{1, -2, 3, INT32_MAX}).value();
  prepared.run().value();
  std::int32_t y[4];
  std::memcpy(y, prepared.output_data(0), sizeof y);
  EXPECT_THAT(y, ElementsAre(2, -4, 6, -2)) << "sums wrap";
}

TEST_P(PublicModel, ReportsWrongNamesAndSizes) {
  PreparedModel prepared = prepare(parsed(kTwoInputs)).value();
  EXPECT_THAT(text_of(prepared.set_input("c", ByteView()).error()), HasSubstr("the model has no input `c`"));
  EXPECT_THAT(text_of(prepared.set_input("a", std::vector<float>(5)).error()),
              HasSubstr("takes 24 bytes, but 20 are given"));
  EXPECT_THAT(text_of(prepared.output("output_2").error()), HasSubstr("did you mean `output_0`?"));
  EXPECT_EQ(prepared.input_data(2), nullptr);
  EXPECT_EQ(prepared.output_data(2), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Engines, PublicModel, ::testing::Values("cpu", "reference", "vulkan", "vulkan_reference"),
                         [](const auto& engine) { return engine.param; });

TEST(PublicModelErrors, ModelsWithShadersNeedADevice) {
  const Model model = Model::parse(ByteView(testing::VgfRecipe::cook(std::string(kShader))), "shader.vgf").value();
  const auto prepared = model.prepare();
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error()[0].kind, "device-lacks");
  EXPECT_THAT(text_of(prepared.error()), HasSubstr("choose a Vulkan device"));

  Device device = Device::open().value();
  PreparedModel on_device = model.prepare(device).value();
  on_device.set_input("x", std::vector<std::int32_t>{1, 2, 3, -4}).value();
  on_device.run().value();
  std::int32_t y[4];
  std::memcpy(y, on_device.output_data(0), sizeof y);
  EXPECT_THAT(y, ElementsAre(2, 3, 4, -3));
}

TEST(PublicModelErrors, TimeoutsThatAreNoTimes) {
  const Model model = parsed(kTwoInputs);
  PrepareOptions options;
  options.reference = true;
  for (const double seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    options.timeout = seconds;
    const Outcome<PreparedModel> prepared = model.prepare(options);
    ASSERT_FALSE(prepared) << seconds;
    EXPECT_EQ(prepared.error().front().kind, "usage");
  }
  options.timeout = 60;
  EXPECT_TRUE(model.prepare(options));
}

TEST(PublicModelGraph, IsAPageWithTheOperators) {
  const std::string page = parsed(kTwoInputs).graph_page().value();
  EXPECT_THAT(page, ::testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(page, HasSubstr("MAXIMUM"));
  EXPECT_THAT(page, HasSubstr("output_1"));
  // The shapes are open, so there are operators, but no kernels.
  EXPECT_THAT(parsed(kOpen).graph_page().value(), HasSubstr("ADD"));
  EXPECT_TRUE(
      Model::parse(ByteView(testing::VgfRecipe::cook(std::string(kShader))), "shader.vgf").value().graph_page());
}

TEST(PublicModelErrors, FilesThatAreNoModels) {
  EXPECT_FALSE(Model::load("missing.vgf"));
  EXPECT_THAT(text_of(Model::parse(ByteView("graph net {", 11), "net").error()), HasSubstr("net"));
}

// Records the stages of calls, and stops at one of them.
struct RecordedStages {
  std::vector<std::string> all;
  std::string stop;

  ProgressCallback callback() {
    return [this](const Progress& at) {
      EXPECT_LT(at.index, at.count);
      EXPECT_LE(at.done, at.total);
      if (at.index != all.size() - 1) {
        EXPECT_EQ(at.index, all.size());
        EXPECT_EQ(at.total, 0) << "a stage begins before its items are known";
        all.emplace_back(at.stage);
        done.push_back(0), total.push_back(0);
      }
      EXPECT_EQ(all.back(), at.stage);
      EXPECT_GE(at.done, done.back());
      EXPECT_GE(at.total, total.back());
      done.back() = at.done, total.back() = at.total;
      counts.insert(at.count);
      threads.insert(std::this_thread::get_id());
      return at.stage != stop || at.done < stop_at;
    };
  }
  std::set<unsigned> counts;
  std::size_t stop_at = 0;               // items of the stage `stop`
  std::vector<std::size_t> done, total;  // by stage, as last reported
  std::set<std::thread::id> threads;
};

TEST(PublicProgress, NamesTheStages) {
  RecordedStages loading;
  ModelOptions options;
  options.progress = loading.callback();
  const Model model = Model::parse(ByteView(kTwoInputs), "net", options).value();
  EXPECT_THAT(loading.all, ElementsAre("read", "narrow", "simplify", "encode", "shaders"));
  EXPECT_THAT(loading.counts, ElementsAre(5));

  RecordedStages preparing;
  PrepareOptions prepare;
  prepare.progress = preparing.callback();
  EXPECT_TRUE(model.prepare(prepare));
  EXPECT_THAT(preparing.all, ElementsAre("plan", "check", "memory"));
  Device device = Device::open().value();
  preparing.all.clear();
  EXPECT_TRUE(model.prepare(device, prepare));
  EXPECT_THAT(preparing.all, ElementsAre("plan", "check", "device"));

  RecordedStages converting;
  ConvertOptions convert;
  convert.progress = converting.callback();
  const ConvertedModel converted = convert_model(ByteView(kTwoInputs), "net", convert).value();
  EXPECT_THAT(converting.all, ElementsAre("read", "narrow", "simplify", "encode", "check"));

  RecordedStages of_file;
  options.progress = of_file.callback();
  EXPECT_TRUE(Model::parse(ByteView(converted.file), "net.vgf", options));
  EXPECT_THAT(of_file.all, ElementsAre("read", "shaders"));
  EXPECT_THAT(of_file.counts, ElementsAre(2));
}

TEST(PublicProgress, StopsACall) {
  for (const std::string stage : {"read", "simplify", "shaders"}) {
    RecordedStages stages{.all = {}, .stop = stage, .counts = {}};
    ModelOptions options;
    options.progress = stages.callback();
    const auto model = Model::parse(ByteView(kTwoInputs), "net", options);
    ASSERT_FALSE(model) << stage;
    EXPECT_EQ(model.error()[0].kind, "interrupted");
    EXPECT_EQ(stages.all.back(), stage);
  }
  RecordedStages stages{.all = {}, .stop = "encode", .counts = {}};
  ConvertOptions convert;
  convert.progress = stages.callback();
  EXPECT_THAT(text_of(convert_model(ByteView(kTwoInputs), "net", convert).error()), HasSubstr("at the stage `encode`"));
  const Model model = parsed(kTwoInputs);
  PrepareOptions prepare;
  prepare.progress = [](const Progress& at) { return at.stage != "memory"; };
  EXPECT_EQ(model.prepare(prepare).error()[0].kind, "interrupted");
  prepare.progress = nullptr;
  EXPECT_TRUE(model.prepare(prepare)) << "a call that was stopped leaves nothing";
}

// A graph with as many kernels as operators, unless they are fused.
constexpr std::string_view kManyKernels = R"(graph net {
  %0 = input f32[8, 9] "x"
  %1 = EXP(%0) f32[8, 9]
  %2 = TANH(%1) f32[8, 9]
  %3 = ABS(%2) f32[8, 9]
  %4 = SIGMOID(%3) f32[8, 9]
  %5 = FLOOR(%4) f32[8, 9]
  %6 = CEIL(%5) f32[8, 9]
  output %6
}
)";

TEST(PublicProgress, CountsKernels) {
  ModelOptions without_cache;
  without_cache.cache = false;
  const Model model = Model::parse(ByteView(kManyKernels), "net", without_cache).value();
  RecordedStages on_device;
  PrepareOptions prepare;
  prepare.fuse = false;
  prepare.progress = on_device.callback();
  Device device = Device::open().value();
  ASSERT_TRUE(model.prepare(device, prepare));
  EXPECT_THAT(on_device.all, ElementsAre("plan", "check", "device"));
  EXPECT_EQ(on_device.total[0], 0);
  EXPECT_EQ(on_device.total[1], 0);
  EXPECT_GE(on_device.total[2], 6);
  EXPECT_EQ(on_device.done[2], on_device.total[2]);
  EXPECT_THAT(on_device.threads, ElementsAre(std::this_thread::get_id()));
  if (!launch::has_cpu_engine()) return;

  RecordedStages on_cpu;
  prepare.progress = on_cpu.callback();
  ASSERT_TRUE(model.prepare(prepare));
  EXPECT_THAT(on_cpu.all, ElementsAre("plan", "check", "memory"));
  EXPECT_EQ(on_cpu.total[0], 6);
  EXPECT_EQ(on_cpu.done[0], 6);
  EXPECT_EQ(on_cpu.total[2], 0);
  EXPECT_THAT(on_cpu.threads, ElementsAre(std::this_thread::get_id()));
}

// The first words of a module are all that a stub has.
TEST(PublicConvert, ChecksShadersAsTheProgramDoes) {
  std::string model = read_text(testing::source_directory() / "examples/mixed_model/model.graph").value();
  const std::size_t language = model.find("GLSL"), code = model.find("layout(local_size_x"),
                    end = model.find("\\\", \\\"input_0_vkformat");
  ASSERT_TRUE(language != model.npos && code != model.npos && end != model.npos);
  model.replace(code, end - code, "AwIjBwAAAQAAAAAAAQAAAAAAAAA=");
  model.replace(language, 4, "SPIR-V");
  ConvertOptions convert;
  const auto checked = convert_model(ByteView(model), "net.graph", convert);
  ASSERT_FALSE(checked);
  EXPECT_THAT(text_of(checked.error()), HasSubstr("[unknown-reference]"));
  convert.shader_check = ShaderCheck::Magic;
  const auto stub = convert_model(ByteView(model), "net.graph", convert);
  ASSERT_TRUE(stub) << text_of(stub.error());
  EXPECT_THAT(text_of(stub->remarks), HasSubstr("is not checked beyond its first word"));
  convert.shader_check = ShaderCheck::Off;
  EXPECT_TRUE(convert_model(ByteView(model), "net.graph", convert));
}

TEST(PublicPrepared, TheCpuIsADeviceToo) {
  if (!launch::has_cpu_engine()) GTEST_SKIP() << "this build has no CPU engine";
  const Model model = parsed(kTwoInputs);
  Device cpu = Device::open("cpu").value();
  RecordedStages stages;
  PrepareOptions options;
  options.progress = stages.callback();
  PreparedModel prepared = model.prepare(cpu, options).value();
  EXPECT_THAT(stages.all, ElementsAre("plan", "check", "memory"));
  prepared.set_input("a", std::vector<float>(6, 2)).value();
  prepared.set_input("b", std::vector<float>(6, 3)).value();
  prepared.run().value();
  EXPECT_THAT(floats(prepared, "output_0"), ::testing::Each(5));

  const Model shader = Model::parse(ByteView(testing::VgfRecipe::cook(std::string(kShader))), "net.vgf").value();
  const auto refused = shader.prepare(cpu, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error()[0].kind, "device-lacks");
  EXPECT_THAT(refused.error()[0].message, HasSubstr("choose a Vulkan device"));
}

TEST(PublicProgress, StopsBetweenKernels) {
  ModelOptions without_cache;
  without_cache.cache = false;
  const Model model = Model::parse(ByteView(kManyKernels), "net", without_cache).value();
  Device device = Device::open().value();
  for (const bool cpu : {false, true}) {
    if (cpu && !launch::has_cpu_engine()) continue;
    RecordedStages stages{.all = {}, .stop = cpu ? "plan" : "device", .counts = {}, .stop_at = 1};
    PrepareOptions prepare;
    prepare.fuse = false;
    prepare.progress = stages.callback();
    const auto stopped = cpu ? model.prepare(prepare) : model.prepare(device, prepare);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error()[0].kind, "interrupted");
    EXPECT_GE(stages.done.back(), 1);
    prepare.progress = [](const Progress& at) -> bool {
      if (at.total != 0) throw std::runtime_error("enough");
      return true;
    };
    EXPECT_THROW(static_cast<void>(cpu ? model.prepare(prepare) : model.prepare(device, prepare)), std::runtime_error);
    prepare.progress = nullptr;
    EXPECT_TRUE(cpu ? model.prepare(prepare) : model.prepare(device, prepare))
        << "a call that was stopped leaves nothing";
  }
}

// Which happens with shaders only: half of the output is written.
TEST(PublicPrepared, AnOutputThatIsNotWrittenIsAnError) {
  std::string recipe(kShader);
  recipe.replace(recipe.find("i < 4"), 5, "i < 2");
  const Model model = Model::parse(ByteView(testing::VgfRecipe::cook(recipe)), "half.vgf").value();
  Device device = Device::open().value();
  PreparedModel prepared = model.prepare(device).value();
  prepared.set_input("x", std::vector<std::int32_t>{1, 2, 3, 4}).value();
  for (int run = 0; run < 2; ++run) {
    const Outcome<bool> ran = prepared.run();
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error()[0].kind, "output-not-written");
    EXPECT_EQ(ran.error()[0].message,
              "output `y` was not written: 2 of 4 elements, from element 2 (byte 8) on, hold what was in the memory "
              "before the run");
  }
  const ByteView bytes = prepared.output("y").value();
  std::array<std::int32_t, 4> values{};
  std::memcpy(values.data(), bytes.data(), sizeof values);
  EXPECT_THAT(values, ElementsAre(2, 3, 0, 0));
}

constexpr std::string_view kProduct = R"(graph net {
  %0 = input f32[1, 24, 40] "x"
  %1 = input f32[1, 40, 32] "w"
  %2 = MATMUL(%0, %1) f32[1, 24, 32] A_zp=0 B_zp=0
  output %2
}
)";

TEST(PublicTune, CountsRounds) {
  ModelOptions without_cache;
  without_cache.cache = false;
  const Model model = Model::parse(ByteView(kProduct), "net", without_cache).value();
  Device device = Device::open().value();
  for (const bool cpu : {false, true}) {
    if (cpu && !launch::has_cpu_engine()) continue;
    RecordedStages stages;
    TuneOptions options;
    options.limit = 0;
    options.progress = stages.callback();
    const auto tuned = cpu ? model.tune(options) : model.tune(device, options);
    ASSERT_TRUE(tuned) << text_of(tuned.error());
    EXPECT_THAT(stages.all, ElementsAre("plan", "tune"));
    EXPECT_GE(stages.total[1], 2) << "candidates of the kernel";
    EXPECT_EQ(stages.done[1], stages.total[1]);
    ASSERT_EQ(tuned->kernels.size(), 1);
    EXPECT_EQ(tuned->kernels[0].candidates, 1) << "one round was allowed";
    EXPECT_GT(tuned->kernels[0].estimated_milliseconds, 0);
    EXPECT_GT(tuned->after_milliseconds, 0);
    EXPECT_THAT(tuned->table, HasSubstr(tuned->kernels[0].name));

    stages = {.all = {}, .stop = "tune", .counts = {}};
    EXPECT_EQ((cpu ? model.tune(options) : model.tune(device, options)).error()[0].kind, "interrupted");
  }
}

TEST(PublicTune, ReportsWhenThereIsNothingToChoose) {
  Device device = Device::open().value();
  EXPECT_THAT(text_of(parsed(kTwoInputs).tune(device).error()), HasSubstr("nothing to tune"));
}

TEST(PublicProgress, AnExceptionLeavesTheCall) {
  ConvertOptions convert;
  convert.progress = [](const Progress& at) -> bool {
    if (at.stage == "simplify") throw std::runtime_error("enough");
    return true;
  };
  EXPECT_THROW(static_cast<void>(convert_model(ByteView(kTwoInputs), "net", convert)), std::runtime_error);
}

TEST(PublicConvert, MakesAFileThatRunsTheSame) {
  const ConvertedModel converted = convert_model(ByteView(kTwoInputs), "net.txt").value();
  EXPECT_THAT(converted.requirements, HasSubstr("VK_ARM_data_graph"));
  const Model model = Model::parse(ByteView(converted.file), "net.vgf").value();
  PrepareOptions reference;
  reference.reference = true;
  PreparedModel prepared = model.prepare(reference).value();
  prepared.set_input(model.inputs()[0].name, std::vector<float>{1, 2, 3, 4, 5, 6}).value();
  prepared.run().value();
  EXPECT_THAT(floats(prepared, model.outputs()[0].name), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(PublicConvert, RefusesWhatIsConvertedOrBroken) {
  const ConvertedModel converted = convert_model(ByteView(kTwoInputs), "net.txt").value();
  EXPECT_THAT(text_of(convert_model(ByteView(converted.file), "net.vgf").error()), HasSubstr("VGF file already"));
  EXPECT_FALSE(convert_model(ByteView("graph net {\n %0 = ADD(%1) f32[1]\n}", 32), "net.txt"));
  EXPECT_FALSE(convert_model_file("missing.tosa"));
}

}  // namespace
}  // namespace slipway
