// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conformance/run_target.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "executors/open.hpp"
#include "vk/snapshot.hpp"

namespace slipway::conformance {

RunTarget::RunTarget(model::GraphDeviceOptions options) : options_(std::move(options)) {}

Result<model::GraphDevice*> RunTarget::graphs() {
  if (!graphs_) {
    SLIPWAY_TRY(graphs_, model::GraphDevice::open(options_, diagnostics_));
  }
  return &*graphs_;
}

Result<std::size_t> RunTarget::vulkan_index() {
  SLIPWAY_TRY(const launch::ExecutorInfo info, executor().info());
  if (!info.vulkan)
    return fail(DiagnosticKind::DeviceLacks, {},
                formatted("{} is not a Vulkan device; choose one with --device", info.name));
  SLIPWAY_TRY(const std::vector<vk::Snapshot> devices, executors::vulkan_devices());
  const auto found = std::ranges::find_if(devices, [&](const vk::Snapshot& one) {
    return one.device_uuid == info.vulkan->device_uuid && one.name == info.vulkan->name;
  });
  if (found == devices.end()) return fail(DiagnosticKind::NoDevice, {}, "the device is not there any more");
  return static_cast<std::size_t>(found - devices.begin());
}

}  // namespace slipway::conformance
