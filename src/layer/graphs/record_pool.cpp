// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layer/graphs/record_pool.hpp"

#include <cstring>

#include "layer/device.hpp"
#include "spirv/tensors/layout.hpp"

namespace slipway::layer {

VkResult RecordPool::allocate(const LayerDevice& device, RecordSlot& slot) {
  const std::scoped_lock lock(mutex_);
  return take(device, slot);
}

VkResult RecordPool::null(const LayerDevice& device, RecordSlot& slot) {
  const std::scoped_lock lock(mutex_);
  if (null_.mapped == nullptr) {
    if (const VkResult result = take(device, null_); result != VK_SUCCESS) return result;
    const spirv::TensorRecord record{.address = null_.address};
    std::memcpy(null_.mapped, &record, sizeof record);
  }
  slot = null_;
  return VK_SUCCESS;
}

VkResult RecordPool::take(const LayerDevice& device, RecordSlot& slot) {
  if (free_.empty()) {
    constexpr std::uint64_t records = 256;
    const std::uint64_t alignment =
        std::max<std::uint64_t>(device.physical->snapshot.limits.min_uniform_buffer_offset_alignment, 16);
    const std::uint64_t stride = (sizeof(spirv::TensorRecord) + alignment - 1) / alignment * alignment;
    free_.reserve(records * (chunks_.size() + 1));
    chunks_.reserve(chunks_.size() + 1);
    HostBuffer made;
    const VkResult result = create_host_buffer(device, stride * records, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, made);
    if (result != VK_SUCCESS) return result;
    chunks_.push_back({made.buffer, made.memory});
    for (std::uint64_t i = records; i-- > 0;)
      free_.push_back({made.buffer, i * stride, made.mapped + i * stride, made.address + i * stride});
  }
  slot = free_.back();
  free_.pop_back();
  return VK_SUCCESS;
}

void RecordPool::free(const RecordSlot& slot) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(slot);
}

void RecordPool::release(const LayerDevice& device) {
  for (const Chunk& chunk : chunks_) {
    device.next.vkDestroyBuffer(device.handle, chunk.buffer, nullptr);
    device.next.vkFreeMemory(device.handle, chunk.memory, nullptr);
  }
  null_ = {};
  chunks_.clear();
  free_.clear();
}

}  // namespace slipway::layer
