// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/resources/tensors.hpp"

#include <cstring>
#include <limits>

#include "base/format.hpp"
#include "layer/chain.hpp"
#include "layer/device.hpp"
#include "layer/formats.hpp"
#include "layer/offer.hpp"
#include "layer/resources/aliases.hpp"
#include "layer/resources/images.hpp"
#include "spirv/tensors/layout.hpp"

namespace slipway::layer {
namespace {

// Loads of kernels are of up to 16 bytes.
constexpr VkDeviceSize kTensorAlignment = 16;

std::optional<TensorDescription> as_image(const LayerDevice& device, const TensorDescription& description) {
  TensorDescription made = description;
  if (description.optimal || !description.may_have_image_strides() || !set_image_strides(device, made))
    return std::nullopt;
  return made;
}

// The bytes of a tensor's buffer, also if it has the strides of an image.
std::uint64_t buffer_size(const TensorDescription& description, const std::optional<TensorDescription>& as_image) {
  return std::max(description.size(), as_image ? as_image->size() : 0);
}

// The create-info of a tensor's buffer. Valid as long as this object.
struct BufferInfo {
  explicit BufferInfo(const VkTensorCreateInfoARM& tensor, std::uint64_t size) {
    info.size = size;
    info.usage = kTensorBufferUsage;
    if ((tensor.flags & VK_TENSOR_CREATE_PROTECTED_BIT_ARM) != 0) info.flags |= VK_BUFFER_CREATE_PROTECTED_BIT;
    info.sharingMode = tensor.sharingMode;
    info.queueFamilyIndexCount = tensor.queueFamilyIndexCount;
    info.pQueueFamilyIndices = tensor.pQueueFamilyIndices;
    if (const auto* given = find_in_chain<VkExternalMemoryTensorCreateInfoARM>(
            tensor.pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_TENSOR_CREATE_INFO_ARM)) {
      external.handleTypes = given->handleTypes;
      info.pNext = &external;
    }
  }
  BufferInfo(const BufferInfo&) = delete;

  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
};

VkResult CreateTensorARM(VkDevice handle, const VkTensorCreateInfoARM* info, const VkAllocationCallbacks* allocator,
                         VkTensorARM* made) {
  return guarded([&] {
    const LayerDevice& device = device_of(handle);
    if (!allows(device, device.implied.tensors, "tensors")) return VK_ERROR_INITIALIZATION_FAILED;
    if (info->pDescription == nullptr) return refuse_null(device, "vkCreateTensorARM", "pDescription");
    TensorDescription description;
    if (!read_description(device, *info->pDescription, description)) {
      device.instance->message(
          MessageLevel::Error,
          formatted("vkCreateTensorARM: no tensor of the layer has this description (format {}, {} dimensions); see "
                    "VkTensorFormatPropertiesARM and VkPhysicalDeviceTensorPropertiesARM",
                    static_cast<std::uint32_t>(info->pDescription->format), info->pDescription->dimensionCount));
      return VK_ERROR_INITIALIZATION_FAILED;
    }
    auto* tensor = create_object<TensorObject>(
        allocator, TensorObject{.description = description, .as_image = as_image(device, description), .views = {}});
    if (tensor == nullptr) return VK_ERROR_OUT_OF_HOST_MEMORY;
    const BufferInfo buffer(*info, buffer_size(description, tensor->as_image));
    const VkResult result = device.next.vkCreateBuffer(handle, &buffer.info, allocator, &tensor->buffer);
    if (result != VK_SUCCESS) {
      destroy_object(allocator, tensor);
      return result;
    }
    *made = handle_of<VkTensorARM>(tensor);
    return VK_SUCCESS;
  });
}

void DestroyTensorARM(VkDevice handle, VkTensorARM tensor, const VkAllocationCallbacks* allocator) {
  auto* object = object_of<TensorObject>(tensor);
  if (object == nullptr) return;
  LayerDevice& device = device_of(handle);
  device.forget_private_data(reinterpret_cast<std::uint64_t>(object));
  device.aliases->remove(*object);
  device.next.vkDestroyBuffer(handle, object->buffer, allocator);
  destroy_object(allocator, object);
}

void align(VkMemoryRequirements2& requirements) {
  VkMemoryRequirements& needs = requirements.memoryRequirements;
  needs.alignment = std::max(needs.alignment, kTensorAlignment);
}

void GetTensorMemoryRequirementsARM(VkDevice handle, const VkTensorMemoryRequirementsInfoARM* info,
                                    VkMemoryRequirements2* requirements) {
  const auto* tensor = object_of<TensorObject>(info->tensor);
  if (tensor == nullptr) return (void)refuse_null(device_of(handle), "vkGetTensorMemoryRequirementsARM", "tensor");
  const VkBufferMemoryRequirementsInfo2 buffer{.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2,
                                               .buffer = tensor->buffer};
  device_of(handle).next.vkGetBufferMemoryRequirements2(handle, &buffer, requirements);
  align(*requirements);
}

void GetDeviceTensorMemoryRequirementsARM(VkDevice handle, const VkDeviceTensorMemoryRequirementsARM* info,
                                          VkMemoryRequirements2* requirements) {
  const LayerDevice& device = device_of(handle);
  if (info->pCreateInfo == nullptr || info->pCreateInfo->pDescription == nullptr)
    return (void)refuse_null(device, "vkGetDeviceTensorMemoryRequirementsARM",
                             info->pCreateInfo == nullptr ? "pCreateInfo" : "pDescription");
  TensorDescription description;
  if (!read_description(device, *info->pCreateInfo->pDescription, description)) return;
  const BufferInfo buffer(*info->pCreateInfo, buffer_size(description, as_image(device, description)));
  const VkDeviceBufferMemoryRequirements of{.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS,
                                            .pCreateInfo = &buffer.info};
  device.next.vkGetDeviceBufferMemoryRequirements(handle, &of, requirements);
  align(*requirements);
}

VkResult BindTensorMemoryARM(VkDevice handle, std::uint32_t count, const VkBindTensorMemoryInfoARM* infos) {
  return guarded([&] {
    LayerDevice& device = device_of(handle);
    for (std::uint32_t i = 0; i < count; ++i) {
      auto* tensor = object_of<TensorObject>(infos[i].tensor);
      if (tensor == nullptr) return refuse_null(device, "vkBindTensorMemoryARM", "tensor");
      const VkResult result =
          bind_buffer(device, tensor->buffer, infos[i].memory, infos[i].memoryOffset, tensor->address);
      if (result != VK_SUCCESS) return result;
      device.aliases->bind(*tensor, infos[i].memory, infos[i].memoryOffset);
    }
    return VK_SUCCESS;
  });
}

VkResult CreateTensorViewARM(VkDevice handle, const VkTensorViewCreateInfoARM* info,
                             const VkAllocationCallbacks* allocator, VkTensorViewARM* made) {
  return guarded([&] {
    LayerDevice& device = device_of(handle);
    if (info->tensor == VK_NULL_HANDLE) return refuse_null(device, "vkCreateTensorViewARM", "tensor");
    auto* view =
        create_object<TensorViewObject>(allocator, TensorViewObject{.tensor = object_of<TensorObject>(info->tensor)});
    if (view == nullptr) return VK_ERROR_OUT_OF_HOST_MEMORY;
    const VkResult result = device.records.allocate(device, view->record);
    if (result != VK_SUCCESS) {
      destroy_object(allocator, view);
      return result;
    }
    try {
      device.aliases->add(*view);
    } catch (...) {
      device.records.free(view->record);
      destroy_object(allocator, view);
      throw;
    }
    *made = handle_of<VkTensorViewARM>(view);
    return VK_SUCCESS;
  });
}

void DestroyTensorViewARM(VkDevice handle, VkTensorViewARM view, const VkAllocationCallbacks* allocator) {
  auto* object = object_of<TensorViewObject>(view);
  if (object == nullptr) return;
  LayerDevice& device = device_of(handle);
  device.forget_private_data(reinterpret_cast<std::uint64_t>(object));
  device.aliases->remove(*object);
  device.records.free(object->record);
  destroy_object(allocator, object);
}

void CmdCopyTensorARM(VkCommandBuffer commands, const VkCopyTensorInfoARM* info) {
  const LayerDevice& device = device_of(commands);
  const auto* from = object_of<TensorObject>(info->srcTensor);
  const auto* to = object_of<TensorObject>(info->dstTensor);
  if (from == nullptr || to == nullptr)
    return (void)refuse_null(device, "vkCmdCopyTensorARM", from == nullptr ? "srcTensor" : "dstTensor");
  copy_elements(device, commands, {from->buffer, 0, &from->description}, {to->buffer, 0, &to->description});
}

// Memory for tensors needs an address, and may be dedicated to a tensor, which is a buffer of the driver. Memory
// dedicated to an image or a tensor is not dedicated in the driver if both may be bound to it.
VkResult AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks* allocator,
                        VkDeviceMemory* made) {
  return guarded([&] {
    const LayerDevice& device = device_of(handle);
    constexpr VkStructureType removed[] = {VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO_TENSOR_ARM,
                                           VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
    constexpr VkStructureType edited[] = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    const auto* to_image = find_in_chain<VkMemoryDedicatedAllocateInfo>(info->pNext, removed[1]);
    const bool aliased =
        to_image != nullptr && to_image->image != VK_NULL_HANDLE && device.aliases->contains(to_image->image);
    ChainCopy chain;
    VkMemoryAllocateInfo theirs = *info;
    theirs.pNext = chain.make(info->pNext, std::span(removed).first(aliased ? 2 : 1), edited);
    VkMemoryAllocateFlagsInfo own{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                  .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    if (auto* flags = chain.find<VkMemoryAllocateFlagsInfo>(edited[0])) {
      flags->flags |= VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    } else {
      own.pNext = theirs.pNext;
      theirs.pNext = &own;
    }
    VkMemoryDedicatedAllocateInfo dedicated{.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
    const auto* to_tensor = find_in_chain<VkMemoryDedicatedAllocateInfoTensorARM>(info->pNext, removed[0]);
    const auto* tensor = to_tensor == nullptr ? nullptr : object_of<TensorObject>(to_tensor->tensor);
    if (tensor != nullptr && !tensor->description.aliases_images()) {
      dedicated.buffer = tensor->buffer;
      dedicated.pNext = theirs.pNext;
      theirs.pNext = &dedicated;
    }
    return device.next.vkAllocateMemory(handle, &theirs, allocator, made);
  });
}

void FreeMemory(VkDevice handle, VkDeviceMemory memory, const VkAllocationCallbacks* allocator) {
  LayerDevice& device = device_of(handle);
  device.aliases->forget(memory);
  device.next.vkFreeMemory(handle, memory, allocator);
}

}  // namespace

void write_record(const TensorViewObject& view) {
  const TensorDescription& description = view.tensor->description;
  spirv::TensorRecord record{.address = view.tensor->address};
  for (std::uint32_t d = 0; d < description.rank; ++d) {
    record.strides[d] = description.strides[d];
    record.shape[d] = static_cast<std::uint32_t>(description.shape[d]);
  }
  std::memcpy(view.record.mapped, &record, sizeof record);
}

std::uint64_t TensorDescription::packed_size() const {
  std::uint64_t bytes = element;
  for (std::uint32_t d = 0; d < rank; ++d) bytes *= static_cast<std::uint64_t>(shape[d]);
  return bytes;
}

TensorDescription packed(const TensorDescription& description) {
  TensorDescription made = description;
  made.packed = true;
  std::uint64_t stride = made.element;
  for (std::uint32_t d = made.rank; d-- > 0;) {
    made.strides[d] = stride;
    stride *= static_cast<std::uint64_t>(made.shape[d]);
  }
  return made;
}

bool read_description(const VkTensorDescriptionARM& from, TensorDescription& to) {
  to.format = from.format;
  to.rank = from.dimensionCount;
  to.element = element_size(from.format);
  to.usage = from.usage;
  to.optimal = from.tiling == VK_TENSOR_TILING_OPTIMAL_ARM;
  if (to.rank == 0 || to.rank > kMaxRank || to.element == 0 || from.pDimensions == nullptr) return false;
  std::uint64_t elements = 1;
  for (std::uint32_t d = 0; d < to.rank; ++d) {
    to.shape[d] = from.pDimensions[d];
    if (to.shape[d] <= 0 || static_cast<std::uint64_t>(to.shape[d]) > kMaxElements / elements) return false;
    elements *= static_cast<std::uint64_t>(to.shape[d]);
  }
  to = packed(to);
  if (from.pStrides == nullptr || from.tiling != VK_TENSOR_TILING_LINEAR_ARM) return true;
  to.has_strides = true;
  for (std::uint32_t d = to.rank; d-- > 0;) {
    const std::int64_t stride = from.pStrides[d];
    if (stride <= 0 || static_cast<std::uint64_t>(stride) % to.element != 0 ||
        stride > std::numeric_limits<std::int64_t>::max() / to.shape[d])
      return false;
    to.packed &= static_cast<std::uint64_t>(stride) == to.strides[d] || to.shape[d] == 1;
    to.strides[d] = static_cast<std::uint64_t>(stride);
  }
  return true;
}

bool read_description(const LayerDevice& device, const VkTensorDescriptionARM& from, TensorDescription& to) {
  if (!read_description(from, to)) return false;
  return !(to.optimal && to.aliases_images()) || set_image_strides(device, to);
}

void copy_elements(const LayerDevice& device, VkCommandBuffer commands, const TensorRegion& from,
                   const TensorRegion& to) {
  const TensorDescription& source = *from.description;
  const TensorDescription& target = *to.description;
  // The innermost dimensions without gaps on both sides are copied at once.
  std::uint64_t run = source.element;
  std::uint32_t outer = source.rank;
  while (outer > 0 && source.strides[outer - 1] == run && target.strides[outer - 1] == run)
    run *= static_cast<std::uint64_t>(source.shape[--outer]);
  constexpr std::size_t at_once = 4096;
  std::vector<VkBufferCopy> regions;
  const auto flush = [&] {
    if (!regions.empty())
      device.next.vkCmdCopyBuffer(commands, from.buffer, to.buffer, static_cast<std::uint32_t>(regions.size()),
                                  regions.data());
    regions.clear();
  };
  std::array<std::int64_t, kMaxRank> at{};
  for (bool more = true; more;) {
    VkBufferCopy region{from.offset, to.offset, run};
    for (std::uint32_t d = 0; d < outer; ++d) {
      region.srcOffset += static_cast<std::uint64_t>(at[d]) * source.strides[d];
      region.dstOffset += static_cast<std::uint64_t>(at[d]) * target.strides[d];
    }
    regions.push_back(region);
    if (regions.size() == at_once) flush();
    more = false;
    for (std::uint32_t d = outer; d-- > 0 && !more;) {
      more = ++at[d] < source.shape[d];
      if (!more) at[d] = 0;
    }
  }
  flush();
}

std::span<const NamedFunction> tensor_functions() {
  static const NamedFunction table[] = {
      named("vkCreateTensorARM", CreateTensorARM),
      named("vkDestroyTensorARM", DestroyTensorARM),
      named("vkGetTensorMemoryRequirementsARM", GetTensorMemoryRequirementsARM),
      named("vkGetDeviceTensorMemoryRequirementsARM", GetDeviceTensorMemoryRequirementsARM),
      named("vkBindTensorMemoryARM", BindTensorMemoryARM),
      named("vkCreateTensorViewARM", CreateTensorViewARM),
      named("vkDestroyTensorViewARM", DestroyTensorViewARM),
      named("vkCmdCopyTensorARM", CmdCopyTensorARM),
      named("vkAllocateMemory", AllocateMemory),
      named("vkFreeMemory", FreeMemory),
  };
  return table;
}

}  // namespace slipway::layer
