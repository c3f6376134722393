// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Native tensors (VK_ARM_tensors). A tensor is always a second way to see a buffer: linear, in the same memory, so that
// contents, results and memory groups are the buffer's. Both are linear resources of the same bytes, which Vulkan lets
// alias ("Memory Aliasing").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/device/handles.hpp"
#include "gpu/memory/memory.hpp"
#include "vk/tensor_info.hpp"

namespace slipway::gpu {

// Bytes from an element to the next, for each dimension. `row_stride`: between rows, which are everything within the
// last but two dimension; 0 without gaps.
std::vector<std::int64_t> tensor_strides(const vk::TensorInfo& info, std::uint64_t row_stride);

// A tensor of a buffer.
class Tensor {
 public:
  const vk::TensorInfo& info() const { return info_; }
  std::span<const std::int64_t> strides() const { return strides_; }
  VkTensorARM_T* handle() const { return tensor_.get(); }
  VkTensorViewARM_T* view() const { return view_.get(); }

 private:
  friend struct ResourceBuilder;
  vk::TensorInfo info_;
  std::vector<std::int64_t> strides_;
  Owned<VkTensorARM_T> tensor_;
  Owned<VkTensorViewARM_T> view_;
};

}  // namespace slipway::gpu
