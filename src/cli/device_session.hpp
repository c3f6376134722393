// The device of a verb that runs something: opened in the background, with what the validation layer says about it.
#pragma once

#include <memory>
#include <string>

#include "base/diagnostic.hpp"
#include "launch/execute/open_device.hpp"

namespace slipway::cli {

class DeviceSession {
 public:
  // Begins to open the device. Layers of the user's environment are listened to as well as our own (scenario page 5.4).
  DeviceSession(launch::OpenDeviceOptions request, bool validate);

  launch::DeviceOpening& opening() { return *opening_; }

  // What layers have said since the last time, as warnings.
  void add_messages(Diagnostics& diagnostics);

 private:
  struct Messages;  // which come from any thread
  std::shared_ptr<Messages> messages_;
  std::unique_ptr<launch::DeviceOpening> opening_;
};

// What `--device` says, or else SLIPWAY_DEVICE.
std::string device_selector(const std::string& option);

}  // namespace slipway::cli
