// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `xrt::bo` without XRT: a handle of a buffer, or of a part of one. C++17; header only.
//
// It has the members of XRT's class that recipes and CPU functions use, with the same meaning. The class is in a
// namespace of its own, so that its symbols never collide with those of XRT in one process. With SLIPWAY_WITH_XRT,
// `xrt::bo` is XRT's class, and this one is named `slipway::bo` only.
//
//   auto bo = std::any_cast<xrt::bo>(args.at(0));
//   float* values = bo.map<float*>();
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "slipway/buffer_storage.hpp"

namespace xrt {
#if !defined(SLIPWAY_WITH_XRT)
inline
#endif
    namespace slipway_v1 {

enum xclBOSyncDirection {
  XCL_BO_SYNC_BO_TO_DEVICE = 0,
  XCL_BO_SYNC_BO_FROM_DEVICE = 1,
  XCL_BO_SYNC_BO_GMIO_TO_AIE = 2,
  XCL_BO_SYNC_BO_AIE_TO_GMIO = 3,
};

// Copies are handles of the same buffer. A handle may be used from several threads, which must synchronise their
// accesses to the bytes.
class bo {
 public:
  // Accepted for source compatibility; all buffers are host memory that the device can access.
  enum class flags : std::uint32_t {
    normal = 0,
    cacheable = 1u << 24,
    device_only = 1u << 28,
    host_only = 1u << 29,
    p2p = 1u << 30,
    svm = 1u << 27,
    carveout = 1u << 25,
  };

  bo() = default;

  // A new buffer of zeros on a device of libslipway (slipway/runner.hpp). `flags` and `group` have no effect.
  template <class Device, class = decltype(slipway_make_buffer(std::declval<const Device&>(), std::size_t{}))>
  bo(const Device& device, std::size_t size, flags = flags::normal, std::uint32_t = 0)
      : bo(slipway_make_buffer(device, size)) {}

  // A handle of a whole storage. For the program; libraries rarely need it.
  explicit bo(std::shared_ptr<slipway::buffer_storage> storage)
      : storage_(std::move(storage)), size_(storage_ ? storage_->size() : 0) {}

  // A part of a buffer, sharing its storage. Throws std::invalid_argument if `size` is 0 or the part is too large.
  bo(const bo& parent, std::size_t size, std::size_t offset)
      : storage_(parent.storage_), size_(size), offset_(parent.offset_ + offset) {
    if (size == 0 || offset > parent.size_ || size > parent.size_ - offset) {
      throw std::invalid_argument("sub buffer size and offset: Invalid argument");
    }
  }

  // The storage of this handle, and the offset in bytes at which the handle begins.
  const std::shared_ptr<slipway::buffer_storage>& shared_storage() const { return storage_; }
  std::size_t storage_offset() const { return offset_; }

  explicit operator bool() const { return storage_ != nullptr; }
  friend bool operator==(const bo& a, const bo& b) {
    return a.storage_ == b.storage_ && a.offset_ == b.offset_ && a.size_ == b.size_;
  }
  friend bool operator!=(const bo& a, const bo& b) { return !(a == b); }
  friend bool operator<(const bo& a, const bo& b) {
    if (a.storage_ != b.storage_) return std::less<const void*>()(a.storage_.get(), b.storage_.get());
    return a.offset_ != b.offset_ ? a.offset_ < b.offset_ : a.size_ < b.size_;
  }

  std::size_t size() const { return size_; }
  std::uint64_t address() const { return storage().device_address() + offset_; }

  // The host address, valid while any handle of the buffer exists.
  void* map() { return bytes(); }
  const void* map() const { return bytes(); }
  template <class Pointer>
  Pointer map() {
    static_assert(std::is_pointer<Pointer>::value, "map<T>() returns a pointer: bo.map<float*>()");
    return static_cast<Pointer>(static_cast<void*>(bytes()));
  }
  template <class Pointer>
  Pointer map() const {
    static_assert(std::is_pointer<Pointer>::value && std::is_const<std::remove_pointer_t<Pointer>>::value,
                  "a const bo maps to a pointer to const: bo.map<const float*>()");
    return static_cast<Pointer>(static_cast<const void*>(bytes()));
  }

  void write(const void* source, std::size_t size, std::size_t seek) {
    check(size, seek, "attempting to write past buffer size");
    if (size != 0) std::memcpy(bytes() + seek, source, size);
  }
  void write(const void* source) { write(source, size_, 0); }
  void read(void* destination, std::size_t size, std::size_t skip) const {
    check(size, skip, "attempting to read past buffer size");
    if (size != 0) std::memcpy(destination, bytes() + skip, size);
  }
  void read(void* destination) const { read(destination, size_, 0); }

  void copy(const bo& source, std::size_t size, std::size_t source_offset = 0, std::size_t offset = 0) {
    source.check(size, source_offset, "attempting to read past buffer size");
    check(size, offset, "attempting to write past buffer size");
    if (size != 0) std::memmove(bytes() + offset, source.bytes() + source_offset, size);
  }
  void copy(const bo& source) { copy(source, source.size_); }

  void sync(xclBOSyncDirection direction, std::size_t size, std::size_t offset) {
    check(size, offset, "attempting to sync past buffer size");
    if (direction != XCL_BO_SYNC_BO_TO_DEVICE && direction != XCL_BO_SYNC_BO_FROM_DEVICE) {
      throw std::runtime_error("sync between GMIO and AIE needs XRT");
    }
    storage().sync(static_cast<slipway::sync_direction>(direction), size, offset_ + offset);
  }
  void sync(xclBOSyncDirection direction) { sync(direction, size_, 0); }

 private:
  slipway::buffer_storage& storage() const {
    if (!storage_) throw std::runtime_error("this xrt::bo is empty");
    return *storage_;
  }
  char* bytes() const { return static_cast<char*>(storage().host_address()) + offset_; }
  void check(std::size_t size, std::size_t offset, const char* message) const {
    if (offset > size_ || size > size_ - offset) throw std::runtime_error(message);
  }

  std::shared_ptr<slipway::buffer_storage> storage_;
  std::size_t size_ = 0;
  std::size_t offset_ = 0;
};

}  // namespace slipway_v1
}  // namespace xrt

#if !defined(SLIPWAY_WITH_XRT)
using xrt::slipway_v1::XCL_BO_SYNC_BO_AIE_TO_GMIO;
using xrt::slipway_v1::XCL_BO_SYNC_BO_FROM_DEVICE;
using xrt::slipway_v1::XCL_BO_SYNC_BO_GMIO_TO_AIE;
using xrt::slipway_v1::XCL_BO_SYNC_BO_TO_DEVICE;
using xrt::slipway_v1::xclBOSyncDirection;
#endif

namespace slipway {
using bo = xrt::slipway_v1::bo;
}
