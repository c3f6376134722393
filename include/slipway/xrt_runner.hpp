// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For programs that were written for XRT. C++17; with SLIPWAY_WITH_XRT, the version that XRT's headers need.
//
// Without SLIPWAY_WITH_XRT: `xrt::runner`, `xrt::device` and `xrt::bo` are Slipway's classes; nothing of XRT is needed
// to compile, link or run.
//
// With SLIPWAY_WITH_XRT: these names are XRT's own classes, and `from_xrt` passes their objects to Slipway's:
//
//   xrt::device npu(0);
//   xrt::bo ifm = xrt::ext::bo(npu, 64);
//   slipway::runner runner(slipway::from_xrt(npu), "recipe.json");
//   runner.bind_input("ifm", slipway::from_xrt(ifm));
//
// The program calls `sync` after it wrote to a buffer and before it reads one, as with XRT.
#pragma once

#include "slipway/recipe.hpp"

#if defined(SLIPWAY_WITH_XRT)
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>

#include <cstring>

namespace slipway {

// The buffer of an `xrt::bo`, shared with it. Threads: as `xrt::bo`.
class xrt_buffer_storage final : public buffer_storage {
 public:
  explicit xrt_buffer_storage(::xrt::bo buffer) : buffer_(std::move(buffer)), host_(buffer_.map<void*>()) {}
  std::size_t size() const noexcept override { return buffer_.size(); }
  void* host_address() const override { return host_; }
  std::uint64_t device_address() const override { return buffer_.address(); }
  void sync(sync_direction direction, std::size_t size, std::size_t offset) override {
    buffer_.sync(direction == sync_direction::to_device ? ::XCL_BO_SYNC_BO_TO_DEVICE : ::XCL_BO_SYNC_BO_FROM_DEVICE,
                 size, offset);
  }
  const void* native(const char* type) const override {
    return std::strcmp(type, "xrt::bo") == 0 ? static_cast<const void*>(&buffer_) : nullptr;
  }

 private:
  ::xrt::bo buffer_;
  void* host_;
};

inline bo from_xrt(::xrt::bo buffer) { return bo(std::make_shared<xrt_buffer_storage>(std::move(buffer))); }
inline device from_xrt(::xrt::device npu) {
  return slipway_adopt_xrt_device(std::make_shared<const ::xrt::device>(std::move(npu)));
}

}  // namespace slipway

#else

namespace xrt {
using slipway::device;
using slipway::runner;
}  // namespace xrt

namespace xrt_core {
using slipway::runner;
}  // namespace xrt_core

#endif
