// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole models as kernels of recipes, under the validation layer with synchronisation validation.
#include <mutex>

#include "base/format.hpp"
#include "spirv/tools.hpp"
#include "testing/recipes.hpp"
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
    request.instance.on_message = [this](const gpu::InstanceMessage& message) {
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

// Runs the model twice: from x to a, then from a to y at byte offset 8.
std::string twice_recipe(std::string_view keys = "") {
  return formatted(
      R"({{"header": {{"module": "m.vgf"}}, "resources": {{"buffers": [{}, {}, {}], "kernels": [{{"name": "model"{}}}]}},
      "execution": {{"runs": [
      {{"kernel": "model", "name": "first", "arguments": [{{"name": "x", "argidx": 0}}, {{"name": "a", "argidx": 1}}]}},
      {{"kernel": "model", "name": "second", "arguments": [{{"name": "a", "argidx": 0}}, {{"name": "y", "argidx": 1, "offset": 8}}]}}]}}}})",
      buffer_json("x", "input"), buffer_json("a", "internal", 16), buffer_json("y", "output", 24), keys);
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

}  // namespace
}  // namespace slipway::recipe
