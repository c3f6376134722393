// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device of a verb that runs something. It is opened in the background, and messages of Vulkan layers are
// collected.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "executors/vulkan/device_opening.hpp"

namespace slipway::launch {
struct Plan;
}

namespace slipway::cli {

// The lines that shaders print, from any thread.
class ShaderPrints {
 public:
  static constexpr std::size_t kMaxLines = 10'000;

  void add(std::string line);
  // Returns the lines since the last call, at most kMaxLines and one that counts the others.
  std::vector<std::string> take();

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
  std::size_t not_kept_ = 0;
};

// The note of a shader that prints, on a machine without the validation layer.
std::string needs_printing_layer(std::string_view shader);

class DeviceSession {
 public:
  // Starts to open the device. Messages of layers that the environment enables are collected too
  // (docs/spec/scenario.md#environment).
  // With `shader_prints`, the validation layer passes on what shaders print.
  DeviceSession(launch::OpenDeviceOptions request, bool validate, bool shader_prints = false);

  launch::DeviceOpening& opening() { return *opening_; }

  // Adds the messages of layers since the last call, as warnings.
  void add_messages(Diagnostics& diagnostics);
  // Returns what shaders printed since the last call.
  std::vector<std::string> take_prints();

 private:
  struct Messages;  // layers report from any thread
  std::shared_ptr<Messages> messages_;
  std::unique_ptr<launch::DeviceOpening> opening_;
};

// The device of plans whose shaders print. It is opened with the validation layer when the first such plan runs,
// besides the device of all other plans, which need no layer.
class PrintingDevice {
 public:
  // `is_wanted` false: no plan gets it.
  PrintingDevice(launch::OpenDeviceOptions request, bool validate, bool is_wanted);

  // Returns null if no shader of the plan prints, or if the layer is not installed, which the first such plan gets as a
  // note.
  DeviceSession* for_plan(const launch::Plan& plan, Diagnostics& diagnostics);
  // Null until a plan needed it.
  DeviceSession* session() { return session_.get(); }

 private:
  launch::OpenDeviceOptions request_;
  bool validate_, is_wanted_;
  bool is_reported_ = false;
  std::unique_ptr<DeviceSession> session_;
};

}  // namespace slipway::cli
