// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libMLIR as a service of the sandbox: a file to a graph (mlir_reply.hpp).
#pragma once

#include "sandbox/sandbox.hpp"

namespace slipway::tosa {

extern const sandbox::Service kMlirService;

}  // namespace slipway::tosa
