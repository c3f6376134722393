// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens the back ends of kernels: the only place that knows all of them.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/cache.hpp"
#include "recipe/backend.hpp"

namespace slipway::recipe {

// Opens a back end. `selector` chooses the Vulkan device by index, UUID or part of its name; if empty, the environment
// variable SLIPWAY_DEVICE, else the first device by type. OpenCL uses the device that SLIPWAY_OPENCL_DEVICE names, XRT
// the first one. `cache` is for the pipelines of Vulkan drivers. Errors: no-backend, no-device, device-lacks,
// device-failed.
Result<BackendPtr> open_backend(BackendKind kind, std::string_view selector, const Cache& cache);

// The back ends of one device selection. Each is opened at most once: later calls return the same back end, or the same
// failure. May be used from several threads.
class Backends {
 public:
  Backends(std::string selector, Cache cache) : selector_(std::move(selector)), cache_(std::move(cache)) {}

  Result<BackendPtr> open(BackendKind kind);

 private:
  std::string selector_;
  Cache cache_;
  std::mutex mutex_;  // guards `opened_`
  std::map<BackendKind, Result<BackendPtr>> opened_;
};

}  // namespace slipway::recipe
