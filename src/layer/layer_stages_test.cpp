// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in the shader stages besides compute, vertex and fragment, in pipeline libraries, and in descriptors that are
// written in other ways than before they are bound.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "layer/test_shaders/stages_geom.hpp"
#include "layer/test_shaders/stages_mesh.hpp"
#include "layer/test_shaders/stages_rgen.hpp"
#include "layer/test_shaders/stages_task.hpp"
#include "layer/test_shaders/stages_tesc.hpp"
#include "layer/test_shaders/stages_tese.hpp"
#include "layer/test_shaders/stages_vert.hpp"
#include "shader/compile.hpp"
#include "testing/layer_fixture.hpp"

namespace slipway::layer {
namespace {

using testing::AppTensor;
using testing::contents;
using ::testing::ElementsAre;
using testing::fill;
using testing::must;

struct StageCode {
  VkShaderStageFlagBits stage;
  std::span<const std::uint32_t> words;
};

class LayerStages : public testing::LayerTest, public ::testing::WithParamInterface<testing::Validation> {
 protected:
  LayerStages() : LayerTest(GetParam()) {}

  // Starts again with extensions and their features; false if the device lacks one.
  bool restart_with(const std::vector<const char*>& wanted, const std::vector<void*>& features) {
    std::uint32_t count = 0;
    MUST(instance_functions().vkEnumerateDeviceExtensionProperties(physical(), nullptr, &count, nullptr));
    std::vector<VkExtensionProperties> all(count);
    MUST(instance_functions().vkEnumerateDeviceExtensionProperties(physical(), nullptr, &count, all.data()));
    for (const std::string_view name : wanted) {
      if (std::ranges::none_of(all, [&](const VkExtensionProperties& one) { return name == one.extensionName; }))
        return false;
    }
    stop();
    addresses_ = true;
    extensions_ = wanted;
    for (void* one : features) features_.push_back(static_cast<VkBaseOutStructure*>(one));
    start();
    return true;
  }

  VkShaderStageFlags supported_stages() {
    VkPhysicalDeviceTensorPropertiesARM tensors{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_PROPERTIES_ARM};
    VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &tensors};
    instance_functions().vkGetPhysicalDeviceProperties2(physical(), &all);
    return tensors.shaderTensorSupportedStages;
  }

  // A pipeline whose primitives are discarded, so that it needs no attachment.
  VkPipeline pipeline(const std::vector<StageCode>& codes, VkPipelineLayout layout, bool patches,
                      VkPipelineCreateFlags flags = 0, const void* chain = nullptr) {
    std::vector<VkShaderModuleCreateInfo> modules;
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    for (const StageCode& code : codes)
      modules.push_back({.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                         .codeSize = code.words.size_bytes(),
                         .pCode = code.words.data()});
    for (const auto& code : codes)
      stages.push_back({.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                        .stage = code.stage,
                        .module = module({code.words.begin(), code.words.end()}),
                        .pName = "main"});
    const VkPipelineVertexInputStateCreateInfo input{.sType =
                                                         VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    const VkPipelineInputAssemblyStateCreateInfo assembly{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = patches ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkPipelineTessellationStateCreateInfo tessellation{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO, .patchControlPoints = 3};
    const VkPipelineRasterizationStateCreateInfo rasterization{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .rasterizerDiscardEnable = VK_TRUE,
        .lineWidth = 1};
    const VkPipelineRenderingCreateInfo rendering{.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                  .pNext = chain};
    const bool is_library = (flags & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR) != 0;
    const VkGraphicsPipelineCreateInfo create{
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = &rendering,
        .flags = flags,
        .stageCount = static_cast<std::uint32_t>(stages.size()),
        .pStages = stages.data(),
        .pVertexInputState = is_library && !codes.empty() ? nullptr : &input,
        .pInputAssemblyState = is_library && !codes.empty() ? nullptr : &assembly,
        .pTessellationState = patches ? &tessellation : nullptr,
        .pRasterizationState = is_library && codes.empty() ? nullptr : &rasterization,
        .layout = is_library && codes.empty() ? VkPipelineLayout{VK_NULL_HANDLE} : layout};
    VkPipeline made = VK_NULL_HANDLE;
    MUST(vk().vkCreateGraphicsPipelines(device(), VK_NULL_HANDLE, 1, &create, nullptr, &made));
    at_end([=, this] { vk().vkDestroyPipeline(device(), made, nullptr); });
    return made;
  }

  template <class Draw>
  void render(VkPipeline pipeline, VkPipelineLayout layout, VkDescriptorSet set, Draw draw) {
    run([&](VkCommandBuffer commands) {
      const VkRenderingInfo rendering{
          .sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {{0, 0}, {1, 1}}, .layerCount = 1};
      vk().vkCmdBeginRendering(commands, &rendering);
      vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
      draw(commands);
      vk().vkCmdEndRendering(commands);
    });
  }

  VkShaderEXT shader_object(VkShaderStageFlagBits stage, VkShaderStageFlags next, VkShaderCodeTypeEXT type,
                            const void* code, std::size_t size, const VkDescriptorSetLayout& sets) {
    const VkShaderCreateInfoEXT create{.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
                                       .stage = stage,
                                       .nextStage = next,
                                       .codeType = type,
                                       .codeSize = size,
                                       .pCode = code,
                                       .pName = "main",
                                       .setLayoutCount = 1,
                                       .pSetLayouts = &sets};
    VkShaderEXT made = VK_NULL_HANDLE;
    MUST(vk().vkCreateShadersEXT(device(), 1, &create, nullptr, &made));
    at_end([=, this] { vk().vkDestroyShaderEXT(device(), made, nullptr); });
    return made;
  }

  std::vector<VkShaderEXT> shader_objects(const std::vector<StageCode>& codes, const VkDescriptorSetLayout& sets,
                                          bool linked) {
    std::vector<VkShaderCreateInfoEXT> infos;
    for (std::size_t i = 0; i < codes.size(); ++i)
      infos.push_back({.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
                       .flags = linked ? VkShaderCreateFlagsEXT{VK_SHADER_CREATE_LINK_STAGE_BIT_EXT} : 0,
                       .stage = codes[i].stage,
                       .nextStage = i + 1 < codes.size() ? VkShaderStageFlags{codes[i + 1].stage} : 0,
                       .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
                       .codeSize = codes[i].words.size_bytes(),
                       .pCode = codes[i].words.data(),
                       .pName = "main",
                       .setLayoutCount = 1,
                       .pSetLayouts = &sets});
    std::vector<VkShaderEXT> made(codes.size(), VK_NULL_HANDLE);
    MUST(vk().vkCreateShadersEXT(device(), static_cast<std::uint32_t>(infos.size()), infos.data(), nullptr,
                                 made.data()));
    for (const VkShaderEXT one : made) at_end([=, this] { vk().vkDestroyShaderEXT(device(), one, nullptr); });
    return made;
  }

  // Binds these shader objects, no others of the graphics stages, and the state that draws without attachments need.
  void bind_objects(VkCommandBuffer commands, const std::vector<StageCode>& codes,
                    const std::vector<VkShaderEXT>& shaders) {
    VkPhysicalDeviceMeshShaderFeaturesEXT* meshes = nullptr;
    for (VkBaseOutStructure* one : features_) {
      if (one->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT)
        meshes = reinterpret_cast<VkPhysicalDeviceMeshShaderFeaturesEXT*>(one);
    }
    std::vector<VkShaderStageFlagBits> stages = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                                                 VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
                                                 VK_SHADER_STAGE_GEOMETRY_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
    if (meshes != nullptr) stages.insert(stages.end(), {VK_SHADER_STAGE_TASK_BIT_EXT, VK_SHADER_STAGE_MESH_BIT_EXT});
    std::vector<VkShaderEXT> bound(stages.size(), VK_NULL_HANDLE);
    for (std::size_t i = 0; i < codes.size(); ++i)
      bound[static_cast<std::size_t>(std::ranges::find(stages, codes[i].stage) - stages.begin())] = shaders[i];
    vk().vkCmdBindShadersEXT(commands, static_cast<std::uint32_t>(stages.size()), stages.data(), bound.data());
    const VkViewport viewport{0, 0, 1, 1, 0, 1};
    const VkRect2D scissor{{0, 0}, {1, 1}};
    vk().vkCmdSetViewportWithCount(commands, 1, &viewport);
    vk().vkCmdSetScissorWithCount(commands, 1, &scissor);
    vk().vkCmdSetRasterizerDiscardEnable(commands, VK_TRUE);
    if (codes.front().stage != VK_SHADER_STAGE_VERTEX_BIT) return;
    const bool patches = codes.size() > 1;
    vk().vkCmdSetVertexInputEXT(commands, 0, nullptr, 0, nullptr);
    vk().vkCmdSetPrimitiveRestartEnable(commands, VK_FALSE);
    vk().vkCmdSetPrimitiveTopology(commands,
                                   patches ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    if (!patches) return;
    vk().vkCmdSetPatchControlPointsEXT(commands, 3);
    vk().vkCmdSetTessellationDomainOriginEXT(commands, VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT);
  }

  // Bindings 0 and 1 are tensors that may be updated after they are bound.
  VkDescriptorSetLayout after_bind_layout(VkShaderStageFlags stages = VK_SHADER_STAGE_COMPUTE_BIT) {
    const VkDescriptorBindingFlags flags[] = {VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT,
                                              VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT};
    const VkDescriptorSetLayoutBindingFlagsCreateInfo more{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = 2,
        .pBindingFlags = flags};
    const VkDescriptorSetLayoutBinding bindings[] = {{0, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 1, stages, nullptr},
                                                     {1, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 1, stages, nullptr}};
    const VkDescriptorSetLayoutCreateInfo create{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                 .pNext = &more,
                                                 .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
                                                 .bindingCount = 2,
                                                 .pBindings = bindings};
    VkDescriptorSetLayout made = VK_NULL_HANDLE;
    MUST(vk().vkCreateDescriptorSetLayout(device(), &create, nullptr, &made));
    at_end([=, this] { vk().vkDestroyDescriptorSetLayout(device(), made, nullptr); });
    return made;
  }

  struct AddressedBuffer {
    VkDeviceAddress address = 0;
    std::byte* mapped = nullptr;
  };
  AddressedBuffer addressed_buffer(VkDeviceSize size, VkBufferUsageFlags usage) {
    const VkBufferCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                    .size = size,
                                    .usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    VkBuffer buffer = VK_NULL_HANDLE;
    MUST(vk().vkCreateBuffer(device(), &create, nullptr, &buffer));
    at_end([=, this] { vk().vkDestroyBuffer(device(), buffer, nullptr); });
    VkMemoryRequirements needs{};
    vk().vkGetBufferMemoryRequirements(device(), buffer, &needs);
    AddressedBuffer made;
    MUST(vk().vkBindBufferMemory(device(), buffer, memory(needs, &made.mapped), 0));
    const VkBufferDeviceAddressInfo where{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer};
    made.address = vk().vkGetBufferDeviceAddress(device(), &where);
    return made;
  }

  VkDescriptorSet after_bind_set(VkDescriptorSetLayout layout) {
    return allocate_set(
        descriptor_pool({{VK_DESCRIPTOR_TYPE_TENSOR_ARM, 2}}, VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT), layout);
  }

  // A graph whose descriptors may be updated after they are bound, and its set.
  struct AfterBindGraph {
    testing::AppGraph graph;
    VkDescriptorSet set = VK_NULL_HANDLE;
  };
  AfterBindGraph after_bind_graph(const std::string& lines, const AppTensor& x, const AppTensor& y,
                                  VkShaderStageFlags stages, VkPipelineCache cache = VK_NULL_HANDLE) {
    AfterBindGraph made;
    made.graph.set_layout = after_bind_layout(stages);
    made.graph.layout = pipeline_layout(made.graph.set_layout);
    MUST(create_graph(testing::graph_module(lines), "main", {&x, &y}, {}, cache, made.graph.layout,
                      made.graph.pipeline));
    at_end([this, pipeline = made.graph.pipeline] { vk().vkDestroyPipeline(device(), pipeline, nullptr); });
    made.graph.session = session(made.graph.pipeline, nullptr);
    made.set = after_bind_set(made.graph.set_layout);
    return made;
  }

  bool has_graphs_after_bind() {
    VkPhysicalDeviceDataGraphFeaturesARM graphs{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_FEATURES_ARM};
    VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &graphs};
    instance_functions().vkGetPhysicalDeviceFeatures2(physical(), &features);
    return graphs.dataGraphUpdateAfterBind != VK_FALSE;
  }

  // Reverses the rows of tensors of a type, which a set receives only after it is bound: first with gaps, then without.
  template <class T>
  void reverse_after_bind(VkFormat format, const std::string& type, VkShaderStageFlags stages) {
    const std::vector<std::int64_t> shape = {3, 5};
    const std::int64_t size = sizeof(T);
    const AppTensor packed[] = {tensor(format, shape), tensor(format, shape), tensor(format, shape)};
    const AppTensor gaps[] = {tensor(format, shape, {8 * size, size}), tensor(format, shape, {16 * size, size})};
    std::vector<T> values(15), reversed;
    std::iota(values.begin(), values.end(), T{1});
    for (int row = 2; row >= 0; --row)
      reversed.insert(reversed.end(), values.begin() + 5 * row, values.begin() + 5 * (row + 1));
    const AfterBindGraph made = after_bind_graph(
        "%0 = input " + type + "[3, 5] at 0.0\n%1 = REVERSE(%0) " + type + "[3, 5] axis=0\noutput %1 at 0.1\n",
        packed[0], packed[1], stages);
    const VkCommandBuffer commands = command_buffer();
    begin(commands);
    dispatch(commands, made.graph, made.set);
    MUST(vk().vkEndCommandBuffer(commands));
    fill(gaps[0], values);
    fill(gaps[1], std::vector<T>(15));
    write(made.set, 0, gaps[0]);
    write(made.set, 1, gaps[1]);
    submit({commands});
    EXPECT_EQ(contents<T>(gaps[1]), reversed) << type;
    write(made.set, 0, gaps[1]);
    write(made.set, 1, packed[2]);
    submit({commands});
    EXPECT_EQ(contents<T>(packed[2]), values) << type;
    write(made.set, 0, packed[2]);
    write(made.set, 1, packed[0]);
    submit({commands});
    EXPECT_EQ(contents<T>(packed[0]), reversed) << type;
  }

  static spirv::Words add_one() {
    const auto compiled = shader::compile(
        make_source("t.comp",
                    "#version 460\n#extension GL_ARM_tensors : require\n"
                    "layout(set = 0, binding = 0) uniform tensorARM<int, 1> x;\n"
                    "layout(set = 0, binding = 1) uniform tensorARM<int, 1> y;\n"
                    "void main() { for (uint i = 0; i < tensorSizeARM(x, 0); ++i) {\n"
                    "  int v; tensorReadARM(x, uint[](i), v); tensorWriteARM(y, uint[](i), v + 1); } }\n"),
        shader::Language::Glsl);
    EXPECT_TRUE(compiled);
    return compiled ? compiled->words : spirv::Words();
  }
};
INSTANTIATE_TEST_SUITE_P(Validation, LayerStages,
                         ::testing::Values(testing::Validation::AboveLayer, testing::Validation::BelowLayer),
                         [](const auto& test) {
                           return test.param == testing::Validation::AboveLayer ? "Above" : "Below";
                         });

// --- stages ----------------------------------------------------------------------------------------------------------

TEST_P(LayerStages, TessellationAndGeometryShadersHaveTensors) {
  constexpr VkShaderStageFlags needed = VK_SHADER_STAGE_ALL_GRAPHICS;
  if ((supported_stages() & needed) != needed) GTEST_SKIP() << "no tensors in these stages";
  const AppTensor seen = tensor(VK_FORMAT_R32_SINT, {7});
  fill(seen, std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 5});
  const VkDescriptorSetLayout sets = tensor_layout(1);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkDescriptorSet set = descriptor_set(sets, {&seen});
  const VkPipeline made = pipeline({{VK_SHADER_STAGE_VERTEX_BIT, stages_vert},
                                    {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, stages_tesc},
                                    {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, stages_tese},
                                    {VK_SHADER_STAGE_GEOMETRY_BIT, stages_geom}},
                                   layout, true);
  render(made, layout, set, [&](VkCommandBuffer commands) { vk().vkCmdDraw(commands, 3, 1, 0, 0); });
  EXPECT_THAT(contents<std::int32_t>(seen), ElementsAre(10, 25, 30, 47, 0, 0, 5));
}

TEST_P(LayerStages, TaskAndMeshShadersHaveTensors) {
  VkPhysicalDeviceMeshShaderFeaturesEXT features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};
  if (!restart_with({VK_EXT_MESH_SHADER_EXTENSION_NAME}, {&features})) GTEST_SKIP() << "no mesh shaders";
  constexpr VkShaderStageFlags needed = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
  EXPECT_EQ(supported_stages() & needed, needed);
  const AppTensor seen = tensor(VK_FORMAT_R32_SINT, {7});
  fill(seen, std::vector<std::int32_t>(7));
  const VkDescriptorSetLayout sets = tensor_layout(1);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkDescriptorSet set = descriptor_set(sets, {&seen});
  const VkPipeline made = pipeline(
      {{VK_SHADER_STAGE_TASK_BIT_EXT, stages_task}, {VK_SHADER_STAGE_MESH_BIT_EXT, stages_mesh}}, layout, false);
  render(made, layout, set, [&](VkCommandBuffer commands) { vk().vkCmdDrawMeshTasksEXT(commands, 1, 1, 1); });
  EXPECT_THAT(contents<std::int32_t>(seen), ElementsAre(0, 0, 0, 0, 50, 60, 0));
}

TEST_P(LayerStages, RayGenerationShadersHaveTensors) {
  VkPhysicalDeviceRayTracingPipelineFeaturesKHR rays{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR};
  VkPhysicalDeviceAccelerationStructureFeaturesKHR structures{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR};
  if (!restart_with({VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME, VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME},
                    {&rays, &structures}))
    GTEST_SKIP() << "no ray tracing pipelines";
  EXPECT_NE(supported_stages() & VK_SHADER_STAGE_RAYGEN_BIT_KHR, 0u);
  VkPhysicalDeviceRayTracingPipelinePropertiesKHR limits{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR};
  VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &limits};
  instance_functions().vkGetPhysicalDeviceProperties2(physical(), &all);
  const VkDescriptorSetLayout sets = tensor_layout(1);
  const VkPipelineLayout layout = pipeline_layout(sets);
  for (const bool in_chain : {false, true}) {
    const AppTensor seen = tensor(VK_FORMAT_R32_SINT, {3});
    fill(seen, std::vector<std::int32_t>(3));
    const VkDescriptorSet set = descriptor_set(sets, {&seen});
    const VkShaderModuleCreateInfo code{
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof stages_rgen, .pCode = stages_rgen};
    const VkPipelineShaderStageCreateInfo stage{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .pNext = in_chain ? &code : nullptr,
        .stage = VK_SHADER_STAGE_RAYGEN_BIT_KHR,
        .module = in_chain ? VkShaderModule{VK_NULL_HANDLE} : module({std::begin(stages_rgen), std::end(stages_rgen)}),
        .pName = "main"};
    const VkRayTracingShaderGroupCreateInfoKHR group{
        .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
        .type = VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR,
        .generalShader = 0,
        .closestHitShader = VK_SHADER_UNUSED_KHR,
        .anyHitShader = VK_SHADER_UNUSED_KHR,
        .intersectionShader = VK_SHADER_UNUSED_KHR};
    const VkRayTracingPipelineCreateInfoKHR create{.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
                                                   .stageCount = 1,
                                                   .pStages = &stage,
                                                   .groupCount = 1,
                                                   .pGroups = &group,
                                                   .maxPipelineRayRecursionDepth = 1,
                                                   .layout = layout};
    VkPipeline made = VK_NULL_HANDLE;
    MUST(vk().vkCreateRayTracingPipelinesKHR(device(), VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &create, nullptr, &made));
    at_end([=, this] { vk().vkDestroyPipeline(device(), made, nullptr); });
    std::vector<std::byte> handle(limits.shaderGroupHandleSize);
    MUST(vk().vkGetRayTracingShaderGroupHandlesKHR(device(), made, 0, 1, handle.size(), handle.data()));
    // The table of shaders: one entry.
    const AddressedBuffer buffer = addressed_buffer(2 * limits.shaderGroupBaseAlignment + handle.size(),
                                                    VK_BUFFER_USAGE_SHADER_BINDING_TABLE_BIT_KHR);
    const VkDeviceSize alignment = limits.shaderGroupBaseAlignment,
                       offset = (alignment - buffer.address % alignment) % alignment;
    std::memcpy(buffer.mapped + offset, handle.data(), handle.size());
    const VkDeviceSize stride = (handle.size() + limits.shaderGroupHandleAlignment - 1) /
                                limits.shaderGroupHandleAlignment * limits.shaderGroupHandleAlignment;
    const VkStridedDeviceAddressRegionKHR table{buffer.address + offset, stride, stride}, none{};
    run([&](VkCommandBuffer commands) {
      vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, made);
      vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, layout, 0, 1, &set, 0, nullptr);
      vk().vkCmdTraceRaysKHR(commands, &table, &none, &none, &none, 3, 1, 1);
    });
    EXPECT_THAT(contents<std::int32_t>(seen), ElementsAre(70, 71, 72));
  }
}

TEST_P(LayerStages, PipelineLibrariesHaveTensors) {
  VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT features{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT};
  if (!restart_with({VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME},
                    {&features}))
    GTEST_SKIP() << "no pipeline libraries";
  const AppTensor seen = tensor(VK_FORMAT_R32_SINT, {2});
  fill(seen, std::vector<std::int32_t>(2));
  const VkDescriptorSetLayout sets = tensor_layout(1);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkDescriptorSet set = descriptor_set(sets, {&seen});
  const VkGraphicsPipelineLibraryCreateInfoEXT input_part{
      .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
      .flags = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT};
  const VkGraphicsPipelineLibraryCreateInfoEXT shader_part{
      .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
      .flags = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT};
  const VkPipeline parts[] = {pipeline({}, layout, false, VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, &input_part),
                              pipeline({{VK_SHADER_STAGE_VERTEX_BIT, stages_vert}}, layout, false,
                                       VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, &shader_part)};
  const VkPipelineLibraryCreateInfoKHR libraries{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, .libraryCount = 2, .pLibraries = parts};
  const VkGraphicsPipelineCreateInfo create{
      .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .pNext = &libraries, .layout = layout};
  VkPipeline linked = VK_NULL_HANDLE;
  MUST(vk().vkCreateGraphicsPipelines(device(), VK_NULL_HANDLE, 1, &create, nullptr, &linked));
  at_end([=, this] { vk().vkDestroyPipeline(device(), linked, nullptr); });
  render(linked, layout, set, [&](VkCommandBuffer commands) { vk().vkCmdDraw(commands, 3, 1, 0, 0); });
  EXPECT_THAT(contents<std::int32_t>(seen), ElementsAre(10, 0));
}

// Shader objects of the graphics stages, linked and not, from SPIR-V and from the driver's binaries. A graph is
// dispatched while they are bound.
TEST_P(LayerStages, GraphicsShaderObjectsHaveTensors) {
  VkPhysicalDeviceShaderObjectFeaturesEXT objects{.sType =
                                                      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT};
  if (!restart_with({VK_EXT_SHADER_OBJECT_EXTENSION_NAME}, {&objects})) GTEST_SKIP() << "no shader objects";
  constexpr VkShaderStageFlags needed = VK_SHADER_STAGE_ALL_GRAPHICS;
  if ((supported_stages() & needed) != needed) GTEST_SKIP() << "no tensors in these stages";
  const std::vector<StageCode> vertex = {{VK_SHADER_STAGE_VERTEX_BIT, stages_vert}},
                               all = {{VK_SHADER_STAGE_VERTEX_BIT, stages_vert},
                                      {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, stages_tesc},
                                      {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, stages_tese},
                                      {VK_SHADER_STAGE_GEOMETRY_BIT, stages_geom}};
  const VkDescriptorSetLayout sets = tensor_layout(1);
  const VkPipelineLayout layout = pipeline_layout(sets);
  // Long enough for a command buffer of its own.
  constexpr int products = 6;
  const AppTensor x = tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2}), y = tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2});
  const testing::AppGraph powers =
      graph(testing::graph_module(testing::matrix_products(products, 2)), "main", {&x, &y});
  const VkDescriptorSet graph_set = descriptor_set(powers.set_layout, {&x, &y});
  fill(x, std::vector<float>{1, 0, 0, 2});
  const auto check = [&](const std::vector<StageCode>& codes, const std::vector<VkShaderEXT>& shaders,
                         const std::vector<std::int32_t>& expected) {
    const AppTensor seen = tensor(VK_FORMAT_R32_SINT, {7});
    fill(seen, std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 5});
    fill(y, std::vector<float>(4));
    const VkDescriptorSet set = descriptor_set(sets, {&seen});
    run([&](VkCommandBuffer commands) {
      bind_objects(commands, codes, shaders);
      vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
      dispatch(commands, powers, graph_set);
      const VkRenderingInfo rendering{
          .sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {{0, 0}, {1, 1}}, .layerCount = 1};
      vk().vkCmdBeginRendering(commands, &rendering);
      vk().vkCmdDraw(commands, 3, 1, 0, 0);
      vk().vkCmdEndRendering(commands);
    });
    EXPECT_EQ(contents<std::int32_t>(seen), expected);
    EXPECT_EQ(contents<float>(y)[3], std::ldexp(1.0f, 1 << products));
  };
  const std::vector<std::int32_t> by_all = {10, 25, 30, 47, 0, 0, 5}, by_vertex = {10, 0, 0, 0, 0, 0, 5};
  check(all, shader_objects(all, sets, false), by_all);
  check(all, shader_objects(all, sets, true), by_all);
  check(all, shader_objects(all, sets, true), by_all);  // the graph is one call from here on
  const std::vector<VkShaderEXT> one = shader_objects(vertex, sets, false);
  check(vertex, one, by_vertex);
  std::size_t size = 0;
  MUST(vk().vkGetShaderBinaryDataEXT(device(), one[0], &size, nullptr));
  std::vector<std::uint32_t> binary((size + 3) / 4 + 8);
  // Binaries are aligned.
  void* data = binary.data();
  std::size_t space = binary.size() * 4;
  ASSERT_NE(std::align(16, size, data, space), nullptr);
  MUST(vk().vkGetShaderBinaryDataEXT(device(), one[0], &size, data));
  check(vertex, {shader_object(VK_SHADER_STAGE_VERTEX_BIT, 0, VK_SHADER_CODE_TYPE_BINARY_EXT, data, size, sets)},
        by_vertex);
}

TEST_P(LayerStages, MeshShaderObjectsHaveTensors) {
  VkPhysicalDeviceShaderObjectFeaturesEXT objects{.sType =
                                                      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT};
  VkPhysicalDeviceMeshShaderFeaturesEXT meshes{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};
  if (!restart_with({VK_EXT_SHADER_OBJECT_EXTENSION_NAME, VK_EXT_MESH_SHADER_EXTENSION_NAME}, {&objects, &meshes}))
    GTEST_SKIP() << "no shader objects, or no mesh shaders";
  const std::vector<StageCode> codes = {{VK_SHADER_STAGE_TASK_BIT_EXT, stages_task},
                                        {VK_SHADER_STAGE_MESH_BIT_EXT, stages_mesh}};
  const VkDescriptorSetLayout sets = tensor_layout(1);
  const VkPipelineLayout layout = pipeline_layout(sets);
  for (const bool linked : {false, true}) {
    const std::vector<VkShaderEXT> shaders = shader_objects(codes, sets, linked);
    const AppTensor seen = tensor(VK_FORMAT_R32_SINT, {7});
    fill(seen, std::vector<std::int32_t>(7));
    const VkDescriptorSet set = descriptor_set(sets, {&seen});
    run([&](VkCommandBuffer commands) {
      bind_objects(commands, codes, shaders);
      vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
      const VkRenderingInfo rendering{
          .sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .renderArea = {{0, 0}, {1, 1}}, .layerCount = 1};
      vk().vkCmdBeginRendering(commands, &rendering);
      vk().vkCmdDrawMeshTasksEXT(commands, 1, 1, 1);
      vk().vkCmdEndRendering(commands);
    });
    EXPECT_THAT(contents<std::int32_t>(seen), ElementsAre(0, 0, 0, 0, 50, 60, 0)) << linked;
  }
}

// --- descriptors -----------------------------------------------------------------------------------------------------

// A set is written after it is bound, and again between two submissions of one command buffer.
TEST_P(LayerStages, TensorsAreUpdatedAfterTheyAreBound) {
  VkPhysicalDeviceTensorFeaturesARM tensors{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_FEATURES_ARM};
  VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &tensors};
  instance_functions().vkGetPhysicalDeviceFeatures2(physical(), &features);
  if (tensors.descriptorBindingStorageTensorUpdateAfterBind == VK_FALSE) GTEST_SKIP() << "no updates after binding";
  const VkDescriptorSetLayout sets = after_bind_layout();
  const VkDescriptorSet set = after_bind_set(sets);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkPipeline shader = compute_pipeline(add_one(), layout);
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {2}), y = tensor(VK_FORMAT_R32_SINT, {2}),
                  z = tensor(VK_FORMAT_R32_SINT, {2}), unused = tensor(VK_FORMAT_R32_SINT, {2});
  fill(x, std::vector<std::int32_t>{1, 2});
  fill(unused, std::vector<std::int32_t>{0, 0});
  write(set, 0, unused);
  write(set, 1, unused);
  const VkCommandBuffer commands = command_buffer();
  begin(commands);
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader);
  vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  write(set, 0, x);
  vk().vkCmdDispatch(commands, 1, 1, 1);
  write(set, 1, y);
  MUST(vk().vkEndCommandBuffer(commands));
  submit({commands});
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(2, 3));
  write(set, 0, y);
  write(set, 1, z);
  submit({commands});
  EXPECT_THAT(contents<std::int32_t>(z), ElementsAre(3, 4));
  EXPECT_THAT(contents<std::int32_t>(unused), ElementsAre(0, 0));
}

TEST_P(LayerStages, GraphsAreUpdatedAfterTheyAreBound) {
  if (!has_graphs_after_bind()) GTEST_SKIP() << "no updates of graphs after binding";
  reverse_after_bind<std::int8_t>(VK_FORMAT_R8_SINT, "i8", VK_SHADER_STAGE_ALL);
  reverse_after_bind<std::int16_t>(VK_FORMAT_R16_SINT, "i16", VK_SHADER_STAGE_ALL);
  // The validation layer wants all stages; the specification has no such rule.
  const bool is_above = GetParam() == testing::Validation::AboveLayer;
  reverse_after_bind<std::int32_t>(VK_FORMAT_R32_SINT, "i32",
                                   is_above ? VK_SHADER_STAGE_ALL : VK_SHADER_STAGE_FRAGMENT_BIT);
}

// Tensors of several dimensions and more elements than one round of the copies has invocations.
TEST_P(LayerStages, LargeGraphsAreUpdatedAfterTheyAreBound) {
  if (!has_graphs_after_bind()) GTEST_SKIP() << "no updates of graphs after binding";
  const std::vector<std::int64_t> shape = {2, 9, 257, 131};
  const AppTensor x = tensor(VK_FORMAT_R8_SINT, shape, {500000, 55000, 212, 1}), y = tensor(VK_FORMAT_R8_SINT, shape);
  std::vector<std::int8_t> values(2 * 9 * 257 * 131);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int8_t>(i % 251);
  fill(x, values);
  const AfterBindGraph made = after_bind_graph(
      "%0 = input i8[2, 9, 257, 131] at 0.0\n%1 = REVERSE(%0) i8[2, 9, 257, 131] axis=0\noutput %1 at 0.1\n", x, y,
      VK_SHADER_STAGE_ALL);
  const VkCommandBuffer commands = command_buffer();
  begin(commands);
  dispatch(commands, made.graph, made.set);
  MUST(vk().vkEndCommandBuffer(commands));
  write(made.set, 0, x);
  write(made.set, 1, y);
  submit({commands});
  std::ranges::rotate(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  EXPECT_EQ(contents<std::int8_t>(y), values);
}

TEST_P(LayerStages, GraphsThatAreUpdatedAfterTheyAreBoundRestoreTheState) {
  if (!has_graphs_after_bind()) GTEST_SKIP() << "no updates of graphs after binding";
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {3}), y = tensor(VK_FORMAT_R32_SINT, {3}),
                  z = tensor(VK_FORMAT_R32_SINT, {3});
  fill(x, std::vector<std::int32_t>{1, 2, 3});
  fill(y, std::vector<std::int32_t>{0, 0, 0});
  // A pipeline cache does not share the graph with pipelines of other layouts.
  const VkPipelineCacheCreateInfo cache_info{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  VkPipelineCache cache = VK_NULL_HANDLE;
  MUST(vk().vkCreatePipelineCache(device(), &cache_info, nullptr, &cache));
  at_end([=, this] { vk().vkDestroyPipelineCache(device(), cache, nullptr); });
  const AfterBindGraph made = after_bind_graph("%0 = input i32[3] at 0.0\n%1 = ADD(%0, %0) i32[3]\noutput %1 at 0.1\n",
                                               x, y, VK_SHADER_STAGE_ALL, cache);
  const VkDataGraphPipelineInfoARM of{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_INFO_ARM,
                                      .dataGraphPipeline = made.graph.pipeline};
  std::uint32_t properties = 0;
  MUST(vk().vkGetDataGraphPipelineAvailablePropertiesARM(device(), &of, &properties, nullptr));
  EXPECT_EQ(properties, 1u) << "the log, and no identifier";
  const VkDescriptorSetLayout sets = tensor_layout(2);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkPipeline shader = compute_pipeline(add_one(), layout);
  const VkDescriptorSet set = descriptor_set(sets, {&y, &z});
  const VkCommandBuffer commands = command_buffer();
  begin(commands);
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader);
  vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  dispatch(commands, made.graph, made.set);
  full_barrier(commands);
  vk().vkCmdDispatch(commands, 1, 1, 1);
  MUST(vk().vkEndCommandBuffer(commands));
  write(made.set, 0, x);
  write(made.set, 1, y);
  submit({commands});
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(2, 4, 6));
  EXPECT_THAT(contents<std::int32_t>(z), ElementsAre(3, 5, 7));
}

// What is not valid, and harmless: a tensor of another shape, and a set that is missing.
TEST_P(LayerStages, AGraphIgnoresATensorOfAnotherShapeAfterItIsBound) {
  if (!has_graphs_after_bind()) GTEST_SKIP() << "no updates of graphs after binding";
  if (GetParam() == testing::Validation::AboveLayer) GTEST_SKIP() << "the validation layer reports it";
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {3}), y = tensor(VK_FORMAT_R32_SINT, {3}),
                  other = tensor(VK_FORMAT_R32_SINT, {2});
  fill(x, std::vector<std::int32_t>{1, 2, 3});
  fill(other, std::vector<std::int32_t>{7, 8});
  const AfterBindGraph made = after_bind_graph("%0 = input i32[3] at 0.0\n%1 = ADD(%0, %0) i32[3]\noutput %1 at 0.1\n",
                                               x, y, VK_SHADER_STAGE_ALL);
  write(made.set, 0, x);
  write(made.set, 1, other);
  run([&](VkCommandBuffer commands) { dispatch(commands, made.graph, made.set); });
  EXPECT_THAT(contents<std::int32_t>(other), ElementsAre(7, 8));
  run([&](VkCommandBuffer commands) {
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, made.graph.pipeline);
    vk().vkCmdDispatchDataGraphARM(commands, made.graph.session, nullptr);
  });
  EXPECT_THAT(take_messages(), ElementsAre(::testing::HasSubstr("no descriptor set is bound to set 0")));
}

TEST_P(LayerStages, DescriptorBuffersHaveTensors) {
  VkPhysicalDeviceDescriptorBufferFeaturesEXT buffers{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT};
  VkPhysicalDeviceDescriptorBufferTensorFeaturesARM tensors{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_TENSOR_FEATURES_ARM};
  if (!restart_with({VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME}, {&buffers, &tensors}) ||
      tensors.descriptorBufferTensorDescriptors == VK_FALSE)
    GTEST_SKIP() << "no tensors in descriptor buffers";
  VkPhysicalDeviceDescriptorBufferTensorPropertiesARM sizes{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_TENSOR_PROPERTIES_ARM};
  VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &sizes};
  instance_functions().vkGetPhysicalDeviceProperties2(physical(), &all);
  ASSERT_GT(sizes.tensorDescriptorSize, 0u);
  const VkDescriptorSetLayout sets = tensor_layout(2, VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const spirv::Words words = add_one();
  const VkComputePipelineCreateInfo create{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                           .flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
                                           .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                     .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                     .module = module(words),
                                                     .pName = "main"},
                                           .layout = layout};
  VkPipeline shader = VK_NULL_HANDLE;
  MUST(vk().vkCreateComputePipelines(device(), VK_NULL_HANDLE, 1, &create, nullptr, &shader));
  at_end([=, this] { vk().vkDestroyPipeline(device(), shader, nullptr); });
  VkDeviceSize size = 0;
  vk().vkGetDescriptorSetLayoutSizeEXT(device(), sets, &size);
  const AddressedBuffer buffer = addressed_buffer(size, VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT);
  const VkDescriptorBufferBindingInfoEXT binding{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
      .address = buffer.address,
      .usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {3}), y = tensor(VK_FORMAT_R32_SINT, {3});
  fill(x, std::vector<std::int32_t>{1, 2, 3});
  for (std::uint32_t i = 0; i < 2; ++i) {
    const VkDescriptorGetTensorInfoARM tensor{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_TENSOR_INFO_ARM,
                                              .tensorView = i == 0 ? x.view : y.view};
    const VkDescriptorGetInfoEXT get{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, .pNext = &tensor, .type = VK_DESCRIPTOR_TYPE_TENSOR_ARM};
    VkDeviceSize offset = 0;
    vk().vkGetDescriptorSetLayoutBindingOffsetEXT(device(), sets, i, &offset);
    vk().vkGetDescriptorEXT(device(), &get, sizes.tensorDescriptorSize, buffer.mapped + offset);
  }
  run([&](VkCommandBuffer commands) {
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader);
    vk().vkCmdBindDescriptorBuffersEXT(commands, 1, &binding);
    const std::uint32_t index = 0;
    const VkDeviceSize offset = 0;
    vk().vkCmdSetDescriptorBufferOffsetsEXT(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &index, &offset);
    vk().vkCmdDispatch(commands, 1, 1, 1);
  });
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(2, 3, 4));
}

}  // namespace
}  // namespace slipway::layer
