// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zeroed memory, mapped for one owner: pages that are never touched cost nothing.
//
//   ZeroedMemory memory(size);
//   if (memory.failed()) ...
//   use(memory.bytes());
#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace slipway {

class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  // In large pages where the size allows it. Without memory for `size` bytes the object is empty and has failed.
  explicit ZeroedMemory(std::uint64_t size);
  ZeroedMemory(ZeroedMemory&& other) noexcept;
  ZeroedMemory& operator=(ZeroedMemory&& other) noexcept;
  ~ZeroedMemory();

  bool failed() const { return failed_; }
  // At the beginning of a page. Empty for a size of 0.
  MutableBytes bytes() const { return bytes_; }
  std::byte* data() const { return bytes_.data(); }

 private:
  MutableBytes bytes_;
  bool failed_ = false;
};

}  // namespace slipway
