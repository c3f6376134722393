// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs single graphs on one device, one after another: the other side of a comparison of devices.
//
//   SLIPWAY_TRY(GraphDevice device, GraphDevice::open({.executor = executor}, diagnostics));
//   Result<std::vector<Tensor>> outputs = device.run(graph, inputs);
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "model/graph_target.hpp"
#include "model/standalone/graph_runner.hpp"

namespace slipway::launch {
class Executor;
}

namespace slipway::model {

struct GraphDeviceOptions {
  std::shared_ptr<launch::Executor> executor;
  GraphChoices choices;
  bool emulates = true;  // false: graphs that the driver does not run are errors (device-lacks)
  Cache cache;           // of kernels, tuning tables and pipelines
  std::optional<std::chrono::nanoseconds> time_out;
};

class GraphDevice {
 public:
  // Waits until the driver has been asked. Errors: no-device; those of tuning tables are in `diagnostics`.
  static Result<GraphDevice> open(GraphDeviceOptions options, Diagnostics& diagnostics);

  // The driver computes the graph if it has graphs and `graphs.native` allows it. Errors: those of lowering, checking
  // the device and running.
  Result<std::vector<reference::Tensor>> run(const std::shared_ptr<const tosa::Graph>& graph,
                                             std::span<const reference::Tensor> inputs);
  GraphRunner runner() {
    return [this](const auto& graph, std::span<const reference::Tensor> inputs) { return run(graph, inputs); };
  }
  // As reports have it.
  const std::string& name() const { return name_; }

 private:
  GraphDevice(GraphDeviceOptions options, GraphOptions graphs, std::string name)
      : options_(std::move(options)), graphs_(std::move(graphs)), name_(std::move(name)) {}

  GraphDeviceOptions options_;
  GraphOptions graphs_;
  std::string name_;
};

}  // namespace slipway::model
