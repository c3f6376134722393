// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of tensors (spirv::TensorRecord) in memory that shaders read: one for each tensor view.
#pragma once

#include <volk.h>

#include <mutex>
#include <vector>

namespace slipway::layer {

class LayerDevice;

struct RecordSlot {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;
  std::byte* mapped = nullptr;
  VkDeviceAddress address = 0;
};

class RecordPool {
 public:
  VkResult allocate(const LayerDevice& device, RecordSlot& slot);
  void free(const RecordSlot& slot);
  // The record of a null descriptor: a tensor without elements.
  VkResult null(const LayerDevice& device, RecordSlot& slot);
  void release(const LayerDevice& device);

 private:
  struct Chunk {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
  };
  VkResult take(const LayerDevice& device, RecordSlot& slot);

  std::mutex mutex_;
  RecordSlot null_;
  std::vector<Chunk> chunks_;
  std::vector<RecordSlot> free_;
};

}  // namespace slipway::layer
