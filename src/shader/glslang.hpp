// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GLSL and HLSL through glslang.
#pragma once

#include <string>

#include "shader/compile.hpp"

namespace slipway::shader {

// Initializes glslang in the first call of a process.
Result<Compiled> compile_with_glslang(const SourcePtr& source, Language language, const Options& options);

// What determines the result besides the source and the options. Does not initialize glslang.
std::string compiler_version();

}  // namespace slipway::shader
