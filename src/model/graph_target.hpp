// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What follows from an executor for the graphs that it runs: who computes them, with which facts of the device, tuning
// and graphs of the driver.
#pragma once

#include <memory>
#include <optional>

#include "model/plan/graph_options.hpp"

namespace slipway::launch {
class Executor;
}
namespace slipway::vgf {
struct File;
}

namespace slipway::model {

// What a caller chooses; it does not depend on the executor.
struct GraphChoices {
  std::optional<Engine> engine;  // nothing: as is best on the executor
  unsigned threads = 0;          // of the CPU engine; 0: one for each CPU
  bool pin_threads = false;
  bool fuse = true;
  bool native = true;                         // graphs of the driver are used where it has them
  std::shared_ptr<const cpu::Target> target;  // as in GraphOptions
};

// Without an executor the device is unknown, and kernels use only what every device has. Errors: no-device; those of
// tuning tables are in `diagnostics`, with their warnings.
Result<GraphOptions> graph_options(launch::Executor* executor, const GraphChoices& choices, const Cache& cache,
                                   Diagnostics& diagnostics);

// Who runs a model: the CPU if it consists of graphs of tensors, and the choices name another engine than kernels, or
// `is_free`, because the caller asks for no device in particular, and there is neither a GPU nor a driver with graphs.
// Otherwise `opened`, which may be null.
std::shared_ptr<launch::Executor> executor_for(const vgf::File& file, const GraphChoices& choices,
                                               std::shared_ptr<launch::Executor> opened, bool is_free);

}  // namespace slipway::model
