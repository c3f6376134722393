// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// glslang as a service of the sandbox. Its questions are includes: the name, the including file and the depth; the
// answer is the path and the text, or an empty path and a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/sandbox.hpp"
#include "spirv/module.hpp"
#include "spirv/reflect/reflect.hpp"

namespace slipway::shader {

struct GlslangRequest {
  spirv::Stage stage = spirv::Stage::Compute;
  bool hlsl = false, debug_info = true;
  std::string entry, preamble, name;
};
// The request without the text of the shader, which follows it.
std::vector<std::byte> head_of(const GlslangRequest& request);

enum class GlslangOutcome : std::uint8_t { Failed, NoEntryPoint, Done };

struct GlslangReply {
  GlslangOutcome outcome = GlslangOutcome::Failed;
  std::vector<std::string> logs;  // of the steps that did not fail
  std::string failure;            // the log of the step that failed
  spirv::Words words;
};
GlslangReply read_glslang_reply(Bytes reply);  // `Failed` if it is damaged

// What a worker prepares for a text: the built-in functions of its language and version, most of the time of a small
// shader.
std::uint32_t glslang_variant(bool hlsl, std::string_view text);

extern const sandbox::Service kGlslangService;

// What determines the result besides the source and the options. Does not initialize glslang.
std::string compiler_version();

}  // namespace slipway::shader
