// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reflection as JSON, for `slipway inspect --json`.
#pragma once

#include <string_view>

#include "json/writer.hpp"
#include "spirv/reflect.hpp"

namespace slipway::shader {

// An object with the version, capabilities, entry points with their workgroup sizes, push constants, bindings and
// interfaces, and specialization constants. `language` is that of the source.
void write_reflection(json::Writer& out, std::string_view file, std::string_view language,
                      const spirv::Reflection& reflection);

}  // namespace slipway::shader
