// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reflection as JSON, for `slipway inspect --json`.
#pragma once

#include <string>
#include <vector>

#include "shader/compile.hpp"
#include "spirv/reflect/reflect.hpp"

namespace slipway::shader {

struct ReflectedShader {
  std::string file;
  Language language = Language::Spirv;  // of the file
  spirv::Reflection reflection;
};

// An array with an object for each shader: the version, capabilities, entry points with their workgroup sizes, push
// constants, bindings and interfaces, and specialization constants.
std::string reflections_text(const std::vector<ReflectedShader>& shaders);
std::string reflections_schema();

}  // namespace slipway::shader
