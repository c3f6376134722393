// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/compile.hpp"

#include "base/cache.hpp"
#include "shader/glslang.hpp"
#include "spirv/tools.hpp"

namespace slipway::shader {

std::string hash_of(std::string_view text) { return Cache::key({text}); }

Result<Compiled> compile(const SourcePtr& source, Language language, const Options& options) {
  switch (language) {
    case Language::Glsl:
    case Language::Hlsl:
      return compile_with_glslang(source, language, options);
    case Language::SpirvAssembly:
      return spirv::assemble(source).transform([](spirv::Words words) { return Compiled{.words = std::move(words)}; });
    case Language::Spirv:
      return spirv::read_module(bytes_of(source->text()), source->name()).transform([](const spirv::Module& module) {
        return Compiled{.words = spirv::Words(module.words().begin(), module.words().end())};
      });
  }
  std::unreachable();
}

}  // namespace slipway::shader
