// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/zeroed_memory.hpp"

#include <utility>

#include "platform/memory.hpp"

namespace slipway {

ZeroedMemory::ZeroedMemory(std::uint64_t size) {
  if (size == 0) return;
  void* memory = platform::map_zeroed(size);
  failed_ = !memory;
  if (failed_) return;
  platform::use_large_pages(memory, size);
  bytes_ = {static_cast<std::byte*>(memory), size};
}

ZeroedMemory::ZeroedMemory(ZeroedMemory&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), failed_(other.failed_) {}

ZeroedMemory& ZeroedMemory::operator=(ZeroedMemory&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(failed_, other.failed_);
  return *this;
}

ZeroedMemory::~ZeroedMemory() {
  if (!bytes_.empty()) platform::unmap(bytes_.data(), bytes_.size());
}

}  // namespace slipway
