// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory: an allocation that one resource has to itself or several share.
#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.hpp"
#include "gpu/device/handles.hpp"

namespace slipway::gpu {

// What a resource asks of the memory it is bound to.
struct MemoryNeeds {
  std::uint64_t size = 0;
  std::uint64_t alignment = 1;
  std::uint32_t type_bits = 0;
};

class Memory {
 public:
  Memory(Owned<VmaAllocation_T> allocation, MutableBytes mapped, bool cached)
      : allocation_(std::move(allocation)), mapped_(mapped), cached_(cached) {}

  VmaAllocation_T* allocation() const { return allocation_.get(); }
  // The memory as the host sees it, coherent with the device; empty when the host cannot.
  MutableBytes mapped() const { return mapped_; }
  // Whether reading through `mapped` is fast.
  bool cached() const { return cached_; }

 private:
  Owned<VmaAllocation_T> allocation_;
  MutableBytes mapped_;
  bool cached_;
};

// Shared by the resources in it; freed with the last of them.
using MemoryPtr = std::shared_ptr<const Memory>;

}  // namespace slipway::gpu
