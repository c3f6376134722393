// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a driver must have for the layer, and what the layer switches on.
#pragma once

#include <volk.h>

#include <string_view>

namespace slipway::layer {

// Features that a device must have for tensors. The layer enables them, and those of kUsefulFeatures where they are.
inline constexpr const char* kNeededFeatures[] = {
    "bufferDeviceAddress",
    "shaderInt64",
    "storageBuffer8BitAccess",
    "storageBuffer16BitAccess",
    "shaderUniformBufferArrayDynamicIndexing",
};
inline constexpr const char* kUsefulFeatures[] = {
    "shaderInt16",
    "shaderFloat64",
    "vertexPipelineStoresAndAtomics",
    "fragmentStoresAndAtomics",
    "shaderInt8",
    "shaderFloat16",
    "vulkanMemoryModel",
    "vulkanMemoryModelDeviceScope",
    "shaderUniformBufferArrayNonUniformIndexing",
    "descriptorBindingUniformBufferUpdateAfterBind",
    "cooperativeMatrix",
    "shaderBFloat16Type",
    "shaderBFloat16CooperativeMatrix",
};

// A feature that optical flow needs, besides push descriptors.
inline constexpr const char* kFlowFeature = "shaderStorageImageExtendedFormats";

// Extensions that VK_ARM_data_graph depends on.
inline constexpr const char* kGraphExtensions[] = {VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
                                                   VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME};

// The extensions of the layer, and those of the same family that it hides.
bool is_layer_extension(std::string_view name);

// How the buffer of a tensor is used.
inline constexpr VkBufferUsageFlags kTensorBufferUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
    VK_BUFFER_USAGE_TRANSFER_DST_BIT;

}  // namespace slipway::layer
