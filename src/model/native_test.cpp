// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models on a device that runs graphs itself (src/layer).
#include "model/native.hpp"

#include <gmock/gmock.h>

#include "base/print_diagnostic.hpp"
#include "model/plan/graph_options.hpp"
#include "model/plan/plan_spirv_graph.hpp"
#include "model/standalone/compare_model.hpp"
#include "network.hpp"
#include "testing/launch_fixture.hpp"
#include "testing/layer.hpp"
#include "testing/vgf_recipe.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/write/write_spirv.hpp"

namespace slipway::model {
namespace {

using testing::must;

class NativeModels : public launch::LaunchTest {
 protected:
  void SetUp() override {
    if (!testing::UseLayer::is_here()) GTEST_SKIP() << "no driver with tensors and graphs here";
  }

  // Runs a model of a VGF recipe.
  std::pair<launch::Plan, ModelValues> run_model(std::string_view recipe) {
    Diagnostics diagnostics;
    const auto file = open_model(testing::cook_vgf(std::string(recipe)), "net.vgf", diagnostics);
    const auto shaders = file ? compile_modules(*file, {}, diagnostics) : std::nullopt;
    if (!shaders) throw std::runtime_error(format_diagnostics(diagnostics.all()));
    auto values = std::make_shared<ModelValues>();
    auto alone = plan_standalone({.file = file,
                                  .name = "net",
                                  .model = {.graphs = {.native = &snapshot()}, .shaders = *shaders},
                                  .fill = {.seed = 1},
                                  .values = values},
                                 diagnostics);
    if (!alone) throw std::runtime_error(format_diagnostics(diagnostics.all()));
    run_it(alone->plan, {.timestamps = true});
    return {std::move(alone->plan), *values};
  }

  testing::UseLayer layer_;
};

// A module that leaves dimensions open reaches the driver with those of the graph.
TEST_F(NativeModels, OpenDimensionsAreFixed) {
  tosa::Graph open;
  open.name = "main";
  const tosa::ValueId x = open.add_input({tosa::DataType::F32, {tosa::kDynamic, 4}});
  open.outputs = {open.add(tosa::Op::TANH, {x}, {}, {tosa::DataType::F32, {tosa::kDynamic, 4}})};
  const auto words = std::make_shared<const spirv::Words>(*tosa::write_graph_module(open));
  tosa::Graph fixed = open;
  for (tosa::Value& value : fixed.values) value.type.shape = {2, 4};
  const auto native = native_graph(snapshot(), fixed, words, "net", {}, nullptr);
  ASSERT_TRUE(native) << native.error();
  EXPECT_NE(*native->shader.spirv, *words);
  EXPECT_EQ(*native->shader.spirv, *tosa::write_graph_module(fixed));
  EXPECT_EQ(native->inputs.front().shape, (tensor::Shape{2, 4}));
  const auto unchanged = native_graph(snapshot(), fixed, native->shader.spirv, "net", {}, nullptr);
  ASSERT_TRUE(unchanged);
  EXPECT_EQ(unchanged->shader.spirv, native->shader.spirv);
}

// Shaders of a model also use the tensors between segments natively, with another element type.
TEST_F(NativeModels, SegmentsShareTensors) {
  const auto [plan, values] = run_model(R"(
resource x input tensor R32_SINT [2, 4]
resource a intermediate tensor R32_SINT [2, 4]
resource b intermediate tensor R32_SINT [8] alias 0
resource bb intermediate tensor R32_UINT [8] alias 0
resource y output tensor R32_UINT [4, 2]
resource w constant R32_SINT [8]: i32 1 2 3 4 5 6 7 8
module pre compute main glsl
| #extension GL_ARM_tensors : require
| layout(set = 0, binding = 0) uniform tensorARM<int, 2> x;
| layout(set = 0, binding = 1) uniform tensorARM<int, 2> y;
| void main() { for (uint i = 0; i < 8; ++i) { int v; tensorReadARM(x, uint[](i / 4, i % 4), v); tensorWriteARM(y, uint[](i / 4, i % 4), v / 2 - 3); } }
module mid graph main graph
| graph main {
|   %0 = input i32[2, 4] at 0.0
|   %1 = const i32[8] graph_constant 0
|   %2 = RESHAPE(%0) i32[8] shape=[8]
|   %3 = SUB(%1, %2) i32[8]
|   output %3 at 0.1
| }
module post compute main glsl
| #extension GL_ARM_tensors : require
| layout(set = 0, binding = 0) uniform tensorARM<uint, 1> x;
| layout(set = 0, binding = 1) uniform tensorARM<uint, 2> y;
| void main() { for (uint i = 0; i < 8; ++i) { uint v; tensorReadARM(x, uint[](i), v); tensorWriteARM(y, uint[](i / 2, i % 2), v); } }
segment first pre 1 1 1
set 0: 0 x, 1 a
in 0 x
out 1 a
segment second mid
set 0: 0 a, 1 b
in 1 a
out 2 b
constants w
segment third post 1 1 1
set 0: 0 bb, 1 y
in 2 bb
out 3 y
input 0 x x
output 3 y y
)");
  std::int32_t x[8], y[8];
  ASSERT_EQ(values.at(0).size(), sizeof x);
  ASSERT_EQ(values.at(4).size(), sizeof y);
  std::memcpy(x, values.at(0).data(), sizeof x);
  std::memcpy(y, values.at(4).data(), sizeof y);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(y[i], i + 1 - (x[i] / 2 - 3)) << x[i];
  ASSERT_EQ(plan.graphs.size(), 1u);
  EXPECT_TRUE(plan.graphs[0].native) << plan.graphs[0].emulated_because;
  for (const launch::Shader& shader : plan.shaders) EXPECT_FALSE(shader.emulates_tensors) << shader.name;
  // One buffer: a tensor of signed elements for the graph, of unsigned ones for the shader.
  EXPECT_TRUE(std::ranges::any_of(plan.resources, [](const launch::Resource& resource) {
    const auto* buffer = std::get_if<launch::Buffer>(&resource.kind);
    return buffer && buffer->tensors.size() == 2;
  }));
}

TEST_F(NativeModels, TheExampleClassifier) {
  tosa::Graph graph = classifier::network({.seed = 5});
  Diagnostics diagnostics;
  tosa::verify(graph, diagnostics);
  const spirv::Words words = must(tosa::write_graph_module(graph));
  const spirv::Module module = must(spirv::read_module(spirv::Words(words), "classifier"));
  launch::Plan plan;
  SpirvGraph request{.entry_point = graph.name, .constants = {}, .tensors = {}};
  std::vector<std::byte> image(static_cast<std::size_t>(32 * 32 * 3));
  ASSERT_TRUE(fill(tosa::DataType::I8, {.seed = 1}, image));
  std::vector<reference::Tensor> results(graph.outputs.size());
  const auto add = [&](const tosa::TensorType& type, std::vector<launch::Contents> initial) {
    const std::uint64_t size = tensor::byte_count(type.shape, tosa::storage_of(type.data)).value();
    const auto index = static_cast<launch::ResourceIndex>(plan.resources.size());
    plan.resources.push_back({.name = "r", .kind = launch::Buffer{.size = size}, .initial = std::move(initial)});
    request.tensors.push_back({{0, index}, index, type.shape});
    return index;
  };
  add(graph[graph.inputs[0]].type, {launch::contents_of(image)});
  for (std::size_t i = 0; i < results.size(); ++i) {
    const tosa::TensorType type = graph[graph.outputs[i]].type;
    plan.captures.push_back(
        {add(type, {}), [&results, i, type](Bytes bytes) { results[i] = reference::Tensor::from_bytes(type, bytes); }});
  }
  auto read = read_spirv_graph(module, request, diagnostics);
  ASSERT_TRUE(read) << format_diagnostics(diagnostics.all());
  ASSERT_TRUE(plan_spirv_graph(plan, std::move(*read), module, request, {.native = &snapshot()}, "classifier", {}, true,
                               diagnostics));
  ASSERT_TRUE(plan.graphs[0].native) << plan.graphs[0].emulated_because;
  run_it(plan);
  const auto compared =
      compare_with_reference(graph, {reference::Tensor::from_bytes(graph[graph.inputs[0]].type, image)}, results);
  ASSERT_TRUE(compared);
  for (const ValueComparison& output : *compared) EXPECT_EQ(output.different, 0u) << comparison_text(output);
}

// Four-bit integers have no format, and no driver here supports custom operators.
TEST_F(NativeModels, GraphsThatNoDriverTakesAreLowered) {
  tosa::Graph graph;
  graph.name = "main";
  const tosa::ValueId x = graph.add_input({tosa::DataType::BF16, {4}}, "x");
  graph.outputs = {graph.add(tosa::Op::ABS, {x}, {}, {tosa::DataType::BF16, {4}})};
  graph.input_bindings = {{0, 0}};
  graph.output_bindings = {{0, 1}};
  const auto words = std::make_shared<const spirv::Words>(must(tosa::write_graph_module(graph)));
  vk::Snapshot device = snapshot();
  device.features.erase("shaderBFloat16Type");
  const auto native = native_graph(device, graph, words, "g", {}, nullptr);
  ASSERT_FALSE(native);
  EXPECT_THAT(native.error(), ::testing::HasSubstr("BFloat16"));

  const auto broken = std::make_shared<const spirv::Words>(words->begin(), words->end() - 1);
  EXPECT_THAT(native_graph(snapshot(), graph, broken, "g", {}, nullptr).error(),
              ::testing::StartsWith("a driver need not take its module: "));
}

}  // namespace
}  // namespace slipway::model
