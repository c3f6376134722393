// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios with graphs on a device, under the validation layers: the results match their `expect`.
#include <gmock/gmock.h>

#include "base/format.hpp"
#include "executors/cpu/info.hpp"
#include "executors/vulkan/executor.hpp"
#include "launch/check/check_device.hpp"
#include "launch/report/graph_dumps.hpp"
#include "launch/run.hpp"
#include "model/device_facts.hpp"
#include "scenario/load.hpp"
#include "testing/gpu_fixture.hpp"
#include "testing/graph_recipe.hpp"
#include "testing/scenario_case.hpp"
#include "testing/source_directory.hpp"

namespace slipway::scenario {
namespace {

using ::testing::HasSubstr;
using testing::must;

class GraphsTest : public testing::GpuTest {
 protected:
  launch::Report run_scene(const std::string& text, const testing::CaseFiles& files, launch::RunOptions options = {},
                           model::GraphOptions graphs = {}) {
    testing::Case made(files);
    const auto& plan = made.plan(text, {.target = [&] { return graphs; }});
    if (!plan) throw std::runtime_error(made.messages(true) + text);
    vk::Needs needs = launch::needs_of(*plan);
    needs.timestamps = options.timestamps;
    const Diagnostics lacks = launch::check_device(*plan, needs, snapshot());
    if (!lacks.empty()) throw std::runtime_error(lacks.all()[0].message);
    launch::Report report = must(launch::run(*plan, launch::VulkanExecutor(device(needs)), std::move(options), log()));
    EXPECT_FALSE(report.expectations.empty());
    for (const Diagnostic& problem : report.diagnostics) {
      ADD_FAILURE() << problem.message << "\n" << launch::print_expectations(report.expectations) << made.plan_text();
    }
    return report;
  }

  // On all engines, with and without fusion.
  void run_all(const std::string& text, const testing::CaseFiles& files) {
    run_scene(text, files);
    run_scene(text, files, {}, {.lower = {.fuse = false}});
    run_scene(text, files, {}, {.lower = {.device = model::device_facts(snapshot())}});
    run_scene(text, files, {}, {.engine = model::Engine::Reference});
    if (launch::has_cpu_engine()) run_scene(text, files, {}, {.engine = model::Engine::Cpu});
  }

  Log log() {
    return Log([this](LogLevel, std::string_view text) { lines_.emplace_back(text); });
  }

  testing::ScratchDirectory directory_;
  std::vector<std::string> lines_;
};

const testing::CaseFiles kSandwich = {{"net.vgf", R"(
resource x input storage_buffer R32_SFLOAT [4]
resource t input tensor R32_SFLOAT [-1, 2]
resource a intermediate storage_buffer R32_SFLOAT [2, 2] alias 0
resource at intermediate tensor R32_SFLOAT [2, 2] alias 0
resource b intermediate tensor R32_SFLOAT [-1, 2] alias 1
resource bb intermediate storage_buffer R32_SFLOAT [-1, 2] alias 1
resource y output storage_buffer R32_SFLOAT [4]
resource w constant R32_SFLOAT [1, 2]: f32 1 10
module pre compute main glsl
| layout(local_size_x = 1) in;
| layout(set = 0, binding = 0) readonly buffer In { float x[]; };
| layout(set = 0, binding = 1) writeonly buffer Out { float y[]; };
| layout(push_constant) uniform Push { float offset; };
| void main() { y[gl_GlobalInvocationID.x] = x[gl_GlobalInvocationID.x] + offset; }
module mid graph main graph
| graph main {
|   %0 = input f32[2, 2] at 0.0
|   %1 = input f32[-1, 2] at 0.1
|   %2 = const f32[1, 2] graph_constant 0
|   %3 = MUL(%0, %2) f32[2, 2] shift=0
|   %4 = REVERSE(%3) f32[2, 2] axis=0
|   %5 = ADD(%4, %1) f32[-1, 2]
|   output %5 at 0.2
| }
module post compute main none
segment first pre 4 1 1
set 0: 0 x, 1 a
in 0 x
out 1 a
push 0 4
segment second mid
set 0: 0 at, 1 t, 2 b
in 1 at
in 4 t
out 2 b
constants w
segment - post 4 1 1
set 0: 0 bb, 1 y
in 2 bb
out 3 y
input 0 x numbers
input 4 t more
output 3 y sums
)"},
                                      {"post.comp", R"(
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer In { float x[]; };
layout(set = 0, binding = 1) writeonly buffer Out { float y[]; };
layout(constant_id = 3) const float kOne = 1;
void main() { y[gl_GlobalInvocationID.x] = x[gl_GlobalInvocationID.x] + kOne; }
)"}};

constexpr std::string_view kSandwichScene = R"({
  "resources": [
    {"graph": {"uid": "net", "src": "net.vgf", "specialization_constants_map": [{"shader_target": "post", "specialization_constants": [{"id": 3, "value": 0.5}]}]}},
    {"shader": {"uid": "post", "type": "GLSL", "src": "post.comp"}},
    {"raw_data": {"uid": "offset", "data": {"type": "f32", "values": [2]}}},
    {"buffer": {"uid": "x", "size": 16, "shader_access": "readonly", "data": {"type": "f32", "values": [1, 2, 3, 4]}}},
    {"tensor": {"uid": "t", "dims": [2, 2], "format": "VK_FORMAT_R32_SFLOAT", "shader_access": "readonly", "data": [100, 200, 300, 400]}},
    {"buffer": {"uid": "y", "size": 16, "shader_access": "writeonly", "expect": {"type": "f32", "data": [105.5, 260.5, 303.5, 440.5]}}}
  ],
  "commands": [
    {"dispatch_graph": {"graph_ref": "net", "bindings": [
      {"set": 0, "id": 0, "resource_ref": "x"}, {"set": 0, "id": 4, "resource_ref": "t"}, {"set": 9, "id": 3, "resource_ref": "y"}],
      "push_constants": [{"push_data_ref": "offset", "shader_target": "pre"}],
      "shader_substitutions": [{"shader_ref": "post", "target": "post"}]%IMPLICIT%}}
  ]
})";

std::string sandwich(std::string_view more) {
  std::string text(kSandwichScene);
  return text.replace(text.find("%IMPLICIT%"), 10, more);
}

TEST_F(GraphsTest, ShaderGraphShader) {
  run_all(sandwich(""), kSandwich);
  run_all(sandwich(R"(, "implicit_barrier": false)"), kSandwich);
}

TEST_F(GraphsTest, SegmentsAreProfiledAsCommands) {
  const launch::Report report =
      run_scene(sandwich(""), kSandwich, {.repeat = 2, .timestamps = true}, {.lower = {.fuse = false}});
  std::vector<std::string> names;
  for (const launch::CommandTime& time : report.profile.times)
    names.push_back(formatted("{} {} {}", static_cast<int>(time.type), time.name, time.iteration));
  EXPECT_THAT(names, ::testing::ElementsAre("0 net/first 1", "1 net/second 1", "0 net/segment_2 1", "0 net/first 2",
                                            "1 net/second 2", "0 net/segment_2 2"));
  ASSERT_EQ(report.profile.memory.size(), 2u);
  EXPECT_EQ(report.profile.memory[1].name, "net/second");
  EXPECT_EQ(report.profile.memory[1].iteration, 1u);
  EXPECT_GT(report.profile.memory[1].size, 0u);
  const std::string profile = launch::write_graph_profile(report.profile, 0);
  EXPECT_THAT(profile, HasSubstr(R"("operator_name": "REVERSE")"));
  EXPECT_THAT(profile, HasSubstr(R"("dispatch_count": 2)"));
  EXPECT_EQ(launch::write_graph_profile(report.profile, 1), "");
  EXPECT_THAT(lines_, ::testing::Contains("Dispatch graph"));
  EXPECT_THAT(lines_, ::testing::Contains(HasSubstr("Datagraph pipeline session memory requirement: ")));
  EXPECT_TRUE(std::ranges::any_of(report.counters,
                                  [](const launch::PerfCounter& counter) { return counter.name == "Parse VGF: net"; }));
}

TEST_F(GraphsTest, DumpsOfGraphs) {
  run_scene(
      sandwich(""), kSandwich,
      {.timestamps = true, .session_memory_directory = directory_.path(), .graph_profile_directory = directory_.path()},
      {.lower = {.fuse = false}});
  const std::string memory = read_text(directory_ / "Graph_Pipeline_0_Session_RAM_0.txt").value();
  // The product, which the graph keeps there before it is reversed: 3, 40, 5, 60.
  EXPECT_THAT(memory, HasSubstr("\n00000000:   00 00 40 40 00 00 20 42 00 00 A0 40 00 00 70 42 "));
  EXPECT_THAT(read_text(directory_ / "EmulationLayerPipeline_0.json").value(), HasSubstr("timestamp_period_ns"));
  EXPECT_THAT(lines_, ::testing::Contains("Session RAM dump stored"));
}

// Its memory cannot be read between runs; its kernels are timed.
TEST_F(GraphsTest, DumpsOfGraphsOnTheCpuEngine) {
  if (!launch::has_cpu_engine()) GTEST_SKIP() << "this build has no CPU engine";
  run_scene(
      sandwich(""), kSandwich,
      {.timestamps = true, .session_memory_directory = directory_.path(), .graph_profile_directory = directory_.path()},
      {.engine = model::Engine::Cpu});
  EXPECT_THAT(lines_,
              ::testing::Contains(HasSubstr("Skipping session memory dump for graph pipeline 0: the engine `cpu`")));
  const std::string profile = read_text(directory_ / "EmulationLayerPipeline_0.json").value();
  EXPECT_THAT(profile, HasSubstr(R"("timestamp_period_ns": 1)"));
  EXPECT_THAT(profile, HasSubstr(R"("operator_name": )"));
}

TEST_F(GraphsTest, NothingToDumpIsAWarning) {
  run_scene(sandwich(""), kSandwich, {.timestamps = true, .graph_profile_directory = directory_.path()},
            {.engine = model::Engine::Reference});
  EXPECT_THAT(lines_, ::testing::Contains(HasSubstr("Skipping graph profiling dump for graph pipeline 0: ")));
}

// One with a constant.
TEST_F(GraphsTest, GraphsOfSpirvModules) {
  constexpr std::string_view kModule = R"(
OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability TensorsARM
OpCapability GraphARM
OpCapability Int8
OpExtension "SPV_ARM_tensors"
OpExtension "SPV_ARM_graph"
%tosa = OpExtInstImport "TOSA.001000.1"
OpMemoryModel Logical Vulkan
OpDecorate %x Binding 3
OpDecorate %x DescriptorSet 1
OpDecorate %y Binding 0
OpDecorate %y DescriptorSet 0
%f32 = OpTypeFloat 32
%i8 = OpTypeInt 8 0
%u32 = OpTypeInt 32 0
%zero = OpConstant %u32 0
%one = OpConstant %u32 1
%two = OpConstant %u32 2
%dims1 = OpTypeArray %u32 %one
%dims2 = OpTypeArray %u32 %two
%shape1 = OpConstantComposite %dims1 %one
%shape2 = OpConstantComposite %dims2 %two %two
%shift_type = OpTypeTensorARM %i8 %one %shape1
%shift = OpConstantNull %shift_type
%tensor = OpTypeTensorARM %f32 %two %shape2
%pointer = OpTypePointer UniformConstant %tensor
%x = OpVariable %pointer UniformConstant
%y = OpVariable %pointer UniformConstant
%scale = OpGraphConstantARM %tensor 0
%graph = OpTypeGraphARM 1 %tensor %tensor
OpGraphEntryPointARM %main "entry" %x %y
%main = OpGraphARM %graph
%in = OpGraphInputARM %tensor %zero
%out = OpExtInst %tensor %tosa MUL %in %scale %shift
OpGraphSetOutputARM %out %zero
OpGraphEndARM
)";
  run_all(R"({
  "resources": [
    {"shader": {"uid": "g", "type": "SPIR-V-ASM", "src": "g.spvasm", "entry": "entry"}},
    {"graph_constant": {"uid": "w", "dims": [2, 2], "format": "VK_FORMAT_R32_SFLOAT", "data": [[1, 10], [100, 1000]]}},
    {"tensor": {"uid": "x", "dims": [2, 2], "format": "VK_FORMAT_R32_SFLOAT", "shader_access": "readonly", "data": [1, 2, 3, 4]}},
    {"tensor": {"uid": "y", "dims": [2, 2], "format": "VK_FORMAT_R32_SFLOAT", "shader_access": "writeonly", "expect": {"data": [[1, 20], [300, 4000]]}}}
  ],
  "commands": [
    {"dispatch_spirv_graph": {"graph_ref": "g", "graph_constants": ["w"], "bindings": [
      {"set": 1, "id": 3, "resource_ref": "x"}, {"set": 0, "id": 0, "resource_ref": "y"}]}}
  ]
})",
          {{"g.spvasm", std::string(kModule)}});
}

// A graph reads the texels of one image and writes those of another.
TEST_F(GraphsTest, TensorsThatSeeImages) {
  const testing::CaseFiles files = {
      {"net.vgf", testing::graph_recipe("R8_SINT", "i8[3, 5, 4]", "REVERSE(%0) i8[3, 5, 4] axis=0")}};
  std::string values, reversed;
  for (int i = 0; i < 60; ++i) {
    values += formatted("{}{}", i ? ", " : "", i);
    reversed += formatted("{}{}", i ? ", " : "", (2 - i / 20) * 20 + i % 20);
  }
  run_all(formatted(R"({{
  "resources": [
    {{"graph": {{"uid": "net", "src": "net.vgf"}}}},
    {{"image": {{"uid": "from", "dims": [5, 3], "format": "VK_FORMAT_R8G8B8A8_SINT", "shader_access": "image_read", "data": [{}]}}}},
    {{"image": {{"uid": "to", "dims": [5, 3], "format": "VK_FORMAT_R8G8B8A8_SINT", "shader_access": "writeonly", "expect": {{"data": [{}]}}}}}},
    {{"tensor": {{"uid": "x", "dims": [3, 5, 4], "format": "VK_FORMAT_R8_SINT", "shader_access": "readonly", "alias_target": {{"resource_ref": "from"}}}}}},
    {{"tensor": {{"uid": "y", "dims": [3, 5, 4], "format": "VK_FORMAT_R8_SINT", "shader_access": "writeonly", "alias_target": {{"resource_ref": "to"}}}}}}
  ],
  "commands": [
    {{"dispatch_graph": {{"graph_ref": "net", "bindings": [{{"set": 0, "id": 0, "resource_ref": "x"}}, {{"set": 0, "id": 1, "resource_ref": "y"}}]}}}}
  ]
}})",
                    values, reversed),
          files);
}

// The template is the search image moved by three columns and two rows; blocks at the border may find less.
TEST_F(GraphsTest, OpticalFlow) {
  constexpr int kSide = 64, kX = 3, kY = -2;
  const auto texel = [](int x, int y) {
    if (x < 0 || y < 0 || x >= kSide || y >= kSide) return 0u;
    return ((static_cast<unsigned>(y * kSide + x) * 2654435761u) >> 13) & 255u;
  };
  std::string search, pattern;
  for (int i = 0; i < kSide * kSide; ++i) {
    const int x = i % kSide, y = i / kSide;
    search += formatted("{}{}", i ? "," : "", texel(x, y) / 255.0);
    pattern += formatted("{}{}", i ? "," : "", texel(x + kX, y + kY) / 255.0);
  }
  for (const bool hint : {false, true}) {
    // With a hint a small search radius is enough.
    const std::string resources = formatted(R"(
    {{"image": {{"uid": "s", "dims": [64, 64], "format": "VK_FORMAT_R8_UNORM", "shader_access": "readonly", "data": [{}]}}}},
    {{"image": {{"uid": "p", "dims": [64, 64], "format": "VK_FORMAT_R8_UNORM", "shader_access": "readonly", "data": [{}]}}}},
    {{"image": {{"uid": "h", "dims": [8, 8], "format": "VK_FORMAT_R16G16_SFLOAT", "shader_access": "readonly", "fill": [3, -2]}}}},
    {{"image": {{"uid": "c", "dims": [8, 8], "format": "VK_FORMAT_R16_UINT", "shader_access": "writeonly", "expect": {{"fill": 0, "max_mismatches": 28}}}}}},
    {{"image": {{"uid": "f", "dims": [8, 8], "format": "VK_FORMAT_R16G16_SFLOAT", "shader_access": "writeonly", "expect": {{"fill": [{}, {}], "max_mismatches": 56}}}}}})",
                                            search, pattern, kX, kY);
    run_scene(formatted(R"({{"resources": [{}], "commands": [{{"dispatch_optical_flow": {{"width": 64, "height": 64,
      "grid_size": "8x8", "performance_level": "fast", "bindings": {{
        "search_image": {{"set": 0, "id": 0, "resource_ref": "s"}}, "template_image": {{"set": 0, "id": 1, "resource_ref": "p"}},
        "output_image": {{"set": 0, "id": 2, "resource_ref": "f"}}, "output_cost": {{"set": 0, "id": 3, "resource_ref": "c"}}{}}}}}}}]}})",
                        resources, hint ? R"(, "hint_motion_vectors": {"set": 0, "id": 4, "resource_ref": "h"})" : ""),
              {});
  }
}

TEST_F(GraphsTest, EmulationMayBeForbidden) {
  const testing::Case made(kSandwich);
  Diagnostics diagnostics;
  const Loaded loaded =
      load(make_source("scene.json", sandwich("")), made / "", {.emulation = Emulation::Never}, diagnostics);
  ASSERT_TRUE(loaded.plan);
  check_device(loaded, snapshot(), diagnostics);
  ASSERT_EQ(diagnostics.errors(), 1u);
  EXPECT_EQ(diagnostics.all().back().message,
            "`net/second` is a graph, and --emulate=never forbids to emulate it: the device does not have "
            "VK_ARM_data_graph");
}

// Its graph has its own constants, which only the plan keeps alive.
TEST_F(GraphsTest, ExampleIsRightOnAllEngines) {
  const Path file = testing::source_directory() / "examples/sandwich/scenario.json";
  for (const model::GraphOptions& settings :
       {model::GraphOptions{}, model::GraphOptions{.lower = {.fuse = false}},
        model::GraphOptions{.lower = {.device = model::device_facts(snapshot())}},
        model::GraphOptions{.engine = model::Engine::Reference}, model::GraphOptions{.engine = model::Engine::Cpu}}) {
    if (settings.engine == model::Engine::Cpu && !launch::has_cpu_engine()) continue;
    Diagnostics diagnostics;
    const Loaded loaded = load(must(read_source(file)), file.parent_path(),
                               {.output = directory_.path(), .target = [&] { return settings; }}, diagnostics);
    ASSERT_TRUE(loaded.plan) << format_diagnostics(diagnostics.all());
    EXPECT_TRUE(diagnostics.empty());
    const launch::Report report =
        must(launch::run(*loaded.plan, launch::VulkanExecutor(device(launch::needs_of(*loaded.plan))), {}, log()));
    EXPECT_EQ(launch::print_expectations(report.expectations), "expect 'edges': ok (24576 elements, max abs 0)\n");
  }
}

// The model of an example matches its text form. UPDATE_CORPUS=1 rewrites it.
TEST(ExampleModels, AreTheirTexts) {
  const Path directory = testing::source_directory() / "examples/sandwich";
  const std::vector<std::byte> made = testing::cook_vgf(read_text(directory / "sandwich.txt").value());
  if (std::getenv("UPDATE_CORPUS")) {
    ASSERT_TRUE(write_file(directory / "sandwich.vgf", Bytes(made)));
  }
  const auto file = map_file(directory / "sandwich.vgf");
  ASSERT_TRUE(file);
  EXPECT_TRUE(std::ranges::equal(file->bytes(), made));
}

// The diagnostics of a specialization constant of a graph module, by name of the module.
TEST_F(GraphsTest, ConstantsOfGraphModules) {
  const testing::CaseFiles files = {{"net.vgf", R"(
resource x input tensor R32_SINT [2, 2]
resource y output tensor R32_SINT [2, 2]
module turn graph main spirv
| OpCapability Shader
| OpCapability VulkanMemoryModel
| OpCapability TensorsARM
| OpCapability GraphARM
| OpExtension "SPV_ARM_tensors"
| OpExtension "SPV_ARM_graph"
| %tosa = OpExtInstImport "TOSA.001000.1"
| OpMemoryModel Logical Vulkan
| OpDecorate %x Binding 0
| OpDecorate %x DescriptorSet 0
| OpDecorate %y Binding 1
| OpDecorate %y DescriptorSet 0
| OpDecorate %axis SpecId 5
| %u32 = OpTypeInt 32 0
| %zero = OpConstant %u32 0
| %one = OpConstant %u32 1
| %two = OpConstant %u32 2
| %axis = OpSpecConstant %u32 0
| %dims2 = OpTypeArray %u32 %two
| %shape2 = OpConstantComposite %dims2 %two %two
| %tensor = OpTypeTensorARM %u32 %two %shape2
| %pointer = OpTypePointer UniformConstant %tensor
| %x = OpVariable %pointer UniformConstant
| %y = OpVariable %pointer UniformConstant
| %graph = OpTypeGraphARM 1 %tensor %tensor
| OpGraphEntryPointARM %main "main" %x %y
| %main = OpGraphARM %graph
| %in = OpGraphInputARM %tensor %zero
| %out = OpExtInst %tensor %tosa REVERSE %axis %in
| OpGraphSetOutputARM %out %zero
| OpGraphEndARM
segment s turn
set 0: 0 x, 1 y
in 0 x
out 1 y
input 0 x x
output 1 y y
)"}};
  for (const int axis : {0, 1}) {
    run_all(formatted(R"({{
  "resources": [
    {{"graph": {{"uid": "net", "src": "net.vgf", "specialization_constants_map": [{{"shader_target": "turn", "specialization_constants": [{{"id": 5, "value": {}}}]}}]}}}},
    {{"tensor": {{"uid": "x", "dims": [2, 2], "format": "VK_FORMAT_R32_SINT", "shader_access": "readonly", "data": [1, 2, 3, 4]}}}},
    {{"tensor": {{"uid": "y", "dims": [2, 2], "format": "VK_FORMAT_R32_SINT", "shader_access": "writeonly", "expect": {{"data": {}}}}}}}
  ],
  "commands": [
    {{"dispatch_graph": {{"graph_ref": "net", "bindings": [{{"set": 0, "id": 0, "resource_ref": "x"}}, {{"set": 0, "id": 1, "resource_ref": "y"}}]}}}}
  ]
}})",
                      axis, axis == 0 ? "[3, 4, 1, 2]" : "[2, 1, 4, 3]"),
            files);
  }
}

}  // namespace
}  // namespace slipway::scenario
