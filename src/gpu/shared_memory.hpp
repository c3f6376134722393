// Several buffers and images in one allocation, at offsets of it (scenario page 3.11).
#pragma once

#include <span>
#include <vector>

#include "base/diagnostic.hpp"
#include "gpu/buffer.hpp"
#include "gpu/image.hpp"

namespace slipway::gpu {

struct SharedBuffer {
  BufferInfo info;
  std::uint64_t offset = 0;
};

struct SharedImage {
  ImageInfo info;
  std::uint64_t offset = 0;
};

struct SharedMemory {
  std::vector<Buffer> buffers;  // in the order asked for
  std::vector<Image> images;
  std::uint64_t size = 0;  // bytes: the largest size + offset
};

// Errors: out-of-range with `Buffer memory offset for 'u' must be aligned to A bytes, got O` (`Image memory offset
// ...`), reported for all members together; device-lacks when no memory type suits all members.
Result<SharedMemory> create_shared_memory(const Device& device, std::span<const SharedBuffer> buffers,
                                          std::span<const SharedImage> images);

}  // namespace slipway::gpu
