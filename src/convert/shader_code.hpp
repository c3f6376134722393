// The code of shader operators: text compiled, base64 decoded, and both checked against what the operator declares
// (converter page 3.14, code, compilation, validation).
#pragma once

#include <map>

#include "convert/shader_operator.hpp"

namespace slipway::convert {

// How much is checked of SPIR-V: everything; only that it starts as SPIR-V does, for binaries that are known to be
// stubs; nothing.
enum class ShaderCheck : std::uint8_t { Full, Magic, Off };

// Code that is given instead of an operator's own.
struct GivenCode {
  ShaderLanguage language = ShaderLanguage::Spirv;
  std::string code;  // text, or SPIR-V in base64
};

struct ShaderSettings {
  ShaderCheck check = ShaderCheck::Full;
  bool keep_source = false;  // text goes into the file as it is
  bool debug_info = false;
  std::map<std::string, GivenCode, std::less<>> given;  // by the name of the operator
};

// What a module of a VGF file has: SPIR-V or text; neither for a placeholder.
struct ShaderModule {
  vgf::CodeKind kind = vgf::CodeKind::Spirv;
  spirv::Words words;
  std::string text;
};

// Collects all problems: shader-compile (at the line of the shader, with the operator as a note), file-format,
// unknown-reference (no such entry point), binding-mismatch, type-mismatch, unsupported. Empty after an error.
std::optional<ShaderModule> build_shader(const ShaderOperator& shader, const tosa::Graph& graph, const tosa::Node& node,
                                         const ShaderSettings& settings, Diagnostics& diagnostics);

}  // namespace slipway::convert
