// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compiler that an invalid shader has taken over may ask for.
#include "shader/includes.hpp"

#include <gtest/gtest.h>

namespace slipway::shader {
namespace {

Result<std::string> read_anything(const Path& path) {
  return path.filename() == "deep.h" ? "#include <deeper.h>\n" : "int x;\n";
}

bool names(std::string text, std::string_view name, std::string_view includer = "main.comp") {
  const Options options{.read_file = read_anything};
  return Includes(make_source("main.comp", std::move(text)), options).is_named(name, includer);
}

TEST(IncludesThatAreNamed, AsGlslangReadsThem) {
  EXPECT_TRUE(names("#include \"a.h\"\n", "a.h"));
  EXPECT_TRUE(names("#include <sub/a.h>", "sub/a.h"));
  EXPECT_TRUE(names("  #\tinclude\t \"a.h\" // why\n", "a.h"));
  EXPECT_TRUE(names("#include\"a.h\"\n", "a.h"));
  EXPECT_TRUE(names("#inc\\\nlude \"a\\\r\n.h\"\n", "a.h"));
}

TEST(IncludesThatAreNamed, NothingElse) {
  EXPECT_FALSE(names("#include \"a.h\"\n", "/etc/passwd"));
  EXPECT_FALSE(names("#include \"a.h\"\n", "../a.h"));
  EXPECT_FALSE(names("#include \"a.h\"\n", "a"));
  EXPECT_FALSE(names("#include \"a.h\"\n", "a.h\" "));
  EXPECT_FALSE(names("#include \"a.h\"\n", ""));
  EXPECT_FALSE(names("#include \"a.h>\n", "a.h"));
  EXPECT_FALSE(names("// see \"secret\", which nothing includes\n", "secret"));
  EXPECT_FALSE(names("include", "x"));
}

TEST(IncludesThatAreNamed, InAFileThatWasGiven) {
  const Options options{.read_file = read_anything};
  Includes includes(make_source("main.comp", "#include \"deep.h\"\n"), options);
  EXPECT_FALSE(includes.is_named("deep.h", "deep.h"));
  EXPECT_FALSE(includes.is_named("deeper.h", "deep.h"));
  ASSERT_TRUE(includes.find("deep.h", "main.comp", 1).has_value());
  EXPECT_TRUE(includes.is_named("deeper.h", "deep.h"));
  EXPECT_FALSE(includes.is_named("deeper.h", "main.comp"));
}

}  // namespace
}  // namespace slipway::shader
