// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any shader source to SPIR-V words: GLSL and HLSL through glslang, SPIR-V assembly through SPIRV-Tools, SPIR-V
// unchanged.
//
//   const Result<Compiled> compiled = compile(source, Language::Glsl, {.directory = path.parent_path()});
//
// docs/spec/scenario.md#shaders: `#version 460` where the text has none, Vulkan 1.3 client, SPIR-V 1.6, debug
// information, no optimisation. Safe to call from several threads. glslang is initialized once per process, with the
// first GLSL or HLSL source. The result is not validated: `spirv::validate`.
#pragma once

#include "shader/language.hpp"
#include "shader/options.hpp"

namespace slipway::shader {

// Errors: shader-compile, with the text `Compilation error`, at the line of the shader or of the file that it includes;
// unsupported, for stages that are not supported in a language; those of `read_module` for SPIR-V. The options are
// those of GLSL and HLSL: SPIR-V and its assembly need none.
Result<Compiled> compile(const SourcePtr& source, Language language, const Options& options = {});

}  // namespace slipway::shader
