// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The form of all hazard warnings.
#pragma once

#include <string>

#include "launch/plan/plan.hpp"

namespace slipway::launch {

inline Diagnostic& warn_of_hazard(Diagnostics& diagnostics, const Origin& origin, std::string message) {
  return diagnostics.warning(DiagnosticKind::Hazard, origin.location(), "hazard: " + std::move(message))
      .at(origin.path(), origin.uid());
}

}  // namespace slipway::launch
