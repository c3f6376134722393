// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The external buffers of a Vulkan device: in memory that is mapped, and coherent.
#pragma once

#include "gpu/memory/buffer.hpp"
#include "launch/executor.hpp"

namespace slipway::launch {

class VulkanBuffer final : public ExternalBuffer {
 public:
  explicit VulkanBuffer(gpu::Buffer buffer) : buffer_(std::move(buffer)) {}

  MutableBytes bytes() const override { return buffer_.mapped(); }
  std::uint64_t address() const override { return buffer_.address() ? buffer_.address() : ExternalBuffer::address(); }
  const gpu::Buffer& buffer() const { return buffer_; }

 private:
  gpu::Buffer buffer_;
};

}  // namespace slipway::launch
