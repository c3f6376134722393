// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device of `--compare device:NAME`, which computes the same graphs from the same inputs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/standalone/graph_runner.hpp"

namespace slipway::launch {
class Executor;
}
namespace slipway::model {
class GraphDevice;
}

namespace slipway::cli {

struct LaunchGroup;

// What the value of --compare names: nothing for `reference`, otherwise the selector of a device, which is `cpu` for
// the CPU engine. Errors: usage.
std::optional<std::string> compared_device(const std::string& value, Diagnostics& diagnostics);

class OtherDevice {
 public:
  // Starts to open the device. The options are those of the run.
  OtherDevice(std::string selector, const LaunchGroup& options);
  ~OtherDevice();

  // Waits until the driver has been asked. False after an error: no-device, and those of tuning tables.
  bool prepare(Diagnostics& diagnostics);
  // After `prepare`; uses this object.
  model::GraphRunner runner();
  // As reports have it.
  const std::string& name() const { return name_; }
  void add_messages(Diagnostics& diagnostics);

 private:
  std::string selector_, name_;
  const LaunchGroup& options_;
  std::shared_ptr<launch::Executor> executor_;
  std::unique_ptr<model::GraphDevice> device_;
};

}  // namespace slipway::cli
