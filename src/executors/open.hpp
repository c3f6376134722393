// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens executors. Clients ask here for kinds of them, and include none.
//
//   const std::shared_ptr<launch::Executor> executor = open_executor({.selector = options.device});
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "launch/executor.hpp"
#include "launch/executor_request.hpp"

namespace slipway::vk {
struct Snapshot;
}

namespace slipway::executors {

struct ExecutorKind {
  std::string_view name;             // of its directory
  bool runs_graphs_on_host = false;  // as ExecutorInfo
  // Whether a selector names one of them; `selected`: with SLIPWAY_DEVICE where the request has none.
  bool (*takes)(std::string_view selected);
  std::shared_ptr<launch::Executor> (*open)(const launch::ExecutorRequest& request);
  // Those of the machine. Errors: no-device.
  Result<std::vector<launch::ExecutorInfo>> (*list)();
};

// The first one that takes a selector opens it; the last one takes all.
std::span<const ExecutorKind> kinds();
// The kind that opens a selector, or what SLIPWAY_DEVICE names if it is empty.
const ExecutorKind& kind_of(std::string_view selector);
// The kind that runs graphs without a device.
const ExecutorKind& host_kind();

// The Vulkan devices of the machine, in the loader's order. Errors: no-device, without a Vulkan loader or driver.
Result<std::vector<vk::Snapshot>> vulkan_devices();
// The one that a selector names (vk::choose_device).
Result<vk::Snapshot> vulkan_device(std::string_view selector);

// Starts to open it in the background, while the caller still reads its input. What fails is reported by Executor::info
// and Executor::prepare.
std::shared_ptr<launch::Executor> open_executor(const launch::ExecutorRequest& request);

}  // namespace slipway::executors
