// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that is linked of modules is the program that is parsed of them together.
#include "rpl/parse/link.hpp"

#include <gtest/gtest.h>

#include <ranges>

#include "base/print_diagnostic.hpp"
#include "rpl/compile.hpp"
#include "rpl/metadata/metadata_json.hpp"
#include "rpl/print/print_ast.hpp"
#include "testing/rpl_case.hpp"
#include "testing/rpl_listing.hpp"

namespace slipway::rpl {
namespace {

std::vector<ModuleSources> modules_of_case(const testing::RplCase& given) {
  std::vector<ModuleSources> modules;
  for (const testing::RplModule& module : given.modules) {
    modules.push_back({module.name, {make_source(module.name, module.text)}});
  }
  return modules;
}

Program parse_apart(std::span<const ModuleSources> modules, Diagnostics& diagnostics) {
  std::vector<Program> parsed;
  for (const ModuleSources& module : modules) parsed.push_back(parse(std::span(&module, 1), diagnostics));
  std::vector<const Program*> pointers;
  for (const Program& program : parsed) pointers.push_back(&program);
  return link(pointers, diagnostics);
}

// Everything that a user can observe of a program.
std::string outcome_of(const Program& program, const testing::RplCase& given, Diagnostics& diagnostics) {
  std::string text = print_ast(program);
  if (program.valid) {
    Assignment assignment;
    for (const std::string& option : given.options) {
      set_option(program, option, OptionFilter::Any, SourceLocation::nowhere(), assignment, diagnostics);
    }
    CompileOptions options;
    options.entry_points = given.entry_points;
    options.resolve = given.settings;
    options.spirv.debug_lines = true;
    Compiler compiler;
    if (const auto made = compiler.compile(program, assignment, options, diagnostics)) {
      text += testing::list_resolved(*compiler.resolved()) + metadata_text(made->metadata);
    }
  }
  diagnostics.sort();
  return text + format_diagnostics(diagnostics.all());
}

TEST(Link, MakesTheProgramThatParsingMakes) {
  std::size_t linked = 0, of_several = 0;
  for (const testing::RplCase& given : testing::rpl_cases()) {
    SCOPED_TRACE(given.file.filename().string() + ": " + given.name);
    const std::vector<ModuleSources> modules = modules_of_case(given);
    Diagnostics together_found, apart_found;
    const Program together = parse(modules, together_found);
    const Program apart = parse_apart(modules, apart_found);
    EXPECT_EQ(together.valid, apart.valid);
    if (!together.valid) continue;
    ++linked;
    of_several += modules.size() > 1 ? 1 : 0;
    EXPECT_EQ(together.names.size(), apart.names.size());
    EXPECT_EQ(outcome_of(together, given, together_found), outcome_of(apart, given, apart_found));
  }
  EXPECT_GT(linked, 150);
  EXPECT_GT(of_several, 3);
}

TEST(Link, ReportsAnOptionOfTwoModules) {
  const std::vector<ModuleSources> modules = {{"a.rpl", {make_source("a.rpl", "global fog: flag on;\n")}},
                                              {"b.rpl", {make_source("b.rpl", "\nglobal fog: flag off;\n")}}};
  Diagnostics together, apart;
  EXPECT_FALSE(parse(modules, together).valid);
  EXPECT_FALSE(parse_apart(modules, apart).valid);
  EXPECT_EQ(format_diagnostics(apart.all()), format_diagnostics(together.all()));
  ASSERT_EQ(apart.errors(), 1);
  EXPECT_EQ(apart.all().front().kind, DiagnosticKind::RplDuplicateOption);
}

}  // namespace
}  // namespace slipway::rpl
