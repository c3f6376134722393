// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: modules from text assembly.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/print_diagnostic.hpp"
#include "spirv/module.hpp"
#include "spirv/tools.hpp"

namespace slipway::spirv {

inline std::string shown(const Failure& failure) { return format_diagnostics(failure, {.sources = false}); }

inline Words words_of(std::string assembly) {
  Result<Words> words = assemble(make_source("t.spvasm", std::move(assembly)));
  if (!words) ADD_FAILURE() << format_diagnostics(words.error());
  return words.value_or(Words());
}

inline Module module_of(std::string assembly) {
  Result<Module> module = read_module(words_of(std::move(assembly)), "t.spv");
  if (!module) ADD_FAILURE() << shown(module.error());
  return module.value_or(Module());
}

// A compute shader `main` from its global declarations, which may use %void, %u32, %f32, the constants %u0 to %u4, %v3u
// and %fn (void()), and its body.
inline std::string compute_shader(const std::string& annotations, const std::string& globals, const std::string& body,
                                  const std::string& interface = "", const std::string& preamble = "") {
  return "OpCapability Shader\n" + preamble +
         "OpMemoryModel Logical GLSL450\n"
         "OpEntryPoint GLCompute %main \"main\" " +
         interface +
         "\n"
         "OpExecutionMode %main LocalSize 8 4 1\n" +
         annotations +
         "%void = OpTypeVoid\n"
         "%fn = OpTypeFunction %void\n"
         "%bool = OpTypeBool\n"
         "%u32 = OpTypeInt 32 0\n"
         "%i32 = OpTypeInt 32 1\n"
         "%f32 = OpTypeFloat 32\n"
         "%v2u = OpTypeVector %u32 2\n"
         "%v3u = OpTypeVector %u32 3\n"
         "%v2f = OpTypeVector %f32 2\n"
         "%v4f = OpTypeVector %f32 4\n"
         "%u0 = OpConstant %u32 0\n"
         "%u1 = OpConstant %u32 1\n"
         "%u2 = OpConstant %u32 2\n"
         "%u3 = OpConstant %u32 3\n"
         "%u4 = OpConstant %u32 4\n"
         "%f1 = OpConstant %f32 1\n" +
         globals +
         "%main = OpFunction %void None %fn\n"
         "%entry = OpLabel\n" +
         body +
         "OpReturn\n"
         "OpFunctionEnd\n";
}

}  // namespace slipway::spirv
