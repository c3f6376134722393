// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of shader operators: compiles text, decodes base64, and checks both against the declarations of the operator
// (docs/spec/converter.md#shader-code, docs/spec/converter.md#shader-compilation,
// docs/spec/converter.md#shader-validation).
#pragma once

#include <map>

#include "convert/shaders/shader_operator.hpp"

namespace slipway::convert {

// How SPIR-V is checked: completely; only its magic number, for binaries that are known to be stubs; not at all. Text
// that is stored as it is is compiled only for a complete check.
enum class ShaderCheck : std::uint8_t { Full, Magic, Off };

// Code that replaces an operator's own.
struct GivenCode {
  ShaderLanguage language = ShaderLanguage::Spirv;
  std::string code;  // text, or SPIR-V in base64
};

struct ShaderCodeOptions {
  ShaderCheck check = ShaderCheck::Full;
  bool keep_source = false;  // text is stored in the file uncompiled
  bool debug_info = false;
  std::map<std::string, GivenCode, std::less<>> given;  // by the name of the operator
};

// The code of a module of a VGF file: SPIR-V or text; neither for a placeholder.
struct ShaderModule {
  vgf::CodeKind kind = vgf::CodeKind::Spirv;
  spirv::Words words;
  std::string text;
};

// Reports all diagnostics: shader-compile (at the line of the shader, with the operator as a note), file-format,
// unknown-reference (no such entry point), binding-mismatch, type-mismatch, unsupported. Empty after an error.
std::optional<ShaderModule> build_shader(const ShaderOperator& shader, const tosa::Graph& graph, const tosa::Node& node,
                                         const ShaderCodeOptions& options, Diagnostics& diagnostics);

}  // namespace slipway::convert
