// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole models as kernels of recipes: on a device, under the validation layer with synchronisation validation; and
// their graphs on the host.
#include <mutex>

#include "base/format.hpp"
#include "executors/cpu/info.hpp"
#include "recipe/backends/engine/backend.hpp"
#include "slipway/recipe.hpp"
#include "spirv/tools.hpp"
#include "testing/recipes.hpp"
#include "testing/vgf_recipe.hpp"
#include "vgf/write.hpp"

namespace slipway::recipe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ModelInRecipe : public ::testing::Test {
 protected:
  OpenOptions options(std::uint32_t queues = 0) {
    VulkanOptions request;
    request.device.queues = queues;
    request.instance.validation = true;
    request.instance.on_message = [this](const vk::InstanceMessage& message) {
      const std::scoped_lock lock(mutex_);
      messages_ += message.id + ": " + message.text + "\n";
    };
    auto device = open_vulkan(request);
    EXPECT_TRUE(device) << (device ? "" : device.error().front().message);
    return {.runner = {.open_backend = [device = *device](BackendKind) { return make_vulkan_backend(device); }}};
  }
  void TearDown() override { EXPECT_EQ(messages_, ""); }

 private:
  std::mutex mutex_;
  std::string messages_;
};

std::vector<char> chars_of(Bytes bytes) {
  const std::string_view text = text_of(bytes);
  return {text.begin(), text.end()};
}

vgf::ResourceRef add_values(vgf::Encoder& encoder, vgf::Category category, vk::DescriptorType type,
                            tensor::Shape shape = {4}) {
  return encoder.add_resource(
      {.category = category, .descriptor_type = type, .format = vk::Format::R32_SINT, .shape = std::move(shape)});
}

// A model with a graph y = |x| of tensors of 32-bit integers.
std::vector<char> graph_model(tensor::Shape shape = {4}) {
  const Result<spirv::Words> words = spirv::assemble(make_source("abs.spvasm", R"(
    OpCapability GraphARM
    OpCapability TensorsARM
    OpCapability Shader
    OpCapability VulkanMemoryModel
    OpExtension "SPV_ARM_graph"
    OpExtension "SPV_ARM_tensors"
    %tosa = OpExtInstImport "TOSA.001000.1"
    OpMemoryModel Logical Vulkan
    OpName %x "x"
    OpName %y "y"
    OpDecorate %x DescriptorSet 0
    OpDecorate %x Binding 0
    OpDecorate %y DescriptorSet 0
    OpDecorate %y Binding 1
    %u32 = OpTypeInt 32 0
    %u0 = OpConstant %u32 0
    %u1 = OpConstant %u32 1
    %u4 = OpConstant %u32 4
    %array = OpTypeArray %u32 %u1
    %shape = OpConstantComposite %array %u4
    %tensor = OpTypeTensorARM %u32 %u1 %shape
    %pointer = OpTypePointer UniformConstant %tensor
    %x = OpVariable %pointer UniformConstant
    %y = OpVariable %pointer UniformConstant
    %type = OpTypeGraphARM 1 %tensor %tensor
    OpGraphEntryPointARM %graph "main" %x %y
    %graph = OpGraphARM %type
    %in = OpGraphInputARM %tensor %u0
    %abs = OpExtInst %tensor %tosa ABS %in
    OpGraphSetOutputARM %abs %u0
    OpGraphEndARM
)"));
  if (!words) throw std::runtime_error(words.error().front().message);
  vgf::Encoder encoder;
  const auto x = encoder.add_slot(0, add_values(encoder, vgf::Category::Input, vk::DescriptorType::TENSOR_ARM, shape));
  const auto y = encoder.add_slot(1, add_values(encoder, vgf::Category::Output, vk::DescriptorType::TENSOR_ARM, shape));
  const vgf::SlotRef slots[] = {x, y};
  const vgf::SetRef sets[] = {encoder.add_set(slots)};
  const auto module =
      encoder.add_module({.kind = vgf::ModuleKind::Graph, .name = "abs", .entry_point = "main", .words = *words});
  encoder.add_segment({.module = module, .name = "abs", .sets = sets, .inputs = {&x, 1}, .outputs = {&y, 1}});
  const std::string_view in[] = {"given"}, out[] = {"absolute"};
  encoder.set_model({&x, 1}, in, {&y, 1}, out);
  return chars_of(*encoder.finish());
}

// A model y = (x + 100) * 2 of two shaders with an intermediate between them.
std::vector<char> shader_model() {
  vgf::Encoder encoder;
  const auto add = [&](vgf::Category category) {
    return add_values(encoder, category, vk::DescriptorType::STORAGE_BUFFER);
  };
  const auto x = add(vgf::Category::Input), t = add(vgf::Category::Intermediate), y = add(vgf::Category::Output);
  // Slots of the model's sequence of segments, then those of each shader's bindings.
  const vgf::SlotRef values[] = {encoder.add_slot(0, x), encoder.add_slot(1, t), encoder.add_slot(2, y)};
  const vgf::SlotRef first[] = {encoder.add_slot(0, x), encoder.add_slot(1, t)};
  const vgf::SlotRef second[] = {encoder.add_slot(0, t), encoder.add_slot(1, y)};
  const auto segment = [&](std::string_view name, std::string_view expression, std::size_t in,
                           std::span<const vgf::SlotRef> bindings) {
    const std::string text = formatted(
        "#version 450\nlayout(set = 0, binding = 0) readonly buffer X {{ int x[]; }};\n"
        "layout(set = 0, binding = 1) buffer Y {{ int y[]; }};\n"
        "void main() {{ uint i = gl_WorkGroupID.x; y[i] = {}; }}\n",
        expression);
    const auto module = encoder.add_module({.kind = vgf::ModuleKind::Compute,
                                            .name = name,
                                            .entry_point = "main",
                                            .code = vgf::CodeKind::Glsl,
                                            .text = text});
    const vgf::SetRef sets[] = {encoder.add_set(bindings)};
    encoder.add_segment({.module = module,
                         .name = name,
                         .sets = sets,
                         .inputs = {&values[in], 1},
                         .outputs = {&values[in + 1], 1},
                         .dispatch = {4, 1, 1}});
  };
  segment("plus", "x[i] + 100", 0, first);
  segment("twice", "x[i] * 2", 1, second);
  const std::string_view none[] = {""};
  encoder.set_model({&values[0], 1}, none, {&values[2], 1}, none);
  return chars_of(*encoder.finish());
}

// A model y = 2 |x - 10| of a shader, a graph and a shader.
constexpr std::string_view kMixedModel = R"(
resource x input storage_buffer R32_SINT [4]
resource a intermediate storage_buffer R32_SINT [4] alias 0
resource at intermediate tensor R32_SINT [4] alias 0
resource b intermediate tensor R32_SINT [4] alias 1
resource bb intermediate storage_buffer R32_SINT [4] alias 1
resource y output storage_buffer R32_SINT [4]
module minus compute main glsl
| #version 450
| layout(set = 0, binding = 0) readonly buffer X { int x[]; };
| layout(set = 0, binding = 1) writeonly buffer Y { int y[]; };
| void main() { y[gl_WorkGroupID.x] = x[gl_WorkGroupID.x] - 10; }
module abs graph main graph
| graph main {
|   %0 = input i32[4] at 0.0
|   %1 = ABS(%0) i32[4]
|   output %1 at 0.1
| }
module twice compute main glsl
| #version 450
| layout(set = 0, binding = 0) readonly buffer X { int x[]; };
| layout(set = 0, binding = 1) writeonly buffer Y { int y[]; };
| void main() { y[gl_WorkGroupID.x] = 2 * x[gl_WorkGroupID.x]; }
segment minus minus 4 1 1
set 0: 0 x, 1 a
in 0 x
out 1 a
segment abs abs
set 0: 0 at, 1 b
in 1 at
out 2 b
segment twice twice 4 1 1
set 0: 0 bb, 1 y
in 2 bb
out 3 y
input 0 x x
output 3 y y
)";

// A shader that writes two of four elements.
constexpr std::string_view kPartialModel = R"(
resource x input storage_buffer R32_SINT [4]
resource y output storage_buffer R32_SINT [4]
module twice compute main glsl
| #version 450
| layout(set = 0, binding = 0) readonly buffer X { int x[]; };
| layout(set = 0, binding = 1) writeonly buffer Y { int y[]; };
| void main() { y[gl_WorkGroupID.x] = 2 * x[gl_WorkGroupID.x]; }
segment twice twice 2 1 1
set 0: 0 x, 1 y
in 0 x
out 1 y
input 0 x x
output 1 y y
)";

// y = |x|, and x itself as the second output, which has the binding of the input.
constexpr std::string_view kPassThroughModel = R"(
resource x input tensor R32_SINT [4] alias 0
resource y output tensor R32_SINT [4]
resource same output tensor R32_SINT [4] alias 0
module abs graph main graph
| graph main {
|   %0 = input i32[4] at 0.0
|   %1 = ABS(%0) i32[4]
|   output %1 at 0.1
| }
segment abs abs
set 0: 0 x, 1 y
in 0 x
out 1 y
input 0 x x
output 1 y y
output 0 same same
)";

std::vector<char> mixed_model() { return chars_of(testing::cook_vgf(std::string(kMixedModel))); }

// Runs the model twice: from x to a, then from a to y at byte offset 8.
std::string twice_recipe(std::string_view keys = "") {
  return formatted(
      R"({{"header": {{"module": "m.vgf"}}, "resources": {{"buffers": [{}, {}, {}], "kernels": [{{"name": "model"{}}}]}},
      "execution": {{"runs": [
      {{"kernel": "model", "name": "first", "arguments": [{{"name": "x", "argidx": 0}}, {{"name": "a", "argidx": 1}}]}},
      {{"kernel": "model", "name": "second", "arguments": [{{"name": "a", "argidx": 0}}, {{"name": "y", "argidx": 1, "offset": 8}}]}}]}}}})",
      buffer_json("x", "input"), buffer_json("a", "internal", 16), buffer_json("y", "inout", 24), keys);
}

TEST_F(ModelInRecipe, ComputesWithItsShaders) {
  Opened opened(twice_recipe(), options(), "", {{"m.vgf", shader_model()}});
  ASSERT_EQ(opened.problems, "");
  for (std::uint32_t i = 0; i < 2; ++i) {
    opened.bind("x", {1, 2, 3, i});
    ASSERT_EQ(opened.run(), "ok");
    EXPECT_THAT(opened.words("y"), ElementsAre(0, 0, 604, 608, 612, 600 + 4 * i));
  }
}

TEST_F(ModelInRecipe, OutputsAreProven) {
  const std::string recipe = formatted(
      R"({{"header": {{"module": "m.vgf"}}, "resources": {{"buffers": [{}, {}], "kernels": [{{"name": "model"}}]}},
      "execution": {{"runs": [{{"kernel": "model", "arguments": [{{"name": "x", "argidx": 0}}, {{"name": "y", "argidx": 1}}]}}]}}}})",
      buffer_json("x", "input", 16), buffer_json("y", "output", 16));
  constexpr std::string_view kProfile = R"({"bindings": [{"name": "x", "size": 16, "init": {"stride": 4, "value": 21}}],
    "executions": [{"iterations": 2, "verbose": false}]})";
  Opened partial(recipe, options(), std::string(kProfile),
                 {{"m.vgf", chars_of(testing::cook_vgf(std::string(kPartialModel)))}});
  ASSERT_EQ(partial.problems, "");
  EXPECT_FALSE(partial.session.run());
  EXPECT_THAT(Opened::text(partial.runner().unwritten_outputs()),
              HasSubstr("output `y` was not written: 2 of 4 elements, from element 2"));
  EXPECT_THAT(partial.words("y"), ElementsAre(42, 42, 0, 0));
  Opened complete(recipe, options(), std::string(kProfile), {{"m.vgf", graph_model()}});
  EXPECT_FALSE(complete.session.run());
  EXPECT_TRUE(complete.runner().unwritten_outputs().empty());
}

// A model with an output that is its input; each argument has memory of its own, or some share it.
std::string pass_through_recipe(std::string_view x, std::string_view y, std::string_view same) {
  return formatted(
      R"({{"header": {{"module": "m.vgf"}}, "resources": {{"buffers": [{}, {}, {}], "kernels": [{{"name": "model"}}]}},
      "execution": {{"runs": [{{"kernel": "model", "arguments": [{{"name": "{}", "argidx": 0}}, {{"name": "{}", "argidx": 1}},
        {{"name": "{}", "argidx": 2}}]}}]}}}})",
      buffer_json("x", "inout", 16), buffer_json("y", "output", 16), buffer_json("z", "output", 16), x, y, same);
}

void expect_pass_through(OpenOptions options, const model::GraphOptions& graphs) {
  const auto model = chars_of(testing::cook_vgf(std::string(kPassThroughModel)));
  const std::vector<std::uint32_t> given = {1, -2U, 3, -4U}, absolute = {1, 2, 3, 4};
  const auto run = [&](std::string_view x, std::string_view y, std::string_view same) {
    Opened opened(pass_through_recipe(x, y, same), options, "", {{"m.vgf", model}}, graphs);
    EXPECT_EQ(opened.problems.find("error"), std::string::npos) << opened.problems;
    opened.bind("x", given);
    EXPECT_FALSE(opened.session.run());
    EXPECT_TRUE(opened.runner().unwritten_outputs().empty());
    return std::vector{opened.words("x"), opened.words("y"), opened.words("z")};
  };
  EXPECT_THAT(run("x", "y", "z"), ElementsAre(given, absolute, given));
  const std::vector<std::uint32_t> zeros(4);
  // The buffer of the input is bound twice: to the output that is the input, and to the other one.
  EXPECT_THAT(run("x", "y", "x"), ElementsAre(given, absolute, zeros));
  EXPECT_THAT(run("x", "x", "z"), ElementsAre(absolute, zeros, given));
}

TEST_F(ModelInRecipe, OutputsThatAreInputs) { expect_pass_through(options(), {}); }

TEST_F(ModelInRecipe, ComputesWithItsGraphs) {
  Opened opened(twice_recipe(), options(), "", {{"m.vgf", graph_model()}});
  ASSERT_EQ(opened.problems, "");
  EXPECT_THAT(print_plan(*opened.session.plan()),
              HasSubstr("kernel model: vulkan, the whole model m.vgf\n"
                        "    0: given, argument 0, buffer\n    1: absolute, argument 1, buffer\n"
                        "run lists\n  0: vulkan, 2 runs\n    first (model)\n"));
  opened.bind("x", {1, static_cast<std::uint32_t>(-2), 3, static_cast<std::uint32_t>(-4)});
  ASSERT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), ElementsAre(0, 0, 1, 2, 3, 4));
}

// Each copy needs its own intermediates.
TEST_F(ModelInRecipe, CopiesInFlight) {
  const std::string profile =
      R"({"bindings": [{"name": "x", "size": 16, "init": {"stride": 4, "value": 5}}, {"name": "golden", "size": 24, "init": {"stride": 4, "value": 620, "begin": 8}},
      {"name": "y", "size": 24, "validate": {"name": "golden"}}],
      "executions": [{"mode": "throughput", "depth": 3, "iterations": 10, "validate": true, "verbose": false}]})";
  Opened opened(twice_recipe(), options(3), profile, {{"m.vgf", shader_model()}});
  ASSERT_EQ(opened.problems, "");
  const auto failure = opened.session.run();
  EXPECT_FALSE(failure) << Opened::text(failure->diagnostics);
}

TEST_F(ModelInRecipe, ReportsWhatDoesNotFit) {
  const auto problems = [&](const std::string& recipe, std::vector<char> model) {
    Opened opened(recipe, options(), "", {{"m.vgf", std::move(model)}});
    if (!opened.problems.empty()) return opened.problems;
    opened.bind("x", {1, 2, 3, 4, 5});
    return opened.run();
  };
  EXPECT_EQ(problems(twice_recipe(), graph_model()),
            "`given` of the model needs a buffer of 16 bytes, but argument 0 of run `first` has 20 [buffer-size]");
  EXPECT_THAT(problems(twice_recipe(R"(, "grid": [1, 1, 1])"), graph_model()),
              HasSubstr("kernel `model` is the whole model m.vgf, which takes no `grid`"));
  EXPECT_THAT(problems(twice_recipe(R"(, "parameters": [])"), graph_model()), HasSubstr("takes no `parameters`"));
  std::vector<char> broken = graph_model();
  broken.resize(broken.size() / 2);
  EXPECT_THAT(problems(twice_recipe(), broken), HasSubstr("note: the recipe names it here"));
  vgf::Encoder images;
  const auto slot =
      images.add_slot(0, add_values(images, vgf::Category::Input, vk::DescriptorType::STORAGE_IMAGE, {1, 2, 2, 1}));
  const std::string_view names[] = {"picture"};
  images.set_model({&slot, 1}, names, {}, {});
  EXPECT_THAT(
      problems(twice_recipe(), chars_of(*images.finish())),
      HasSubstr("`picture` of the model is an image; recipes bind buffers to tensors and buffers [unsupported]"));
}

// --- graphs on the host ---

class ModelOnHost : public ModelInRecipe, public ::testing::WithParamInterface<model::Engine> {
 protected:
  void SetUp() override {
    if (GetParam() == model::Engine::Cpu && !launch::has_cpu_engine()) GTEST_SKIP() << "this build has no CPU engine";
  }
  // Without a device: opening any other back end fails.
  static OpenOptions on_host() {
    return {.runner = {.open_backend = [](BackendKind kind) -> Result<BackendPtr> {
              if (kind == BackendKind::Engine) return make_engine_backend();
              return fail(DiagnosticKind::NoDevice, {}, "there is no device");
            }}};
  }
  static model::GraphOptions graphs() { return {.engine = GetParam(), .threads = 2}; }
};

TEST_P(ModelOnHost, Computes) {
  OpenOptions options = on_host();
  options.runner.timings = true;
  Opened opened(twice_recipe(), options, "", {{"m.vgf", graph_model()}}, graphs());
  ASSERT_EQ(opened.problems, "");
  EXPECT_THAT(print_plan(*opened.session.plan()), HasSubstr("kernel model: engine, the whole model m.vgf\n"));
  EXPECT_THAT(print_plan(*opened.session.plan()), HasSubstr("  0: engine, 2 runs\n"));
  for (std::uint32_t i = 1; i < 4; ++i) {
    opened.bind("x", {1, -2U, 3, -i});
    ASSERT_EQ(opened.run(), "ok");
    EXPECT_THAT(opened.words("y"), ElementsAre(0, 0, 1, 2, 3, i));
  }
  for (const RunRecord& record : opened.runner().records()) {
    EXPECT_EQ(record.count, 3U);
    EXPECT_GT(record.total_ns.value_or(0), 0);
  }
  const auto backends = opened.runner().backends();
  ASSERT_EQ(backends.size(), 1U);
  EXPECT_THAT(backends[0].second.device, HasSubstr(GetParam() == model::Engine::Cpu ? "(CPU engine" : "interpreter"));
}

TEST_P(ModelOnHost, OutputsThatAreInputs) { expect_pass_through(on_host(), graphs()); }

TEST_P(ModelOnHost, BesideShadersOnTheDevice) {
  const std::string recipe = formatted(
      R"({{"resources": {{"buffers": [{}, {}, {}, {}], "kernels": [{{"name": "model", "module": "m.vgf"}},
      {{"name": "add", "module": "add.comp", "grid": [1, 1, 1]}}]}}, "execution": {{"runs": [{},
      {{"kernel": "model", "name": "abs", "arguments": [{{"name": "a", "argidx": 0}}, {{"name": "b", "argidx": 1}}]}}, {}]}}}})",
      buffer_json("x", "input", 16), buffer_json("a", "internal", 16), buffer_json("b", "internal", 16),
      buffer_json("y", "output", 16), add_run("x", "a", 4, 10), add_run("b", "y", 4, 1));
  OpenOptions both = options();
  both.runner.open_backend = [vulkan = both.runner.open_backend](BackendKind kind) -> Result<BackendPtr> {
    return kind == BackendKind::Engine ? make_engine_backend() : vulkan(kind);
  };
  Opened opened(recipe, both, "", {{"m.vgf", graph_model()}}, graphs());
  ASSERT_EQ(opened.problems, "");
  for (std::uint32_t i = 1; i < 4; ++i) {
    opened.bind("x", {1, -20U, 30, -i});
    ASSERT_EQ(opened.run(), "ok");
    EXPECT_THAT(opened.words("y"), ElementsAre(12, 11, 41, 11 - i));
  }
}

TEST_P(ModelOnHost, CopiesInFlight) {
  const std::string profile =
      R"({"bindings": [{"name": "x", "size": 16, "init": {"stride": 4, "value": 5}}, {"name": "golden", "size": 24, "init": {"stride": 4, "value": 5, "begin": 8}},
      {"name": "y", "size": 24, "validate": {"name": "golden"}}],
      "executions": [{"mode": "throughput", "depth": 3, "iterations": 10, "validate": true, "verbose": false}]})";
  Opened opened(twice_recipe(), on_host(), profile, {{"m.vgf", graph_model()}}, graphs());
  ASSERT_EQ(opened.problems, "");
  const auto failure = opened.session.run();
  EXPECT_FALSE(failure) << Opened::text(failure->diagnostics);
}

TEST_P(ModelOnHost, TimeOut) {
  if (GetParam() != model::Engine::Cpu) GTEST_SKIP() << "the interpreter has no time limit";
  Opened opened(twice_recipe(), on_host(), "", {{"m.vgf", graph_model()}}, graphs());
  ASSERT_EQ(opened.problems, "");
  opened.bind("x", {1, 2, 3, 4});
  ASSERT_TRUE(opened.runner().prepare({.time_out = std::chrono::nanoseconds(0)}));
  EXPECT_EQ(opened.run(), "the graph did not end in the given time [timed-out]");
  ASSERT_TRUE(opened.runner().prepare({}));
  EXPECT_EQ(opened.run(), "ok");
}

TEST_P(ModelOnHost, ReportsWhatDoesNotFit) {
  Opened larger(twice_recipe(), on_host(), "", {{"m.vgf", graph_model()}}, graphs());
  ASSERT_EQ(larger.problems, "");
  larger.bind("x", {1, 2, 3, 4, 5});
  EXPECT_EQ(larger.run(),
            "`given` of the model needs a buffer of 16 bytes, but argument 0 of run `first` has 20 [buffer-size]");
  const Opened shaders(twice_recipe(), on_host(), "", {{"m.vgf", mixed_model()}}, graphs());
  EXPECT_THAT(shaders.problems, HasSubstr("there is no device"));
}

// The shaders of a model run on the device, between the calls of the engine. Its second run reads what the first wrote.
TEST_P(ModelOnHost, BetweenItsShaders) {
  const auto run = [&](const model::GraphOptions& how, const char* graphs_on) {
    OpenOptions both = options(2);
    both.runner.timings = true;
    Opened opened(twice_recipe(), both, "", {{"m.vgf", mixed_model()}}, how);
    EXPECT_EQ(opened.problems, "");
    EXPECT_THAT(print_plan(*opened.session.plan()),
                HasSubstr(formatted("kernel model: vulkan, the whole model m.vgf{}\n", graphs_on)));
    std::vector<std::vector<std::uint32_t>> results;
    for (std::uint32_t i = 1; i < 4; ++i) {
      opened.bind("x", {1, -20U, 30, -i});
      EXPECT_EQ(opened.run(), "ok");
      results.push_back(opened.words("y"));
    }
    for (const RunRecord& record : opened.runner().records()) {
      EXPECT_EQ(record.count, 3U);
      EXPECT_GT(record.total_ns.value_or(0), 0);
    }
    return results;
  };
  const bool cpu = GetParam() == model::Engine::Cpu;
  const auto results = run(graphs(), cpu ? ", its graphs on the CPU engine" : ", its graphs on the interpreter");
  EXPECT_THAT(results[0], ElementsAre(0, 0, 16, 100, 60, 24));
  EXPECT_EQ(results, run({}, ""));
}

TEST_P(ModelOnHost, CopiesInFlightBetweenShaders) {
  const std::string profile =
      R"({"bindings": [{"name": "x", "size": 16, "init": {"stride": 4, "value": 6}}, {"name": "golden", "size": 24, "init": {"stride": 4, "value": 4, "begin": 8}},
      {"name": "y", "size": 24, "validate": {"name": "golden"}}],
      "executions": [{"mode": "throughput", "depth": 3, "iterations": 10, "validate": true, "verbose": false}]})";
  Opened opened(twice_recipe(), options(3), profile, {{"m.vgf", mixed_model()}}, graphs());
  ASSERT_EQ(opened.problems, "");
  const auto failure = opened.session.run();
  EXPECT_FALSE(failure) << Opened::text(failure->diagnostics);
}

TEST(PublicRunner, RunsModelsOnTheCpuEngine) {
  if (!launch::has_cpu_engine()) GTEST_SKIP() << "this build has no CPU engine";
  const device cpu("cpu");
  slipway::runner runner(cpu, twice_recipe(), slipway::artifacts({{"m.vgf", graph_model()}}));
  bo x(cpu, 16);
  std::ranges::copy(std::to_array<std::uint32_t>({1, -2U, 3, -4U}), x.map<std::uint32_t*>());
  runner.bind("x", x);
  runner.execute();
  runner.wait();
  EXPECT_THAT(std::span(runner.map_buffer<const std::uint32_t*>("y"), 6), ElementsAre(0, 0, 1, 2, 3, 4));
}

INSTANTIATE_TEST_SUITE_P(Engines, ModelOnHost, ::testing::Values(model::Engine::Cpu, model::Engine::Reference),
                         [](const auto& engine) { return engine.param == model::Engine::Cpu ? "Cpu" : "Reference"; });

}  // namespace
}  // namespace slipway::recipe
