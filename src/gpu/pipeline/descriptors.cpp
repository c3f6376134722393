// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/pipeline/descriptors.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>

#include "base/format.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/device_core.hpp"

namespace slipway::gpu {
namespace {

// The limits on the descriptors that one stage sees, and the types that count for each.
struct DescriptorLimit {
  std::string_view name;
  std::array<vk::DescriptorType, 2> types;
};
constexpr std::array kDescriptorLimits = {
    DescriptorLimit{"maxPerStageDescriptorSamplers",
                    {vk::DescriptorType::SAMPLER, vk::DescriptorType::COMBINED_IMAGE_SAMPLER}},
    DescriptorLimit{"maxPerStageDescriptorSampledImages",
                    {vk::DescriptorType::SAMPLED_IMAGE, vk::DescriptorType::COMBINED_IMAGE_SAMPLER}},
    DescriptorLimit{"maxPerStageDescriptorStorageImages",
                    {vk::DescriptorType::STORAGE_IMAGE, vk::DescriptorType::STORAGE_IMAGE}},
    DescriptorLimit{"maxPerStageDescriptorUniformBuffers",
                    {vk::DescriptorType::UNIFORM_BUFFER, vk::DescriptorType::UNIFORM_BUFFER}},
    DescriptorLimit{"maxPerStageDescriptorStorageBuffers",
                    {vk::DescriptorType::STORAGE_BUFFER, vk::DescriptorType::STORAGE_BUFFER}},
    DescriptorLimit{"maxPerStageDescriptorSetStorageTensors",
                    {vk::DescriptorType::TENSOR_ARM, vk::DescriptorType::TENSOR_ARM}},
};

// All stages of a pipeline see all of its bindings.
std::uint64_t count_descriptors(const vk::PipelineLayoutInfo& info, const DescriptorLimit& limit) {
  std::uint64_t count = 0;
  for (const std::vector<vk::DescriptorBinding>& set : info.sets) {
    for (const vk::DescriptorBinding& binding : set) {
      if (std::ranges::contains(limit.types, binding.type)) count += binding.count;
    }
  }
  return count;
}

Result<> check_limits(const DeviceCore& core, const vk::PipelineLayoutInfo& info) {
  const vk::Snapshot& snapshot = core.snapshot;
  Diagnostics problems;
  const auto lacks = [&](std::string_view what, std::uint64_t value, std::uint64_t limit, std::string_view limit_name) {
    problems.error(
        DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
        formatted("`{}` needs {} {}, but the device has {} (`{}`)", info.name, value, what, limit, limit_name));
  };
  if (info.sets.size() > snapshot.limits.max_bound_descriptor_sets) {
    lacks("descriptor sets", info.sets.size(), snapshot.limits.max_bound_descriptor_sets, "maxBoundDescriptorSets");
  }
  if (info.push_constants_size > snapshot.limits.max_push_constants_size) {
    lacks("bytes of push constants", info.push_constants_size, snapshot.limits.max_push_constants_size,
          "maxPushConstantsSize");
  }
  for (const DescriptorLimit& limit : kDescriptorLimits) {
    const auto known = snapshot.limits_by_name.find(limit.name);
    const std::uint64_t count = count_descriptors(info, limit);
    if (known == snapshot.limits_by_name.end() || static_cast<double>(count) <= known->second) continue;
    lacks(formatted("descriptors of {}", vk::name_of(limit.types[0])), count, static_cast<std::uint64_t>(known->second),
          limit.name);
  }
  constexpr std::string_view kPartly = "descriptorBindingPartiallyBound";
  const auto is_partly_bound = [](const vk::DescriptorBinding& binding) { return binding.unbound > 0; };
  for (const std::vector<vk::DescriptorBinding>& set : info.sets) {
    const auto found = std::ranges::find_if(set, is_partly_bound);
    if (found == set.end() || core.plan.has_feature(kPartly)) continue;
    problems.error(DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
                   formatted("`{}` binds {} of the {} descriptors of binding {}, for which the device needs `{}`; bind "
                             "all of them",
                             info.name, found->count - found->unbound, found->count, found->binding, kPartly));
  }
  if (problems.has_errors()) return std::unexpected(problems.release());
  return {};
}

Result<Owned<VkDescriptorSetLayout_T>> create_set_layout(const DeviceCore& core,
                                                         std::span<const vk::DescriptorBinding> bindings,
                                                         std::string_view name) {
  std::vector<VkDescriptorSetLayoutBinding> entries;
  std::vector<VkDescriptorBindingFlags> flags;
  for (const vk::DescriptorBinding& binding : bindings) {
    entries.push_back(
        {binding.binding, static_cast<VkDescriptorType>(binding.type), binding.count, binding.stages, nullptr});
    flags.push_back(binding.unbound > 0 ? VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT : 0);
  }
  const VkDescriptorSetLayoutBindingFlagsCreateInfo with_flags{
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, nullptr,
      static_cast<std::uint32_t>(flags.size()), flags.data()};
  const bool plain = std::ranges::all_of(flags, [](VkDescriptorBindingFlags flag) { return flag == 0; });
  const VkDescriptorSetLayoutCreateInfo create{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                               .pNext = plain ? nullptr : &with_flags,
                                               .bindingCount = static_cast<std::uint32_t>(entries.size()),
                                               .pBindings = entries.data()};
  VkDescriptorSetLayout layout = nullptr;
  const VkResult result = core.functions.vkCreateDescriptorSetLayout(core.device, &create, nullptr, &layout);
  if (result != VK_SUCCESS) return vulkan_failed("vkCreateDescriptorSetLayout", result, "pipeline layout", name);
  return Owned<VkDescriptorSetLayout_T>(core, layout);
}

std::span<const vk::DescriptorBinding> bindings_of(const DescriptorSetInfo& info) {
  return info.layout->info().sets[info.set];
}

vk::DescriptorType type_of(const DescriptorSetInfo& info, std::uint32_t binding) {
  const auto found = std::ranges::find(bindings_of(info), binding, &vk::DescriptorBinding::binding);
  assert(found != bindings_of(info).end() && "a write to a binding that the layout does not have");
  return found->type;
}

Result<Owned<VkDescriptorPool_T>> create_pool(const DeviceCore& core, std::span<const DescriptorSetInfo> infos) {
  std::map<vk::DescriptorType, std::uint32_t> counts;
  for (const DescriptorSetInfo& info : infos) {
    for (const vk::DescriptorBinding& binding : bindings_of(info)) counts[binding.type] += binding.count;
  }
  std::vector<VkDescriptorPoolSize> sizes;
  for (const auto& [type, count] : counts) sizes.push_back({static_cast<VkDescriptorType>(type), count});
  const VkDescriptorPoolCreateInfo create{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                          .maxSets = static_cast<std::uint32_t>(infos.size()),
                                          .poolSizeCount = static_cast<std::uint32_t>(sizes.size()),
                                          .pPoolSizes = sizes.data()};
  VkDescriptorPool pool = nullptr;
  const VkResult result = core.functions.vkCreateDescriptorPool(core.device, &create, nullptr, &pool);
  if (result != VK_SUCCESS) return vulkan_failed("vkCreateDescriptorPool", result, "descriptor sets");
  return Owned<VkDescriptorPool_T>(core, pool);
}

void write_sets(const DeviceCore& core, std::span<const DescriptorSetInfo> infos,
                std::span<VkDescriptorSet_T* const> sets) {
  std::size_t total = 0;
  for (const DescriptorSetInfo& info : infos) total += info.writes.size();
  // Reserved, so that the pointers into them stay valid.
  std::vector<VkDescriptorBufferInfo> buffers;
  std::vector<VkDescriptorImageInfo> images;
  std::vector<VkTensorViewARM> views;
  std::vector<VkWriteDescriptorSetTensorARM> tensors;
  std::vector<VkWriteDescriptorSet> writes;
  buffers.reserve(total);
  images.reserve(total);
  views.reserve(total);
  tensors.reserve(total);
  writes.reserve(total);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    for (const DescriptorWrite& write : infos[i].writes) {
      VkWriteDescriptorSet entry{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                 .dstSet = sets[i],
                                 .dstBinding = write.binding,
                                 .dstArrayElement = write.element,
                                 .descriptorCount = 1,
                                 .descriptorType = static_cast<VkDescriptorType>(type_of(infos[i], write.binding))};
      if (write.tensor) {
        const VkTensorViewARM* view = &views.emplace_back(write.tensor->view());
        entry.pNext = &tensors.emplace_back(
            VkWriteDescriptorSetTensorARM{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM, nullptr, 1, view});
      } else if (write.texels) {
        entry.pTexelBufferView = &write.texels;
      } else if (write.buffer) {
        const VkDeviceSize size = write.size ? write.size : write.buffer->size() - write.offset;
        entry.pBufferInfo = &buffers.emplace_back(write.buffer->handle(), write.offset, size);
      } else {
        entry.pImageInfo = &images.emplace_back(write.sampler, write.view, static_cast<VkImageLayout>(write.layout));
      }
      writes.push_back(entry);
    }
  }
  core.functions.vkUpdateDescriptorSets(core.device, static_cast<std::uint32_t>(writes.size()), writes.data(), 0,
                                        nullptr);
}

}  // namespace

Result<PipelineLayout> create_pipeline_layout(const Device& device, vk::PipelineLayoutInfo info) {
  const DeviceCore& core = device.core();
  if (Result<> checked = check_limits(core, info); !checked) return fail(std::move(checked.error()));
  PipelineLayout layout;
  std::vector<VkDescriptorSetLayout> sets;
  for (const std::vector<vk::DescriptorBinding>& bindings : info.sets) {
    Result<Owned<VkDescriptorSetLayout_T>> set = create_set_layout(core, bindings, info.name);
    if (!set) return fail(std::move(set.error()));
    sets.push_back(set->get());
    layout.sets_.push_back(std::move(*set));
  }
  const VkPushConstantRange range{info.push_constants_stages, 0, info.push_constants_size};
  const VkPipelineLayoutCreateInfo create{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                          .setLayoutCount = static_cast<std::uint32_t>(sets.size()),
                                          .pSetLayouts = sets.data(),
                                          .pushConstantRangeCount = info.push_constants_size ? 1u : 0u,
                                          .pPushConstantRanges = &range};
  VkPipelineLayout handle = nullptr;
  const VkResult result = core.functions.vkCreatePipelineLayout(core.device, &create, nullptr, &handle);
  if (result != VK_SUCCESS) return vulkan_failed("vkCreatePipelineLayout", result, "pipeline layout", info.name);
  layout.layout_ = Owned<VkPipelineLayout_T>(core, handle);
  layout.info_ = std::move(info);
  return layout;
}

Result<DescriptorSets> create_descriptor_sets(const Device& device, std::span<const DescriptorSetInfo> infos) {
  DescriptorSets sets;
  if (infos.empty()) return sets;
  const DeviceCore& core = device.core();
  Result<Owned<VkDescriptorPool_T>> pool = create_pool(core, infos);
  if (!pool) return fail(std::move(pool.error()));
  sets.pool_ = std::move(*pool);

  std::vector<VkDescriptorSetLayout> layouts;
  for (const DescriptorSetInfo& info : infos) layouts.push_back(info.layout->set_layout(info.set));
  const VkDescriptorSetAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .descriptorPool = sets.pool_.get(),
                                             .descriptorSetCount = static_cast<std::uint32_t>(layouts.size()),
                                             .pSetLayouts = layouts.data()};
  sets.sets_.resize(infos.size());
  const VkResult result = core.functions.vkAllocateDescriptorSets(core.device, &allocate, sets.sets_.data());
  if (result != VK_SUCCESS) return vulkan_failed("vkAllocateDescriptorSets", result, "descriptor sets");
  write_sets(core, infos, sets.sets_);
  return sets;
}

}  // namespace slipway::gpu
