// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/variants/variants.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/sha256.hpp"
#include "json/document.hpp"
#include "rpl/metadata/metadata_json.hpp"
#include "rpl/variants/variant_search.hpp"
#include "testing/rpl_programs.hpp"

namespace slipway::rpl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Found {
  Program program;
  VariantOptions settings;
  Diagnostics diagnostics;
  std::optional<Variants> variants;

  explicit Found(const TestProgram& test, const std::vector<std::string>& values = {}, bool emit = true,
                 std::size_t max_variants = 65536, unsigned jobs = 1) {
    program = parse(modules_of(test.sources, false), diagnostics);
    EXPECT_TRUE(program.valid) << text_of(diagnostics);
    settings.compile = test.options;
    for (const std::string& value : values) {
      set_option(program, value, OptionFilter::Any, {}, settings.fixed, diagnostics);
    }
    settings.domains = default_domains(program, settings.fixed, Vary::All);
    settings.emit = emit;
    settings.max_variants = max_variants;
    settings.jobs = jobs;
    run();
  }
  void run() { variants = find_variants(program, settings, diagnostics); }
  const Diagnostic* problem(DiagnosticKind kind) const {
    const auto found = std::ranges::find(diagnostics.all(), kind, &Diagnostic::kind);
    return found == diagnostics.all().end() ? nullptr : &*found;
  }
};

// docs/spec/rpl.md#checking-variants: 4 assignments, 4 metadata, 2 vertex, 1 fragment, 2 interface classes.
TEST(Variants, OfTheSpecificationsExample) {
  const Found found(tools_program("tinted.rpl"));
  ASSERT_TRUE(found.variants) << format_diagnostics(found.diagnostics.all());
  EXPECT_EQ(found.variants->assignments, 4);
  EXPECT_EQ(found.variants->leaves, 4U);
  EXPECT_EQ(found.variants->metadata, 4U);
  EXPECT_EQ(found.variants->interfaces, 2U);
  EXPECT_EQ(found.variants->settings, 2U);
  EXPECT_THAT(found.variants->stages, ElementsAre(2, 1, 0));
  EXPECT_EQ(found.variants->classes.size(), 4U);
  EXPECT_EQ(found.variants->modules.size(), 2U);
  EXPECT_THAT(summary_text(found.program, found.settings, *found.variants),
              HasSubstr("interface: depends on `tint_mode`; independent of 1 instance option\n"));
}

// Every assignment belongs to exactly one class, and compiling it results in what the class lists.
TEST(Variants, ClassesSayWhatEveryAssignmentGives) {
  for (const char* path :
       {"tests/corpus/rpl_tools/tinted.rpl", "tests/corpus/rpl_tools/control.rpl", "examples/skinned/skinned.rpl"}) {
    const TestProgram test = corpus_program(path);
    const Found found(test);
    ASSERT_TRUE(found.variants) << format_diagnostics(found.diagnostics.all());
    EXPECT_LE(found.variants->leaves, found.variants->assignments);
    std::vector<Assignment> all{{}};
    for (OptionId option = 0; option < found.settings.domains.size(); ++option) {
      std::vector<Assignment> longer;
      for (const Assignment& assignment : all) {
        if (found.settings.domains[option].empty()) longer.push_back(assignment);
        for (const Value& value : found.settings.domains[option]) longer.emplace_back(assignment).set(option, value);
      }
      all = std::move(longer);
    }
    EXPECT_EQ(static_cast<double>(all.size()), found.variants->assignments);
    Compiler compiler;
    for (const Assignment& assignment : all) {
      const VariantClass* its = nullptr;
      for (const VariantClass& of : found.variants->classes) {
        if (std::ranges::none_of(of.when, [&](const Assignment& when) { return agree(when, assignment); })) continue;
        EXPECT_EQ(its, nullptr) << "two classes";
        its = &of;
      }
      ASSERT_NE(its, nullptr);
      Diagnostics ignored;
      const auto made = compiler.compile(found.program, assignment, test.options, ignored);
      ASSERT_TRUE(made);
      Diagnostics reading;
      const auto metadata = read_metadata(make_source(its->file, its->metadata), reading);
      ASSERT_TRUE(metadata);
      EXPECT_EQ(metadata->hashes, made->metadata.hashes);
      EXPECT_EQ(metadata->code[0].sha256, made->metadata.code[0].sha256);
      const auto stage = static_cast<std::size_t>(made->metadata.code[0].stages[0]);
      EXPECT_EQ(its->code[stage].substr(0, 16), made->metadata.code[0].sha256.substr(0, 16));
    }
  }
}

TEST(Variants, AskOnlyForWhatMatters) {
  // `b` matters only with `a`, `c` never.
  const Found found(test_program("a.rpl",
                                 "instance a: flag off; instance b: flag off; instance c: flag off;\n"
                                 "constant both = a && b; constant unused = c;\n"
                                 "conditional (both) setting depth_test = off;\n"));
  ASSERT_TRUE(found.variants) << format_diagnostics(found.diagnostics.all());
  EXPECT_EQ(found.variants->assignments, 8);
  EXPECT_EQ(found.variants->settings, 2U);
  EXPECT_EQ(found.variants->interfaces, 1U);
}

TEST(Variants, NameTheShortestFailingAssignment) {
  const Found found(test_program("a.rpl",
                                 "global wide: flag off; instance a: flag off; instance b: flag off;\n"
                                 "color_output_container target { f4 color; };\n"
                                 "void vertex_main (void) { vertex_stage_output_position (f4 {0.0}); }\n"
                                 "void fragment_main (void)\n{\n"
                                 "    target.color = f4 {1.0};\n"
                                 "    conditional (a) { conditional (b && !wide) { target.color = 1.0; } }\n"
                                 "}\n"),
                    {}, false);
  ASSERT_TRUE(found.variants);
  EXPECT_EQ(found.variants->failing_leaves, 1U);
  const Diagnostic* problem = found.problem(DiagnosticKind::RplTypeMismatch);
  ASSERT_NE(problem, nullptr) << format_diagnostics(found.diagnostics.all());
  EXPECT_EQ(problem->assignment.size(), 3U);
  EXPECT_EQ(problem->assignment[0], (std::pair<std::string, std::string>("wide", "false")));
  EXPECT_THAT(problem->notes.back().message, HasSubstr("1 of 8 assignments"));
  const Diagnostic* summary = found.problem(DiagnosticKind::RplVariantFailed);
  ASSERT_NE(summary, nullptr);
  EXPECT_THAT(summary->message, HasSubstr("1 of 8 assignments"));
}

TEST(Variants, FailingWithOneOptionCoverTheOthers) {
  const Found found(test_program("a.rpl",
                                 "instance a: flag off; instance b: flag off;\n"
                                 "conditional (b) setting cull_mode = \"none\";\n"
                                 "conditional (a) setting cull_mode = \"sideways\";\n"),
                    {}, false);
  const Diagnostic* problem = found.problem(DiagnosticKind::RplSettingValue);
  ASSERT_NE(problem, nullptr) << format_diagnostics(found.diagnostics.all());
  EXPECT_THAT(problem->assignment, ElementsAre(std::pair<std::string, std::string>("a", "true")));
  EXPECT_THAT(problem->notes.back().message, HasSubstr("2 of 4 assignments"));
}

std::string many_flags(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += formatted("instance f{}: flag off;\nconditional (f{}) setting depth_max = {}.5;\n", i, i, i);
  }
  return text;
}

// A resolver that lets an instance option into the interface is detected.
TEST(Variants, ProveThatTheInterfaceIsIndependent) {
  const Found found(tools_program("tinted.rpl"), {}, false);
  Search search;
  for (const std::uint32_t wireframe : {0U, 1U}) {
    Leaf& leaf = search.leaves.emplace_back();
    leaf.assignment.set(1, {ValueType::Flag, wireframe});
    leaf.keys.interface = wireframe;
  }
  search.leaves[0].interface_options.add(1);
  Variants variants;
  Diagnostics diagnostics;
  check_interface(found.program, search, variants, diagnostics);
  EXPECT_THAT(format_diagnostics(diagnostics.all()),
              ::testing::AllOf(HasSubstr("depend on the instance option `wireframe` [rpl-internal]"),
                               HasSubstr("under an instance option, with wireframe=true [rpl-internal]")));
}

TEST(Variants, GiveUpAtTheLimit) {
  const Found found(test_program("a.rpl",
                                 "instance big: enum \"a\" \"b\" \"c\"; constant is_a = big == \"a\";\n"
                                 "conditional (is_a) setting depth_test = off;\n" +
                                     many_flags(12)),
                    {}, false, 1000);
  EXPECT_FALSE(found.variants);
  const Diagnostic* problem = found.problem(DiagnosticKind::RplVariantLimit);
  ASSERT_NE(problem, nullptr);
  EXPECT_THAT(problem->message, HasSubstr("more than 1000 variants"));
  EXPECT_THAT(problem->message, HasSubstr("`big` (3 values)"));
}

// 2^40 variants: known before they are searched, from walks to some of them.
TEST(Variants, RefuseFarTooManyBeforeTheSearch) {
  const Found found(test_program("a.rpl", many_flags(40)), {}, false);
  EXPECT_FALSE(found.variants);
  const Diagnostic* problem = found.problem(DiagnosticKind::RplVariantLimit);
  ASSERT_NE(problem, nullptr);
  EXPECT_THAT(problem->message,
              HasSubstr("more than 65536 variants (about 1.1e+12); 40 options multiply them, most of all"));
}

// A number of which more digits say nothing.
TEST(Variants, DoNotCountManyToTheLast) {
  const Found found(test_program("a.rpl", many_flags(2000)), {}, false);
  const Diagnostic* problem = found.problem(DiagnosticKind::RplVariantLimit);
  ASSERT_NE(problem, nullptr);
  EXPECT_THAT(problem->message,
              HasSubstr("more than 65536 variants (more than 1e+15); at least 50 options multiply them"));
}

// As many assignments, but each option is read only if all before it are set: 41 variants. Most walks end early.
TEST(Variants, DoNotCountWhatNoVariantReads) {
  std::string text = "color_output_container t { f4 c; };\n";
  for (int i = 0; i < 40; ++i) text += formatted("instance flag_{}: flag off;\n", i);
  text += "void fragment_main (void) { t.c = f4 {0.0};\n";
  for (int i = 0; i < 40; ++i) text += formatted("conditional (flag_{}) {{ t.c.x = {}.0;\n", i, i);
  text += std::string(40, '}') + "}\n";
  const Found found(test_program("a.rpl", text), {}, false);
  ASSERT_TRUE(found.variants) << format_diagnostics(found.diagnostics.all());
  EXPECT_EQ(found.variants->leaves, 41U);
}

TEST(Variants, HaveReasons) {
  const Found found(tools_program("tinted.rpl"));
  ASSERT_TRUE(found.variants);
  std::vector<std::string> reasons;
  for (const VariantClass& of : found.variants->classes) reasons.push_back(of.reason);
  EXPECT_THAT(reasons, ::testing::UnorderedElementsAre(
                           "default", "wireframe=true: settings", "tint_mode=instance: interface, vertex",
                           "tint_mode=instance, wireframe=true: interface, settings, vertex"));
}

TEST(Variants, AreTheSameOnManyThreads) {
  const TestProgram test = test_program("a.rpl", many_flags(9));
  const Found one(test, {}, true, 65536, 1), many(test, {}, true, 65536, 8);
  ASSERT_TRUE(one.variants && many.variants);
  EXPECT_EQ(one.variants->leaves, 512U);
  EXPECT_EQ(variants_json(one.program, *one.variants), variants_json(many.program, *many.variants));
}

TEST(Variants, TakeFixedValuesAndLists) {
  const Found fixed(tools_program("tinted.rpl"), {"wireframe=on"});
  ASSERT_TRUE(fixed.variants);
  EXPECT_EQ(fixed.variants->assignments, 2);
  EXPECT_EQ(fixed.variants->leaves, 2U);

  Found numbers(tools_program("scale.rpl"), {}, false);
  EXPECT_EQ(numbers.variants->leaves, 1U);  // numbers do not vary by themselves
  numbers.settings.domains[0] = {{ValueType::Uint, 32}, {ValueType::Uint, 128}};
  numbers.run();
  ASSERT_TRUE(numbers.variants);
  EXPECT_EQ(numbers.variants->leaves, 2U);
  EXPECT_EQ(numbers.variants->stages[2], 2U);

  Found listed(tools_program("tinted.rpl"), {}, false);
  Assignment wireframe;
  set_option(listed.program, "wireframe=on", OptionFilter::Any, {}, wireframe, listed.diagnostics);
  listed.settings.listed = {wireframe};
  listed.run();
  ASSERT_TRUE(listed.variants);
  EXPECT_EQ(listed.variants->assignments, 1);
}

TEST(Variants, JsonNamesEachClassOnce) {
  const Found found(tools_program("tinted.rpl"));
  ASSERT_TRUE(found.variants);
  const auto parsed = json::parse(make_source("variants.json", variants_json(found.program, *found.variants)));
  ASSERT_TRUE(parsed);
  const json::Value root = (*parsed)->root();
  EXPECT_EQ(root["assignments"].unsigned_integer(), 4U);
  std::set<std::string> files;
  for (const json::Value of : root["classes"]) {
    files.insert(of["metadata"].string());
    EXPECT_EQ(of["code"]["vertex"].string(), of["code"]["fragment"].string());
    EXPECT_EQ(of["when"][0].size(), 2U);
    EXPECT_NE(of["reason"].string(), "");
  }
  EXPECT_EQ(files.size(), 4U);
  for (const VariantModule& module : found.variants->modules) {
    EXPECT_EQ(module.file, sha256_text(std::as_bytes(std::span(module.words))).substr(0, 16) + ".spv");
  }
}

}  // namespace
}  // namespace slipway::rpl
