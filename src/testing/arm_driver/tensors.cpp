// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory, tensors and descriptors.
#include <algorithm>
#include <numeric>

#include "tensor/element.hpp"
#include "tensor/format.hpp"
#include "testing/arm_driver/driver.hpp"

namespace slipway::testing::arm_driver {
namespace {

// --- memory: mapped for its whole life, so that graphs can be computed on the host -----------------------------------

VkResult AllocateMemory(VkDevice device, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks* allocator,
                        VkDeviceMemory* made) {
  const Real& real = state().real;
  const VkResult result = real.vkAllocateMemory(device, info, allocator, made);
  if (result != VK_SUCCESS) return result;
  void* mapped = nullptr;
  if (real.vkMapMemory(device, *made, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS)
    complain("lavapipe has memory that cannot be mapped");
  const std::lock_guard lock(state().mutex);
  state().memory[*made] = static_cast<std::byte*>(mapped);
  return result;
}

void FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* allocator) {
  {
    const std::lock_guard lock(state().mutex);
    state().memory.erase(memory);
  }
  state().real.vkFreeMemory(device, memory, allocator);
}

VkResult MapMemory(VkDevice, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize, VkMemoryMapFlags, void** data) {
  const std::lock_guard lock(state().mutex);
  *data = state().memory.at(memory) + offset;
  return VK_SUCCESS;
}

void UnmapMemory(VkDevice, VkDeviceMemory) {}

// --- tensors ---------------------------------------------------------------------------------------------------------

VkBufferCreateInfo buffer_of(const Description& description) {
  return {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
          .size = description.size(),
          .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
}

VkResult CreateTensorARM(VkDevice device, const VkTensorCreateInfoARM* info, const VkAllocationCallbacks*,
                         VkTensorARM* made) {
  auto tensor = std::make_unique<Tensor>(describe(*info->pDescription));
  const VkBufferCreateInfo buffer = buffer_of(tensor->description);
  const VkResult result = state().real.vkCreateBuffer(device, &buffer, nullptr, &tensor->buffer);
  if (result == VK_SUCCESS) *made = handle_of<VkTensorARM>(tensor.release());
  return result;
}

void DestroyTensorARM(VkDevice device, VkTensorARM handle, const VkAllocationCallbacks*) {
  const std::unique_ptr<Tensor> tensor(object_of<Tensor>(handle));
  if (tensor) state().real.vkDestroyBuffer(device, tensor->buffer, nullptr);
}

void GetTensorMemoryRequirementsARM(VkDevice device, const VkTensorMemoryRequirementsInfoARM* info,
                                    VkMemoryRequirements2* requirements) {
  state().real.vkGetBufferMemoryRequirements(device, object_of<Tensor>(info->tensor)->buffer,
                                             &requirements->memoryRequirements);
}

VkResult BindTensorMemoryARM(VkDevice device, std::uint32_t count, const VkBindTensorMemoryInfoARM* infos) {
  const std::lock_guard lock(state().mutex);
  for (std::uint32_t i = 0; i < count; ++i) {
    Tensor& tensor = *object_of<Tensor>(infos[i].tensor);
    const VkResult result =
        state().real.vkBindBufferMemory(device, tensor.buffer, infos[i].memory, infos[i].memoryOffset);
    if (result != VK_SUCCESS) return result;
    tensor.memory = state().memory.at(infos[i].memory) + infos[i].memoryOffset;
  }
  return VK_SUCCESS;
}

VkResult CreateTensorViewARM(VkDevice, const VkTensorViewCreateInfoARM* info, const VkAllocationCallbacks*,
                             VkTensorViewARM* made) {
  *made = handle_of<VkTensorViewARM>(new TensorView{object_of<Tensor>(info->tensor)});
  return VK_SUCCESS;
}

void DestroyTensorViewARM(VkDevice, VkTensorViewARM view, const VkAllocationCallbacks*) {
  delete object_of<TensorView>(view);
}

// --- descriptors: storage buffers for lavapipe -----------------------------------------------------------------------

VkDescriptorType for_lavapipe(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_TENSOR_ARM ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : type;
}

VkResult CreateDescriptorSetLayout(VkDevice device, const VkDescriptorSetLayoutCreateInfo* info,
                                   const VkAllocationCallbacks* allocator, VkDescriptorSetLayout* made) {
  std::vector<VkDescriptorSetLayoutBinding> bindings(info->pBindings, info->pBindings + info->bindingCount);
  for (VkDescriptorSetLayoutBinding& binding : bindings) binding.descriptorType = for_lavapipe(binding.descriptorType);
  VkDescriptorSetLayoutCreateInfo theirs = *info;
  theirs.pBindings = bindings.data();
  return state().real.vkCreateDescriptorSetLayout(device, &theirs, allocator, made);
}

VkResult CreateDescriptorPool(VkDevice device, const VkDescriptorPoolCreateInfo* info,
                              const VkAllocationCallbacks* allocator, VkDescriptorPool* made) {
  std::vector<VkDescriptorPoolSize> sizes(info->pPoolSizes, info->pPoolSizes + info->poolSizeCount);
  for (VkDescriptorPoolSize& size : sizes) size.type = for_lavapipe(size.type);
  VkDescriptorPoolCreateInfo theirs = *info;
  theirs.pPoolSizes = sizes.data();
  return state().real.vkCreateDescriptorPool(device, &theirs, allocator, made);
}

void UpdateDescriptorSets(VkDevice device, std::uint32_t count, const VkWriteDescriptorSet* writes,
                          std::uint32_t copies, const VkCopyDescriptorSet* copied) {
  const std::lock_guard lock(state().mutex);
  std::vector<VkWriteDescriptorSet> theirs(writes, writes + count);
  std::deque<std::vector<VkDescriptorBufferInfo>> buffers;
  for (VkWriteDescriptorSet& write : theirs) {
    if (write.descriptorType != VK_DESCRIPTOR_TYPE_TENSOR_ARM) continue;
    const auto* tensors =
        find_in_chain<VkWriteDescriptorSetTensorARM>(write.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM);
    if (!tensors || tensors->tensorViewCount != write.descriptorCount) complain("a descriptor write without tensors");
    std::vector<VkDescriptorBufferInfo>& infos = buffers.emplace_back();
    for (std::uint32_t i = 0; i < write.descriptorCount; ++i) {
      Tensor* tensor = object_of<TensorView>(tensors->pTensorViews[i])->tensor;
      state().descriptors[write.dstSet][{write.dstBinding, write.dstArrayElement + i}] = tensor;
      infos.push_back({tensor->buffer, 0, VK_WHOLE_SIZE});
    }
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pNext = nullptr;
    write.pBufferInfo = infos.data();
  }
  state().real.vkUpdateDescriptorSets(device, count, theirs.data(), copies, copied);
}

}  // namespace

tensor::ElementType Description::element() const {
  const auto type = tensor::tensor_element_type(static_cast<vk::Format>(format), SourceLocation::nowhere());
  if (!type) complain("a tensor of a format without elements");
  return *type;
}

std::uint64_t Description::size() const {
  std::uint64_t bytes = tensor::size_of(element());
  for (std::size_t d = 0; d < shape.size(); ++d) bytes += static_cast<std::uint64_t>(shape[d] - 1) * strides[d];
  return bytes;
}

Description describe(const VkTensorDescriptionARM& from) {
  Description made{.format = from.format,
                   .shape = {from.pDimensions, from.pDimensions + from.dimensionCount},
                   .strides = {},
                   .usage = from.usage};
  if (from.tiling != VK_TENSOR_TILING_LINEAR_ARM) complain("only linear tensors are offered");
  if (from.pStrides) {
    made.strides.assign(from.pStrides, from.pStrides + from.dimensionCount);
    return made;
  }
  made.strides.resize(made.shape.size());
  std::uint64_t stride = tensor::size_of(made.element());
  for (std::size_t d = made.shape.size(); d-- > 0;) {
    made.strides[d] = stride;
    stride *= static_cast<std::uint64_t>(made.shape[d]);
  }
  return made;
}

PFN_vkVoidFunction find_tensors(std::string_view name) {
  static const Named table[] = {
      ARM_DRIVER_FUNCTION(AllocateMemory),
      ARM_DRIVER_FUNCTION(FreeMemory),
      ARM_DRIVER_FUNCTION(MapMemory),
      ARM_DRIVER_FUNCTION(UnmapMemory),
      ARM_DRIVER_FUNCTION(CreateTensorARM),
      ARM_DRIVER_FUNCTION(DestroyTensorARM),
      ARM_DRIVER_FUNCTION(GetTensorMemoryRequirementsARM),
      ARM_DRIVER_FUNCTION(BindTensorMemoryARM),
      ARM_DRIVER_FUNCTION(CreateTensorViewARM),
      ARM_DRIVER_FUNCTION(DestroyTensorViewARM),
      ARM_DRIVER_FUNCTION(CreateDescriptorSetLayout),
      ARM_DRIVER_FUNCTION(CreateDescriptorPool),
      ARM_DRIVER_FUNCTION(UpdateDescriptorSets),
  };
  return find_in(table, name);
}

}  // namespace slipway::testing::arm_driver
