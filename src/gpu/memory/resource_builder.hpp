// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making buffers and images in steps, since memory may be their own or shared: create, ask for the memory needs, bind.
// Only finished resources leave the module.
#pragma once

#include "gpu/device/device_core.hpp"
#include "gpu/memory/allocate_memory.hpp"
#include "gpu/memory/memory.hpp"

namespace slipway::vk {
struct ImageInfo;
struct TensorInfo;
}  // namespace slipway::vk

namespace slipway::gpu {

class Buffer;
class Image;
class Tensor;
struct BufferInfo;

struct ResourceBuilder {
  static Result<Buffer> create(const DeviceCore& core, const BufferInfo& info);
  static Result<Image> create(const DeviceCore& core, const vk::ImageInfo& info);
  static MemoryNeeds needs(const Buffer& buffer);
  static MemoryNeeds needs(const Image& image);
  static Result<Tensor> create(const DeviceCore& core, const vk::TensorInfo& info, std::uint64_t row_stride,
                               std::string_view name);
  static MemoryNeeds needs(const Tensor& tensor);
  static Result<> bind(Tensor& tensor, const Memory& memory, std::uint64_t offset, std::string_view name);
  static Result<> bind(Buffer& buffer, MemoryPtr memory, std::uint64_t offset);
  static Result<> bind(Image& image, MemoryPtr memory, std::uint64_t offset);
};

}  // namespace slipway::gpu
