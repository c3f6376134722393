// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the corpus of planned scenarios cannot test: constants by type, the cache, the current directory.
#include "scenario/shaders/shaders.hpp"
#include "base/format.hpp"

#include <gtest/gtest.h>

#include "testing/scenario_case.hpp"

namespace slipway::scenario {
namespace {

using tensor::ElementType;

// The bytes in hexadecimal, or the message.
std::string specialized(ElementType type, const std::string& value) {
  const auto document = json::parse(make_source("t", "[" + value + "]")).value();
  Diagnostics diagnostics;
  const auto made = specialize({.id = 3, .value = document->root()[0], .at = document->root()},
                               {.spec_id = 3, .name = "x", .type = type}, diagnostics);
  if (!made) return diagnostics.all().at(0).message;
  std::string text;
  for (const std::byte byte : made->bytes) text += formatted("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

TEST(Specialize, ConvertsToTheDeclaredType) {
  EXPECT_EQ(specialized(ElementType::F32, "1"), "0000803f");
  EXPECT_EQ(specialized(ElementType::F32, "true"), "0000803f");
  EXPECT_EQ(specialized(ElementType::F16, "0.5"), "0038");
  EXPECT_EQ(specialized(ElementType::F64, "1"), "000000000000f03f");
  EXPECT_EQ(specialized(ElementType::I8, "-1"), "ff");
  EXPECT_EQ(specialized(ElementType::U16, "65535"), "ffff");
  EXPECT_EQ(specialized(ElementType::U32, "4.0"), "04000000");
  EXPECT_EQ(specialized(ElementType::U64, "18446744073709551615"), "ffffffffffffffff");
  EXPECT_EQ(specialized(ElementType::Bool, "true"), "01000000");
  EXPECT_EQ(specialized(ElementType::Bool, "0"), "00000000");
}

TEST(Specialize, RejectsValuesOutOfRange) {
  for (const auto& [type, value] :
       {std::pair(ElementType::I32, "1.5"), std::pair(ElementType::U8, "256"), std::pair(ElementType::U32, "-1"),
        std::pair(ElementType::F32, "1e39"), std::pair(ElementType::F16, "70000"), std::pair(ElementType::Bool, "2")}) {
    const std::string message = specialized(type, value);
    EXPECT_TRUE(
        message.starts_with(formatted("specialization constant 3 (`x`) is declared as {}: ", tensor::name_of(type))))
        << message;
  }
}

constexpr std::string_view kIncluding = R"({"resources": [{"shader": {"uid": "s", "type": "GLSL", "src": "s.comp",
 "include_dirs": ["slipway_elsewhere"]}}], "commands": []})";
constexpr std::string_view kShader =
    "#version 460\n#extension GL_GOOGLE_include_directive : require\n#include \"a.glsl\"\nvoid main() { a(); }";

TEST(Shaders, IncludeDirectoriesOfTheCurrentDirectory) {
  const testing::ScratchDirectory elsewhere;
  ASSERT_TRUE(write_file(elsewhere / "slipway_elsewhere" / "a.glsl", std::string_view("void a() {}")));
  const Path before = std::filesystem::current_path();
  std::filesystem::current_path(elsewhere.path());
  testing::Case made({{"s.comp", std::string(kShader)}});
  made.plan(std::string(kIncluding));
  std::filesystem::current_path(before);
  EXPECT_EQ(
      made.messages(),
      "scene.json:2:19: warning: `slipway_elsewhere` is found in the current directory only, and taken from there; "
      "include directories count from the scenario file [deprecated-form]\n"
      "  = at /resources/0/shader/include_dirs/0 (uid s)\n");
}

TEST(Shaders, IncludeDirectoriesOfTheScenarioComeFirst) {
  testing::Case made({{"s.comp", std::string(kShader)}, {"slipway_elsewhere/a.glsl", "void a() {}"}});
  made.plan(std::string(kIncluding));
  EXPECT_EQ(made.messages(), "");
}

TEST(Shaders, TheCacheChangesNothing) {
  testing::Case made({{"s.comp", "#version 460\nvoid main() {}"}});
  const std::string text = R"({"resources": [{"shader": {"uid": "s", "type": "GLSL", "src": "s.comp"}}],
 "commands": [{"dispatch_compute": {"shader_ref": "s", "rangeND": [1], "bindings": []}}]})";
  const Cache cache(made / "cache");
  ASSERT_TRUE(made.plan(text, {.cache = cache}));
  const auto first = *made.plan()->shaders.at(0).spirv;
  EXPECT_FALSE(std::filesystem::is_empty(made / "cache"));
  ASSERT_TRUE(made.plan(text, {.cache = cache}));
  EXPECT_EQ(*made.plan()->shaders.at(0).spirv, first);
}

TEST(Shaders, ParallelCompilationKeepsTheOrderOfDiagnostics) {
  std::string resources;
  for (int i = 0; i < 20; ++i) {
    resources += formatted(R"({}{{"shader": {{"uid": "s{}", "type": "GLSL", "source": "void main() {{ {} }}"}}}})",
                           i ? ",\n" : "", i, i % 5 == 0 ? "oops;" : "");
  }
  testing::Case made({});
  made.plan(R"({"resources": [)" + resources + R"(], "commands": []})");
  std::vector<std::string> uids;
  for (const Diagnostic& problem : made.diagnostics().all()) uids.push_back(problem.uid);
  EXPECT_EQ(uids, (std::vector<std::string>{"s0", "s5", "s10", "s15"})) << made.messages();
}

}  // namespace
}  // namespace slipway::scenario
