// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/zeroed_memory.hpp"

#include <sys/mman.h>

#include <utility>

namespace slipway {

ZeroedMemory::ZeroedMemory(std::uint64_t size) {
  if (size == 0) return;
  constexpr std::uint64_t kLargePage = std::uint64_t{2} << 20;
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  failed_ = memory == MAP_FAILED;
  if (failed_) return;
  if (size >= kLargePage) ::madvise(memory, size, MADV_HUGEPAGE);
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
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

}  // namespace slipway
