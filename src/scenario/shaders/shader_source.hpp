// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The source of a shader's text, and the location of diagnostics in it (docs/spec/scenario.md#messages).
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "scenario/contents/input_file.hpp"
#include "scenario/model.hpp"
#include "shader/compile.hpp"

namespace slipway::scenario {

struct ShaderSource {
  ShaderType type = ShaderType::Glsl;
  std::string name;  // the path; for inline text the uid
  InputFile file;    // null for inline text
  SourcePtr text;    // null for SPIR-V
};

// For all types except RPL, which has its own compiler.
shader::Language language_of(ShaderType type);

// The file or inline text of a shader, with its type as given or detected (docs/spec/scenario.md#decision-22). Errors:
// a missing file ("Cannot open GLSL shader file."), a type that cannot be determined.
std::optional<ShaderSource> open_shader(const Scenario& scenario, const Shader& shader, Diagnostics& diagnostics);

// Relocates a diagnostic of the compiler: in a file with a note at the location where the scenario names the file, in
// inline text at the characters of the scenario. Where these contain escapes, the text is shown as a file named after
// the uid.
Diagnostic in_scenario(Diagnostic problem, const Shader& shader, const ShaderSource& source);

}  // namespace slipway::scenario
