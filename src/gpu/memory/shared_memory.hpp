// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several buffers and images in one allocation, at offsets of it (docs/spec/scenario.md#tensors-and-memory-sharing).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/image.hpp"

namespace slipway::gpu {

// Rows of texels of an image in the same memory, as far from each other as the image's rows are.
struct SharedRows {
  std::size_t image = 0;  // the index among the images, which has to be linear
  std::uint64_t count = 1;
  std::uint64_t bytes = 0;  // of one row
};

struct SharedBuffer {
  BufferInfo info;
  std::uint64_t offset = 0;
  // Given: the buffer is as large as the rows, and its offset counts from where the image's texels begin.
  std::optional<SharedRows> rows = std::nullopt;
  std::string_view kind = "Buffer";  // what messages call it
};

struct SharedImage {
  vk::ImageInfo info;
  std::uint64_t offset = 0;
};

struct SharedMemory {
  std::vector<Buffer> buffers;  // in the order asked for
  std::vector<Image> images;
  std::uint64_t size = 0;  // bytes: the largest size + offset
};

// Errors: out-of-range with `Buffer memory offset for 'u' must be aligned to A bytes, got O` (`Image memory offset
// ...`), reported for all members together, with the
// member's name as the `uid`; device-lacks when no memory type can hold all members.
Result<SharedMemory> create_shared_memory(const Device& device, std::span<const SharedBuffer> buffers,
                                          std::span<const SharedImage> images);

}  // namespace slipway::gpu
