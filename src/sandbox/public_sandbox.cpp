// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "slipway/sandbox.hpp"

#include "sandbox/sandbox.hpp"

namespace slipway {

void set_sandbox(SandboxMode mode) noexcept { sandbox::set_mode(mode); }

}  // namespace slipway
