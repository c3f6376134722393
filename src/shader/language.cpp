// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/language.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "spirv/module.hpp"

namespace slipway::shader {
namespace {

constexpr std::pair<std::string_view, Language> kExtensions[] = {
    {".spv", Language::Spirv},
    {".comp", Language::Glsl},
    {".vert", Language::Glsl},
    {".frag", Language::Glsl},
    {".glsl", Language::Glsl},
    {".hlsl", Language::Hlsl},
    {".spvasm", Language::SpirvAssembly},
};

}  // namespace

std::string_view name_of(Language language) {
  switch (language) {
    case Language::Glsl:
      return "GLSL";
    case Language::Hlsl:
      return "HLSL";
    case Language::SpirvAssembly:
      return "SPIR-V-ASM";
    case Language::Spirv:
      return "SPIR-V";
  }
  std::unreachable();
}

std::optional<Language> detect(const Path& path, Bytes bytes) {
  if (spirv::is_spirv(bytes)) return Language::Spirv;
  const std::string extension = extension_of(path);
  for (const auto& [known, language] : kExtensions) {
    if (known == extension) return language;
  }
  return std::nullopt;
}

}  // namespace slipway::shader
