// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests of tools that use the compiler: programs of the corpus, parsed and compiled.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/print_diagnostic.hpp"
#include "base/system/files.hpp"
#include "rpl/compile.hpp"
#include "testing/rpl_generator.hpp"
#include "testing/source_directory.hpp"

namespace slipway::rpl {

// A program with its compile options.
struct TestProgram {
  std::string name;
  std::vector<SourcePtr> sources;
  CompileOptions options;
};

inline std::string text_of(Diagnostics& diagnostics) { return format_diagnostics(diagnostics.all()); }

// A program's entry points by name; without any, programs with a compute_main become compute pipelines.
inline TestProgram test_program(std::string name, std::string text) {
  TestProgram program{std::move(name), {}, {}};
  const auto entry = [&](Stage stage, std::string_view function) {
    if (text.contains("void " + std::string(function) + " (void)")) {
      program.options.entry_points.push_back({stage, std::string(function)});
    }
  };
  if (text.contains("void compute_main (void)")) {
    program.options.resolve.pipeline = PipelineKind::Compute;
    entry(Stage::Compute, "compute_main");
  } else {
    entry(Stage::Vertex, "vertex_main");
    entry(Stage::Fragment, "fragment_main");
  }
  program.sources.push_back(make_source(program.name, std::move(text)));
  return program;
}

inline TestProgram corpus_program(const std::string& path) {
  const auto text = read_text(testing::source_directory() / path);
  EXPECT_TRUE(text.has_value()) << path;
  return test_program(Path(path).filename().string(), text.value_or(""));
}

inline TestProgram tools_program(const std::string& name) { return corpus_program("tests/corpus/rpl_tools/" + name); }

// The programs that tests run every tool on: those of the corpus and some random ones.
inline std::vector<TestProgram> tool_programs(std::uint64_t random = 24) {
  std::vector<TestProgram> programs;
  for (const char* name : {"tinted.rpl", "scale.rpl", "layouts.rpl", "control.rpl"}) {
    programs.push_back(tools_program(name));
  }
  programs.push_back(corpus_program("examples/skinned/skinned.rpl"));
  for (std::uint64_t seed = 1; seed <= random; ++seed) {
    testing::RplProgramShape shape;
    shape.compute = seed % 2 == 0;
    shape.exact = seed % 3 == 0;
    programs.push_back(
        test_program("random_" + std::to_string(seed) + ".rpl", testing::generate_rpl(seed, shape).text));
  }
  return programs;
}

// A parsed program with one of its variants; failures are test failures.
struct Built {
  Program program;
  Compiler compiler;
  std::optional<Compiled> made;

  Built(const TestProgram& test, const std::vector<std::string>& values = {}) {
    Diagnostics diagnostics;
    program = parse(modules_of(test.sources, false), diagnostics);
    Assignment assignment;
    for (const std::string& value : values) {
      set_option(program, value, OptionFilter::Any, {}, assignment, diagnostics);
    }
    EXPECT_TRUE(program.valid) << test.name << "\n" << text_of(diagnostics);
    if (program.valid) made = compiler.compile(program, assignment, test.options, diagnostics);
    EXPECT_TRUE(made.has_value()) << test.name << "\n" << text_of(diagnostics) << test.sources.front()->text();
  }
  const Resolved& resolved() const { return *compiler.resolved(); }
};

}  // namespace slipway::rpl
