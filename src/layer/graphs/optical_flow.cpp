// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/graphs/optical_flow.hpp"

#include <algorithm>
#include <bit>

#include "base/format.hpp"
#include "layer/chain.hpp"
#include "layer/commands/after_bind.hpp"
#include "layer/commands/descriptors.hpp"
#include "layer/device.hpp"
#include "layer/graphs/graphs.hpp"
#include "layer/resources/images.hpp"

namespace slipway::layer {
namespace {

using model::FlowImage;

constexpr std::size_t index_of(FlowImage image) { return static_cast<std::size_t>(image); }
constexpr bool is_written(std::size_t image) {
  return image == index_of(FlowImage::Flow) || image == index_of(FlowImage::Cost);
}

struct FlowFormat {
  VkFormat format;
  VkDataGraphOpticalFlowImageUsageFlagsARM usage;
};
constexpr VkDataGraphOpticalFlowImageUsageFlagsARM kVectors =
    VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_OUTPUT_BIT_ARM | VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_HINT_BIT_ARM;
constexpr FlowFormat kFlowFormats[] = {
    {VK_FORMAT_R8_UNORM, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM},
    {VK_FORMAT_B8G8R8A8_UNORM, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM},
    {VK_FORMAT_R8G8B8_UNORM, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM},
    {VK_FORMAT_B8G8R8_UNORM, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM},
    {VK_FORMAT_R16G16_SFLOAT, kVectors},
    {VK_FORMAT_R16_UINT, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_COST_BIT_ARM},
};

// What a driver's format needs for a usage.
std::uint64_t needed_features(VkDataGraphOpticalFlowImageUsageFlagsARM usage) {
  std::uint64_t needed = 0;
  if ((flow_usage(usage) & VK_IMAGE_USAGE_SAMPLED_BIT) != 0) needed |= vk::format_feature::kSampledImage;
  if ((flow_usage(usage) & VK_IMAGE_USAGE_STORAGE_BIT) != 0) needed |= vk::format_feature::kStorageImage;
  return needed;
}

std::optional<FlowImage> image_of(VkDataGraphPipelineNodeConnectionTypeARM connection) {
  switch (connection) {
    // Each block of the input is searched in the reference.
    case VK_DATA_GRAPH_PIPELINE_NODE_CONNECTION_TYPE_OPTICAL_FLOW_INPUT_ARM:
      return FlowImage::Template;
    case VK_DATA_GRAPH_PIPELINE_NODE_CONNECTION_TYPE_OPTICAL_FLOW_REFERENCE_ARM:
      return FlowImage::Search;
    case VK_DATA_GRAPH_PIPELINE_NODE_CONNECTION_TYPE_OPTICAL_FLOW_HINT_ARM:
      return FlowImage::Hint;
    case VK_DATA_GRAPH_PIPELINE_NODE_CONNECTION_TYPE_OPTICAL_FLOW_FLOW_VECTOR_ARM:
      return FlowImage::Flow;
    case VK_DATA_GRAPH_PIPELINE_NODE_CONNECTION_TYPE_OPTICAL_FLOW_COST_ARM:
      return FlowImage::Cost;
    default:
      return std::nullopt;
  }
}

model::FlowSpeed speed_of(VkDataGraphOpticalFlowPerformanceLevelARM level) {
  if (level == VK_DATA_GRAPH_OPTICAL_FLOW_PERFORMANCE_LEVEL_FAST_ARM) return model::FlowSpeed::Fast;
  if (level == VK_DATA_GRAPH_OPTICAL_FLOW_PERFORMANCE_LEVEL_SLOW_ARM) return model::FlowSpeed::Slow;
  return model::FlowSpeed::Medium;
}

}  // namespace

VkImageUsageFlags flow_usage(VkDataGraphOpticalFlowImageUsageFlagsARM usage) {
  VkImageUsageFlags made = 0;
  if ((usage & (VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM |
                VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_HINT_BIT_ARM)) != 0)
    made |= VK_IMAGE_USAGE_SAMPLED_BIT;
  if ((usage & (VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_OUTPUT_BIT_ARM |
                VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_COST_BIT_ARM)) != 0)
    made |= VK_IMAGE_USAGE_STORAGE_BIT;
  return made;
}

std::vector<VkFormat> flow_formats(const vk::Snapshot& device, VkDataGraphOpticalFlowImageUsageFlagsARM usage) {
  std::vector<VkFormat> all;
  for (const FlowFormat& one : kFlowFormats) {
    const std::uint64_t needed = needed_features(usage);
    if ((one.usage & usage) == usage &&
        (device.format_features(static_cast<vk::Format>(one.format)).optimal & needed) == needed)
      all.push_back(one.format);
  }
  return all;
}

VkFormatFeatureFlags2 flow_features(const vk::Snapshot& device, VkFormat format) {
  const auto has = [&](VkDataGraphOpticalFlowImageUsageFlagsARM usage) {
    return std::ranges::contains(flow_formats(device, usage), format);
  };
  VkFormatFeatureFlags2 features = 0;
  if (has(VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM))
    features |= VK_FORMAT_FEATURE_2_DATA_GRAPH_OPTICAL_FLOW_IMAGE_BIT_ARM;
  if (has(VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_OUTPUT_BIT_ARM))
    features |= VK_FORMAT_FEATURE_2_DATA_GRAPH_OPTICAL_FLOW_VECTOR_BIT_ARM;
  if (has(VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_COST_BIT_ARM))
    features |= VK_FORMAT_FEATURE_2_DATA_GRAPH_OPTICAL_FLOW_COST_BIT_ARM;
  return features;
}

FlowKernel::~FlowKernel() {
  const DeviceTable& next = device_.next;
  if (pipeline_ != VK_NULL_HANDLE) next.vkDestroyPipeline(device_.handle, pipeline_, nullptr);
  if (layout_ != VK_NULL_HANDLE) next.vkDestroyPipelineLayout(device_.handle, layout_, nullptr);
  if (set_layout_ != VK_NULL_HANDLE) next.vkDestroyDescriptorSetLayout(device_.handle, set_layout_, nullptr);
  if (sampler_ != VK_NULL_HANDLE) next.vkDestroySampler(device_.handle, sampler_, nullptr);
}

VkResult FlowKernel::make(const VkDataGraphPipelineCreateInfoARM& info,
                          const VkDataGraphPipelineSingleNodeCreateInfoARM& node, VkPipelineCache cache,
                          VkPipelineCreateFlags flags, Diagnostics& diagnostics) {
  constexpr VkStructureType type = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_OPTICAL_FLOW_CREATE_INFO_ARM;
  // The specification has it in the chain of the node, and lets it extend the pipeline.
  const auto* flow =
      find_in_chain<VkDataGraphPipelineOpticalFlowCreateInfoARM>(static_cast<const void*>(node.pNext), type);
  if (flow == nullptr) flow = find_in_chain<VkDataGraphPipelineOpticalFlowCreateInfoARM>(info.pNext, type);
  if (!device_.flow || flow == nullptr || node.nodeType != VK_DATA_GRAPH_PIPELINE_NODE_TYPE_OPTICAL_FLOW_ARM) {
    diagnostics.error(DiagnosticKind::Unsupported, {},
                      device_.flow
                          ? "a node of a data graph that is not an optical flow"
                          : "an optical flow on a device without VK_ARM_data_graph_optical_flow; enable the extension");
    return VK_ERROR_INITIALIZATION_FAILED;
  }
  if (!allows(device_, device_.implied_flow, "dataGraphOpticalFlow")) return VK_ERROR_INITIALIZATION_FAILED;
  if (!read(info, node, *flow, diagnostics)) return VK_ERROR_INITIALIZATION_FAILED;
  return make_pipeline(flow->imageFormat, cache, flags);
}

bool FlowKernel::read(const VkDataGraphPipelineCreateInfoARM& info,
                      const VkDataGraphPipelineSingleNodeCreateInfoARM& node,
                      const VkDataGraphPipelineOpticalFlowCreateInfoARM& flow, Diagnostics& diagnostics) {
  const auto refuse = [&](std::string why) {
    diagnostics.error(DiagnosticKind::Unsupported, {}, formatted("an optical flow {}", why));
    return false;
  };
  const vk::Snapshot& snapshot = device_.physical->snapshot;
  for (const std::uint32_t side : {flow.width, flow.height}) {
    if (side < kMinFlowSide || side > kMaxFlowSide)
      return refuse(
          formatted("of {} x {} pixels; a side has {} to {}", flow.width, flow.height, kMinFlowSide, kMaxFlowSide));
  }
  if (std::popcount(flow.outputGridSize) != 1 || (flow.outputGridSize & ~kFlowGrids) != 0)
    return refuse(formatted("with the grid size {:#x}; it is one of the supported bits", flow.outputGridSize));
  const bool has_hint = (flow.flags & VK_DATA_GRAPH_OPTICAL_FLOW_CREATE_ENABLE_HINT_BIT_ARM) != 0,
             has_cost = (flow.flags & VK_DATA_GRAPH_OPTICAL_FLOW_CREATE_ENABLE_COST_BIT_ARM) != 0;
  if (has_hint && flow.hintGridSize != 0 && flow.hintGridSize != flow.outputGridSize)
    return refuse("whose hint has another grid than its output");
  const auto accepts = [&](VkFormat format, VkDataGraphOpticalFlowImageUsageFlagsARM usage) {
    return std::ranges::contains(flow_formats(snapshot, usage), format);
  };
  if (!accepts(flow.imageFormat, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_INPUT_BIT_ARM) ||
      !accepts(flow.flowVectorFormat, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_OUTPUT_BIT_ARM) ||
      (has_cost && !accepts(flow.costFormat, VK_DATA_GRAPH_OPTICAL_FLOW_IMAGE_USAGE_COST_BIT_ARM)))
    return refuse("of formats that vkGetPhysicalDeviceQueueFamilyDataGraphOpticalFlowImageFormatsARM does not return");
  grid_ = flow.outputGridSize;  // the bits are the numbers of pixels
  width_ = flow.width;
  height_ = flow.height;
  speed_ = speed_of(flow.performanceLevel);
  for (const VkDataGraphPipelineSingleNodeConnectionARM& given : array_of(node.pConnections, node.connectionCount)) {
    const std::optional<FlowImage> image = image_of(given.connection);
    if (!image) return refuse("with an unknown connection");
    if ((*image == FlowImage::Hint && !has_hint) || (*image == FlowImage::Cost && !has_cost)) continue;
    const KnownPipelineLayout* sets = device_.pipeline_layouts.find(info.layout);
    if (sets != nullptr && sets->after_bind->contains(given.set, given.binding))
      return refuse(
          formatted("whose image at set {}, binding {} is updated after it is bound", given.set, given.binding));
    Connection made{.set = given.set, .binding = given.binding};
    for (const VkDataGraphPipelineResourceInfoARM& resource : array_of(info.pResourceInfos, info.resourceInfoCount)) {
      const auto* layout = find_in_chain<VkDataGraphPipelineResourceInfoImageLayoutARM>(
          resource.pNext, VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_IMAGE_LAYOUT_ARM);
      if (resource.descriptorSet == given.set && resource.binding == given.binding && layout != nullptr)
        made.layout = layout_in_driver(layout->layout);
    }
    if (is_written(index_of(*image)) && made.layout != VK_IMAGE_LAYOUT_GENERAL)
      return refuse("that writes an image in another layout than VK_IMAGE_LAYOUT_GENERAL");
    images_[index_of(*image)] = made;
  }
  for (const FlowImage image : {FlowImage::Search, FlowImage::Template, FlowImage::Flow}) {
    if (!images_[index_of(image)]) return refuse("without an input, a reference or an output");
  }
  if (has_hint && !images_[index_of(FlowImage::Hint)]) return refuse("with a hint that is not connected");
  if (has_cost && !images_[index_of(FlowImage::Cost)]) return refuse("with a cost that is not connected");
  return true;
}

VkResult FlowKernel::make_pipeline(VkFormat format, VkPipelineCache cache, VkPipelineCreateFlags flags) {
  const DeviceTable& next = device_.next;
  // Texels are fetched, so that the sampler does not matter.
  const VkSamplerCreateInfo sampler{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  VkResult result = next.vkCreateSampler(device_.handle, &sampler, nullptr, &sampler_);
  if (result != VK_SUCCESS) return result;
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (std::size_t i = 0; i < images_.size(); ++i) {
    if (!images_[i]) continue;
    bindings.push_back({static_cast<std::uint32_t>(i),
                        is_written(i) ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
                        VK_SHADER_STAGE_COMPUTE_BIT, is_written(i) ? nullptr : &sampler_});
  }
  const VkDescriptorSetLayoutCreateInfo set{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
                                            .bindingCount = static_cast<std::uint32_t>(bindings.size()),
                                            .pBindings = bindings.data()};
  result = next.vkCreateDescriptorSetLayout(device_.handle, &set, nullptr, &set_layout_);
  if (result != VK_SUCCESS) return result;
  const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(std::uint32_t)};
  const VkPipelineLayoutCreateInfo layout{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                          .setLayoutCount = 1,
                                          .pSetLayouts = &set_layout_,
                                          .pushConstantRangeCount = 1,
                                          .pPushConstantRanges = &range};
  result = next.vkCreatePipelineLayout(device_.handle, &layout, nullptr, &layout_);
  if (result != VK_SUCCESS) return result;
  const std::span<const std::uint32_t> code = model::optical_flow_shader(
      images_[index_of(FlowImage::Hint)].has_value(), images_[index_of(FlowImage::Cost)].has_value());
  const std::uint32_t components = format == VK_FORMAT_R8_UNORM ? 1 : 3;
  const std::array<std::uint32_t, 3> values = {grid_, model::flow_block(grid_), components};  // by model::FlowConstant
  constexpr std::size_t size = sizeof(std::uint32_t);
  const VkSpecializationMapEntry entries[] = {{0, 0, size}, {1, size, size}, {2, 2 * size, size}};
  const VkSpecializationInfo specialization{3, entries, sizeof values, values.data()};
  return create_kernel(device_, code, layout_, cache, flags, pipeline_, &specialization);
}

void FlowKernel::record(VkCommandBuffer commands, const CommandState& state,
                        const VkDataGraphPipelineDispatchInfoARM* info) const {
  std::array<VkDescriptorImageInfo, 5> images{};
  std::vector<VkWriteDescriptorSet> writes;
  for (std::size_t i = 0; i < images_.size(); ++i) {
    if (!images_[i]) continue;
    images[i].imageView = bound_image(device_, state, images_[i]->set, images_[i]->binding);
    images[i].imageLayout = images_[i]->layout;
    if (images[i].imageView == VK_NULL_HANDLE) {
      device_.instance->message(MessageLevel::Error,
                                formatted("an optical flow is not dispatched: no image is bound to set {}, binding {}",
                                          images_[i]->set, images_[i]->binding));
      return;
    }
    writes.push_back(
        {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
         .dstBinding = static_cast<std::uint32_t>(i),
         .descriptorCount = 1,
         .descriptorType = is_written(i) ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
         .pImageInfo = &images[i]});
  }
  const auto* given = info == nullptr ? nullptr
                                      : find_in_chain<VkDataGraphPipelineOpticalFlowDispatchInfoARM>(
                                            static_cast<const void*>(info->pNext),
                                            VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_OPTICAL_FLOW_DISPATCH_INFO_ARM);
  const std::uint32_t radius = model::flow_radius(speed_, given == nullptr ? 0 : given->meanFlowL1NormHint);
  const DeviceTable& next = device_.next;
  next.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  next.vkCmdPushDescriptorSet(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0,
                              static_cast<std::uint32_t>(writes.size()), writes.data());
  next.vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof radius, &radius);
  next.vkCmdDispatch(commands, model::flow_groups(width_, grid_), model::flow_groups(height_, grid_), 1);
  restore_state(device_, commands, state, Restored::Compute);
}

}  // namespace slipway::layer
