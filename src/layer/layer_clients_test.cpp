// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs of others do with the extensions, one small program for each: creation of devices, queries, memory,
// barriers, descriptors, shaders of all types and ranks, names and private data.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "shader/compile.hpp"
#include "spirv/tools.hpp"
#include "testing/layer_fixture.hpp"

namespace slipway::layer {
namespace {

using testing::AppGraph;
using testing::AppTensor;
using ::testing::Contains;
using testing::contents;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::fill;
using ::testing::HasSubstr;
using testing::LayerTest;
using testing::must;

class LayerClients : public LayerTest, public ::testing::WithParamInterface<testing::Validation> {
 protected:
  LayerClients() : LayerTest(GetParam()) {}

  // Dispatches one workgroup, and waits for it.
  void run_one_group(VkPipeline pipeline, VkPipelineLayout layout, VkDescriptorSet set) {
    run([&](VkCommandBuffer commands) {
      vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vk().vkCmdDispatch(commands, 1, 1, 1);
    });
  }
  bool below() const { return GetParam() == testing::Validation::BelowLayer; }

  bool has_extension(std::string_view name) {
    std::uint32_t count = 0;
    MUST(instance_functions().vkEnumerateDeviceExtensionProperties(physical(), nullptr, &count, nullptr));
    std::vector<VkExtensionProperties> all(count);
    MUST(instance_functions().vkEnumerateDeviceExtensionProperties(physical(), nullptr, &count, all.data()));
    return std::ranges::any_of(all, [&](const VkExtensionProperties& one) { return name == one.extensionName; });
  }
  // Starts again with an extension and its features; false if the device lacks it.
  bool restart_with(const char* extension, VkBaseOutStructure* features = nullptr) {
    if (!has_extension(extension)) return false;
    stop();
    extensions_.push_back(extension);
    if (features != nullptr) features_.push_back(features);
    start();
    return true;
  }

  // A device of its own, with a chain; the extensions are those of the layer and what they depend on.
  VkResult create_device(const void* chain, const VkPhysicalDeviceFeatures* core, VkDevice& made, bool extended = true,
                         std::vector<const char*> more = {}) {
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                        .queueFamilyIndex = family(),
                                        .queueCount = 1,
                                        .pQueuePriorities = &priority};
    if (extended)
      more.insert(more.end(), {VK_ARM_TENSORS_EXTENSION_NAME, VK_ARM_DATA_GRAPH_EXTENSION_NAME,
                               VK_KHR_MAINTENANCE_5_EXTENSION_NAME, VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME});
    const VkDeviceCreateInfo create{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                    .pNext = chain,
                                    .queueCreateInfoCount = 1,
                                    .pQueueCreateInfos = &queue,
                                    .enabledExtensionCount = static_cast<std::uint32_t>(more.size()),
                                    .ppEnabledExtensionNames = more.data(),
                                    .pEnabledFeatures = core};
    return instance_functions().vkCreateDevice(physical(), &create, nullptr, &made);
  }
};
INSTANTIATE_TEST_SUITE_P(Validation, LayerClients,
                         ::testing::Values(testing::Validation::AboveLayer, testing::Validation::BelowLayer),
                         [](const auto& test) {
                           return test.param == testing::Validation::AboveLayer ? "Above" : "Below";
                         });

spirv::Words compiled(std::string_view body, std::string_view name = "t.comp") {
  const std::string text =
      "#version 460\n#extension GL_ARM_tensors : require\n#extension GL_EXT_nonuniform_qualifier : require\n"
      "#extension GL_EXT_shader_explicit_arithmetic_types : require\n" +
      std::string(body);
  const auto made = shader::compile(make_source(std::string(name), text), shader::Language::Glsl);
  if (!made) ADD_FAILURE() << format_diagnostics(made.error());
  return made ? made->words : spirv::Words();
}

std::vector<std::int32_t> counted(std::size_t count, std::int32_t first = 0) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// One invocation copies a tensor of integers, adding a number.
constexpr std::string_view kAddOne =
    "layout(set = 0, binding = 0) uniform tensorARM<int, 1> x;\n"
    "layout(set = 0, binding = 1) uniform tensorARM<int, 1> y;\n"
    "layout(constant_id = 7) const int by = 1;\n"
    "void main() { for (uint i = 0; i < tensorSizeARM(x, 0); ++i) {\n"
    "  int v; tensorReadARM(x, uint[](i), v); tensorWriteARM(y, uint[](i), v + by); } }\n";

constexpr std::string_view kAbsolute = "%0 = input i32[6] at 0.0\n%1 = ABS(%0) i32[6]\noutput %1 at 0.1\n";

// --- devices ---------------------------------------------------------------------------------------------------------

// Features in every kind of chain: of versions, of extensions, before and after those of the layer.
TEST_P(LayerClients, FeaturesAreInAnyStructure) {
  start();
  for (int form = 0; form < 6; ++form) {
    VkPhysicalDeviceDataGraphFeaturesARM graphs{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_FEATURES_ARM,
                                                .dataGraph = VK_TRUE,
                                                .dataGraphShaderModule = VK_TRUE};
    VkPhysicalDeviceTensorFeaturesARM tensors{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_FEATURES_ARM,
                                              .shaderTensorAccess = VK_TRUE,
                                              .tensors = VK_TRUE};
    VkPhysicalDeviceMaintenance5Features maintenance5{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES,
                                                      .maintenance5 = VK_TRUE};
    VkPhysicalDeviceVulkan11Features vulkan11{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
    VkPhysicalDeviceVulkan12Features vulkan12{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                              .hostQueryReset = VK_TRUE};
    VkPhysicalDeviceVulkan13Features vulkan13{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                              .synchronization2 = VK_TRUE};
    VkPhysicalDevice8BitStorageFeatures storage8{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES};
    VkPhysicalDevice16BitStorageFeatures storage16{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES};
    VkPhysicalDeviceBufferDeviceAddressFeatures address{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES};
    VkPhysicalDeviceSynchronization2Features synchronization{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES, .synchronization2 = VK_TRUE};
    VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    VkDeviceGroupDeviceCreateInfo group{.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO};
    VkPhysicalDeviceFeatures core{};
    const VkPhysicalDevice alone = physical();
    group.physicalDeviceCount = 1;
    group.pPhysicalDevices = &alone;
    std::vector<void*> chain;
    switch (form) {
      case 0:
        chain = {&tensors, &graphs, &maintenance5};
        break;
      case 1:
        chain = {&features, &vulkan11, &vulkan12, &vulkan13, &maintenance5, &tensors, &graphs};
        break;
      case 2:
        chain = {&graphs, &vulkan13, &tensors, &vulkan12, &maintenance5, &vulkan11, &features};
        break;
      case 3:
        chain = {&graphs, &storage8, &storage16, &tensors, &address, &synchronization, &maintenance5};
        break;
      case 4:
        chain = {&group, &maintenance5, &tensors, &synchronization, &graphs};
        break;
      default:
        chain = {&maintenance5, &vulkan12, &storage16, &graphs, &tensors};
        break;
    }
    for (std::size_t i = 0; i + 1 < chain.size(); ++i)
      static_cast<VkBaseOutStructure*>(chain[i])->pNext = static_cast<VkBaseOutStructure*>(chain[i + 1]);
    const bool has_features2 = std::ranges::contains(chain, static_cast<void*>(&features));
    VkDevice made = nullptr;
    ASSERT_EQ(create_device(chain.front(), has_features2 || form == 0 ? nullptr : &core, made), VK_SUCCESS) << form;
    // The application's structures are constant.
    EXPECT_EQ(address.bufferDeviceAddress, VK_FALSE);
    EXPECT_EQ(core.shaderInt64, VK_FALSE);
    EXPECT_EQ(features.features.shaderInt64, VK_FALSE);
    for (std::size_t i = 0; i + 1 < chain.size(); ++i)
      EXPECT_EQ(static_cast<VkBaseOutStructure*>(chain[i])->pNext, chain[i + 1]) << form;
    instance_functions().vkGetDeviceProcAddr(made, "vkDestroyDevice");
    const auto destroy =
        reinterpret_cast<PFN_vkDestroyDevice>(instance_functions().vkGetDeviceProcAddr(made, "vkDestroyDevice"));
    destroy(made, nullptr);
  }
}

TEST_P(LayerClients, FeaturesThatAreNotOfferedAreRefused) {
  start();
  VkPhysicalDeviceDataGraphFeaturesARM graphs{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_FEATURES_ARM,
                                              .dataGraph = VK_TRUE,
                                              .dataGraphDescriptorBuffer = VK_TRUE};
  VkPhysicalDeviceTensorFeaturesARM tensors{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_FEATURES_ARM, .pNext = &graphs, .tensors = VK_TRUE};
  VkDevice made = nullptr;
  EXPECT_EQ(create_device(&tensors, nullptr, made), VK_ERROR_FEATURE_NOT_PRESENT);
  EXPECT_THAT(take_messages(), Contains(HasSubstr("does not offer the feature `dataGraphDescriptorBuffer`")));
  EXPECT_EQ(made, nullptr);
}

TEST_P(LayerClients, ADeviceWithoutTheExtensionsHasNoFunctionsOfThem) {
  start();
  VkDevice made = nullptr;
  MUST(create_device(nullptr, nullptr, made, false));
  const auto find = instance_functions().vkGetDeviceProcAddr;
  EXPECT_EQ(find(made, "vkCreateTensorARM"), nullptr);
  EXPECT_EQ(find(made, "vkCmdDispatchDataGraphARM"), nullptr);
  EXPECT_NE(find(made, "vkCmdPipelineBarrier2"), nullptr);
  reinterpret_cast<PFN_vkDestroyDevice>(find(made, "vkDestroyDevice"))(made, nullptr);
  // Tensors without graphs.
  VkPhysicalDeviceTensorFeaturesARM tensors{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_FEATURES_ARM,
                                            .tensors = VK_TRUE};
  MUST(create_device(&tensors, nullptr, made, false, {VK_ARM_TENSORS_EXTENSION_NAME}));
  EXPECT_NE(find(made, "vkCreateTensorARM"), nullptr);
  EXPECT_EQ(find(made, "vkCmdDispatchDataGraphARM"), nullptr);
  reinterpret_cast<PFN_vkDestroyDevice>(find(made, "vkDestroyDevice"))(made, nullptr);
}

// --- queries ---------------------------------------------------------------------------------------------------------

struct FormatCase {
  VkFormat format;
  std::string_view type;  // in GLSL
  std::size_t size;
  bool is_for_graphs = true;
};
constexpr FormatCase kFormats[] = {
    {VK_FORMAT_R8_SINT, "int8_t", 1},
    {VK_FORMAT_R8_UINT, "uint8_t", 1},
    {VK_FORMAT_R16_SINT, "int16_t", 2},
    {VK_FORMAT_R16_UINT, "uint16_t", 2},
    {VK_FORMAT_R32_SINT, "int", 4},
    {VK_FORMAT_R32_UINT, "uint", 4},
    {VK_FORMAT_R64_SINT, "int64_t", 8},
    {VK_FORMAT_R64_UINT, "uint64_t", 8, false},
    {VK_FORMAT_R16_SFLOAT, "float16_t", 2},
    {VK_FORMAT_R32_SFLOAT, "float", 4},
    {VK_FORMAT_R64_SFLOAT, "double", 8, false},
    {VK_FORMAT_R8_BOOL_ARM, "bool", 1},
    {VK_FORMAT_R16_SFLOAT_FPENCODING_BFLOAT16_ARM, "", 2},
    {VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM, "", 1},
    {VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM, "", 1},
};

TEST_P(LayerClients, FormatsHaveTensorFeatures) {
  start();
  for (const FormatCase& one : kFormats) {
    VkTensorFormatPropertiesARM tensors{.sType = VK_STRUCTURE_TYPE_TENSOR_FORMAT_PROPERTIES_ARM};
    VkFormatProperties3 more{.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3, .pNext = &tensors};
    VkFormatProperties2 properties{.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &more};
    instance_functions().vkGetPhysicalDeviceFormatProperties2(physical(), one.format, &properties);
    constexpr VkFormatFeatureFlags2 all = VK_FORMAT_FEATURE_2_TENSOR_SHADER_BIT_ARM |
                                          VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
    for (const VkFormatFeatureFlags2 found :
         {tensors.linearTilingTensorFeatures, tensors.optimalTilingTensorFeatures}) {
      EXPECT_EQ(found & all, all) << one.format;
      EXPECT_EQ((found & VK_FORMAT_FEATURE_2_TENSOR_DATA_GRAPH_BIT_ARM) != 0, one.is_for_graphs) << one.format;
    }
    // Tensors with linear tiling do not alias images.
    EXPECT_EQ(tensors.linearTilingTensorFeatures & VK_FORMAT_FEATURE_2_TENSOR_IMAGE_ALIASING_BIT_ARM, 0u);
  }
  VkTensorFormatPropertiesARM tensors{.sType = VK_STRUCTURE_TYPE_TENSOR_FORMAT_PROPERTIES_ARM};
  VkFormatProperties2 properties{.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &tensors};
  instance_functions().vkGetPhysicalDeviceFormatProperties2(physical(), VK_FORMAT_R8G8B8A8_UNORM, &properties);
  EXPECT_EQ(tensors.optimalTilingTensorFeatures, 0u);
}

TEST_P(LayerClients, EnginesAndOperationsAreQueried) {
  start();
  const auto& vk = instance_functions();
  std::uint32_t count = 1;
  VkQueueFamilyDataGraphPropertiesARM set{.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_PROPERTIES_ARM};
  EXPECT_EQ(vk.vkGetPhysicalDeviceQueueFamilyDataGraphPropertiesARM(physical(), family(), &count, &set), VK_INCOMPLETE);
  EXPECT_EQ(set.engine.type, VK_PHYSICAL_DEVICE_DATA_GRAPH_PROCESSING_ENGINE_TYPE_DEFAULT_ARM);
  EXPECT_EQ(set.engine.isForeign, VK_FALSE);
  EXPECT_EQ(set.operation.operationType,
            VK_PHYSICAL_DEVICE_DATA_GRAPH_OPERATION_TYPE_SPIRV_EXTENDED_INSTRUCTION_SET_ARM);
  const VkPhysicalDeviceQueueFamilyDataGraphProcessingEngineInfoARM info{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_QUEUE_FAMILY_DATA_GRAPH_PROCESSING_ENGINE_INFO_ARM,
      .queueFamilyIndex = family(),
      .engineType = set.engine.type};
  VkQueueFamilyDataGraphProcessingEnginePropertiesARM engine{
      .sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_PROCESSING_ENGINE_PROPERTIES_ARM};
  vk.vkGetPhysicalDeviceQueueFamilyDataGraphProcessingEnginePropertiesARM(physical(), &info, &engine);
  EXPECT_EQ(engine.foreignMemoryHandleTypes, 0u);
  VkQueueFamilyDataGraphTOSAPropertiesARM tosa{.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_TOSA_PROPERTIES_ARM};
  MUST(vk.vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM(
      physical(), family(), &set, reinterpret_cast<VkBaseOutStructure*>(&tosa)));
  std::vector<std::string> profiles;
  for (std::uint32_t i = 0; i < tosa.profileCount; ++i) profiles.emplace_back(tosa.pProfiles[i].name);
  EXPECT_THAT(profiles, ElementsAre("PRO-INT", "PRO-FP"));
  EXPECT_EQ(tosa.level, VK_DATA_GRAPH_TOSA_LEVEL_8K_ARM);
}

TEST_P(LayerClients, ExternalMemoryIsThatOfBuffers) {
  start();
  const std::int64_t shape[] = {4, 4};
  const VkTensorDescriptionARM description{.sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
                                           .tiling = VK_TENSOR_TILING_LINEAR_ARM,
                                           .format = VK_FORMAT_R32_SINT,
                                           .dimensionCount = 2,
                                           .pDimensions = shape,
                                           .usage = VK_TENSOR_USAGE_SHADER_BIT_ARM};
  const VkPhysicalDeviceExternalTensorInfoARM info{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_TENSOR_INFO_ARM,
                                                   .pDescription = &description,
                                                   .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkExternalTensorPropertiesARM found{.sType = VK_STRUCTURE_TYPE_EXTERNAL_TENSOR_PROPERTIES_ARM};
  instance_functions().vkGetPhysicalDeviceExternalTensorPropertiesARM(physical(), &info, &found);
  const VkPhysicalDeviceExternalBufferInfo buffer{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
                                                  .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                                  .handleType = info.handleType};
  VkExternalBufferProperties of_buffer{.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  instance_functions().vkGetPhysicalDeviceExternalBufferProperties(physical(), &buffer, &of_buffer);
  EXPECT_EQ(found.externalMemoryProperties.externalMemoryFeatures,
            of_buffer.externalMemoryProperties.externalMemoryFeatures);
  if ((found.externalMemoryProperties.externalMemoryFeatures & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) == 0) return;
  const VkExternalMemoryTensorCreateInfoARM external{.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_TENSOR_CREATE_INFO_ARM,
                                                     .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  const VkTensorCreateInfoARM create{
      .sType = VK_STRUCTURE_TYPE_TENSOR_CREATE_INFO_ARM, .pNext = &external, .pDescription = &description};
  VkTensorARM made = VK_NULL_HANDLE;
  MUST(vk().vkCreateTensorARM(device(), &create, nullptr, &made));
  vk().vkDestroyTensorARM(device(), made, nullptr);
}

// --- memory ----------------------------------------------------------------------------------------------------------

// Two tensors in one allocation, bound in one call; another one in dedicated memory.
TEST_P(LayerClients, TensorsShareMemoryOrHaveTheirOwn) {
  const std::int64_t shape[] = {6};
  const VkTensorDescriptionARM description{
      .sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
      .tiling = VK_TENSOR_TILING_LINEAR_ARM,
      .format = VK_FORMAT_R32_SINT,
      .dimensionCount = 1,
      .pDimensions = shape,
      .usage = VK_TENSOR_USAGE_TRANSFER_SRC_BIT_ARM | VK_TENSOR_USAGE_TRANSFER_DST_BIT_ARM};
  const VkTensorCreateInfoARM create{.sType = VK_STRUCTURE_TYPE_TENSOR_CREATE_INFO_ARM, .pDescription = &description};
  std::vector<VkTensorARM> tensors(3);
  for (VkTensorARM& one : tensors) {
    MUST(vk().vkCreateTensorARM(device(), &create, nullptr, &one));
    at_end([=, this] { vk().vkDestroyTensorARM(device(), one, nullptr); });
  }
  const VkTensorMemoryRequirementsInfoARM of{.sType = VK_STRUCTURE_TYPE_TENSOR_MEMORY_REQUIREMENTS_INFO_ARM,
                                             .tensor = tensors[0]};
  VkMemoryDedicatedRequirements dedicated{.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
  VkMemoryRequirements2 needs{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, .pNext = &dedicated};
  vk().vkGetTensorMemoryRequirementsARM(device(), &of, &needs);
  const VkDeviceTensorMemoryRequirementsARM without{.sType = VK_STRUCTURE_TYPE_DEVICE_TENSOR_MEMORY_REQUIREMENTS_ARM,
                                                    .pCreateInfo = &create};
  VkMemoryRequirements2 again{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  vk().vkGetDeviceTensorMemoryRequirementsARM(device(), &without, &again);
  EXPECT_EQ(again.memoryRequirements.size, needs.memoryRequirements.size);
  EXPECT_EQ(again.memoryRequirements.alignment, needs.memoryRequirements.alignment);
  EXPECT_EQ(again.memoryRequirements.memoryTypeBits, needs.memoryRequirements.memoryTypeBits);

  const VkDeviceSize alignment = needs.memoryRequirements.alignment;
  const VkDeviceSize second = (needs.memoryRequirements.size + alignment - 1) / alignment * alignment;
  VkMemoryRequirements both = needs.memoryRequirements;
  both.size += second;
  std::byte* mapped = nullptr;
  const VkDeviceMemory shared = memory(both, &mapped);
  const VkBindTensorMemoryInfoARM binds[] = {
      {.sType = VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM, .tensor = tensors[0], .memory = shared},
      {.sType = VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM,
       .tensor = tensors[1],
       .memory = shared,
       .memoryOffset = second}};
  MUST(vk().vkBindTensorMemoryARM(device(), 2, binds));
  const VkMemoryDedicatedAllocateInfoTensorARM alone{
      .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO_TENSOR_ARM, .tensor = tensors[2]};
  VkMemoryAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                .pNext = &alone,
                                .allocationSize = needs.memoryRequirements.size};
  while ((needs.memoryRequirements.memoryTypeBits >> allocate.memoryTypeIndex & 1) == 0) ++allocate.memoryTypeIndex;
  VkDeviceMemory own = VK_NULL_HANDLE;
  MUST(vk().vkAllocateMemory(device(), &allocate, nullptr, &own));
  at_end([=, this] { vk().vkFreeMemory(device(), own, nullptr); });
  const VkBindTensorMemoryInfoARM bind{
      .sType = VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM, .tensor = tensors[2], .memory = own};
  MUST(vk().vkBindTensorMemoryARM(device(), 1, &bind));

  const std::vector<std::int32_t> values = counted(6, 40);
  std::memcpy(mapped, values.data(), 24);
  run([&](VkCommandBuffer commands) {
    for (const auto& [from, to] : {std::pair(0, 2), std::pair(2, 1)}) {
      // Offsets and extents may be given, if they are those of the whole tensor.
      const std::uint64_t zero[] = {0}, extent[] = {6};
      const VkTensorCopyARM region{.sType = VK_STRUCTURE_TYPE_TENSOR_COPY_ARM,
                                   .dimensionCount = 1,
                                   .pSrcOffset = zero,
                                   .pDstOffset = zero,
                                   .pExtent = extent};
      const VkCopyTensorInfoARM info{.sType = VK_STRUCTURE_TYPE_COPY_TENSOR_INFO_ARM,
                                     .srcTensor = tensors[static_cast<std::size_t>(from)],
                                     .dstTensor = tensors[static_cast<std::size_t>(to)],
                                     .regionCount = 1,
                                     .pRegions = &region};
      vk().vkCmdCopyTensorARM(commands, &info);
      full_barrier(commands);
    }
  });
  EXPECT_EQ(std::memcmp(mapped + second, values.data(), 24), 0);
}

// --- barriers --------------------------------------------------------------------------------------------------------

// A graph, a barrier, a shader, a barrier, a copy; the barrier in every form.
TEST_P(LayerClients, BarriersOfTensorsHaveEveryForm) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {6}), y = tensor(VK_FORMAT_R32_SINT, {6}),
                  z = tensor(VK_FORMAT_R32_SINT, {6}), w = tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph absolute = graph(testing::graph_module(std::string(kAbsolute)), "main", {&x, &y});
  const VkDescriptorSet graph_set = descriptor_set(absolute.set_layout, {&x, &y});
  const VkDescriptorSetLayout sets = tensor_layout(2);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkPipeline pipeline = compute_pipeline(compiled(kAddOne), layout);
  const VkDescriptorSet set = descriptor_set(sets, {&y, &z});
  const VkEventCreateInfo event_info{.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO,
                                     .flags = VK_EVENT_CREATE_DEVICE_ONLY_BIT};
  for (int form = 0; form < 5; ++form) {
    VkEvent event = VK_NULL_HANDLE;
    MUST(vk().vkCreateEvent(device(), &event_info, nullptr, &event));
    at_end([=, this] { vk().vkDestroyEvent(device(), event, nullptr); });
    fill(x, std::vector<std::int32_t>{-1, 2, -3, 4, -5, form});
    run([&](VkCommandBuffer commands) {
      const auto depend = [&](VkPipelineStageFlags2 from, VkAccessFlags2 written, VkPipelineStageFlags2 to,
                              VkAccessFlags2 read, const AppTensor& on) {
        const bool coarse = form == 3;
        const VkTensorMemoryBarrierARM barrier{
            .sType = VK_STRUCTURE_TYPE_TENSOR_MEMORY_BARRIER_ARM,
            .srcStageMask = coarse ? VkPipelineStageFlags2{VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT} : from,
            .srcAccessMask = written,
            .dstStageMask = coarse ? VkPipelineStageFlags2{VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT} : to,
            .dstAccessMask = read,
            .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
            .tensor = on.tensor};
        const VkTensorDependencyInfoARM several{.sType = VK_STRUCTURE_TYPE_TENSOR_DEPENDENCY_INFO_ARM,
                                                .tensorMemoryBarrierCount = 1,
                                                .pTensorMemoryBarriers = &barrier};
        const VkMemoryBarrier2 memory{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                      .srcStageMask = barrier.srcStageMask,
                                      .srcAccessMask = written,
                                      .dstStageMask = barrier.dstStageMask,
                                      .dstAccessMask = read};
        VkDependencyInfo info{.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
        if (form == 0) info.pNext = &barrier;
        if (form == 1 || form == 2) info.pNext = &several;
        if (form >= 3) {
          info.memoryBarrierCount = 1;
          info.pMemoryBarriers = &memory;
        }
        if (form == 2) {
          vk().vkCmdSetEvent2(commands, event, &info);
          vk().vkCmdWaitEvents2(commands, 1, &event, &info);
          // The next dependency sets the event again.
          const VkMemoryBarrier2 order{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                       .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                       .dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
          const VkDependencyInfo all{
              .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &order};
          vk().vkCmdPipelineBarrier2(commands, &all);
          vk().vkCmdResetEvent2(commands, event, to);
          vk().vkCmdPipelineBarrier2(commands, &all);
        } else if (form == 4) {
          // Vulkan 1.0 knows no graphs.
          const VkMemoryBarrier old{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
          vk().vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                                    1, &old, 0, nullptr, 0, nullptr);
        } else {
          vk().vkCmdPipelineBarrier2(commands, &info);
        }
      };
      dispatch(commands, absolute, graph_set);
      depend(VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM, VK_ACCESS_2_DATA_GRAPH_WRITE_BIT_ARM,
             VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT, y);
      vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vk().vkCmdDispatch(commands, 1, 1, 1);
      depend(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, VK_PIPELINE_STAGE_2_COPY_BIT,
             VK_ACCESS_2_TRANSFER_READ_BIT, z);
      const VkTensorCopyARM region{.sType = VK_STRUCTURE_TYPE_TENSOR_COPY_ARM};
      const VkCopyTensorInfoARM info{.sType = VK_STRUCTURE_TYPE_COPY_TENSOR_INFO_ARM,
                                     .srcTensor = z.tensor,
                                     .dstTensor = w.tensor,
                                     .regionCount = 1,
                                     .pRegions = &region};
      vk().vkCmdCopyTensorARM(commands, &info);
    });
    EXPECT_THAT(contents<std::int32_t>(w), ElementsAre(2, 3, 4, 5, 6, form + 1)) << form;
  }
}

// Submission by Vulkan 1.0, with a semaphore and a fence.
TEST_P(LayerClients, GraphsAreSubmittedTheOldWay) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {6}), y = tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph absolute = graph(testing::graph_module(std::string(kAbsolute)), "main", {&x, &y});
  const VkDescriptorSet set = descriptor_set(absolute.set_layout, {&x, &y});
  const VkSemaphoreCreateInfo semaphore_info{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  const VkFenceCreateInfo fence_info{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkSemaphore semaphore = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  MUST(vk().vkCreateSemaphore(device(), &semaphore_info, nullptr, &semaphore));
  at_end([=, this] { vk().vkDestroySemaphore(device(), semaphore, nullptr); });
  MUST(vk().vkCreateFence(device(), &fence_info, nullptr, &fence));
  at_end([=, this] { vk().vkDestroyFence(device(), fence, nullptr); });
  fill(x, std::vector<std::int32_t>{-9, 8, -7, 6, -5, 4});
  const VkCommandBuffer commands = command_buffer();
  begin(commands);
  dispatch(commands, absolute, set);
  MUST(vk().vkEndCommandBuffer(commands));
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const VkSubmitInfo submits[] = {{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                   .commandBufferCount = 1,
                                   .pCommandBuffers = &commands,
                                   .signalSemaphoreCount = 1,
                                   .pSignalSemaphores = &semaphore},
                                  {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                   .waitSemaphoreCount = 1,
                                   .pWaitSemaphores = &semaphore,
                                   .pWaitDstStageMask = &stage}};
  MUST(vk().vkQueueSubmit(queue(), 2, submits, fence));
  MUST(vk().vkWaitForFences(device(), 1, &fence, VK_TRUE, ~0ull));
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(9, 8, 7, 6, 5, 4));
}

// --- shaders ---------------------------------------------------------------------------------------------------------

// Reads, writes and sizes in all element types and ranks. The elements are copied in reverse order.
TEST_P(LayerClients, ShadersHaveTensorsOfAllTypesAndRanks) {
  VkPhysicalDeviceFeatures2 available{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  instance_functions().vkGetPhysicalDeviceFeatures2(physical(), &available);
  // The fixture leaves 64-bit integers to the layer, so that its applications may not use them.
  for (const FormatCase& one : kFormats) {
    if (one.type.empty()) continue;
    if (one.type == "double" && available.features.shaderFloat64 == VK_FALSE) continue;
    if (!below() && (one.type == "int64_t" || one.type == "uint64_t")) continue;
    for (std::size_t rank = 1; rank <= 6; ++rank) {
      std::string at, reversed, body;
      for (std::size_t d = 0; d < rank; ++d) {
        body += formatted("for (uint i{} = 0; i{} < tensorSizeARM(x, {}); ++i{}) ", d, d, d, d);
        at += formatted("{}i{}", d == 0 ? "" : ", ", d);
        reversed += formatted("{}tensorSizeARM(x, {}) - 1 - i{}", d == 0 ? "" : ", ", d, d);
      }
      const std::string type = formatted("tensorARM<{}, {}>", one.type, rank);
      const spirv::Words words = compiled(formatted(
          "layout(set = 0, binding = 0) uniform {} x;\nlayout(set = 0, binding = 1) uniform {} y;\n"
          "void main() {{ {} {{ {} v; tensorReadARM(x, uint[]({}), v); tensorWriteARM(y, uint[]({}), v); }} }}\n",
          type, type, body, one.type, at, reversed));
      ASSERT_FALSE(words.empty()) << one.type << " " << rank;
      std::vector<std::int64_t> shape(rank, 1);
      shape[rank - 1] = 3;
      if (rank > 1) shape[0] = 2;
      const VkTensorUsageFlagsARM usage = VK_TENSOR_USAGE_SHADER_BIT_ARM;
      const AppTensor x = tensor(one.format, shape, {}, usage), y = tensor(one.format, shape, {}, usage);
      const auto count =
          static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
      const VkDescriptorSetLayout sets = tensor_layout(2);
      const VkPipelineLayout layout = pipeline_layout(sets);
      const VkPipeline pipeline = compute_pipeline(words, layout);
      const VkDescriptorSet set = descriptor_set(sets, {&x, &y});
      std::vector<std::byte> values(count * one.size);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<std::byte>(one.type == "bool" ? i % 2 : i % one.size == one.size - 1 ? 0x3c : i + 1);
      std::memcpy(x.mapped, values.data(), values.size());
      run([&](VkCommandBuffer commands) {
        vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
        vk().vkCmdDispatch(commands, 1, 1, 1);
      });
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(std::memcmp(y.mapped + (count - 1 - i) * one.size, values.data() + i * one.size, one.size), 0)
            << one.type << " " << rank << " element " << i;
    }
    stop();
  }
}

// Arrays of descriptors: indexed, updated after they are bound, null, of a variable number.
TEST_P(LayerClients, ArraysOfTensorsAreIndexed) {
  constexpr std::uint32_t slots = 8, used = 5;
  const VkDescriptorSetLayoutBinding bindings[] = {
      {0, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
      {1, VK_DESCRIPTOR_TYPE_TENSOR_ARM, slots, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}};
  const VkDescriptorBindingFlags flags[] = {VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT,
                                            VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT |
                                                VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT |
                                                VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT};
  const VkDescriptorSetLayoutBindingFlagsCreateInfo binding_flags{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
      .bindingCount = 2,
      .pBindingFlags = flags};
  const VkDescriptorSetLayoutCreateInfo layout_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                    .pNext = &binding_flags,
                                                    .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
                                                    .bindingCount = 2,
                                                    .pBindings = bindings};
  VkDescriptorSetVariableDescriptorCountLayoutSupport variable{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT};
  VkDescriptorSetLayoutSupport support{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT, .pNext = &variable};
  vk().vkGetDescriptorSetLayoutSupport(device(), &layout_info, &support);
  ASSERT_TRUE(support.supported);
  ASSERT_GE(variable.maxVariableDescriptorCount, slots);
  VkDescriptorSetLayout sets = VK_NULL_HANDLE;
  MUST(vk().vkCreateDescriptorSetLayout(device(), &layout_info, nullptr, &sets));
  at_end([=, this] { vk().vkDestroyDescriptorSetLayout(device(), sets, nullptr); });
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_TENSOR_ARM, 2 * (slots + 1)}};
  const VkDescriptorPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .flags = VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT,
                                             .maxSets = 2,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = sizes};
  VkDescriptorPool pool = VK_NULL_HANDLE;
  MUST(vk().vkCreateDescriptorPool(device(), &pool_info, nullptr, &pool));
  at_end([=, this] { vk().vkDestroyDescriptorPool(device(), pool, nullptr); });
  const VkDescriptorSetVariableDescriptorCountAllocateInfo counts{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
      .descriptorSetCount = 1,
      .pDescriptorCounts = &used};
  const VkDescriptorSetAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .pNext = &counts,
                                             .descriptorPool = pool,
                                             .descriptorSetCount = 1,
                                             .pSetLayouts = &sets};
  VkDescriptorSet set = VK_NULL_HANDLE;
  MUST(vk().vkAllocateDescriptorSets(device(), &allocate, &set));

  const AppTensor result = tensor(VK_FORMAT_R32_SINT, {used});
  std::vector<AppTensor> all;
  for (std::uint32_t i = 0; i < used; ++i) {
    all.push_back(tensor(VK_FORMAT_R32_SINT, {i + 1}));
    fill(all.back(), counted(i + 1, static_cast<std::int32_t>(10 * i)));
  }
  const VkPipelineLayout layout = pipeline_layout(sets);
  // The sum of each tensor's elements; the index differs between invocations.
  const VkPipeline pipeline =
      compute_pipeline(compiled("layout(local_size_x = 5) in;\n"
                                "layout(set = 0, binding = 0) uniform tensorARM<int, 1> y;\n"
                                "layout(set = 0, binding = 1) uniform tensorARM<int, 1> x[8];\n"
                                "void main() { uint t = gl_LocalInvocationID.x; int sum = 0;\n"
                                "  for (uint i = 0; i < tensorSizeARM(x[nonuniformEXT(t)], 0); ++i) {\n"
                                "    int v; tensorReadARM(x[nonuniformEXT(t)], uint[](i), v); sum += v; }\n"
                                "  tensorWriteARM(y, uint[](t), sum); }\n"),
                       layout);
  const VkCommandBuffer commands = command_buffer();
  begin(commands);
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vk().vkCmdDispatch(commands, 1, 1, 1);
  MUST(vk().vkEndCommandBuffer(commands));
  // After binding.
  write(set, 0, result);
  std::vector<VkTensorViewARM> views;
  for (const AppTensor& one : all) views.push_back(one.view);
  const VkWriteDescriptorSetTensorARM tensors{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM,
                                              .tensorViewCount = used,
                                              .pTensorViews = views.data()};
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .pNext = &tensors,
                                   .dstSet = set,
                                   .dstBinding = 1,
                                   .descriptorCount = used,
                                   .descriptorType = VK_DESCRIPTOR_TYPE_TENSOR_ARM};
  vk().vkUpdateDescriptorSets(device(), 1, &write, 0, nullptr);
  submit({commands});
  EXPECT_THAT(contents<std::int32_t>(result), ElementsAre(0, 21, 63, 126, 210));
}

TEST_P(LayerClients, NullDescriptorsAreTensorsWithoutElements) {
  VkPhysicalDeviceRobustness2FeaturesEXT robustness{.sType =
                                                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
  if (!restart_with(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, reinterpret_cast<VkBaseOutStructure*>(&robustness)))
    GTEST_SKIP() << "no VK_EXT_robustness2";
  if (robustness.nullDescriptor == VK_FALSE) GTEST_SKIP() << "no null descriptors";
  const AppTensor y = tensor(VK_FORMAT_R32_SINT, {1});
  AppTensor none;
  const VkDescriptorSetLayout sets = tensor_layout(2);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkDescriptorSet set = descriptor_set(sets, {&none, &y});
  const VkPipeline pipeline =
      compute_pipeline(compiled("layout(set = 0, binding = 0) uniform tensorARM<int, 1> x;\n"
                                "layout(set = 0, binding = 1) uniform tensorARM<int, 1> y;\n"
                                "void main() { int v; tensorReadARM(x, uint[](0), v);\n"
                                "  tensorWriteARM(y, uint[](0), v + 5 + int(tensorSizeARM(x, 0))); }\n"),
                       layout);
  run_one_group(pipeline, layout, set);
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(5));
}

// Coordinates far outside: reads have the value for it, writes do nothing.
TEST_P(LayerClients, AccessesFarOutsideAreHarmless) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4, 4}), y = tensor(VK_FORMAT_R32_SINT, {4});
  fill(x, counted(16, 1));
  fill(y, counted(4, 50));
  const VkDescriptorSetLayout sets = tensor_layout(2);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkDescriptorSet set = descriptor_set(sets, {&x, &y});
  const VkPipeline pipeline =
      compute_pipeline(compiled("layout(set = 0, binding = 0) uniform tensorARM<int, 2> x;\n"
                                "layout(set = 0, binding = 1) uniform tensorARM<int, 1> y;\n"
                                "void main() { int v; tensorReadARM(x, uint[](1000000000u, 2000000000u), v, "
                                "gl_TensorOperandsOutOfBoundsValueARM, 7);\n"
                                "  tensorWriteARM(y, uint[](0u), v); int w[3]; tensorReadARM(x, uint[](3u, 2u), w);\n"
                                "  tensorWriteARM(y, uint[](1u), w[1] * 100 + w[2]);\n"
                                "  tensorWriteARM(y, uint[](3000000000u), 9); tensorWriteARM(y, uint[](3u), w); }\n"),
                       layout);
  run_one_group(pipeline, layout, set);
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(7, 1600, 52, 15));
}

// The module in the chain of the stage, a specialization, and feedback about the creation.
TEST_P(LayerClients, ShadersAreInTheCreateInfoOfAPipeline) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {3}), y = tensor(VK_FORMAT_R32_SINT, {3});
  const VkDescriptorSetLayout sets = tensor_layout(2);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkDescriptorSet set = descriptor_set(sets, {&x, &y});
  const spirv::Words words = compiled(kAddOne);
  const VkShaderModuleCreateInfo code{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                      .codeSize = words.size() * sizeof(std::uint32_t),
                                      .pCode = words.data()};
  const std::int32_t by = 100;
  const VkSpecializationMapEntry entry{7, 0, sizeof by};
  const VkSpecializationInfo specialization{1, &entry, sizeof by, &by};
  VkPipelineCreationFeedback whole{}, stage{};
  const VkPipelineCreationFeedbackCreateInfo feedback{.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                                                      .pPipelineCreationFeedback = &whole,
                                                      .pipelineStageCreationFeedbackCount = 1,
                                                      .pPipelineStageCreationFeedbacks = &stage};
  const VkComputePipelineCreateInfo create{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                           .pNext = &feedback,
                                           .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                     .pNext = &code,
                                                     .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                     .pName = "main",
                                                     .pSpecializationInfo = &specialization},
                                           .layout = layout};
  VkPipeline pipeline = VK_NULL_HANDLE;
  MUST(vk().vkCreateComputePipelines(device(), VK_NULL_HANDLE, 1, &create, nullptr, &pipeline));
  at_end([=, this] { vk().vkDestroyPipeline(device(), pipeline, nullptr); });
  fill(x, counted(3));
  run_one_group(pipeline, layout, set);
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(100, 101, 102));
}

// A shader object, and a graph between its binding and its dispatch.
TEST_P(LayerClients, ShaderObjectsHaveTensors) {
  VkPhysicalDeviceShaderObjectFeaturesEXT features{.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT};
  if (!restart_with(VK_EXT_SHADER_OBJECT_EXTENSION_NAME, reinterpret_cast<VkBaseOutStructure*>(&features)))
    GTEST_SKIP() << "no VK_EXT_shader_object";
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {6}), y = tensor(VK_FORMAT_R32_SINT, {6}),
                  z = tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph absolute = graph(testing::graph_module(std::string(kAbsolute)), "main", {&x, &z});
  const VkDescriptorSet graph_set = descriptor_set(absolute.set_layout, {&x, &z});
  const VkDescriptorSetLayout sets = tensor_layout(2);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkDescriptorSet set = descriptor_set(sets, {&x, &y});
  const spirv::Words words = compiled(kAddOne);
  const VkShaderCreateInfoEXT create{.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
                                     .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                     .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
                                     .codeSize = words.size() * sizeof(std::uint32_t),
                                     .pCode = words.data(),
                                     .pName = "main",
                                     .setLayoutCount = 1,
                                     .pSetLayouts = &sets};
  VkShaderEXT made = VK_NULL_HANDLE;
  MUST(vk().vkCreateShadersEXT(device(), 1, &create, nullptr, &made));
  at_end([=, this] { vk().vkDestroyShaderEXT(device(), made, nullptr); });
  fill(x, std::vector<std::int32_t>{-1, -2, -3, 4, 5, 6});
  run([&](VkCommandBuffer commands) {
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    vk().vkCmdBindShadersEXT(commands, 1, &stage, &made);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    dispatch(commands, absolute, graph_set);
    vk().vkCmdDispatch(commands, 1, 1, 1);
  });
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(0, -1, -2, 5, 6, 7));
  EXPECT_THAT(contents<std::int32_t>(z), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_P(LayerClients, ModulesHaveTheIdentifiersOfTheirCode) {
  VkPhysicalDeviceShaderModuleIdentifierFeaturesEXT features{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_FEATURES_EXT};
  if (!restart_with(VK_EXT_SHADER_MODULE_IDENTIFIER_EXTENSION_NAME, reinterpret_cast<VkBaseOutStructure*>(&features)))
    GTEST_SKIP() << "no VK_EXT_shader_module_identifier";
  for (const spirv::Words& words : {compiled(kAddOne), testing::graph_module(std::string(kAbsolute))}) {
    const VkShaderModuleCreateInfo code{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                        .codeSize = words.size() * sizeof(std::uint32_t),
                                        .pCode = words.data()};
    VkShaderModuleIdentifierEXT of_module{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT},
        of_code{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT};
    vk().vkGetShaderModuleIdentifierEXT(device(), module(words), &of_module);
    vk().vkGetShaderModuleCreateInfoIdentifierEXT(device(), &code, &of_code);
    ASSERT_GT(of_module.identifierSize, 0u);
    ASSERT_EQ(of_module.identifierSize, of_code.identifierSize);
    EXPECT_EQ(std::memcmp(of_module.identifier, of_code.identifier, of_code.identifierSize), 0);
  }
}

// --- bindings of Vulkan 1.4 ------------------------------------------------------------------------------------------

TEST_P(LayerClients, BindingsForAllStagesAreForGraphs) {
  VkPhysicalDeviceMaintenance6Features features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES};
  if (!restart_with(VK_KHR_MAINTENANCE_6_EXTENSION_NAME, reinterpret_cast<VkBaseOutStructure*>(&features)))
    GTEST_SKIP() << "no VK_KHR_maintenance6";
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {6}), y = tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph absolute = graph(testing::graph_module(std::string(kAbsolute)), "main", {&x, &y});
  const VkDescriptorSet set = descriptor_set(absolute.set_layout, {&x, &y});
  const VkBindDescriptorSetsInfo bind{.sType = VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO,
                                      .stageFlags = VK_SHADER_STAGE_ALL,
                                      .layout = absolute.layout,
                                      .descriptorSetCount = 1,
                                      .pDescriptorSets = &set};
  fill(x, std::vector<std::int32_t>{-1, -2, -3, 4, 5, 6});
  run([&](VkCommandBuffer commands) {
    vk().vkCmdBindDescriptorSets2KHR(commands, &bind);
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, absolute.pipeline);
    vk().vkCmdDispatchDataGraphARM(commands, absolute.session, nullptr);
  });
  // Whether a graph uses these bindings is not decided by the specification, so that the validation layer may differ.
  static_cast<void>(take_messages());
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(1, 2, 3, 4, 5, 6));
}

// --- graphs ----------------------------------------------------------------------------------------------------------

// The values of a pipeline cache are merged with the identifiers of its graphs.
TEST_P(LayerClients, MergedCachesKnowTheGraphsOfBoth) {
  const VkPipelineCacheCreateInfo create{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  VkPipelineCache from = VK_NULL_HANDLE, to = VK_NULL_HANDLE;
  for (VkPipelineCache* one : {&from, &to}) {
    MUST(vk().vkCreatePipelineCache(device(), &create, nullptr, one));
    at_end([this, cache = *one] { vk().vkDestroyPipelineCache(device(), cache, nullptr); });
  }
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {6}), y = tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph made = graph(testing::graph_module(std::string(kAbsolute)), "main", {&x, &y}, {}, from);
  const VkDataGraphPipelineInfoARM info{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_INFO_ARM,
                                        .dataGraphPipeline = made.pipeline};
  VkDataGraphPipelinePropertyQueryResultARM result{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_PROPERTY_QUERY_RESULT_ARM,
      .property = VK_DATA_GRAPH_PIPELINE_PROPERTY_IDENTIFIER_ARM};
  MUST(vk().vkGetDataGraphPipelinePropertiesARM(device(), &info, 1, &result));
  std::string bytes(result.dataSize, '\0');
  result.pData = bytes.data();
  MUST(vk().vkGetDataGraphPipelinePropertiesARM(device(), &info, 1, &result));
  const VkDataGraphPipelineIdentifierCreateInfoARM identifier{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_IDENTIFIER_CREATE_INFO_ARM,
      .identifierSize = static_cast<std::uint32_t>(bytes.size()),
      .pIdentifier = reinterpret_cast<const std::uint8_t*>(bytes.data())};
  const VkDataGraphPipelineCreateInfoARM again{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM,
                                               .pNext = &identifier,
                                               .flags = VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT,
                                               .layout = made.layout};
  VkPipeline pipeline = VK_NULL_HANDLE;
  EXPECT_EQ(vk().vkCreateDataGraphPipelinesARM(device(), VK_NULL_HANDLE, to, 1, &again, nullptr, &pipeline),
            VK_PIPELINE_COMPILE_REQUIRED);
  MUST(vk().vkMergePipelineCaches(device(), to, 1, &from));
  MUST(vk().vkCreateDataGraphPipelinesARM(device(), VK_NULL_HANDLE, to, 1, &again, nullptr, &pipeline));
  vk().vkDestroyPipeline(device(), pipeline, nullptr);
}

// A pipeline for tensors with gaps takes tensors without, and with other gaps.
TEST_P(LayerClients, TensorsOfAPipelineMayHaveOtherGaps) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {2, 3}, {16, 4}), y = tensor(VK_FORMAT_R32_SINT, {2, 3}, {32, 4});
  const AppTensor packed = tensor(VK_FORMAT_R32_SINT, {2, 3}), wide = tensor(VK_FORMAT_R32_SINT, {2, 3}, {64, 4});
  const AppGraph absolute =
      graph(testing::graph_module("%0 = input i32[2, 3] at 0.0\n%1 = ABS(%0) i32[2, 3]\noutput %1 at 0.1\n"), "main",
            {&x, &y});
  const VkDescriptorSet set = descriptor_set(absolute.set_layout, {&packed, &wide});
  fill(packed, std::vector<std::int32_t>{-1, -2, -3, 4, 5, 6});
  run([&](VkCommandBuffer commands) { dispatch(commands, absolute, set); });
  EXPECT_THAT(contents<std::int32_t>(wide), ElementsAre(1, 2, 3, 4, 5, 6));
}

// Sparsity hints and constants that are given in another order than their ids.
TEST_P(LayerClients, ConstantsHaveIdsAndHints) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {4}), y = tensor(VK_FORMAT_R32_SINT, {4});
  const spirv::Words words = testing::graph_module(
      "%0 = input i32[4] at 0.0\n%1 = const i32[4] graph_constant 3\n%2 = const i32[4] graph_constant 1\n"
      "%3 = ADD(%0, %1) i32[4]\n%4 = SUB(%3, %2) i32[4]\noutput %4 at 0.1\n");
  const std::vector<std::int32_t> three = {300, 0, 300, 0}, one = {1, 2, 3, 4};
  const std::int64_t shape[] = {4};
  const VkTensorDescriptionARM description{.sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
                                           .tiling = VK_TENSOR_TILING_LINEAR_ARM,
                                           .format = VK_FORMAT_R32_SINT,
                                           .dimensionCount = 1,
                                           .pDimensions = shape,
                                           .usage = VK_TENSOR_USAGE_DATA_GRAPH_BIT_ARM};
  const VkDataGraphPipelineConstantTensorSemiStructuredSparsityInfoARM sparse{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CONSTANT_TENSOR_SEMI_STRUCTURED_SPARSITY_INFO_ARM,
      .pNext = &description,
      .dimension = 0,
      .zeroCount = 1,
      .groupSize = 2};
  const VkDataGraphPipelineConstantARM constants[] = {{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CONSTANT_ARM,
                                                       .pNext = &sparse,
                                                       .id = 3,
                                                       .pConstantData = three.data()},
                                                      {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CONSTANT_ARM,
                                                       .pNext = &description,
                                                       .id = 1,
                                                       .pConstantData = one.data()}};
  const VkDataGraphPipelineShaderModuleCreateInfoARM shader{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM,
      .module = module(words),
      .pName = "main",
      .constantCount = 2,
      .pConstants = constants};
  // Options of the compiler, the engine, and feedback are accepted.
  const VkDataGraphPipelineCompilerControlCreateInfoARM control{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_COMPILER_CONTROL_CREATE_INFO_ARM,
      .pNext = &shader,
      .pVendorOptions = ""};
  VkPipelineCreationFeedback whole{};
  const VkPipelineCreationFeedbackCreateInfo feedback{.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                                                      .pNext = &control,
                                                      .pPipelineCreationFeedback = &whole};
  const VkDataGraphPipelineResourceInfoARM resources[] = {
      {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_ARM, .pNext = &description, .binding = 0},
      {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_ARM, .pNext = &description, .binding = 1}};
  const VkDescriptorSetLayout sets = tensor_layout(2);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkDataGraphPipelineCreateInfoARM create{.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM,
                                                .pNext = &feedback,
                                                .layout = layout,
                                                .resourceInfoCount = 2,
                                                .pResourceInfos = resources};
  AppGraph made{.set_layout = sets, .layout = layout};
  MUST(vk().vkCreateDataGraphPipelinesARM(device(), VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &create, nullptr,
                                          &made.pipeline));
  at_end([this, pipeline = made.pipeline] { vk().vkDestroyPipeline(device(), pipeline, nullptr); });
  EXPECT_NE(whole.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT, 0u);
  made.session = session(made.pipeline, nullptr);
  const VkDescriptorSet set = descriptor_set(sets, {&x, &y});
  fill(x, std::vector<std::int32_t>{10, 20, 30, 40});
  run([&](VkCommandBuffer commands) { dispatch(commands, made, set); });
  EXPECT_THAT(contents<std::int32_t>(y), ElementsAre(309, 18, 327, 36));
}

// --- names and private data ------------------------------------------------------------------------------------------

TEST_P(LayerClients, ObjectsHaveNamesAndPrivateData) {
  VkPrivateDataSlot slot = VK_NULL_HANDLE;
  const VkPrivateDataSlotCreateInfo create{.sType = VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
  MUST(vk().vkCreatePrivateDataSlot(device(), &create, nullptr, &slot));
  at_end([=, this] { vk().vkDestroyPrivateDataSlot(device(), slot, nullptr); });
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {6}), y = tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph made = graph(testing::graph_module(std::string(kAbsolute)), "main", {&x, &y});
  const std::pair<VkObjectType, std::uint64_t> objects[] = {
      {VK_OBJECT_TYPE_TENSOR_ARM, reinterpret_cast<std::uint64_t>(x.tensor)},
      {VK_OBJECT_TYPE_TENSOR_VIEW_ARM, reinterpret_cast<std::uint64_t>(x.view)},
      {VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<std::uint64_t>(made.pipeline)},
      {VK_OBJECT_TYPE_DATA_GRAPH_PIPELINE_SESSION_ARM, reinterpret_cast<std::uint64_t>(made.session)},
      {VK_OBJECT_TYPE_DEVICE_MEMORY, reinterpret_cast<std::uint64_t>(x.memory)},
  };
  const auto set_name = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
      instance_functions().vkGetDeviceProcAddr(device(), "vkSetDebugUtilsObjectNameEXT"));
  std::uint64_t value = 1;
  for (const auto& [type, handle] : objects) {
    const VkDebugUtilsObjectNameInfoEXT name{.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                             .objectType = type,
                                             .objectHandle = handle,
                                             .pObjectName = "a name"};
    if (set_name != nullptr) {
      MUST(set_name(device(), &name));
    }
    MUST(vk().vkSetPrivateData(device(), type, handle, slot, value));
    std::uint64_t found = 0;
    vk().vkGetPrivateData(device(), type, handle, slot, &found);
    EXPECT_EQ(found, value++) << type;
  }
  // A new object has none, although its handle may be that of one that was destroyed.
  const VkTensorViewCreateInfoARM view{
      .sType = VK_STRUCTURE_TYPE_TENSOR_VIEW_CREATE_INFO_ARM, .tensor = x.tensor, .format = x.format};
  for (int i = 0; i < 4; ++i) {
    VkTensorViewARM again = VK_NULL_HANDLE;
    MUST(vk().vkCreateTensorViewARM(device(), &view, nullptr, &again));
    const auto handle = reinterpret_cast<std::uint64_t>(again);
    std::uint64_t found = 7;
    vk().vkGetPrivateData(device(), VK_OBJECT_TYPE_TENSOR_VIEW_ARM, handle, slot, &found);
    EXPECT_EQ(found, 0u);
    MUST(vk().vkSetPrivateData(device(), VK_OBJECT_TYPE_TENSOR_VIEW_ARM, handle, slot, 5));
    vk().vkDestroyTensorViewARM(device(), again, nullptr);
  }
}

// --- pools, submissions, allocations ---------------------------------------------------------------------------------

// Sets are freed and allocated again, pools are reset, command buffers are recorded again.
TEST_P(LayerClients, PoolsAreResetAndUsedAgain) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {6}), y = tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph absolute = graph(testing::graph_module(std::string(kAbsolute)), "main", {&x, &y});
  const VkDescriptorPool sets =
      descriptor_pool({{VK_DESCRIPTOR_TYPE_TENSOR_ARM, 2}}, VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT);
  const VkCommandPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = family()};
  VkCommandPool pool = VK_NULL_HANDLE;
  MUST(vk().vkCreateCommandPool(device(), &pool_info, nullptr, &pool));
  at_end([=, this] { vk().vkDestroyCommandPool(device(), pool, nullptr); });
  const VkCommandBufferAllocateInfo commands_info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = pool,
                                                  .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                  .commandBufferCount = 1};
  VkCommandBuffer commands = nullptr;
  MUST(vk().vkAllocateCommandBuffers(device(), &commands_info, &commands));
  for (std::int32_t round = 0; round < 4; ++round) {
    const VkDescriptorSet set = allocate_set(sets, absolute.set_layout);
    write(set, 0, x);
    write(set, 1, y);
    fill(x, std::vector<std::int32_t>(6, -round));
    begin(commands);
    dispatch(commands, absolute, set);
    MUST(vk().vkEndCommandBuffer(commands));
    submit({commands});
    EXPECT_THAT(contents<std::int32_t>(y), Each(round));
    MUST(vk().vkResetCommandPool(device(), pool, 0));
    if (round % 2 == 0)
      MUST(vk().vkFreeDescriptorSets(device(), sets, 1, &set));
    else
      MUST(vk().vkResetDescriptorPool(device(), sets, 0));
  }
}

// One command buffer twice in one submission.
TEST_P(LayerClients, CommandBuffersAreSubmittedAtTheSameTime) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {6}), y = tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph doubled = graph(
      testing::graph_module("%0 = input i32[6] at 0.0\n%1 = ADD(%0, %0) i32[6]\noutput %1 at 0.1\n"), "main", {&x, &y});
  const VkDescriptorSet set = descriptor_set(doubled.set_layout, {&x, &y});
  const VkCommandBuffer commands = command_buffer();
  begin(commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  full_barrier(commands);
  dispatch(commands, doubled, set);
  full_barrier(commands);
  const VkTensorCopyARM region{.sType = VK_STRUCTURE_TYPE_TENSOR_COPY_ARM};
  const VkCopyTensorInfoARM info{.sType = VK_STRUCTURE_TYPE_COPY_TENSOR_INFO_ARM,
                                 .srcTensor = y.tensor,
                                 .dstTensor = x.tensor,
                                 .regionCount = 1,
                                 .pRegions = &region};
  vk().vkCmdCopyTensorARM(commands, &info);
  full_barrier(commands);
  MUST(vk().vkEndCommandBuffer(commands));
  fill(x, counted(6, 1));
  submit({commands, commands, commands});
  EXPECT_THAT(contents<std::int32_t>(x), ElementsAre(8, 16, 24, 32, 40, 48));
}

struct CountedAllocations {
  std::int64_t allocated = 0, live = 0;
  VkAllocationCallbacks callbacks{
      .pUserData = this,
      .pfnAllocation =
          [](void* of, std::size_t size, std::size_t alignment, VkSystemAllocationScope) {
            auto& self = *static_cast<CountedAllocations*>(of);
            ++self.allocated;
            ++self.live;
            return std::aligned_alloc(std::max<std::size_t>(alignment, 16), (size + 15) / 16 * 16);
          },
      .pfnReallocation = [](void*, void*, std::size_t, std::size_t, VkSystemAllocationScope) -> void* {
        return nullptr;
      },
      .pfnFree =
          [](void* of, void* memory) {
            if (memory == nullptr) return;
            --static_cast<CountedAllocations*>(of)->live;
            std::free(memory);
          }};
};

TEST_P(LayerClients, ObjectsAreAllocatedWithTheCallbacks) {
  const AppTensor x = tensor(VK_FORMAT_R32_SINT, {6}), y = tensor(VK_FORMAT_R32_SINT, {6});
  const AppGraph made = graph(testing::graph_module(std::string(kAbsolute)), "main", {&x, &y});
  CountedAllocations counted;
  const VkTensorViewCreateInfoARM view_info{
      .sType = VK_STRUCTURE_TYPE_TENSOR_VIEW_CREATE_INFO_ARM, .tensor = x.tensor, .format = x.format};
  VkTensorViewARM view = VK_NULL_HANDLE;
  MUST(vk().vkCreateTensorViewARM(device(), &view_info, &counted.callbacks, &view));
  EXPECT_GT(counted.allocated, 0);
  vk().vkDestroyTensorViewARM(device(), view, &counted.callbacks);
  EXPECT_EQ(counted.live, 0);
  const std::int64_t before = counted.allocated;
  const VkDataGraphPipelineSessionCreateInfoARM session_info{
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_CREATE_INFO_ARM, .dataGraphPipeline = made.pipeline};
  VkDataGraphPipelineSessionARM session = VK_NULL_HANDLE;
  MUST(vk().vkCreateDataGraphPipelineSessionARM(device(), &session_info, &counted.callbacks, &session));
  EXPECT_GT(counted.allocated, before);
  vk().vkDestroyDataGraphPipelineSessionARM(device(), session, &counted.callbacks);
  EXPECT_EQ(counted.live, 0);
}

}  // namespace
}  // namespace slipway::layer
