// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/commands/descriptors.hpp"

#include <algorithm>
#include <numeric>

#include "layer/chain.hpp"
#include "layer/device.hpp"

namespace slipway::layer {
namespace {

constexpr VkDescriptorType kRecord = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;

bool is_tensor(VkDescriptorType type) { return type == VK_DESCRIPTOR_TYPE_TENSOR_ARM; }
VkDescriptorType in_driver(VkDescriptorType type) { return is_tensor(type) ? kRecord : type; }

// --- layouts ---------------------------------------------------------------------------------------------------------

// Whether the descriptors of the binding at an index may be updated after they are bound.
bool is_after_bind(const VkDescriptorSetLayoutCreateInfo& info, std::size_t index) {
  const auto* flags = find_in_chain<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
  return flags != nullptr && index < flags->bindingCount &&
         (flags->pBindingFlags[index] & VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT) != 0;
}

std::vector<VkDescriptorSetLayoutBinding> bindings_in_driver(const LayerDevice& device,
                                                             const VkDescriptorSetLayoutCreateInfo& info) {
  std::vector<VkDescriptorSetLayoutBinding> bindings(info.pBindings, info.pBindings + info.bindingCount);
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    VkDescriptorSetLayoutBinding& binding = bindings[i];
    // For AfterBindCopy.
    if (device.graphs && is_tensor(binding.descriptorType) && is_after_bind(info, i))
      binding.stageFlags |= VK_SHADER_STAGE_COMPUTE_BIT;
    // Samplers of another type are ignored, but those of a uniform buffer are not valid either.
    if (is_tensor(binding.descriptorType)) binding.pImmutableSamplers = nullptr;
    binding.descriptorType = in_driver(binding.descriptorType);
  }
  return bindings;
}

VkResult CreateDescriptorSetLayout(VkDevice handle, const VkDescriptorSetLayoutCreateInfo* info,
                                   const VkAllocationCallbacks* allocator, VkDescriptorSetLayout* made) {
  return guarded([&] {
    LayerDevice& device = device_of(handle);
    const std::span given(info->pBindings, info->bindingCount);
    const auto is_known = [&](VkDescriptorType type) { return is_tensor(type) || (device.flow && is_image(type)); };
    if (std::ranges::none_of(given, is_known, &VkDescriptorSetLayoutBinding::descriptorType))
      return device.next.vkCreateDescriptorSetLayout(handle, info, allocator, made);
    const std::vector<VkDescriptorSetLayoutBinding> bindings = bindings_in_driver(device, *info);
    auto tensors = std::make_shared<TensorBindings>();
    std::vector<std::size_t> sorted(given.size());
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    std::ranges::sort(sorted, {}, [&](std::size_t index) { return given[index].binding; });
    if (!sorted.empty()) tensors->last_binding = given[sorted.back()].binding;
    for (const std::size_t index : sorted) {
      const VkDescriptorSetLayoutBinding& binding = given[index];
      if (!is_known(binding.descriptorType)) continue;
      tensors->ranges.push_back(
          {binding.binding, tensors->slots, binding.descriptorCount, is_after_bind(*info, index)});
      tensors->slots += binding.descriptorCount;
    }
    auto layout = std::make_unique<SetLayout>(SetLayout{std::move(tensors)});
    VkDescriptorSetLayoutCreateInfo theirs = *info;
    theirs.pBindings = bindings.data();
    const VkResult result = device.next.vkCreateDescriptorSetLayout(handle, &theirs, allocator, made);
    if (result == VK_SUCCESS) device.set_layouts.add(*made, std::move(layout));
    return result;
  });
}

void DestroyDescriptorSetLayout(VkDevice handle, VkDescriptorSetLayout layout, const VkAllocationCallbacks* allocator) {
  LayerDevice& device = device_of(handle);
  const auto removed = device.set_layouts.remove(layout);
  device.next.vkDestroyDescriptorSetLayout(handle, layout, allocator);
}

void GetDescriptorSetLayoutSupport(VkDevice handle, const VkDescriptorSetLayoutCreateInfo* info,
                                   VkDescriptorSetLayoutSupport* support) {
  try {
    const std::vector<VkDescriptorSetLayoutBinding> bindings = bindings_in_driver(device_of(handle), *info);
    VkDescriptorSetLayoutCreateInfo theirs = *info;
    theirs.pBindings = bindings.data();
    device_of(handle).next.vkGetDescriptorSetLayoutSupport(handle, &theirs, support);
  } catch (...) {
    support->supported = VK_FALSE;
  }
}

// --- pools -----------------------------------------------------------------------------------------------------------

VkResult CreateDescriptorPool(VkDevice handle, const VkDescriptorPoolCreateInfo* info,
                              const VkAllocationCallbacks* allocator, VkDescriptorPool* made) {
  return guarded([&] {
    LayerDevice& device = device_of(handle);
    std::vector<VkDescriptorPoolSize> sizes(info->pPoolSizes, info->pPoolSizes + info->poolSizeCount);
    for (VkDescriptorPoolSize& size : sizes) size.type = in_driver(size.type);
    constexpr VkStructureType removed[] = {VK_STRUCTURE_TYPE_DATA_GRAPH_PROCESSING_ENGINE_CREATE_INFO_ARM};
    ChainCopy chain;
    VkDescriptorPoolCreateInfo theirs = *info;
    theirs.pNext = chain.make(info->pNext, removed);
    theirs.pPoolSizes = sizes.data();
    auto pool = std::make_unique<PoolSets>();
    const VkResult result = device.next.vkCreateDescriptorPool(handle, &theirs, allocator, made);
    if (result == VK_SUCCESS) device.pools.add(*made, std::move(pool));
    return result;
  });
}

void forget_sets(LayerDevice& device, VkDescriptorPool pool) {
  PoolSets* const known = device.pools.find(pool);
  if (known == nullptr) return;
  for (const VkDescriptorSet set : known->sets) static_cast<void>(device.sets.remove(set));
  known->sets.clear();
}

void DestroyDescriptorPool(VkDevice handle, VkDescriptorPool pool, const VkAllocationCallbacks* allocator) {
  LayerDevice& device = device_of(handle);
  forget_sets(device, pool);
  static_cast<void>(device.pools.remove(pool));
  device.next.vkDestroyDescriptorPool(handle, pool, allocator);
}

VkResult ResetDescriptorPool(VkDevice handle, VkDescriptorPool pool, VkDescriptorPoolResetFlags flags) {
  LayerDevice& device = device_of(handle);
  const VkResult result = device.next.vkResetDescriptorPool(handle, pool, flags);
  if (result == VK_SUCCESS) forget_sets(device, pool);
  return result;
}

VkResult AllocateDescriptorSets(VkDevice handle, const VkDescriptorSetAllocateInfo* info, VkDescriptorSet* made) {
  LayerDevice& device = device_of(handle);
  const VkResult result = device.next.vkAllocateDescriptorSets(handle, info, made);
  if (result != VK_SUCCESS) return result;
  const VkResult noted = guarded([&] {
    const auto* variable = find_in_chain<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
        info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
    PoolSets* const pool = device.pools.find(info->descriptorPool);
    for (std::uint32_t i = 0; i < info->descriptorSetCount; ++i) {
      const SetLayout* layout = device.set_layouts.find(info->pSetLayouts[i]);
      if (layout == nullptr) continue;
      std::uint32_t slots = layout->bindings->slots;
      // A variable count is that of the last binding.
      if (variable != nullptr && i < variable->descriptorSetCount &&
          layout->bindings->ranges.back().binding == layout->bindings->last_binding) {
        const TensorBindings::Range& last = layout->bindings->ranges.back();
        if (variable->pDescriptorCounts[i] < last.count) slots -= last.count - variable->pDescriptorCounts[i];
      }
      auto contents = std::make_unique<SetContents>();
      contents->bindings = layout->bindings;
      contents->views.resize(slots);
      if (device.flow) contents->images.resize(slots);
      if (pool != nullptr) pool->sets.push_back(made[i]);
      device.sets.add(made[i], std::move(contents));
    }
    return VK_SUCCESS;
  });
  if (noted == VK_SUCCESS) return result;
  for (std::uint32_t i = 0; i < info->descriptorSetCount; ++i) static_cast<void>(device.sets.remove(made[i]));
  // Only a pool that permits it can free single sets; in others they stay until the pool is reset.
  std::fill_n(made, info->descriptorSetCount, VkDescriptorSet{VK_NULL_HANDLE});
  return noted;
}

VkResult FreeDescriptorSets(VkDevice handle, VkDescriptorPool pool, std::uint32_t count, const VkDescriptorSet* sets) {
  LayerDevice& device = device_of(handle);
  PoolSets* const known = device.pools.find(pool);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (sets[i] == VK_NULL_HANDLE || !device.sets.remove(sets[i]) || known == nullptr) continue;
    std::erase(known->sets, sets[i]);
  }
  return device.next.vkFreeDescriptorSets(handle, pool, count, sets);
}

// --- updates ---------------------------------------------------------------------------------------------------------

void note_write(LayerDevice& device, const VkWriteDescriptorSet& write) {
  const bool has_image = device.flow && is_image(write.descriptorType);
  if (!is_tensor(write.descriptorType) && !has_image) return;
  SetContents* const set = device.sets.find(write.dstSet);
  if (has_image && set != nullptr) {
    const std::int64_t at = set->bindings->slot(write.dstBinding, write.dstArrayElement);
    for (std::uint32_t i = 0; at >= 0 && i < write.descriptorCount; ++i) {
      const auto slot = static_cast<std::size_t>(at) + i;
      if (slot < set->images.size()) set->images[slot] = write.pImageInfo[i].imageView;
    }
    return;
  }
  const auto* tensors =
      find_in_chain<VkWriteDescriptorSetTensorARM>(write.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM);
  if (set == nullptr || tensors == nullptr) return;
  const std::int64_t first = set->bindings->slot(write.dstBinding, write.dstArrayElement);
  for (std::uint32_t i = 0; first >= 0 && i < write.descriptorCount; ++i) {
    const auto slot = static_cast<std::size_t>(first) + i;
    if (slot < set->views.size()) set->views[slot] = object_of<TensorViewObject>(tensors->pTensorViews[i]);
  }
}

void note_copy(LayerDevice& device, const VkCopyDescriptorSet& copy) {
  const SetContents* const from = device.sets.find(copy.srcSet);
  SetContents* const to = device.sets.find(copy.dstSet);
  if (from == nullptr || to == nullptr) return;
  const std::int64_t source = from->bindings->slot(copy.srcBinding, copy.srcArrayElement);
  const std::int64_t target = to->bindings->slot(copy.dstBinding, copy.dstArrayElement);
  if (source < 0 || target < 0) return;
  for (std::uint32_t i = 0; i < copy.descriptorCount; ++i) {
    const auto s = static_cast<std::size_t>(source) + i, t = static_cast<std::size_t>(target) + i;
    if (s < from->views.size() && t < to->views.size()) to->views[t] = from->views[s];
    if (s < from->images.size() && t < to->images.size()) to->images[t] = from->images[s];
  }
}

void update(LayerDevice& device, std::uint32_t count, const VkWriteDescriptorSet* writes, std::uint32_t copy_count,
            const VkCopyDescriptorSet* copies) {
  const TranslatedWrites translated(device, count, writes);
  device.next.vkUpdateDescriptorSets(device.handle, count, translated.writes(), copy_count, copies);
  for (std::uint32_t i = 0; i < count; ++i) note_write(device, writes[i]);
  for (std::uint32_t i = 0; i < copy_count; ++i) note_copy(device, copies[i]);
}

void UpdateDescriptorSets(VkDevice handle, std::uint32_t count, const VkWriteDescriptorSet* writes,
                          std::uint32_t copy_count, const VkCopyDescriptorSet* copies) {
  LayerDevice& device = device_of(handle);
  try {
    update(device, count, writes, copy_count, copies);
  } catch (...) {
    device.instance->message(MessageLevel::Error, "out of memory in vkUpdateDescriptorSets");
  }
}

// --- descriptor buffers ----------------------------------------------------------------------------------------------

void GetDescriptorEXT(VkDevice handle, const VkDescriptorGetInfoEXT* info, std::size_t size, void* descriptor) {
  LayerDevice& device = device_of(handle);
  if (!is_tensor(info->type)) return device.next.vkGetDescriptorEXT(handle, info, size, descriptor);
  const auto* given =
      find_in_chain<VkDescriptorGetTensorInfoARM>(info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_GET_TENSOR_INFO_ARM);
  const auto* view = given == nullptr ? nullptr : object_of<TensorViewObject>(given->tensorView);
  RecordSlot record;
  try {
    if (view != nullptr)
      record = view->record;
    else if (device.records.null(device, record) != VK_SUCCESS)
      throw std::bad_alloc();
  } catch (...) {
    device.instance->message(MessageLevel::Error, "out of memory in vkGetDescriptorEXT");
    return;
  }
  const VkDescriptorAddressInfoEXT where{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT,
                                         .address = record.address,
                                         .range = sizeof(spirv::TensorRecord)};
  const VkDescriptorGetInfoEXT theirs{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, .type = kRecord, .data = {.pUniformBuffer = &where}};
  device.next.vkGetDescriptorEXT(handle, &theirs, size, descriptor);
}

// --- templates -------------------------------------------------------------------------------------------------------

// A template with tensors has no object in the driver: it becomes writes.
VkResult CreateDescriptorUpdateTemplate(VkDevice handle, const VkDescriptorUpdateTemplateCreateInfo* info,
                                        const VkAllocationCallbacks* allocator, VkDescriptorUpdateTemplate* made) {
  return guarded([&] {
    LayerDevice& device = device_of(handle);
    const std::span entries(info->pDescriptorUpdateEntries, info->descriptorUpdateEntryCount);
    // A device with optical flow needs to know what is written.
    const bool in_driver =
        !device.flow && std::ranges::none_of(entries, is_tensor, &VkDescriptorUpdateTemplateEntry::descriptorType);
    if (in_driver && (!device.graphs || info->templateType != VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS))
      return device.next.vkCreateDescriptorUpdateTemplate(handle, info, allocator, made);
    auto object = std::make_unique<UpdateTemplate>();
    object->entries.assign(entries.begin(), entries.end());
    object->type = info->templateType;
    object->bind_point = info->pipelineBindPoint;
    object->layout = info->pipelineLayout;
    object->set = info->set;
    if (in_driver) {
      const VkResult result = device.next.vkCreateDescriptorUpdateTemplate(handle, info, allocator, made);
      if (result == VK_SUCCESS) device.push_templates.add(*made, std::move(object));
      return result;
    }
    *made = handle_of<VkDescriptorUpdateTemplate>(object.get());
    device.templates.add(*made, std::move(object));
    return VK_SUCCESS;
  });
}

void DestroyDescriptorUpdateTemplate(VkDevice handle, VkDescriptorUpdateTemplate of,
                                     const VkAllocationCallbacks* allocator) {
  LayerDevice& device = device_of(handle);
  if (device.templates.remove(of)) return device.forget_private_data(reinterpret_cast<std::uint64_t>(of));
  static_cast<void>(device.push_templates.remove(of));
  device.next.vkDestroyDescriptorUpdateTemplate(handle, of, allocator);
}

void UpdateDescriptorSetWithTemplate(VkDevice handle, VkDescriptorSet set, VkDescriptorUpdateTemplate of,
                                     const void* data) {
  LayerDevice& device = device_of(handle);
  const UpdateTemplate* known = device.templates.find(of);
  if (known == nullptr) return device.next.vkUpdateDescriptorSetWithTemplate(handle, set, of, data);
  try {
    const TemplateWrites writes(*known, set, data);
    update(device, writes.count(), writes.writes(), 0, nullptr);
  } catch (...) {
    device.instance->message(MessageLevel::Error, "out of memory in vkUpdateDescriptorSetWithTemplate");
  }
}

}  // namespace

std::int64_t TensorBindings::slot(std::uint32_t binding, std::uint32_t element) const {
  const auto found = std::ranges::find(ranges, binding, &Range::binding);
  return found == ranges.end() ? -1 : std::int64_t{found->first} + element;
}

TranslatedWrites::TranslatedWrites(LayerDevice& device, std::uint32_t count, const VkWriteDescriptorSet* writes)
    : given_(writes) {
  if (std::none_of(writes, writes + count,
                   [](const VkWriteDescriptorSet& one) { return is_tensor(one.descriptorType); }))
    return;
  copies_.assign(writes, writes + count);
  for (VkWriteDescriptorSet& write : copies_) {
    if (!is_tensor(write.descriptorType)) continue;
    const auto* tensors =
        find_in_chain<VkWriteDescriptorSetTensorARM>(write.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM);
    std::vector<VkDescriptorBufferInfo>& infos = buffers_.emplace_back();
    for (std::uint32_t i = 0; i < write.descriptorCount; ++i) {
      const auto* view = tensors == nullptr ? nullptr : object_of<TensorViewObject>(tensors->pTensorViews[i]);
      RecordSlot record;
      if (view != nullptr)
        record = view->record;
      else if (device.records.null(device, record) != VK_SUCCESS)
        throw std::bad_alloc();
      infos.push_back({record.buffer, record.offset, sizeof(spirv::TensorRecord)});
    }
    write.descriptorType = kRecord;
    write.pNext = nullptr;
    write.pBufferInfo = infos.data();
  }
}

template <class T>
std::vector<T> TemplateWrites::gather(const VkDescriptorUpdateTemplateEntry& entry, const void* data) {
  std::vector<T> all(entry.descriptorCount);
  for (std::uint32_t i = 0; i < entry.descriptorCount; ++i) {
    all[i] =
        *reinterpret_cast<const T*>(static_cast<const std::byte*>(data) + entry.offset + std::size_t{i} * entry.stride);
  }
  return all;
}

TemplateWrites::TemplateWrites(const UpdateTemplate& from, VkDescriptorSet set, const void* data) {
  for (const VkDescriptorUpdateTemplateEntry& entry : from.entries) {
    VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                               .dstSet = set,
                               .dstBinding = entry.dstBinding,
                               .dstArrayElement = entry.dstArrayElement,
                               .descriptorCount = entry.descriptorCount,
                               .descriptorType = entry.descriptorType};
    switch (entry.descriptorType) {
      case VK_DESCRIPTOR_TYPE_TENSOR_ARM: {
        const auto& views = tensors_.emplace_back(gather<VkTensorViewARM>(entry, data));
        tensor_infos_.push_back(std::make_unique<VkWriteDescriptorSetTensorARM>(
            VkWriteDescriptorSetTensorARM{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM,
                                          .tensorViewCount = entry.descriptorCount,
                                          .pTensorViews = views.data()}));
        write.pNext = tensor_infos_.back().get();
        break;
      }
      case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR: {
        const auto& all = structures_.emplace_back(gather<VkAccelerationStructureKHR>(entry, data));
        structure_infos_.push_back(
            std::make_unique<VkWriteDescriptorSetAccelerationStructureKHR>(VkWriteDescriptorSetAccelerationStructureKHR{
                .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
                .accelerationStructureCount = entry.descriptorCount,
                .pAccelerationStructures = all.data()}));
        write.pNext = structure_infos_.back().get();
        break;
      }
      case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
        inline_infos_.push_back(std::make_unique<VkWriteDescriptorSetInlineUniformBlock>(
            VkWriteDescriptorSetInlineUniformBlock{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
                                                   .dataSize = entry.descriptorCount,
                                                   .pData = static_cast<const std::byte*>(data) + entry.offset}));
        write.pNext = inline_infos_.back().get();
        break;
      case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
      case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        write.pTexelBufferView = texels_.emplace_back(gather<VkBufferView>(entry, data)).data();
        break;
      case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
      case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
      case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
      case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
        write.pBufferInfo = buffers_.emplace_back(gather<VkDescriptorBufferInfo>(entry, data)).data();
        break;
      default:
        write.pImageInfo = images_.emplace_back(gather<VkDescriptorImageInfo>(entry, data)).data();
        break;
    }
    writes_.push_back(write);
  }
}

std::span<const NamedFunction> descriptor_functions() {
  static const NamedFunction table[] = {
      named("vkCreateDescriptorSetLayout", CreateDescriptorSetLayout),
      named("vkDestroyDescriptorSetLayout", DestroyDescriptorSetLayout),
      named("vkGetDescriptorSetLayoutSupport", GetDescriptorSetLayoutSupport),
      named("vkGetDescriptorSetLayoutSupportKHR", GetDescriptorSetLayoutSupport),
      named("vkCreateDescriptorPool", CreateDescriptorPool),
      named("vkDestroyDescriptorPool", DestroyDescriptorPool),
      named("vkResetDescriptorPool", ResetDescriptorPool),
      named("vkAllocateDescriptorSets", AllocateDescriptorSets),
      named("vkFreeDescriptorSets", FreeDescriptorSets),
      named("vkUpdateDescriptorSets", UpdateDescriptorSets),
      named("vkGetDescriptorEXT", GetDescriptorEXT),
      named("vkCreateDescriptorUpdateTemplate", CreateDescriptorUpdateTemplate),
      named("vkCreateDescriptorUpdateTemplateKHR", CreateDescriptorUpdateTemplate),
      named("vkDestroyDescriptorUpdateTemplate", DestroyDescriptorUpdateTemplate),
      named("vkDestroyDescriptorUpdateTemplateKHR", DestroyDescriptorUpdateTemplate),
      named("vkUpdateDescriptorSetWithTemplate", UpdateDescriptorSetWithTemplate),
      named("vkUpdateDescriptorSetWithTemplateKHR", UpdateDescriptorSetWithTemplate),
  };
  return table;
}

}  // namespace slipway::layer
