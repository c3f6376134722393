// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios on a device with native tensors and graphs (src/layer), under the validation layers: what runs
// natively, the results, and what happens where the device lacks something.
#include <gmock/gmock.h>

#include "base/format.hpp"
#include "executors/vulkan/executor.hpp"
#include "launch/check/check_device.hpp"
#include "launch/check/hazards.hpp"
#include "launch/plan/accesses.hpp"
#include "launch/run.hpp"
#include "scenario/load.hpp"
#include "testing/gpu_fixture.hpp"
#include "testing/layer.hpp"
#include "testing/scenario_case.hpp"
#include "testing/source_directory.hpp"
#include "vk/device_plan.hpp"

namespace slipway::scenario {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::must;

std::string native_tensor(std::string_view uid, std::string_view dims, std::string_view format,
                          std::string_view more = "") {
  return formatted(R"({{"tensor": {{"uid": "{}", "dims": {}, "format": "VK_FORMAT_{}", )"
                   R"("shader_access": "readwrite"{}}}}})",
                   uid, dims, format, more);
}

std::string binding(int id, std::string_view resource) {
  return formatted(R"({{"set": 0, "id": {}, "resource_ref": "{}"}})", id, resource);
}

std::string native_scene(std::string_view resources, std::string_view commands) {
  return formatted(R"({{"resources": [{}], "commands": [{}]}})", resources, commands);
}

class NativeTest : public testing::GpuTest {
 protected:
  void SetUp() override {
    if (!testing::UseLayer::is_here()) GTEST_SKIP() << "no driver with tensors and graphs here";
  }

  // Planned for the device, with native support used.
  Loaded load_scene(const testing::Case& files, const std::string& text, Emulation emulation = Emulation::Auto) {
    return load(make_source("scene.json", text), files / "",
                {.output = directory_.path(),
                 .emulation = emulation,
                 .target = [this] { return model::GraphOptions{.native = changed_ ? &*changed_ : &snapshot()}; }},
                diagnostics_);
  }

  // Plans for the device as if it lacked tensors of a format.
  void without_tensors_of(vk::Format format) {
    changed_ = snapshot();
    changed_->formats[format].linear_tensor = 0;
  }

  launch::Report run_plan(const launch::Plan& plan, launch::RunOptions options = {}) {
    vk::Needs needs = launch::needs_of(plan);
    needs.timestamps = options.timestamps;
    const Diagnostics lacks = launch::check_device(plan, needs, snapshot());
    EXPECT_EQ(format_diagnostics(lacks.all()), "");
    launch::Report report = must(launch::run(plan, launch::VulkanExecutor(device(needs)), std::move(options), log()));
    EXPECT_FALSE(report.expectations.empty());
    for (const Diagnostic& problem : report.diagnostics) {
      ADD_FAILURE() << problem.message << "\n" << launch::print_expectations(report.expectations);
    }
    return report;
  }

  // Runs it natively, and returns the plan.
  launch::Plan run_scene(const std::string& text, const testing::CaseFiles& files, launch::RunOptions options = {}) {
    const testing::Case made(files);
    Loaded loaded = load_scene(made, text);
    if (!loaded.plan) throw std::runtime_error(messages() + text);
    EXPECT_EQ(messages(), "");
    run_plan(*loaded.plan, std::move(options));
    return std::move(*loaded.plan);
  }

  std::string messages() const { return format_diagnostics(diagnostics_.all()); }

  Log log() {
    return Log([this](LogLevel, std::string_view text) { lines_.emplace_back(text); });
  }

  testing::UseLayer layer_;
  std::optional<vk::Snapshot> changed_;
  testing::ScratchDirectory directory_;
  Diagnostics diagnostics_;
  std::vector<std::string> lines_;
};

// --- tensors ---------------------------------------------------------------------------------------------------------

constexpr std::string_view kTensorHeader =
    "#version 460\n#extension GL_ARM_tensors : require\n"
    "#extension GL_EXT_shader_explicit_arithmetic_types : require\n";

// Adds a constant to each element of a matrix and transposes it.
std::string transpose(std::string_view type) {
  return formatted(
      "{}layout(local_size_x_id = 1, local_size_y = 1) in;\nlayout(constant_id = 0) const int kMore = 1;\n"
      "layout(set = 0, binding = 0) uniform tensorARM<{}, 2> from;\nlayout(set = 0, binding = 1) uniform "
      "tensorARM<{}, 2> to;\nvoid main() {{ uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y; {} v;\n"
      "  tensorReadARM(from, uint[](y, x), v); tensorWriteARM(to, uint[](x, y), v + {}(kMore)); }}\n",
      kTensorHeader, type, type, type, type);
}

std::string transpose_scene(std::string_view format, std::string_view more = "") {
  return native_scene(
      formatted(R"({{"shader": {{"uid": "s", "type": "GLSL", "src": "s.comp",
        "specialization_constants": [{{"id": 0, "value": 10}}, {{"id": 1, "value": 3}}]}}}}, {}, {}, {})",
                native_tensor("from", "[2, 3]", format, R"(, "data": [[1, 2, 3], [4, 5, 6]])"),
                native_tensor("between", "[3, 2]", format),
                native_tensor("to", "[2, 3]", format, R"(, "expect": {"data": [[21, 22, 23], [24, 25, 26]]})")),
      formatted(R"({{"dispatch_compute": {{"shader_ref": "s", "rangeND": [1, 2], "bindings": [{}, {}]{}}}}},
                     {{"dispatch_compute": {{"shader_ref": "s", "rangeND": [1, 3], "bindings": [{}, {}]}}}})",
                binding(0, "from"), binding(1, "between"), more, binding(0, "between"), binding(1, "to")));
}

TEST_F(NativeTest, ShadersHaveTensorsOfEveryType) {
  for (const auto& [format, type] : {std::pair{"R8_UINT", "uint8_t"},
                                     {"R8_SINT", "int8_t"},
                                     {"R16_SINT", "int16_t"},
                                     {"R32_SINT", "int"},
                                     {"R32_UINT", "uint"},
                                     {"R64_SINT", "int64_t"},
                                     {"R64_UINT", "uint64_t"},
                                     {"R16_SFLOAT", "float16_t"},
                                     {"R32_SFLOAT", "float"},
                                     {"R64_SFLOAT", "double"}}) {
    const launch::Plan plan = run_scene(transpose_scene(format), {{"s.comp", transpose(type)}});
    // The shader is unchanged, and one shader serves both shapes.
    ASSERT_EQ(plan.shaders.size(), 1u);
    EXPECT_FALSE(plan.shaders[0].emulates_tensors);
    EXPECT_THAT(plan.shaders[0].reflection->capabilities, ::testing::Contains("TensorsARM"));
    for (const launch::Step& step : plan.steps) {
      for (const launch::Binding& bound : launch::bindings_of(step))
        EXPECT_EQ(bound.type, vk::DescriptorType::TENSOR_ARM);
    }
  }
}

TEST_F(NativeTest, TensorsHaveBarriersOfTheirOwn) {
  const std::string barrier = R"(, {"tensor_barrier": {"uid": "b", "tensor_resource": "between",
      "src_access": "compute_shader_write", "dst_access": "compute_shader_read",
      "src_stage": ["compute"], "dst_stage": ["compute"]}})";
  std::string text = transpose_scene("R32_SINT", R"(, "implicit_barrier": false)");
  text.insert(text.find(R"(], "commands")"), barrier);
  text.insert(text.rfind(R"({"dispatch_compute")"), R"({"dispatch_barrier": {"tensor_barrier_refs": ["b"],
      "image_barrier_refs": [], "memory_barrier_refs": [], "buffer_barrier_refs": []}}, )");
  const launch::Plan plan = run_scene(text, {{"s.comp", transpose("int")}});
  EXPECT_EQ(plan.steps.size(), 3u);
}

TEST_F(NativeTest, TensorsShareMemoryWithBuffersAndImages) {
  // Two tensors in one allocation, each at its offset, and a tensor over the texels of an image.
  run_scene(native_scene(
                formatted(
                    R"({{"shader": {{"uid": "s", "type": "GLSL", "src": "s.comp"}}}},
      {{"buffer": {{"uid": "all", "size": 280, "shader_access": "readonly", "memory_group": {{"id": "g"}},
        "expect": {{"data": {{"type": "i32", "values": [{}]}}}}}}}}, {}, {})",
                    [] {
                      std::string values;
                      for (int i = 0; i < 70; ++i) {
                        const int value = i < 6 ? i + 1 : i >= 64 ? (i - 64) / 2 + (i - 64) % 2 * 3 + 2 : 0;
                        values += formatted("{}{}", i ? ", " : "", value);
                      }
                      return values;
                    }(),
                    native_tensor("from", "[2, 3]", "R32_SINT",
                                  R"(, "data": [[1, 2, 3], [4, 5, 6]], "memory_group": {"id": "g"})"),
                    native_tensor("to", "[3, 2]", "R32_SINT", R"(, "memory_group": {"id": "g", "offset": 256})")),
                formatted(R"({{"dispatch_compute": {{"shader_ref": "s", "rangeND": [3, 2], "bindings": [{}, {}]}}}})",
                          binding(0, "from"), binding(1, "to"))),
            {{"s.comp", [] {
                std::string text = transpose("int");
                const std::string with = "local_size_x_id = 1";
                return text.replace(text.find(with), with.size(), "local_size_x = 1");
              }()}});
}

class NativeImagesTest : public NativeTest, public ::testing::WithParamInterface<std::string_view> {};

// 5 texels a row, so that linear images have gaps between rows. The shader adds 1 to every component.
TEST_P(NativeImagesTest, TensorsSeeTexels) {
  std::string before, after;
  for (int i = 0; i < 40; ++i) {
    before += formatted("{}{}", i ? ", " : "", i);
    after += formatted("{}{}", i ? ", " : "", i + 1);
  }
  const launch::Plan plan = run_scene(
      native_scene(
          formatted(R"({{"shader": {{"uid": "s", "type": "GLSL", "src": "s.comp"}}}},
        {{"image": {{"uid": "i", "dims": [1, 5, 2, 1], "format": "VK_FORMAT_R8G8B8A8_UINT", "shader_access": "readwrite",
          "data": [{}], "expect": {{"data": [{}]}}{}}}}}, {})",
                    before, after, GetParam(),
                    native_tensor("t", "[1, 2, 5, 4]", "R8_UINT",
                                  std::string(R"(, "alias_target": {"resource_ref": "i"})") + std::string(GetParam()))),
          formatted(R"({{"dispatch_compute": {{"shader_ref": "s", "rangeND": [5, 2], "bindings": [{}]}}}})",
                    binding(0, "t"))),
      {{"s.comp", std::string(kTensorHeader) +
                      "layout(set = 0, binding = 0) uniform tensorARM<uint8_t, 4> t;\n"
                      "void main() { for (uint c = 0; c < 4; ++c) { uint8_t v; uint at[4] = uint[](0, "
                      "gl_GlobalInvocationID.y, gl_GlobalInvocationID.x, c);\n"
                      "  tensorReadARM(t, at, v); tensorWriteARM(t, at, uint8_t(v + uint8_t(1))); } }\n"}});
  EXPECT_FALSE(plan.shaders[0].emulates_tensors);
}

INSTANTIATE_TEST_SUITE_P(Tilings, NativeImagesTest,
                         ::testing::Values("", R"(, "tiling": "LINEAR")", R"(, "tiling": "OPTIMAL")"));

// --- what the device does not have -----------------------------------------------------------------------------------

TEST_F(NativeTest, TheRestIsEmulated) {
  without_tensors_of(vk::Format::R64_UINT);
  const testing::Case files({{"s.comp", transpose("uint64_t")}});
  const Loaded loaded = load_scene(files, transpose_scene("R64_UINT"));
  ASSERT_TRUE(loaded.plan) << messages();
  EXPECT_THAT(launch::print_plan(*loaded.plan),
              HasSubstr(", tensors as buffers (the device does not have tensors of VK_FORMAT_R64_UINT in shaders)"));
  run_plan(*loaded.plan);
}

TEST_F(NativeTest, NeverNamesWhatIsMissing) {
  without_tensors_of(vk::Format::R64_UINT);
  const testing::Case files({{"s.comp", transpose("uint64_t")}});
  const Loaded loaded = load_scene(files, transpose_scene("R64_UINT"), Emulation::Never);
  ASSERT_TRUE(loaded.plan) << messages();
  check_device(loaded, *changed_, diagnostics_);
  ASSERT_EQ(diagnostics_.all().size(), 1u);
  EXPECT_EQ(diagnostics_.all()[0].message,
            "shader `s` has tensors, and --emulate=never forbids to emulate them: the device does not have tensors of "
            "VK_FORMAT_R64_UINT in shaders");
  EXPECT_EQ(exit_status(diagnostics_.all()), 4);
}

TEST_F(NativeTest, AlwaysEmulates) {
  const testing::Case files({{"s.comp", transpose("int")}});
  const Loaded loaded = load_scene(files, transpose_scene("R32_SINT"), Emulation::Always);
  ASSERT_TRUE(loaded.plan) << messages();
  EXPECT_TRUE(loaded.plan->shaders[0].emulates_tensors);
  EXPECT_EQ(loaded.plan->shaders[0].emulated_because, "");
  run_plan(*loaded.plan);
}

// Why a scenario is not native on a device that differs from this one in one property.
struct Lack {
  std::string_view name;
  void (*change)(vk::Snapshot& device);
  std::string_view tensors, graphs;
};
class NativeChoiceTest : public NativeTest, public ::testing::WithParamInterface<Lack> {};

constexpr std::string_view kNet = R"(
resource x input tensor R32_SFLOAT [2, 2]
resource y output tensor R32_SFLOAT [2, 2]
resource w constant R32_SFLOAT [2, 2]: f32 1 10 100 1000
module m graph main graph
| graph main {
|   %0 = input f32[2, 2] at 0.0
|   %1 = const f32[2, 2] graph_constant 0
|   %2 = ABS(%0) f32[2, 2]
|   %3 = MUL(%2, %1) f32[2, 2] shift=0
|   output %3 at 0.1
| }
segment s m
set 0: 0 x, 1 y
in 0 x
out 1 y
constants w
input 0 x x
output 1 y y
)";

std::string net_scene(std::string_view more = "", std::string_view commands = "") {
  return native_scene(
      formatted(R"({{"graph": {{"uid": "net", "src": "net.vgf"}}}}, {}, {}{})",
                native_tensor("x", "[2, 2]", "R32_SFLOAT", R"(, "data": [[-1, 2], [-3, 4]])"),
                native_tensor("y", "[2, 2]", "R32_SFLOAT", R"(, "expect": {"data": [[1, 20], [300, 4000]]})"), more),
      formatted(R"({{"dispatch_graph": {{"graph_ref": "net", "bindings": [{}, {}]}}}}{})", binding(0, "x"),
                binding(1, "y"), commands));
}

// The same network and scenario with a sum whose operand is stored, so that there is session memory.
std::string with_memory(std::string text) {
  for (const auto& [from, to] :
       {std::pair<std::string_view, std::string_view>{"|   output %3",
                                                      "|   %4 = REDUCE_SUM(%3) f32[1, 2] axis=0\n|   %5 = ADD(%3, %4) "
                                                      "f32[2, 2]\n|   output %5"},
        {"[[1, 20], [300, 4000]]", "[[302, 4040], [601, 8020]]"}}) {
    if (const std::size_t at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
  }
  return text;
}

TEST_P(NativeChoiceTest, DependsOnDeviceSupport) {
  vk::Snapshot changed = snapshot();
  GetParam().change(changed);
  const testing::Case files({{"s.comp", transpose("int")}, {"net.vgf", std::string(kNet)}});
  const auto planned = [&](const std::string& text) {
    Loaded loaded = load(make_source("scene.json", text), files / "",
                         {.target = [&] { return model::GraphOptions{.native = &changed}; }}, diagnostics_);
    if (!loaded.plan) throw std::runtime_error(messages());
    return std::move(*loaded.plan);
  };
  const launch::Plan shaders = planned(transpose_scene("R32_SINT"));
  EXPECT_EQ(shaders.shaders[0].emulated_because, GetParam().tensors);
  EXPECT_EQ(shaders.shaders[0].emulates_tensors, !GetParam().tensors.empty());
  const launch::Plan graphs = planned(net_scene());
  EXPECT_EQ(graphs.graphs.at(0).emulated_because, GetParam().graphs);
  EXPECT_EQ(graphs.graphs.at(0).native, GetParam().graphs.empty());
  // A plan is valid for the device that it was made for.
  for (const launch::Plan* plan : {&shaders, &graphs}) {
    EXPECT_EQ(format_diagnostics(launch::check_device(*plan, launch::needs_of(*plan), changed).all()), "");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Devices, NativeChoiceTest,
    ::testing::Values(
        Lack{"Nothing", [](vk::Snapshot&) {}, "", ""},
        Lack{"Tensors", [](vk::Snapshot& device) { device = vk::without_extensions(device, {{"VK_ARM_tensors"}}); },
             "the device does not have VK_ARM_tensors", "the device does not have VK_ARM_tensors"},
        Lack{"Graphs", [](vk::Snapshot& device) { device = vk::without_extensions(device, {{"VK_ARM_data_graph"}}); },
             "", "the device does not have VK_ARM_data_graph"},
        Lack{"AnExtension", [](vk::Snapshot& device) { device.extensions.erase("VK_KHR_deferred_host_operations"); },
             "", "the device does not have VK_KHR_deferred_host_operations"},
        Lack{"AFeature", [](vk::Snapshot& device) { device.features.erase("tensorNonPacked"); },
             "the device does not have the feature `tensorNonPacked` of VK_ARM_tensors",
             "the device does not have the feature `tensorNonPacked` of VK_ARM_tensors"},
        Lack{"AGraphFeature", [](vk::Snapshot& device) { device.features.erase("dataGraphShaderModule"); }, "",
             "the device does not have the feature `dataGraphShaderModule` of VK_ARM_data_graph"},
        Lack{"ATensorFormat",
             [](vk::Snapshot& device) {
               device.formats[vk::Format::R32_SINT].linear_tensor = vk::format_feature::kTensorDataGraph;
               device.formats[vk::Format::R32_SFLOAT].linear_tensor = vk::format_feature::kTensorShader;
             },
             "the device does not have tensors of VK_FORMAT_R32_SINT in shaders",
             "the device does not have tensors of VK_FORMAT_R32_SFLOAT in graphs"},
        Lack{"Dimensions", [](vk::Snapshot& device) { device.limits_by_name["maxTensorDimensionCount"] = 1; },
             "the device does not have tensors of 2 dimensions (`maxTensorDimensionCount` is 1)",
             "the device does not have tensors of 2 dimensions (`maxTensorDimensionCount` is 1)"},
        Lack{"TheStage", [](vk::Snapshot& device) { device.limits_by_name["shaderTensorSupportedStages"] = 0x10; },
             "the device does not have tensors in compute shaders", ""},
        Lack{"TheQueue",
             [](vk::Snapshot& device) {
               for (vk::QueueFamily& family : device.queue_families) family.flags &= ~vk::queue_flag::kDataGraph;
             },
             "", "the device does not have a queue family with compute and data graphs"},
        Lack{"TheInstructionSet",
             [](vk::Snapshot& device) {
               for (vk::QueueFamily& family : device.queue_families) family.graph_instruction_sets = {"TOSA.002"};
             },
             "", "the device does not have graphs of TOSA.001000.1"}),
    [](const auto& test) { return std::string(test.param.name); });

// --- graphs ----------------------------------------------------------------------------------------------------------

TEST_F(NativeTest, AGraphIsOneStep) {
  launch::RunOptions options{.repeat = 2, .timestamps = true};
  options.session_memory_directory = directory_.path();
  const launch::Plan plan =
      run_scene(with_memory(net_scene()), {{"net.vgf", with_memory(std::string(kNet))}}, std::move(options));
  EXPECT_THAT(launch::print_plan(plan),
              HasSubstr("graph `net/s` of the device\n"
                        "      set 0 binding 0: `x`, VK_DESCRIPTOR_TYPE_TENSOR_ARM, read\n"
                        "      set 0 binding 1: `y`, VK_DESCRIPTOR_TYPE_TENSOR_ARM, written\n"));
  ASSERT_EQ(plan.shaders.size(), 1u);
  ASSERT_EQ(plan.shaders[0].graph_constants.size(), 1u);
  EXPECT_EQ(plan.steps.size(), 1u);
  // How much memory it is depends on the kernels for the device.
  EXPECT_THAT(lines_,
              ::testing::Contains(::testing::MatchesRegex("Datagraph pipeline session memory requirement: [1-9].*")));
  EXPECT_THAT(lines_, ::testing::IsSupersetOf({"Dispatch graph",
                                               "Skipping session memory dump for graph pipeline 0: the memory is the "
                                               "driver's"}));
}

TEST_F(NativeTest, GraphsAreProfiledAsSuch) {
  const testing::Case files({{"net.vgf", with_memory(std::string(kNet))}});
  const Loaded loaded = load_scene(files, with_memory(net_scene()));
  ASSERT_TRUE(loaded.plan) << messages();
  const launch::Report report = run_plan(*loaded.plan, {.repeat = 2, .timestamps = true});
  ASSERT_EQ(report.profile.times.size(), 2u);
  EXPECT_EQ(report.profile.times[0].type, launch::CommandType::DataGraphDispatch);
  EXPECT_EQ(report.profile.times[0].name, "net/s");
  ASSERT_EQ(report.profile.memory.size(), 2u);
  EXPECT_GT(report.profile.memory[0].size, 0u);
}

// A barrier that orders shaders does not order a native graph.
TEST_F(NativeTest, HazardsKnowGraphs) {
  const testing::Case files({{"net.vgf", std::string(kNet)}});
  const Loaded loaded = load_scene(files, net_scene());
  ASSERT_TRUE(loaded.plan) << messages();
  for (const bool graph : {true, false}) {
    launch::Plan plan = *loaded.plan;
    launch::Step again = plan.steps.at(0);
    std::vector<launch::Binding>& bindings = std::get<launch::Dispatch>(again.action).bindings;
    std::swap(bindings[0].resource, bindings[1].resource);
    plan.steps[0].barrier_after = false;
    plan.steps.push_back(
        {.name = "barriers",
         .action = launch::Barriers{{{.name = "b",
                                      .src_stage = graph ? vk::stage::kDataGraph : vk::stage::kComputeShader,
                                      .src_access = graph ? vk::access::kDataGraphRead | vk::access::kDataGraphWrite
                                                          : vk::access::kShaderWrite,
                                      .dst_access = vk::access::kMemoryRead | vk::access::kMemoryWrite}}}});
    plan.steps.push_back(std::move(again));
    const std::string found = format_diagnostics(launch::check_hazards(plan).all(), {.sources = false});
    if (graph)
      EXPECT_EQ(found, "");
    else
      EXPECT_THAT(found, HasSubstr("its source stages leave out the graph"));
  }
}

TEST_F(NativeTest, SandwichOfShadersAndAGraph) {
  const Path file = testing::source_directory() / "examples/sandwich/scenario.json";
  const Loaded loaded =
      load(must(read_source(file)), file.parent_path(),
           {.output = directory_.path(), .target = [this] { return model::GraphOptions{.native = &snapshot()}; }},
           diagnostics_);
  ASSERT_TRUE(loaded.plan) << messages();
  EXPECT_EQ(messages(), "");
  ASSERT_EQ(loaded.plan->graphs.size(), 1u);
  EXPECT_TRUE(loaded.plan->graphs[0].native) << loaded.plan->graphs[0].emulated_because;
  const launch::Report report = run_plan(*loaded.plan);
  EXPECT_EQ(launch::print_expectations(report.expectations), "expect 'edges': ok (24576 elements, max abs 0)\n");
}

}  // namespace
}  // namespace slipway::scenario
