// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conformance/run_target.hpp"

namespace slipway::conformance {

RunTarget::RunTarget(model::GraphDeviceOptions options) : options_(std::move(options)) {}

Result<model::GraphDevice*> RunTarget::graphs() {
  if (!graphs_) {
    SLIPWAY_TRY(graphs_, model::GraphDevice::open(options_, diagnostics_));
  }
  return &*graphs_;
}

}  // namespace slipway::conformance
