// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How graphs are lowered for a device.
#pragma once

#include "lower/lower.hpp"
#include "vk/snapshot.hpp"

namespace slipway::model {

// The facts that lowering depends on, from the properties that the driver reports. With SLIPWAY_BARRIERS=all in the
// environment, dispatches do not count as starting in order.
lower::DeviceFacts device_facts(const vk::Snapshot& snapshot);

}  // namespace slipway::model
