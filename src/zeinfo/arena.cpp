#include "zeinfo/arena.hpp"

#include <algorithm>

namespace slipway::zeinfo {

// Blocks grow to a megabyte, and are not filled before use, so that what is not needed costs no memory.
void Arena::grow(std::size_t size) {
  constexpr std::size_t kLargestBlock = std::size_t{1} << 20;
  const std::size_t block = std::max(size, next_block_);
  next_block_ = std::min(next_block_ * 2, kLargestBlock);
  blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block));
  free_ = blocks_.back().get();
  left_ = block;
}

}  // namespace slipway::zeinfo
