// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the back end `xrt`. Only this directory includes XRT's headers, and it catches all exceptions of XRT.
#pragma once

#include <xrt/experimental/xrt_elf.h>
#include <xrt/experimental/xrt_ext.h>
#include <xrt/experimental/xrt_kernel.h>
#include <xrt/experimental/xrt_module.h>
#include <xrt/experimental/xrt_system.h>
#include <xrt/experimental/xrt_xclbin.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_hw_context.h>
#include <xrt/xrt_kernel.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "recipe/plan.hpp"

namespace slipway::recipe::xrt_module {

class XrtBuffer final : public buffer_storage {
 public:
  explicit XrtBuffer(::xrt::bo bo) : bo_(std::move(bo)), host_(bo_.map<void*>()) {}

  std::size_t size() const noexcept override { return bo_.size(); }
  void* host_address() const override { return host_; }
  std::uint64_t device_address() const override { return bo_.address(); }
  void sync(sync_direction direction, std::size_t size, std::size_t offset) override {
    bo_.sync(direction == sync_direction::to_device ? XCL_BO_SYNC_BO_TO_DEVICE : XCL_BO_SYNC_BO_FROM_DEVICE, size,
             offset);
  }
  const void* native(const char* type) const override { return type == std::string_view("xrt::bo") ? &bo_ : nullptr; }

 private:
  ::xrt::bo bo_;
  void* host_;
};

// XRT's object of a buffer that this back end, or the application through `slipway::from_xrt`, made; null for others.
inline const ::xrt::bo* native_of(const buffer_storage& buffer) {
  return static_cast<const ::xrt::bo*>(buffer.native("xrt::bo"));
}
// The whole buffer, or a sub-buffer that shares its storage. Both in bytes.
inline ::xrt::bo part_of(const ::xrt::bo& buffer, std::uint64_t offset, std::uint64_t size) {
  return offset == 0 && size == buffer.size() ? buffer : ::xrt::bo(buffer, size, offset);
}

// A hardware context and its design. `registered` keeps data alive that XRT reads lazily.
struct HardwareContext {
  ::xrt::hw_context context;
  ::xrt::xclbin registered;
  std::string name;
};

class XrtKernel final : public LoadedKernel {
 public:
  std::string name, instance;
  SourceLocation location;
  Signature signature;
  std::shared_ptr<HardwareContext> context;
  ::xrt::kernel kernel;
};

// A failure with `what` and the text of the exception of XRT. Must be called inside a handler.
std::unexpected<Failure> xrt_failed(DiagnosticKind kind, const SourceLocation& location, std::string_view what);

// Errors: run-failed, device-failed.
Result<ListPtr> make_list(std::span<const KernelRun> runs, const ListOptions& options);

}  // namespace slipway::recipe::xrt_module
