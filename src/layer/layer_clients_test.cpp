// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs of others do with the extensions, one small program for each: creation of devices, queries, memory,
// allocations. What they compute are rows of conformance runs (src/conformance/vulkan).
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

#include "testing/layer_fixture.hpp"

namespace slipway::layer {
namespace {

using testing::AppGraph;
using testing::AppTensor;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LayerTest;
using testing::must;

class LayerClients : public LayerTest, public ::testing::WithParamInterface<testing::Validation> {
 protected:
  LayerClients() : LayerTest(GetParam()) {}

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
  bool is_for_graphs = true;
};
constexpr FormatCase kFormats[] = {
    {VK_FORMAT_R8_SINT},
    {VK_FORMAT_R8_UINT},
    {VK_FORMAT_R16_SINT},
    {VK_FORMAT_R16_UINT},
    {VK_FORMAT_R32_SINT},
    {VK_FORMAT_R32_UINT},
    {VK_FORMAT_R64_SINT},
    {VK_FORMAT_R64_UINT, false},
    {VK_FORMAT_R16_SFLOAT},
    {VK_FORMAT_R32_SFLOAT},
    {VK_FORMAT_R64_SFLOAT, false},
    {VK_FORMAT_R8_BOOL_ARM},
    {VK_FORMAT_R16_SFLOAT_FPENCODING_BFLOAT16_ARM},
    {VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM},
    {VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM},
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

// --- shaders ---------------------------------------------------------------------------------------------------------

TEST_P(LayerClients, ModulesHaveTheIdentifiersOfTheirCode) {
  VkPhysicalDeviceShaderModuleIdentifierFeaturesEXT features{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_FEATURES_EXT};
  start();
  if (!has_extension(VK_EXT_SHADER_MODULE_IDENTIFIER_EXTENSION_NAME))
    GTEST_SKIP() << "no VK_EXT_shader_module_identifier";
  restart_with(VK_EXT_SHADER_MODULE_IDENTIFIER_EXTENSION_NAME, reinterpret_cast<VkBaseOutStructure*>(&features));
  for (const spirv::Words& words :
       {conformance::compute_module("void main() {}"), testing::graph_module(std::string(kAbsolute))}) {
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

// --- allocations ---------------------------------------------------------------------------------

struct CountedAllocations {
  static constexpr std::align_val_t kAlignment{64};
  std::int64_t allocated = 0, live = 0;
  VkAllocationCallbacks callbacks{.pUserData = this,
                                  .pfnAllocation =
                                      [](void* of, std::size_t size, std::size_t alignment, VkSystemAllocationScope) {
                                        auto& self = *static_cast<CountedAllocations*>(of);
                                        ++self.allocated;
                                        ++self.live;
                                        EXPECT_LE(alignment, static_cast<std::size_t>(kAlignment));
                                        return ::operator new(size, kAlignment);
                                      },
                                  .pfnReallocation = [](void*, void*, std::size_t, std::size_t,
                                                        VkSystemAllocationScope) -> void* { return nullptr; },
                                  .pfnFree =
                                      [](void* of, void* memory) {
                                        if (memory == nullptr) return;
                                        --static_cast<CountedAllocations*>(of)->live;
                                        ::operator delete(memory, kAlignment);
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
