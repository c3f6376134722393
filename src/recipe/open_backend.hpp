// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens the back ends of kernels: the only place that knows all of them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/system/cache.hpp"
#include "launch/executor.hpp"
#include "recipe/backend.hpp"

namespace slipway::recipe {

// The back ends of one device selection. Each is opened at most once: later calls return the same back end, or the same
// failure. May be used from several threads.
class Backends {
 public:
  // `selector` chooses the device: its index, a part of its name, or the UUID of a Vulkan device. With a prefix
  // (`xrt:1`) it is for this back end only. If it is empty: for Vulkan, the environment variable SLIPWAY_DEVICE, else
  // the first device by type; for XRT, SLIPWAY_XRT_DEVICE, else the first device. OpenCL uses the device that
  // SLIPWAY_OPENCL_DEVICE names, or `opencl:` selects. `cache` is for the pipelines of Vulkan drivers. `xrt_device`: an
  // `xrt::device` of the application, which the back end XRT uses; null: the selected one.
  Backends(std::string selector, Cache cache, std::shared_ptr<const void> xrt_device = nullptr)
      : selector_(std::move(selector)), cache_(std::move(cache)), xrt_device_(std::move(xrt_device)) {}

  // The back end whose memory buffers without a recipe get: that which the selector or the application names.
  BackendKind preferred() const;

  // Errors: no-backend, no-device, device-lacks, device-failed.
  Result<BackendPtr> open(BackendKind kind);

  // Of Vulkan. `want_prints`: before it is opened.
  void want_prints() { wants_prints_ = true; }
  bool shows_prints() const { return vulkan_ && vulkan_->shows_prints(); }
  std::vector<std::string> take_prints() { return vulkan_ ? vulkan_->take_prints() : std::vector<std::string>(); }
  std::vector<Diagnostic> take_messages() { return vulkan_ ? vulkan_->take_messages() : std::vector<Diagnostic>(); }

 private:
  Result<BackendPtr> open_new(BackendKind kind);

  std::string selector_;
  Cache cache_;
  std::shared_ptr<const void> xrt_device_;
  bool wants_prints_ = false;
  std::shared_ptr<launch::Executor> vulkan_;
  std::mutex mutex_;  // guards `opened_`
  std::map<BackendKind, Result<BackendPtr>> opened_;
};

}  // namespace slipway::recipe
