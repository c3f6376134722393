// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives diagnostics of the device the place in the user's files that they are about.
#pragma once

#include "launch/plan/plan.hpp"

namespace slipway::launch {

// Diagnostics that have a place of their own keep it and get the origin as a note.
Failure located(Failure failure, const Origin& origin);
Diagnostic located(Diagnostic diagnostic, const Origin& origin);

}  // namespace slipway::launch
