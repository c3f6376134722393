// GLSL and HLSL through glslang.
#pragma once

#include <string>

#include "shader/compile.hpp"

namespace slipway::shader {

// Starts glslang with the first call in a process.
Result<Compiled> compile_with_glslang(const SourcePtr& source, Language language, const Options& options);

// What decides the result beside the source and the options. Does not start glslang.
std::string compiler_version();

}  // namespace slipway::shader
