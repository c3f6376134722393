// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/print/format.hpp"

#include <gmock/gmock.h>

#include "rpl/metadata/metadata_json.hpp"
#include "testing/rpl_programs.hpp"

namespace slipway::rpl {
namespace {

std::string format_text(const std::string& text) {
  const auto result = format_source(make_source("a.rpl", text));
  EXPECT_TRUE(result) << (result ? "" : format_diagnostics(result.error())) << text;
  return result.value_or("");
}

TEST(Format, LaysOutEveryConstruct) {
  EXPECT_EQ(format_text("global  a:flag on;global b : sint -3 ;\n\n\n\n"
                        "constant  c=- 1+( 2*-3 );conditional(a)setting depth_test=on;\n"
                        "struct s{f4[2]  a ;f1...list;} ;set_pass image_color_2d[2]i;\n"
                        "struct t\n{f4 a;};void f(in f4 v,in out f1 w){f4 x=f4{1.0,-w,v.xy};alias(y,x)\n"
                        "if(w<1.0){w=-w;}else if(!(w>2.0)){\nreturn ;}else{}for(u1 i=0u;i<3u;i=i+1u){continue;}}"),
            "global a: flag on;\n"
            "global b: sint -3;\n"
            "\n"
            "constant c = -1 + (2 * -3);\n"
            "conditional (a) setting depth_test = on;\n"
            "struct s { f4[2] a; f1... list; };\n"
            "set_pass image_color_2d[2] i;\n"
            "struct t\n"
            "{\n"
            "    f4 a;\n"
            "};\n"
            "\n"
            "void f (in f4 v, in out f1 w)\n"
            "{\n"
            "    f4 x = f4 {1.0, -w, v.xy};\n"
            "    alias (y, x)\n"
            "    if (w < 1.0) { w = -w; }\n"
            "    else if (!(w > 2.0))\n"
            "    {\n"
            "        return;\n"
            "    }\n"
            "    else {}\n"
            "    for (u1 i = 0u; i < 3u; i = i + 1u) { continue; }\n"
            "}\n");
}

TEST(Format, KeepsCommentsAndBreaks) {
  const std::string text =
      "// first\n"
      "\n"
      "/* a\n"
      "   b */\n"
      "global a: flag on; // after it\n"
      "struct s // of s\n"
      "{\n"
      "    // a field\n"
      "    meta (hidden, tag)\n"
      "    f4 a; /* last */\n"
      "};\n"
      "\n"
      "f4 f (in f4 a /* left */, in f4 b)\n"
      "{\n"
      "    return a +\n"
      "        b;\n"
      "    // the end\n"
      "}\n";
  EXPECT_EQ(format_text(text), text);
}

TEST(Format, DoesNotTouchTextThatDoesNotParse) {
  const auto result = format_source(make_source("a.rpl", "struct s { f4 a };"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].kind, DiagnosticKind::RplExpected);
}

// Formatted text does not change again, and compiles to the same.
TEST(Format, IsStableAndChangesNothing) {
  for (const TestProgram& test : tool_programs()) {
    const std::string once = format_text(std::string(test.sources[0]->text()));
    EXPECT_EQ(format_text(once), once) << test.name;
    TestProgram again = test;
    again.sources = {make_source(test.sources[0]->name(), once)};
    const Built a(test), b(again);
    ASSERT_TRUE(a.made && b.made);
    EXPECT_EQ(metadata_text(a.made->metadata), metadata_text(b.made->metadata));
    for (std::size_t i = 0; i < a.made->modules.size(); ++i) {
      EXPECT_TRUE(a.made->modules[i].words == b.made->modules[i].words) << test.name;
    }
    // The same for a program on one line.
    std::string squeezed;
    for (const char c : once) squeezed += c == '\n' && !once.contains("//") ? ' ' : c;
    const std::string from_squeezed = format_text(squeezed);
    EXPECT_EQ(format_text(from_squeezed), from_squeezed) << test.name;
  }
}

}  // namespace
}  // namespace slipway::rpl
