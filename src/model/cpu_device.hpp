// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU engine as a device: what reports, lists and tuning tables call it.
#pragma once

#include "vk/snapshot.hpp"

namespace slipway::model {

// What `--device` calls it.
inline constexpr const char* kCpuDevice = "cpu";

// Whether this build has the engine and this CPU can run it.
bool has_cpu_engine();

// Its name, and ids for tuning tables. It has no features of Vulkan.
vk::Snapshot cpu_snapshot();

}  // namespace slipway::model
