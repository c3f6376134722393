// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/diagnostic.hpp"
#include "recipe/plan.hpp"

namespace slipway::recipe {

// Warns about buffers whose addresses the control code of their kernel does not have: unused-resource. `check` does; a
// run passes them to XRT, as the shipped runner.
void check_patched_arguments(const Plan& plan, Diagnostics& diagnostics);

}  // namespace slipway::recipe
