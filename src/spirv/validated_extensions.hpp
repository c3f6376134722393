// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace slipway::spirv {

// False: this version of SPIRV-Tools does not know tensors or graphs, and `validate` accepts each module that has them.
bool validates_tensors();

}  // namespace slipway::spirv
