// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same as slipway/recipe.hpp, under the name of its class.
#pragma once

#include "slipway/recipe.hpp"  // IWYU pragma: export
