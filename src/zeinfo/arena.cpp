// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/arena.hpp"

#include <algorithm>
#include <new>

#include "platform/memory.hpp"

namespace slipway::zeinfo {
namespace {

using platform::kLargePage;

// Large blocks ask for huge pages: a page fault per 4 KiB costs as much as reading the text that fills it. If the
// system declines, nothing changes.
Memory block_of(std::size_t size) {
  Memory memory(static_cast<std::byte*>(size >= kLargePage ? platform::allocate_large(size) : std::malloc(size)));
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Blocks grow to two megabytes and are not initialised, so that unused parts cost no memory.
void Arena::grow(std::size_t size) {
  std::size_t block = std::max(size, next_block_);
  next_block_ = std::min(next_block_ * 2, kLargePage);
  if (block > kLargePage / 2) block = (block + kLargePage - 1) / kLargePage * kLargePage;
  blocks_.push_back(block_of(block));
  free_ = blocks_.back().get();
  left_ = block;
}

void Scratch::grow(std::size_t more) {
  capacity_ = std::max(capacity_ * 2, std::max(size_ + more, std::size_t{4096}));
  std::byte* old = memory_.release();
  auto* grown = static_cast<std::byte*>(std::realloc(old, capacity_));
  memory_.reset(grown ? grown : old);
  if (!grown) throw std::bad_alloc();
}

Memory Scratch::release() {
  if (size_ < capacity_ / 2) {
    if (auto* smaller = static_cast<std::byte*>(std::realloc(memory_.get(), std::max<std::size_t>(size_, 1)))) {
      static_cast<void>(memory_.release());
      memory_.reset(smaller);
    }
  }
  size_ = 0;
  capacity_ = 0;
  return std::move(memory_);
}

}  // namespace slipway::zeinfo
