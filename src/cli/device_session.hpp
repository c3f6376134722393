// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device of a verb that runs something. It is opened in the background, and messages of Vulkan layers are
// collected.
#pragma once

#include <memory>
#include <string>

#include "base/diagnostic.hpp"
#include "launch/execute/open_device.hpp"

namespace slipway::launch {
struct Plan;
}

namespace slipway::cli {

// The error of a plan that `--device cpu` does not run. `why`: what launch::why_not_on_host returns.
std::string needs_vulkan(const launch::Plan& plan, std::string_view why);

class DeviceSession {
 public:
  // Starts to open the device. Messages of layers that the environment enables are collected too
  // (docs/spec/scenario.md#environment).
  DeviceSession(launch::OpenDeviceOptions request, bool validate);

  launch::DeviceOpening& opening() { return *opening_; }

  // Adds the messages of layers since the last call, as warnings.
  void add_messages(Diagnostics& diagnostics);

 private:
  struct Messages;  // layers report from any thread
  std::shared_ptr<Messages> messages_;
  std::unique_ptr<launch::DeviceOpening> opening_;
};

}  // namespace slipway::cli
