// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that ends at a page without access: reading or writing beyond it ends the process with a signal.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "base/bytes.hpp"

namespace slipway::testing {

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

}  // namespace slipway::testing
