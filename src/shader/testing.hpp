// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: files in memory, and compiling from text.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/print_diagnostic.hpp"
#include "shader/compile.hpp"
#include "spirv/reflect/reflect.hpp"
#include "spirv/tools.hpp"

namespace slipway::shader {

struct Files {
  std::map<std::string, std::string> texts;
  int reads = 0;

  ReadFile reader() {
    return [this](const Path& path) -> Result<std::string> {
      ++reads;
      const auto found = texts.find(path.generic_string());
      if (found == texts.end()) {
        return fail(DiagnosticKind::FileNotFound, SourceLocation::in_file(path.generic_string()),
                    "Could not open file " + path.generic_string());
      }
      if (found->second == "unreadable") {
        return fail(DiagnosticKind::FileUnreadable, SourceLocation::in_file(path.generic_string()),
                    "could not read it");
      }
      return found->second;
    };
  }
};

inline std::string shown(std::span<const Diagnostic> diagnostics, bool sources = false) {
  return format_diagnostics(diagnostics, {.sources = sources});
}

// The diagnostics of compiling a text.
inline std::string errors_of(const Result<Compiled>& compiled) {
  return compiled ? "compiled\n" : shown(compiled.error());
}

// Valid SPIR-V as text.
inline std::string assembly_of(const Result<Compiled>& compiled) {
  if (!compiled) return shown(compiled.error());
  const Result<> valid = spirv::validate(compiled->words, "t.spv");
  EXPECT_TRUE(valid) << shown(valid.error());
  return spirv::disassemble(compiled->words, "t.spv").value();
}

inline std::string reflection_of(const Result<Compiled>& compiled) {
  if (!compiled) return shown(compiled.error());
  const Result<spirv::Module> module = spirv::read_module(compiled->words, "t.spv");
  return module ? spirv::print_reflection(spirv::reflect(*module).value()) : shown(module.error());
}

}  // namespace slipway::shader
