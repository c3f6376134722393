// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/print/print_resolved.hpp"

#include <gmock/gmock.h>

#include "rpl/metadata/metadata_json.hpp"
#include "rpl/print/print_ast.hpp"
#include "testing/rpl_programs.hpp"

namespace slipway::rpl {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TestProgram resolved_program(const TestProgram& test, const Resolved& resolved) {
  TestProgram again{test.name + " resolved", {}, test.options};
  for (const ResolvedModule& module : print_resolved(resolved)) {
    again.sources.push_back(make_source(module.name, module.text));
  }
  return again;
}

// docs/spec/rpl.md#printable-steps: the resolved text is a program with the same interface, settings and byte-identical
// SPIR-V.
void expect_same(const TestProgram& test, const std::vector<std::string>& values = {}) {
  const Built first(test, values);
  ASSERT_TRUE(first.made);
  const TestProgram again = resolved_program(test, first.resolved());
  const Built second(again);
  ASSERT_TRUE(second.made);
  const Metadata &a = first.made->metadata, &b = second.made->metadata;
  EXPECT_TRUE(a.pipeline_interface == b.pipeline_interface) << test.name << again.sources[0]->text();
  EXPECT_TRUE(a.settings == b.settings) << test.name << again.sources[0]->text();
  EXPECT_TRUE(a.color_outputs == b.color_outputs) << test.name;
  EXPECT_TRUE(a.state == b.state) << test.name;
  ASSERT_EQ(first.made->modules.size(), second.made->modules.size());
  for (std::size_t i = 0; i < first.made->modules.size(); ++i) {
    EXPECT_TRUE(first.made->modules[i].words == second.made->modules[i].words) << test.name << "\n"
                                                                               << again.sources[0]->text();
  }
  // Nothing that a resolved program must not have.
  for (const SourcePtr& source : again.sources) {
    EXPECT_THAT(std::string(source->text()),
                AllOf(Not(HasSubstr("conditional (")), Not(HasSubstr("\nconstant ")), Not(HasSubstr("alias ("))));
  }
}

TEST(PrintResolved, CompilesToTheSame) {
  for (const TestProgram& test : tool_programs(100)) expect_same(test);
}

TEST(PrintResolved, CompilesToTheSameInVariants) {
  expect_same(tools_program("tinted.rpl"), {"tint_mode=instance", "wireframe=on"});
  expect_same(tools_program("scale.rpl"), {"group=32"});
  expect_same(tools_program("control.rpl"), {"quality=high", "count=9"});
  for (const char* skinning : {"none", "2 weights", "4 weights"}) {
    for (const char* lighting : {"ambient light", "main light"}) {
      for (const char* instancing : {"off", "on"}) {
        expect_same(corpus_program("examples/skinned/skinned.rpl"),
                    {std::string("skinning=") + skinning, std::string("lighting=") + lighting,
                     std::string("support_instancing=") + instancing, "transparent=on"});
      }
    }
  }
}

TEST(PrintResolved, KeepsModulesApart) {
  TestProgram test{"two", {}, {}};
  test.sources = {make_source("p.rpl", "set_pass sampler linear; set_pass uniform_buffer view { f4 a; };"),
                  make_source("m.rpl",
                              "set_pass sampler other; setting depth_test = off;"
                              "setting depth_stencil_format = \"none\";")};
  const Built built(test);
  ASSERT_TRUE(built.made);
  const std::vector<ResolvedModule> modules = print_resolved(built.resolved());
  ASSERT_EQ(modules.size(), 2U);
  EXPECT_EQ(modules[0].name, "p.rpl");
  EXPECT_THAT(modules[0].text, Not(HasSubstr("setting")));
  EXPECT_THAT(modules[1].text, HasSubstr("setting depth_test = false;"));
  expect_same(test);
}

TEST(PrintAst, ShowsEveryNodeWithItsPlace) {
  const Built built(test_program("a.rpl",
                                 "global n: uint 2;\n"
                                 "conditional (n > 1u) set_pass uniform_buffer view { meta (a, b) f4[n] p; };\n"
                                 "f1 twice (in f1 x)\n{\n    if (x < 1.0) { return -x; }\n    return x * 2.0;\n}\n"));
  EXPECT_EQ(print_ast(built.program),
            "(module \"a.rpl\"\n"
            "  (option @1:1 global n uint 2u)\n"
            "  (uniform_buffer @2:1 (conditional (> @2:14 (name @2:14 n) (u1 @2:18 1))) set_pass view\n"
            "    (field @2:53 (meta a b) (type @2:65 f4 (name @2:68 n)) p))\n"
            "  (function @3:1 (type @3:1 f1) twice\n"
            "    (argument @3:11 in (type @3:14 f1) x)\n"
            "    (scope @4:1\n"
            "      (if @5:5 (< @5:9 (name @5:9 x) (f1 @5:13 1.0))\n"
            "        (scope @5:18\n"
            "          (return @5:20 (- @5:27 (name @5:28 x)))))\n"
            "      (return @6:5 (* @6:12 (name @6:12 x) (f1 @6:16 2.0))))))\n");
}

}  // namespace
}  // namespace slipway::rpl
