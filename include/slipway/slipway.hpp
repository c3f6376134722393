// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole public interface of Slipway.
#pragma once

#include "slipway/bytes.hpp"          // IWYU pragma: export
#include "slipway/convert.hpp"        // IWYU pragma: export
#include "slipway/device.hpp"         // IWYU pragma: export
#include "slipway/kernel_binary.hpp"  // IWYU pragma: export
#include "slipway/model.hpp"          // IWYU pragma: export
#include "slipway/problem.hpp"        // IWYU pragma: export
#include "slipway/progress.hpp"       // IWYU pragma: export
#include "slipway/recipe.hpp"         // IWYU pragma: export
#include "slipway/rpl.hpp"            // IWYU pragma: export
#include "slipway/sandbox.hpp"        // IWYU pragma: export
#include "slipway/scenario.hpp"       // IWYU pragma: export
