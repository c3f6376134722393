// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HLSL through the program `dxc` (docs/spec/scenario.md#hlsl).
#pragma once

#include "shader/compile.hpp"

namespace slipway::shader {

// Runs `dxc`, which PATH must find. Errors: device-lacks without the program; shader-compile, with the messages of the
// program at the lines of the source; unsupported, for stages other than compute. Includes are not confined, and
// nothing is cached.
Result<Compiled> compile_with_dxc(const SourcePtr& source, const Options& options);

}  // namespace slipway::shader
