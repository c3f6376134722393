// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a buffer of a recipe, as CPU functions and buffer handles see it. C++17, without other headers of
// Slipway.
//
// `slipway::bo` (which CPU libraries know as `xrt::bo`) shares one of these. The table of virtual functions is a
// binary interface between the program and CPU libraries of other versions: functions may be added at its end, but
// never changed, moved or removed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace slipway {

// The side that sees what the other one wrote.
enum class sync_direction : std::uint32_t { to_device = 0, from_device = 1 };

// Several threads may call the functions at once; they synchronise their accesses to the bytes.
class buffer_storage {
 public:
  buffer_storage() = default;
  buffer_storage(const buffer_storage&) = delete;
  buffer_storage& operator=(const buffer_storage&) = delete;
  virtual ~buffer_storage() = default;

  virtual std::size_t size() const noexcept = 0;
  // The host address of the first byte, constant for the lifetime of the storage.
  virtual void* host_address() const = 0;
  // The device address if the back end has one, else the host address.
  virtual std::uint64_t device_address() const = 0;
  // Makes `size` bytes from `offset` on visible to the other side; does nothing if memory is coherent. The range is
  // inside the buffer. May throw std::runtime_error if the device fails.
  virtual void sync(sync_direction direction, std::size_t size, std::size_t offset) = 0;
  // The object of another interface that this storage wraps, or null. The type "xrt::bo" is XRT's class.
  virtual const void* native(const char* type) const {
    static_cast<void>(type);
    return nullptr;
  }
};

}  // namespace slipway
