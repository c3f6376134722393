// The buffers and images of a plan on a device.
#pragma once

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

 private:
  friend class ResourceMaker;
  void add(ResourceIndex index, gpu::Buffer buffer);
  void add(ResourceIndex index, gpu::Image image);

  std::vector<gpu::Buffer> buffers_;
  std::vector<gpu::Image> images_;
  std::vector<std::size_t> places_;  // by resource, in buffers_ or images_
};

// Members of a memory group share one allocation, each at its offset. Problems are located and reported together.
Result<Resources> create_resources(const Plan& plan, const gpu::Device& device);

}  // namespace slipway::launch
