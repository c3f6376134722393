// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a shader file is when nothing says so: its language, stage and entry point, from its suffixes and its text.
#pragma once

#include <optional>
#include <string>

#include "shader/compile.hpp"

namespace slipway::shader {

struct Guess {
  Language language = Language::Glsl;
  // Of text. SPIR-V and its assembly name their own stages and entry points.
  spirv::Stage stage = spirv::Stage::Compute;
  std::string entry = "main";
};

// Empty for a file that is not a shader. `main.vert`, `main.vert.glsl` and `main.vs.hlsl` are vertex shaders by their
// names; for other names `gl_Position`, `SV_Target`, `[numthreads(...)]` and the like decide.
std::optional<Guess> guess(const Path& path, Bytes bytes);

}  // namespace slipway::shader
