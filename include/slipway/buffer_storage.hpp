// The memory behind a buffer of a recipe, as CPU functions and buffer handles see it. C++17, no other header of ours.
//
// `slipway::bo` (which CPU libraries know as `xrt::bo`) shares one of these. The table of virtual functions is binary
// interface between the program and CPU libraries compiled at another time: functions are only ever added at its end,
// never changed, moved or taken away.
#pragma once

#include <cstddef>
#include <cstdint>

namespace slipway {

// Which side is to see what the other one wrote.
enum class sync_direction : std::uint32_t { to_device = 0, from_device = 1 };

class buffer_storage {
 public:
  buffer_storage() = default;
  buffer_storage(const buffer_storage&) = delete;
  buffer_storage& operator=(const buffer_storage&) = delete;
  virtual ~buffer_storage() = default;

  virtual std::size_t size() const noexcept = 0;
  // The host address of the first byte, the same for as long as the storage lives.
  virtual void* host_address() const = 0;
  // The device address where the back end has one, else the host address.
  virtual std::uint64_t device_address() const = 0;
  // Makes `size` bytes from `offset` on visible to the other side; nothing to do where memory is coherent. The range
  // lies inside the buffer. May throw std::runtime_error when the device fails.
  virtual void sync(sync_direction direction, std::size_t size, std::size_t offset) = 0;
};

}  // namespace slipway
