// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device of slipway/slipway.h.
#pragma once

#include "slipway/device.hpp"
#include "slipway/slipway.h"

struct slipway_device {
  slipway::Device device;
};
