// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GLSL and HLSL of the modules in models.
#pragma once

#include "base/diagnostic.hpp"
#include "base/system/cache.hpp"
#include "vgf/read.hpp"

namespace slipway::model {

// Reports what compiling the text of the modules reports in a run.
void check_code(const vgf::File& file, const Cache& cache, Diagnostics& diagnostics);

}  // namespace slipway::model
