// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a conformance run judges: an executor, the graphs on it, and what the rows of one process share.
//
//   RunTarget target({.executor = executors::open_executor({.selector = "0"})});
//   SLIPWAY_TRY(model::GraphDevice* const graphs, target.graphs());
#pragma once

#include <optional>
#include <utility>

#include "base/diagnostic.hpp"
#include "model/standalone/graph_device.hpp"

namespace slipway::conformance {

class RunTarget {
 public:
  explicit RunTarget(model::GraphDeviceOptions options);

  const model::GraphDeviceOptions& options() const { return options_; }
  launch::Executor& executor() { return *options_.executor; }
  // Opened on first use. Errors: no-device, those of tuning tables.
  Result<model::GraphDevice*> graphs();

  // Its index in the order of the loader. Errors: no-device; device-lacks, where it is not a Vulkan device.
  Result<std::size_t> vulkan_index();

  // Warnings of what was opened.
  Diagnostics take_diagnostics() { return std::exchange(diagnostics_, {}); }

 private:
  model::GraphDeviceOptions options_;
  std::optional<model::GraphDevice> graphs_;
  Diagnostics diagnostics_;
};

}  // namespace slipway::conformance
