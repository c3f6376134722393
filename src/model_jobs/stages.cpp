// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_jobs/stages.hpp"

#include "base/format.hpp"

namespace slipway::model {

Failure stopped_failure(const Stopped& stopped) {
  return {{.kind = DiagnosticKind::Interrupted,
           .message = formatted("the progress callback stopped the call at the stage `{}`", stopped.stage)}};
}

std::string_view stage_after(std::string_view pass) {
  return pass == "read" ? "narrow" : pass == "narrow" ? "simplify" : "encode";
}

}  // namespace slipway::model
