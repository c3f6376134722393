// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GLSL and HLSL through glslang.
#pragma once

#include "shader/language.hpp"
#include "shader/options.hpp"

namespace slipway::shader {

// Initializes glslang in the first call of a process.
Result<Compiled> compile_with_glslang(const SourcePtr& source, Language language, const Options& options);

}  // namespace slipway::shader
