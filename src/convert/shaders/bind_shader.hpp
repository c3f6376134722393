// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Binds nodes of an imported model to a compute shader (docs/spec/import.md#operators-from-shaders).
//
//   if (auto bound = bind_shader("warp.comp", read_text, diagnostics)) options.shaders["com.acme.Warp"] = *bound;
#pragma once

#include <optional>

#include "importer/import_options.hpp"
#include "shader/compile.hpp"

namespace slipway::convert {

// Reads the file: GLSL, HLSL, SPIR-V assembly or SPIR-V. `read_file`: reads what the text includes. Errors:
// file-not-found, not-recognised. The result compiles the text for each node, with macros for its attributes and
// shapes; its errors are those of the compiler, binding-mismatch and unsupported.
std::optional<importer::ShaderOfNode> bind_shader(const Path& file, shader::ReadFile read_file,
                                                  Diagnostics& diagnostics);

}  // namespace slipway::convert
