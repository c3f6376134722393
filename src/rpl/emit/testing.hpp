// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: RPL text to validated SPIR-V.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/print_diagnostic.hpp"
#include "rpl/emit/emit_spirv.hpp"
#include "rpl/resolve.hpp"
#include "spirv/tools.hpp"

namespace slipway::rpl {

inline constexpr std::array kAllTargets = {Target::Vulkan11, Target::Vulkan12, Target::Vulkan13, Target::Vulkan14};

inline spirv::Environment environment_of(Target target) {
  switch (target) {
    case Target::Vulkan11:
      return spirv::Environment::Vulkan11;
    case Target::Vulkan12:
      return spirv::Environment::Vulkan12;
    case Target::Vulkan13:
      break;
    case Target::Vulkan14:
      return spirv::Environment::Vulkan14;
  }
  return spirv::Environment::Vulkan13;
}

// A problem of the module as text; empty when it is valid with the layouts that every device takes.
inline std::string problem_of(const spirv::Words& words, Target target) {
  const Result<> valid = spirv::validate(words, "module", environment_of(target), spirv::BlockLayout::Standard);
  return valid ? std::string() : format_diagnostics(valid.error());
}

struct CompileCase {
  std::vector<EntryPointName> entries;
  PipelineKind pipeline = PipelineKind::Graphics;
  SpirvOptions options;
  std::vector<std::string> assignment;  // name=value
};

// The modules, each valid; nothing, and a test failure, when the text has errors.
inline std::vector<SpirvModule> compile(std::string_view text, const CompileCase& how) {
  Diagnostics diagnostics;
  const Program program = parse(make_source("test.rpl", std::string(text)), diagnostics);
  Assignment assignment;
  for (const std::string& option : how.assignment) {
    set_option(program, option, OptionFilter::Any, SourceLocation::nowhere(), assignment, diagnostics);
  }
  std::vector<SpirvModule> modules;
  if (program.valid && !diagnostics.has_errors()) {
    const std::optional<Resolved> resolved =
        resolve(program, assignment, how.entries, {.pipeline = how.pipeline}, diagnostics);
    if (resolved) modules = emit_spirv(*resolved, how.options);
  }
  if (modules.empty()) ADD_FAILURE() << format_diagnostics(diagnostics.all()) << text;
  for (const SpirvModule& module : modules) {
    const std::string problem = problem_of(module.words, how.options.target);
    if (problem.empty()) continue;
    ADD_FAILURE() << name_of(how.options.target) << ": " << problem << "\n"
                  << text << "\n"
                  << spirv::disassemble(module.words, "module").value_or("");
    return {};
  }
  return modules;
}

// A compute program with the entry point `compute_main`, validated for every target; the words for the newest one.
inline spirv::Words compile_compute(std::string_view text, std::vector<std::string> assignment = {},
                                    Target target = Target::Vulkan13) {
  spirv::Words words;
  for (const Target each : kAllTargets) {
    const auto modules = compile(text, {.entries = {{Stage::Compute, "compute_main"}},
                                        .pipeline = PipelineKind::Compute,
                                        .options = {.target = each},
                                        .assignment = assignment});
    if (modules.empty()) return {};
    if (each == target) words = modules[0].words;
  }
  return words;
}

inline std::string disassembled(const spirv::Words& words) { return spirv::disassemble(words, "module").value_or(""); }

}  // namespace slipway::rpl
