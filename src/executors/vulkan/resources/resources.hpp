// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The buffers and images of a plan on a device.
//
// Tensors that see a linear image lie in its memory. An image that is not linear cannot share memory in a way that
// buffers understand: it has a *shadow*, a buffer with a copy of its texels, at its offset in the group's memory
// (texel_copies.hpp keeps the two equal), and memory of its own.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "gpu/memory/buffer.hpp"
#include "gpu/memory/image.hpp"
#include "launch/plan/plan.hpp"

namespace slipway::launch {

class ExternalBuffer;  // executor.hpp

class Resources {
 public:
  // The resource must be of that kind.
  const gpu::Buffer& buffer(ResourceIndex index) const {
    return external_[index] ? *external_[index] : buffers_[indices_[index]];
  }
  const gpu::Image& image(ResourceIndex index) const { return images_[indices_[index]]; }
  // By image.
  const std::map<ResourceIndex, gpu::Buffer>& shadows() const { return shadows_; }
  // Bytes from one row of a buffer with rows to the next.
  std::uint64_t row_stride(const TexelRows& rows) const;

 private:
  friend class PlanResources;
  void add(ResourceIndex index, gpu::Buffer buffer);
  void add(ResourceIndex index, gpu::Image image);

  std::vector<gpu::Buffer> buffers_;
  std::vector<gpu::Image> images_;
  std::vector<std::size_t> indices_;          // by resource, in buffers_ or images_
  std::vector<const gpu::Buffer*> external_;  // by resource; null: its own
  std::map<ResourceIndex, gpu::Buffer> shadows_;
};

// Members of a memory group share one allocation, each at its offset. `external` are VulkanBuffers, by
// Buffer::external. Problems are located and reported together.
Result<Resources> create_resources(const Plan& plan, const gpu::Device& device,
                                   std::span<const ExternalBuffer* const> external = {});

}  // namespace slipway::launch
