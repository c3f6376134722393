// The buffers and images of a plan on a device.
//
// Tensors that see a linear image lie in its memory. An image that is not linear cannot share memory in a way that
// buffers understand: it has a *shadow*, a buffer with its texels, at its place in the group's memory (texel_copies.hpp
// keeps the two equal), and memory of its own.
#pragma once

#include <map>
#include <vector>

#include "gpu/buffer.hpp"
#include "gpu/image.hpp"
#include "launch/plan.hpp"

namespace slipway::launch {

class Resources {
 public:
  // The resource must be of that kind.
  const gpu::Buffer& buffer(ResourceIndex index) const { return buffers_[places_[index]]; }
  const gpu::Image& image(ResourceIndex index) const { return images_[places_[index]]; }
  // By image.
  const std::map<ResourceIndex, gpu::Buffer>& shadows() const { return shadows_; }
  // Bytes from one row of a buffer with rows to the next.
  std::uint64_t row_stride(const TexelRows& rows) const;

 private:
  friend class ResourceMaker;
  void add(ResourceIndex index, gpu::Buffer buffer);
  void add(ResourceIndex index, gpu::Image image);

  std::vector<gpu::Buffer> buffers_;
  std::vector<gpu::Image> images_;
  std::vector<std::size_t> places_;  // by resource, in buffers_ or images_
  std::map<ResourceIndex, gpu::Buffer> shadows_;
};

// Members of a memory group share one allocation, each at its offset. Problems are located and reported together.
Result<Resources> create_resources(const Plan& plan, const gpu::Device& device);

}  // namespace slipway::launch
