// How graphs are lowered for a device.
#pragma once

#include "gpu/device/snapshot.hpp"
#include "lower/lower.hpp"

namespace slipway::model {

// What kernels are chosen by, from what the driver says.
lower::DeviceFacts device_facts(const gpu::Snapshot& snapshot);

}  // namespace slipway::model
