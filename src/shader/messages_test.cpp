// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/messages.hpp"

#include "shader/testing.hpp"

namespace slipway::shader {
namespace {

std::string read(std::string_view log) {
  const SourcePtr main = make_source("C:1:x.comp", "line one\nfoo = 1;\n\n");
  const SourceMap sources = {{main->name(), main}, {"inc.h", make_source("inc.h", "#include <nothing>\n")}};
  return shown(read_messages(log, main, sources), true);
}

TEST(Messages, PlacesAndTokens) {
  EXPECT_EQ(read("ERROR: C:1:x.comp:2:1: 'foo' : undeclared identifier \n"),
            "C:1:x.comp:2:1: error: Compilation error: `foo`: undeclared identifier [shader-compile]\n"
            "    2 | foo = 1;\n"
            "      | ^~~\n");
  // A column inside the token, or no column.
  EXPECT_EQ(read("ERROR: inc.h:1:2: '#include' : no such file\n"),
            "inc.h:1:1: error: Compilation error: `#include`: no such file [shader-compile]\n"
            "    1 | #include <nothing>\n"
            "      | ^~~~~~~~\n");
  EXPECT_EQ(read("ERROR: C:1:x.comp:2:7: '' :  syntax error\n"),
            "C:1:x.comp:2:7: error: Compilation error: syntax error [shader-compile]\n"
            "    2 | foo = 1;\n"
            "      |       ^\n");
  EXPECT_THAT(read("ERROR: C:1:x.comp:2:8: '' :  syntax error\n"), ::testing::StartsWith("C:1:x.comp:2:8: error: "));
  EXPECT_THAT(read("ERROR: C:1:x.comp:2:0: '' :  syntax error\n"), ::testing::StartsWith("C:1:x.comp:2:1: error: "));
  EXPECT_THAT(read("ERROR: C:1:x.comp:2:99: '' :  syntax error\n"), ::testing::StartsWith("C:1:x.comp:2:9: error: "));
  EXPECT_THAT(read("ERROR: C:1:x.comp:3:0: '' :  unexpected end\n"), ::testing::StartsWith("C:1:x.comp:3:1: error: "));
}

TEST(Messages, PlacesThatAreNotInTheText) {
  EXPECT_EQ(read("ERROR: C:1:x.comp:77:3: 'x' : undeclared identifier \n"),
            "C:1:x.comp: error: Compilation error: `x`: undeclared identifier (at C:1:x.comp:77) [shader-compile]\n");
  EXPECT_EQ(read("ERROR: other.x:7:3: 'x' : undeclared identifier \n"),
            "C:1:x.comp: error: Compilation error: `x`: undeclared identifier (at other.x:7) [shader-compile]\n");
  EXPECT_EQ(read("ERROR: C:1:x.comp:0:0: 'x' : foo\n"),
            "C:1:x.comp: error: Compilation error: `x`: foo [shader-compile]\n");
  EXPECT_EQ(read("ERROR: -1:2:9: '#define' : Macro redefined; different substitutions: A\n"),
            "C:1:x.comp: error: Compilation error: `#define`: Macro redefined; different substitutions: A; in the "
            "macros of the "
            "build options [shader-compile]\n");
  EXPECT_EQ(read("ERROR: Linking compute stage: Recursion detected:\n    foo( calling bar(\n"),
            "C:1:x.comp: error: Compilation error: Linking compute stage: Recursion detected: foo( calling bar( "
            "[shader-compile]\n");
}

TEST(Messages, WarningsAndNoise) {
  EXPECT_EQ(read("WARNING: C:1:x.comp:2:1: 'foo' : odd\nERROR: C:1:x.comp:2:7: '' : compilation terminated \n"
                 "ERROR: 2 compilation errors.  No code generated.\n\n"
                 "C:1:x.comp(2): error at column 25, HLSL parsing failed.\n"),
            "C:1:x.comp:2:1: warning: Compilation warning: `foo`: odd [shader-compile]\n"
            "    2 | foo = 1;\n"
            "      | ^~~\n");
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read("something else\n"), "");
}

}  // namespace
}  // namespace slipway::shader
