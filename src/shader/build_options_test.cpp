// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/format.hpp"
#include "shader/testing.hpp"

namespace slipway::shader {
namespace {

// `A=1 -B include:dir`, or the errors.
std::string parsed(std::string_view text) {
  const Result<BuildOptions> options = parse_build_options(text, SourceLocation::in_file("scene.json"));
  if (!options) return shown(options.error());
  std::string result;
  for (const Macro& macro : options->macros)
    result += macro.value ? macro.name + "=" + *macro.value + ";" : "-" + macro.name + ";";
  for (const Path& directory : options->include_dirs) result += "include " + directory.string() + ";";
  return result;
}

TEST(BuildOptions, Tokens) {
  EXPECT_EQ(parsed(""), "");
  EXPECT_EQ(parsed("  \t\n"), "");
  EXPECT_EQ(parsed("-DA"), "A=;");
  EXPECT_EQ(parsed("-DA=1 +DB=2\t-UC  -Idir"), "A=1;B=2;-C;include dir;");
  EXPECT_EQ(parsed("-DA=b=c"), "A=b=c;");
  EXPECT_EQ(parsed("-DA="), "A=;");
  EXPECT_EQ(parsed("-DF(x,y)=x+y"), "F(x,y)=x+y;");
  EXPECT_EQ(parsed("-DA=1 -UA -DA=2"), "A=1;-A;A=2;");
}

TEST(BuildOptions, Quotes) {
  EXPECT_EQ(parsed("\"-DA=1 + 2\" -DB"), "A=1 + 2;B=;");
  EXPECT_EQ(parsed("-DA=\"1 + 2\""), "A=1 + 2;");
  EXPECT_EQ(parsed("'-Imy dir' -DS='\"'"), "S=\";include my dir;");
}

TEST(BuildOptions, OthersAreErrors) {
  constexpr std::string_view kKnown =
      "; known are `-DNAME[=VALUE]`, `+DNAME[=VALUE]`, `-UNAME` and `-Idir` [unknown-value]\n";
  EXPECT_EQ(parsed("-O3"), "scene.json: error: unknown build option `-O3`" + std::string(kKnown));
  EXPECT_EQ(parsed("foo -DA -x"), "scene.json: error: unknown build option `foo`" + std::string(kKnown) +
                                      "scene.json: error: unknown build option `-x`" + std::string(kKnown));
  EXPECT_EQ(parsed("-D A"),
            "scene.json: error: unknown build option `-D`; the name of a macro follows without a blank "
            "[unknown-value]\nscene.json: error: unknown build option `A`" +
                std::string(kKnown));
  for (const char* bad : {"-D", "-D1", "-D=3", "-DA-B", "-DF(x", "-DA.b=1"}) {
    EXPECT_EQ(parsed(bad),
              formatted("scene.json: error: unknown build option `{}`; the name of a macro follows without a "
                        "blank [unknown-value]\n",
                        bad));
  }
  for (const char* bad : {"-U", "-UF(x)"}) {
    EXPECT_EQ(parsed(bad),
              formatted("scene.json: error: unknown build option `{}`; the name of a macro follows without a "
                        "blank [unknown-value]\n",
                        bad));
  }
  EXPECT_EQ(parsed("-I"),
            "scene.json: error: unknown build option `-I`; a directory follows without a blank [unknown-value]\n");
  EXPECT_EQ(parsed("-DA='1"),
            "scene.json: error: unknown build option `-DA=1`; its quotes are not closed [unknown-value]\n");
  EXPECT_EQ(parsed("-DA='1\n#error'"),
            "scene.json: error: unknown build option `-DA=1\n#error`; a macro has one line [unknown-value]\n");
}

TEST(Detect, ByContentsThenByExtension) {
  const std::string spirv("\x03\x02\x23\x07", 4);
  const std::string swapped("\x07\x23\x02\x03", 4);
  EXPECT_EQ(detect("a.comp", bytes_of(spirv)), Language::Spirv);
  EXPECT_EQ(detect("a", bytes_of(swapped)), Language::Spirv);
  EXPECT_EQ(detect("a.spv", {}), Language::Spirv);
  for (const char* name : {"a.comp", "a.vert", "a.frag", "a.glsl", "dir.hlsl/A.COMP"}) {
    EXPECT_EQ(detect(name, bytes_of("x")), Language::Glsl) << name;
  }
  EXPECT_EQ(detect("a.hlsl", bytes_of("x")), Language::Hlsl);
  EXPECT_EQ(detect("a.spvasm", bytes_of("x")), Language::SpirvAssembly);
  EXPECT_EQ(detect("a.txt", bytes_of("x")), std::nullopt);
  EXPECT_EQ(detect("comp", bytes_of("x")), std::nullopt);
}

TEST(Language, Names) {
  EXPECT_EQ(name_of(Language::Glsl), "GLSL");
  EXPECT_EQ(name_of(Language::Hlsl), "HLSL");
  EXPECT_EQ(name_of(Language::SpirvAssembly), "SPIR-V-ASM");
  EXPECT_EQ(name_of(Language::Spirv), "SPIR-V");
}

}  // namespace
}  // namespace slipway::shader
