// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The languages of shaders.
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "base/system/files.hpp"

namespace slipway::shader {

enum class Language { Glsl, Hlsl, SpirvAssembly, Spirv };
std::string_view name_of(Language language);  // `GLSL`, `HLSL`, `SPIR-V-ASM`, `SPIR-V`: the scenario's words

// By the SPIR-V magic number, else by the extension of the path (docs/spec/scenario.md#decision-22); empty when
// undecidable.
std::optional<Language> detect(const Path& path, Bytes bytes);

}  // namespace slipway::shader
