// Where the text of a shader comes from, and how problems in it are shown (scenario page, section 4).
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "scenario/input_file.hpp"
#include "scenario/model.hpp"
#include "shader/compile.hpp"

namespace slipway::scenario {

struct ShaderSource {
  ShaderType type = ShaderType::Glsl;
  std::string name;  // the path; for inline text the uid
  InputFile file;    // null for inline text
  SourcePtr text;    // null for SPIR-V
};

// Of all types but RPL, which has a compiler of its own.
shader::Language language_of(ShaderType type);

// The file or inline text of a shader, with its type as given or detected (decision 22). Errors: a file that is not
// there ("Cannot open GLSL shader file."), a type that cannot be told.
std::optional<ShaderSource> open_shader(const Scenario& scenario, const Shader& shader, Diagnostics& diagnostics);

// A problem of compiling, as the user should see it: in a file with a note where the scenario names that, in inline
// text at the characters of the scenario. Where those have escapes the text is shown as a file named after the uid.
Diagnostic in_scenario(Diagnostic problem, const Shader& shader, const ShaderSource& source);

}  // namespace slipway::scenario
