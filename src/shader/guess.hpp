// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a shader file is when nothing says so: its language, stage and entry point, from its suffixes and its text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "shader/language.hpp"
#include "spirv/reflect/reflect.hpp"

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

// Adds the functions that can be compute entry points to the message about one that the HLSL text does not have.
void name_entry_points(Diagnostic& missing, std::string_view text);

}  // namespace slipway::shader
