// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// glslang's messages as diagnostics.
#pragma once

#include <string_view>
#include <vector>

#include "shader/includes.hpp"

namespace slipway::shader {

// Errors and warnings of a log, at their locations in the sources, as `Compilation error: ...` and `Compilation
// warning:
// ...`. Lines without information (the count of errors) are left out.
std::vector<Diagnostic> read_messages(std::string_view log, const SourcePtr& main, const SourceMap& sources);

}  // namespace slipway::shader
