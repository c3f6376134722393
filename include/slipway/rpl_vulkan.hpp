// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vulkan's create infos from the metadata of a compiled pipeline: slipway/rpl_vulkan.h for C++17. Header only; needs
// Vulkan's headers, calls no function of Vulkan and throws no exception of its own.
//
//   for (std::uint32_t set = 0; set < 4; ++set) {
//     const auto bindings = slipway::rpl_set_bindings(pipeline.metadata, set);
//     VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
//     info.bindingCount = std::uint32_t(bindings.size());
//     info.pBindings = bindings.data();
//     vkCreateDescriptorSetLayout(device, &info, nullptr, &set_layouts[set]);
//   }
//   // For the pipeline layout; a range of size 0 must be left out.
//   const VkPushConstantRange push_constants = slipway::rpl_push_constants(pipeline.metadata);
//   slipway::RplGraphicsPipelineInfo info(pipeline, shader_modules, pipeline_layout);
//   vkCreateGraphicsPipelines(device, cache, 1, &info.create_info, nullptr, &handle);
#pragma once

#include <string>
#include <vector>

#include "slipway/rpl_vulkan.h"

namespace slipway {

// The bindings of the layout of a descriptor set, 0 to 3.
inline std::vector<VkDescriptorSetLayoutBinding> rpl_set_bindings(const rpl_metadata& metadata, std::uint32_t set) {
  std::vector<VkDescriptorSetLayoutBinding> bindings(rpl_vulkan_set_bindings(&metadata, set, nullptr, 0));
  rpl_vulkan_set_bindings(&metadata, set, bindings.data(), static_cast<std::uint32_t>(bindings.size()));
  return bindings;
}

// The one push constant range of the pipeline layout; its size is 0 without push constants.
inline VkPushConstantRange rpl_push_constants(const rpl_metadata& metadata) {
  return rpl_vulkan_push_constants(&metadata);
}

// The create info of a compute pipeline. The pipeline must live longer than the result.
inline VkComputePipelineCreateInfo rpl_compute_pipeline(const rpl_pipeline& pipeline, VkShaderModule module,
                                                        VkPipelineLayout layout) {
  VkComputePipelineCreateInfo info;
  rpl_vulkan_compute_pipeline(&pipeline, module, layout, &info);
  return info;
}

// The create info of a graphics pipeline and everything that it points to. The pipeline must live longer. All members
// may be changed before the pipeline is created. An object is used by one thread at a time.
class RplGraphicsPipelineInfo : public rpl_vulkan_graphics {
 public:
  // `modules`: one for each of pipeline.modules.
  RplGraphicsPipelineInfo(const rpl_pipeline& pipeline, const std::vector<VkShaderModule>& modules,
                          VkPipelineLayout layout)
      : rpl_vulkan_graphics(),
        status(rpl_vulkan_graphics_pipeline(&pipeline, modules.data(), static_cast<std::uint32_t>(modules.size()),
                                            layout, this)) {}
  RplGraphicsPipelineInfo(const RplGraphicsPipelineInfo&) = delete;
  RplGraphicsPipelineInfo& operator=(const RplGraphicsPipelineInfo&) = delete;

  // RPL_WRONG_CALL: other modules than those of the pipeline. RPL_LACKS: more attributes or outputs than
  // slipway/rpl_vulkan.h holds.
  const rpl_status status;
};

// The features of the pipeline that a device lacks: `supported` was filled by vkGetPhysicalDeviceFeatures2.
inline std::vector<std::string> rpl_missing_features(const rpl_metadata& metadata,
                                                     const rpl_vulkan_features& supported) {
  std::vector<const char*> names(rpl_vulkan_missing_features(&metadata, &supported, nullptr, 0));
  rpl_vulkan_missing_features(&metadata, &supported, names.data(), static_cast<std::uint32_t>(names.size()));
  return {names.begin(), names.end()};
}

}  // namespace slipway
