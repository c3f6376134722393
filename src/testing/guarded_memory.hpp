// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that ends at a page without access: reading or writing beyond it ends the process with a signal. On systems
// without mmap the bytes after it are compared instead.
#pragma once

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "base/bytes.hpp"

namespace slipway::testing {

#if __has_include(<sys/mman.h>)

class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t size) : mapped_((size + kPage - 1) / kPage * kPage + kPage) {
    void* memory = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(static_cast<std::byte*>(memory) + mapped_ - kPage, kPage, PROT_NONE) != 0)
      throw std::runtime_error("there is no memory for a test");
    all_ = static_cast<std::byte*>(memory);
    std::fill(all_, all_ + mapped_ - kPage - size, kBefore);
    bytes_ = {all_ + mapped_ - kPage - size, size};
  }
  GuardedMemory(const GuardedMemory&) = delete;
  ~GuardedMemory() { munmap(all_, mapped_); }

  // Aligned only as far as the size is.
  MutableBytes bytes() const { return bytes_; }
  // Whether the bytes of the page before them are unchanged.
  bool is_intact() const {
    return std::all_of(all_, bytes_.data(), [](std::byte byte) { return byte == kBefore; });
  }

 private:
  static constexpr std::size_t kPage = 4096;
  static constexpr std::byte kBefore{0xc5};
  std::size_t mapped_;
  std::byte* all_ = nullptr;
  MutableBytes bytes_;
};

#else

class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t size) : all_(size + 2 * kPage, kAround), size_(size) {
    std::fill_n(all_.begin() + kPage, size_, std::byte{});
  }
  MutableBytes bytes() const { return {all_.data() + kPage, size_}; }
  bool is_intact() const {
    const auto is_around = [](std::byte byte) { return byte == kAround; };
    return std::all_of(all_.begin(), all_.begin() + kPage, is_around) &&
           std::all_of(all_.end() - kPage, all_.end(), is_around);
  }

 private:
  static constexpr std::ptrdiff_t kPage = 4096;
  static constexpr std::byte kAround{0xc5};
  mutable std::vector<std::byte> all_;
  std::size_t size_;
};

#endif

}  // namespace slipway::testing
