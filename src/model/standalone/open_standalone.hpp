// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens a model and a device that can run it: the common steps of everything that runs models.
//
//   StandaloneOptions options{.file = file, .name = "net"};
//   const auto opened = open_standalone(options, opening, cache, {.timestamps = true}, diagnostics);
//   launch::run(opened->alone.plan, *opened->device, ...);
#pragma once

#include "base/system/cache.hpp"
#include "executors/vulkan/device_opening.hpp"
#include "model/standalone/standalone.hpp"

namespace slipway::model {

struct OpenModelOptions {
  bool timestamps = false;  // the device must be able to measure times
};

struct OpenedStandalone {
  Standalone alone;
  const vk::Snapshot* snapshot = nullptr;  // owned by the opening, like the device
  gpu::Device* device = nullptr;
};

// The device for a plan: checks the plan against the device, and opens the device with the needs of the plan. Null
// after an error: no-device, device-lacks, device-failed, and those of check_device.
gpu::Device* open_device_for(const launch::Plan& plan, launch::DeviceOpening& opening, const OpenModelOptions& open,
                             Diagnostics& diagnostics);

// Compiles the modules of the model and sets the facts of the device, both in `options.model`; then plans the model and
// opens the device. Empty after an error: those of compile_modules, plan_standalone and open_device_for.
std::optional<OpenedStandalone> open_standalone(StandaloneOptions& options, launch::DeviceOpening& opening,
                                                const Cache& cache, const OpenModelOptions& open,
                                                Diagnostics& diagnostics);

}  // namespace slipway::model
