// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device of the public interface (include/slipway/device.hpp).
#pragma once

#include <memory>

#include "launch/executor.hpp"
#include "slipway/device.hpp"

namespace slipway {

struct Device::State {
  std::shared_ptr<launch::Executor> executor;
  DeviceInfo info;
};

}  // namespace slipway
