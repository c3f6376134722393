// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With a script in place of the program `dxc`.
#include "shader/dxc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/print_diagnostic.hpp"
#include "base/system/files.hpp"
#include "platform/process.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway::shader {
namespace {

using ::testing::HasSubstr;

class Dxc : public ::testing::Test {
 protected:
  Dxc() { platform::set_environment("PATH", directory_.path().string() + ":" + path_); }
  ~Dxc() override { platform::set_environment("PATH", path_); }

  // `$last` is the source, `$output` the file of -Fo.
  void program(const std::string& body) {
    const Path file = directory_ / "dxc";
    ASSERT_TRUE(write_file(file, "#!/bin/sh\necho \"$@\" >" + (directory_ / "arguments").string() +
                                     "\nfor last; do :; done\nwhile [ \"$1\" != -Fo ]; do shift; done\noutput=$2\n" +
                                     body));
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  std::string arguments() { return read_text(directory_ / "arguments").value_or(""); }
  static SourcePtr source() { return make_source("main.hlsl", "[numthreads(1, 1, 1)]\nvoid f() { half4 x; }\n"); }

  std::string path_ = std::getenv("PATH") ? std::getenv("PATH") : "";
  testing::ScratchDirectory directory_;
};

TEST_F(Dxc, RunsTheProgram) {
  const auto built_in =
      compile(make_source("a.hlsl", "[numthreads(4, 1, 1)] void main() {}"), Language::Hlsl, {.debug_info = false});
  ASSERT_TRUE(built_in);
  const Bytes words = std::as_bytes(std::span(built_in->words));
  ASSERT_TRUE(write_file(directory_ / "result.spv", words));
  program("cp " + (directory_ / "result.spv").string() +
          " \"$output\"\necho \"$last:2:18: warning: unused variable 'x'\"\n");
  const auto compiled = compile_with_dxc(
      source(),
      {.entry = "f", .macros = {{"N", "4"}, {"M", std::nullopt}}, .directory = "shaders", .include_dirs = {"inc"}});
  ASSERT_TRUE(compiled) << compiled.error().front().message;
  EXPECT_EQ(compiled->words, built_in->words);
  EXPECT_THAT(arguments(), HasSubstr("-spirv -fspv-target-env=vulkan1.3 -T cs_6_6 -enable-16bit-types -E f -Fo "));
  EXPECT_THAT(arguments(), HasSubstr(" -D N=4 -U M -I shaders -I inc -Zi "));
  EXPECT_EQ(format_diagnostics(compiled->warnings, {.sources = false}),
            "main.hlsl:2:18: warning: Compilation warning: unused variable 'x' [shader-compile]\n");
}

TEST_F(Dxc, ReportsErrorsInTheSource) {
  program("echo \"$last:2:12: error: unknown type name 'half4'\"\necho 'void f() { half4 x; }'\nexit 1\n");
  const auto compiled = compile_with_dxc(source(), {});
  ASSERT_FALSE(compiled);
  EXPECT_EQ(format_diagnostics(compiled.error(), {.sources = false}),
            "main.hlsl:2:12: error: Compilation error: unknown type name 'half4' [shader-compile]\n");
  program("echo 'Internal compiler error'\nexit 5\n");
  const auto crashed = compile_with_dxc(source(), {});
  ASSERT_FALSE(crashed);
  EXPECT_THAT(crashed.error().front().message, HasSubstr("dxc ended with status 5: Internal compiler error"));
}

TEST_F(Dxc, ReportsThatTheProgramIsMissing) {
  platform::set_environment("PATH", directory_.path().string());
  const auto compiled = compile_with_dxc(source(), {});
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().front().kind, DiagnosticKind::DeviceLacks);
  EXPECT_THAT(compiled.error().front().message, HasSubstr("needs the program `dxc`, which PATH does not find"));
}

}  // namespace
}  // namespace slipway::shader
