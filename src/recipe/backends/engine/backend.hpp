// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The back end for models whose graphs run on the host: on the CPU engine, or in the interpreter
// (docs/recipes.md#models-on-the-cpu). Their plans run as those of scenarios and models do (launch/run.hpp).
#pragma once

#include "recipe/backend.hpp"

namespace slipway::recipe {

BackendPtr make_engine_backend();

}  // namespace slipway::recipe
