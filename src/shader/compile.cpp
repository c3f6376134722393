// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/compile.hpp"

#include "base/format.hpp"
#include "shader/glslang.hpp"
#include "spirv/tools.hpp"

namespace slipway::shader {

namespace {

// As HLSL, what only Slang has is ignored, and accesses of resources that are parameters are lost.
Compiled with_advice_for_slang(Compiled compiled, const std::string& name) {
  const Path path = name;
  if (path.extension() != ".slang") return compiled;
  Diagnostic warning{.severity = Severity::Warning,
                     .kind = DiagnosticKind::ShaderCompile,
                     .message = "the file is Slang, which is compiled as HLSL here and may compute something else",
                     .location = SourceLocation::in_file(name)};
  warning.hint(formatted("`slangc {} -target spirv -o {}.spv` compiles it", name, path.stem().string()));
  compiled.warnings.push_back(std::move(warning));
  return compiled;
}

}  // namespace

Result<Compiled> compile(const SourcePtr& source, Language language, const Options& options) {
  switch (language) {
    case Language::Glsl:
      return compile_with_glslang(source, language, options);
    case Language::Hlsl:
      return compile_with_glslang(source, language, options).transform([&](Compiled compiled) {
        return with_advice_for_slang(std::move(compiled), source->name());
      });
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
