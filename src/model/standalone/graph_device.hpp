// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs single graphs on one device, one after another: the other side of a comparison of devices.
//
//   GraphDevice device({.graphs = ..., .executor = executor});
//   Result<std::vector<Tensor>> outputs = device.run(graph, inputs);
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "model/plan/graph_options.hpp"
#include "model/standalone/graph_runner.hpp"

namespace slipway::launch {
class Executor;
}

namespace slipway::model {

struct GraphDeviceOptions {
  GraphOptions graphs;  // graph_options of the executor
  std::shared_ptr<launch::Executor> executor;
  Cache cache;  // of pipelines
  std::optional<std::chrono::nanoseconds> time_out;
};

class GraphDevice {
 public:
  explicit GraphDevice(GraphDeviceOptions options) : options_(std::move(options)) {}

  // The driver computes the graph if it has graphs and `graphs.native` allows it. Errors: those of lowering, checking
  // the device and running.
  Result<std::vector<reference::Tensor>> run(const std::shared_ptr<const tosa::Graph>& graph,
                                             std::span<const reference::Tensor> inputs);
  // The device of the last run, as reports have it.
  const std::string& name() const { return name_; }

 private:
  GraphDeviceOptions options_;
  std::string name_;
};

}  // namespace slipway::model
