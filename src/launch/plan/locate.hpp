// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds the location in the user's files to diagnostics of the device.
#pragma once

#include "launch/plan/plan.hpp"

namespace slipway::launch {

// Diagnostics that already have a location keep it and get the origin as a note.
Failure located(Failure failure, const Origin& origin);
Diagnostic located(Diagnostic diagnostic, const Origin& origin);

}  // namespace slipway::launch
