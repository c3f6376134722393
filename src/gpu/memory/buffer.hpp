// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers.
#pragma once

#include <string>

#include "base/diagnostic.hpp"
#include "gpu/device/handles.hpp"
#include "gpu/memory/memory.hpp"
#include "gpu/memory/tensor.hpp"

namespace slipway::gpu {

class Device;

// Where a buffer's memory is.
enum class BufferLocation {
  Device,    // fast for the device; mapped as well where the hardware offers such memory
  Upload,    // always mapped, written by the host
  Readback,  // always mapped and cached, read by the host
};

// Every buffer can be storage and the source and destination of transfers; it has a device address when the device has
// the feature.
struct BufferInfo {
  std::uint64_t size = 0;
  bool uniform = false;
  bool vertices = false;  // attributes are read from it
  bool indices = false;
  bool texels = false;  // views of formats show it
  BufferLocation location = BufferLocation::Device;
  std::string name;                          // for messages and debugging tools
  std::vector<vk::TensorInfo> tensors = {};  // native ones that see it
  std::uint64_t row_stride = 0;              // bytes between rows of these; 0: packed
};

class Buffer {
 public:
  VkBuffer_T* handle() const { return buffer_.get(); }
  std::uint64_t size() const { return size_; }
  const std::string& name() const { return name_; }
  const Memory& memory() const { return *memory_; }
  // The buffer's bytes as the host sees them; empty when the host cannot.
  MutableBytes mapped() const;
  // 0 when the device has no buffer addresses.
  std::uint64_t address() const { return address_; }
  // In the order of BufferInfo::tensors.
  std::span<const Tensor> tensors() const { return tensors_; }

 private:
  friend struct ResourceBuilder;
  MemoryPtr memory_;  // outlives the buffer
  Owned<VkBuffer_T> buffer_;
  std::vector<Tensor> tensors_;
  std::uint64_t size_ = 0;
  std::uint64_t offset_ = 0;  // in the memory
  std::uint64_t address_ = 0;
  std::string name_;
};

Result<Buffer> create_buffer(const Device& device, const BufferInfo& info);

// Bytes of a buffer as texels of a format; size 0: to the end. A whole number of texels.
Result<Owned<VkBufferView_T>> create_texel_view(const Device& device, const Buffer& buffer, vk::Format format,
                                                std::uint64_t offset = 0, std::uint64_t size = 0);

}  // namespace slipway::gpu
