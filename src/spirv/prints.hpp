// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shaders that print: debugPrintfEXT of GLSL, printf of HLSL.
#pragma once

#include "spirv/module.hpp"

namespace slipway::spirv {

// Whether a module imports the instructions that print (NonSemantic.DebugPrintf). False for words that are not a
// module.
bool prints(WordSpan words);

}  // namespace slipway::spirv
