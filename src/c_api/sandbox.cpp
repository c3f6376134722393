// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "slipway/sandbox.hpp"

#include "c_api/objects.hpp"

int slipway_set_sandbox(int mode) {
  using slipway::SandboxMode;
  static_assert(static_cast<int>(SandboxMode::Default) == SLIPWAY_SANDBOX_DEFAULT &&
                static_cast<int>(SandboxMode::Off) == SLIPWAY_SANDBOX_OFF &&
                static_cast<int>(SandboxMode::BestEffort) == SLIPWAY_SANDBOX_BEST_EFFORT &&
                static_cast<int>(SandboxMode::Required) == SLIPWAY_SANDBOX_REQUIRED);
  if (mode < SLIPWAY_SANDBOX_DEFAULT || mode > SLIPWAY_SANDBOX_REQUIRED) return slipway::c_api::kWrongCall;
  slipway::set_sandbox(static_cast<SandboxMode>(mode));
  return 0;
}
