// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/memory/buffer.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "gpu/device/device.hpp"
#include "gpu/memory/resource_builder.hpp"

namespace slipway::gpu {
namespace {

VmaAllocationCreateInfo memory_request(const DeviceCore& core, BufferLocation location) {
  if (location == BufferLocation::Device) return device_memory_request(core);
  VmaAllocationCreateInfo how{};
  how.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT;
  how.requiredFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  if (location == BufferLocation::Readback) how.preferredFlags = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  return how;
}

}  // namespace

MutableBytes Buffer::mapped() const {
  const MutableBytes all = memory_->mapped();
  return all.empty() ? all : all.subspan(offset_, size_);
}

Result<Buffer> ResourceBuilder::create(const DeviceCore& core, const BufferInfo& info) {
  if (info.size == 0) {
    return fail(DiagnosticKind::OutOfRange, SourceLocation::nowhere(),
                formatted("buffer `{}` has no bytes", info.name));
  }
  if (info.size > core.snapshot.limits.max_buffer_size) {
    return fail(DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
                formatted("buffer `{}` has {} bytes, but the device allows at most {} (`maxBufferSize`)", info.name,
                          info.size, core.snapshot.limits.max_buffer_size));
  }
  const bool has_address = core.plan.has_feature("bufferDeviceAddress");
  VkBufferUsageFlags usage =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (info.uniform) usage |= VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
  if (info.vertices) usage |= VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;
  if (info.indices) usage |= VK_BUFFER_USAGE_INDEX_BUFFER_BIT;
  if (info.texels) usage |= VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
  if (has_address) usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  // Whole words: devices without accesses of 8 and 16 bits read the last bytes as part of one.
  constexpr std::uint64_t kWord = 4;
  const std::uint64_t padded = std::min(round_up(info.size, kWord), core.snapshot.limits.max_buffer_size);
  const VkBufferCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = padded, .usage = usage};
  VkBuffer handle = nullptr;
  const VkResult result = core.functions.vkCreateBuffer(core.device, &create, nullptr, &handle);
  if (result != VK_SUCCESS) return vulkan_failed("vkCreateBuffer", result, "buffer", info.name);
  Buffer buffer;
  buffer.buffer_ = Owned<VkBuffer_T>(core, handle);
  buffer.size_ = info.size;
  buffer.name_ = info.name;
  set_debug_name(core, VK_OBJECT_TYPE_BUFFER, handle, info.name);
  for (const vk::TensorInfo& tensor : info.tensors) {
    Result<Tensor> made = ResourceBuilder::create(core, tensor, info.row_stride, info.name);
    if (!made) return fail(std::move(made.error()));
    buffer.tensors_.push_back(std::move(*made));
  }
  return buffer;
}

MemoryNeeds ResourceBuilder::needs(const Buffer& buffer) {
  const DeviceCore& core = buffer.buffer_.core();
  VkMemoryRequirements requirements;
  core.functions.vkGetBufferMemoryRequirements(core.device, buffer.handle(), &requirements);
  MemoryNeeds all{requirements.size, requirements.alignment, requirements.memoryTypeBits};
  for (const Tensor& tensor : buffer.tensors_) {
    const MemoryNeeds its = needs(tensor);
    all.size = std::max(all.size, its.size);
    all.alignment = std::max(all.alignment, its.alignment);
    all.type_bits &= its.type_bits;
  }
  return all;
}

Result<> ResourceBuilder::bind(Buffer& buffer, MemoryPtr memory, std::uint64_t offset) {
  const DeviceCore& core = buffer.buffer_.core();
  const VkResult result = vmaBindBufferMemory2(core.allocator, memory->allocation(), offset, buffer.handle(), nullptr);
  if (result != VK_SUCCESS) return vulkan_failed("vkBindBufferMemory2", result, "buffer", buffer.name_);
  buffer.memory_ = std::move(memory);
  buffer.offset_ = offset;
  for (Tensor& tensor : buffer.tensors_) {
    if (Result<> bound = bind(tensor, *buffer.memory_, offset, buffer.name_); !bound) return bound;
  }
  if (core.plan.has_feature("bufferDeviceAddress")) {
    const VkBufferDeviceAddressInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                         .buffer = buffer.handle()};
    buffer.address_ = core.functions.vkGetBufferDeviceAddress(core.device, &info);
  }
  return {};
}

Result<Buffer> create_buffer(const Device& device, const BufferInfo& info) {
  const DeviceCore& core = device.core();
  Result<Buffer> buffer = ResourceBuilder::create(core, info);
  if (!buffer) return buffer;
  Result<MemoryPtr> memory =
      allocate_memory(core, ResourceBuilder::needs(*buffer), memory_request(core, info.location), "buffer", info.name);
  if (!memory) return fail(std::move(memory.error()));
  if (Result<> bound = ResourceBuilder::bind(*buffer, std::move(*memory), 0); !bound) {
    return fail(std::move(bound.error()));
  }
  return buffer;
}

Result<Owned<VkBufferView_T>> create_texel_view(const Device& device, const Buffer& buffer, vk::Format format,
                                                std::uint64_t offset, std::uint64_t size) {
  const DeviceCore& core = device.core();
  const VkBufferViewCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                      .buffer = buffer.handle(),
                                      .format = static_cast<VkFormat>(format),
                                      .offset = offset,
                                      .range = size ? size : buffer.size() - offset};
  VkBufferView view = nullptr;
  const VkResult result = core.functions.vkCreateBufferView(core.device, &create, nullptr, &view);
  if (result != VK_SUCCESS) return vulkan_failed("vkCreateBufferView", result, "buffer", buffer.name());
  return Owned<VkBufferView_T>(core, view);
}

}  // namespace slipway::gpu
