// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens the back ends of kernels: the only place that knows all of them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/system/cache.hpp"
#include "recipe/backend.hpp"
#include "vk/instance_options.hpp"

namespace slipway::recipe {

// Opens a back end. `selector` chooses the device: its index, a part of its name, or the UUID of a Vulkan device. With
// a prefix (`xrt:1`) it is for this back end only. If it is empty: for Vulkan, the environment variable SLIPWAY_DEVICE,
// else the first device by type; for XRT, SLIPWAY_XRT_DEVICE, else the first device. OpenCL uses the device that
// SLIPWAY_OPENCL_DEVICE names, or `opencl:` selects. `cache` is for the pipelines of Vulkan drivers. Errors:
// no-backend, no-device, device-lacks, device-failed.
// `instance` is for Vulkan.
Result<BackendPtr> open_backend(BackendKind kind, std::string_view selector, const Cache& cache,
                                const vk::InstanceOptions& instance = {});

// The back ends of one device selection. Each is opened at most once: later calls return the same back end, or the same
// failure. May be used from several threads.
class Backends {
 public:
  // `xrt_device`: an `xrt::device` of the application, which the back end XRT uses; null: the selected one.
  Backends(std::string selector, Cache cache, std::shared_ptr<const void> xrt_device = nullptr)
      : selector_(std::move(selector)), cache_(std::move(cache)), xrt_device_(std::move(xrt_device)) {}

  // The back end whose memory buffers without a recipe get: that which the selector or the application names.
  BackendKind preferred() const;

  Result<BackendPtr> open(BackendKind kind);

  // For the device of Vulkan; before it is opened.
  void set_instance(vk::InstanceOptions instance) { instance_ = std::move(instance); }

 private:
  std::string selector_;
  Cache cache_;
  std::shared_ptr<const void> xrt_device_;
  vk::InstanceOptions instance_;
  std::mutex mutex_;  // guards `opened_`
  std::map<BackendKind, Result<BackendPtr>> opened_;
};

}  // namespace slipway::recipe
