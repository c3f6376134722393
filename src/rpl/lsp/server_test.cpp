// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/server.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/writer.hpp"
#include "rpl/lsp/frames.hpp"
#include "rpl/lsp/uris.hpp"

namespace slipway::rpl::lsp {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kText = R"(global mode: enum "plain" "tinted";
instance fast: flag off;
constant tint = mode == "tinted";
struct light { f4 color; f1 range; };
set_pass uniform_buffer view { f4x4 projection_view; };
set_material read_only_storage_buffer lights { u1 count; light... list; };
vertex_attribute_container vertex { f3 position; pack (float16) f2 uv; };
state_container state { f2 uv; };
color_output_container target { f4 color; };
conditional (tint) setting cull_mode = "none";
void vertex_main (void)
{
    f4 local = view.projection_view * f4 {vertex.position, 1.0};
    conditional (fast) { local = local + lights.list[0u].color; }
    state.uv = vertex.uv;
    vertex_stage_output_position (local);
}
void fragment_main (void) { target.color = f4 {state.uv, 0.0, 1.0}; }
)";

// A client: sends requests, returns answers.
class Client {
 public:
  explicit Client(std::string_view options = "{}", std::string_view capabilities = "{}", FileAccess files = {},
                  CheckDocument check = {})
      : server(std::move(files), std::move(check)) {
    initialized_ =
        request("initialize", formatted(R"({{"capabilities":{},"initializationOptions":{}}})", capabilities, options));
    notify("initialized", "{}");
  }

  std::string request(std::string_view method, std::string_view params) {
    const auto answers =
        server.handle(formatted(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", ++id_, method, params));
    EXPECT_EQ(answers.size(), 1U) << method;
    if (answers.empty()) return "";
    EXPECT_THAT(answers[0], HasSubstr(formatted(R"("id":{})", id_)));
    return answers[0];
  }
  std::vector<std::string> notify(std::string_view method, std::string_view params) {
    return server.handle(formatted(R"({{"jsonrpc":"2.0","method":"{}","params":{}}})", method, params));
  }
  std::string open(std::string_view text) {
    const auto answers = open_as(uri_, text);
    EXPECT_EQ(answers.size(), 1U);
    return answers.empty() ? "" : answers[0];
  }
  // The document that `at` is about from then on.
  std::vector<std::string> open_as(std::string_view uri, std::string_view text) {
    uri_ = uri;
    text_ = text;
    return notify("textDocument/didOpen",
                  formatted(R"({{"textDocument":{{"uri":{},"text":{}}}}})", json::quoted(uri), json::quoted(text)));
  }
  // At the n-th occurrence of `what`, `into` characters in.
  std::string at(std::string_view method, std::string_view what, std::size_t into = 0, int nth = 1,
                 std::string_view more = "") {
    std::size_t offset = text_.find(what);
    for (; nth > 1; --nth) offset = text_.find(what, offset + 1);
    EXPECT_NE(offset, text_.npos) << what;
    offset += into;
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
    const std::size_t start = text_.rfind('\n', offset - 1);
    const std::size_t character = start == text_.npos || offset == 0 ? offset : offset - start - 1;
    return request(method, formatted(R"({{"textDocument":{{"uri":{}}},"position":{{"line":{},"character":{}}}{}}})",
                                     json::quoted(uri_), line, character, more));
  }
  // About all of the current document.
  std::string whole(std::string_view method) {
    return request(method, formatted(R"({{"textDocument":{{"uri":{}}},"range":{{"start":{{"line":0,"character":0}},)"
                                     R"("end":{{"line":9999,"character":0}}}}}})",
                                     json::quoted(uri_)));
  }

  Server server;
  std::string initialized_;

 private:
  int id_ = 0;
  std::string uri_ = "file:///a.rpl";
  std::string text_;
};

TEST(Lsp, SaysWhatItCan) {
  const Client client;
  for (const char* key : {"hoverProvider", "definitionProvider", "completionProvider", "documentSymbolProvider",
                          "documentFormattingProvider", "renameProvider", "referencesProvider",
                          "semanticTokensProvider", "signatureHelpProvider", "inlayHintProvider", "codeActionProvider",
                          "codeLensProvider", "foldingRangeProvider", "typeDefinitionProvider", "callHierarchyProvider",
                          "workspaceSymbolProvider", "documentRangeFormattingProvider"}) {
    EXPECT_THAT(client.initialized_, HasSubstr(key));
  }
  EXPECT_THAT(client.initialized_, HasSubstr(R"("positionEncoding":"utf-16")"));
  const Client other("{}", R"({"general":{"positionEncodings":["utf-32","utf-8"]}})");
  EXPECT_THAT(other.initialized_, HasSubstr(R"("positionEncoding":"utf-8")"));
}

TEST(Lsp, PublishesDiagnosticsOnOpenAndChange) {
  Client client;
  EXPECT_THAT(client.open(kText), HasSubstr(R"("diagnostics":[])"));
  const auto answers = client.notify(
      "textDocument/didChange",
      R"({"textDocument":{"uri":"file:///a.rpl","version":2},"contentChanges":[{"text":"struct s { f4 a }"}]})");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_THAT(answers[0], AllOf(HasSubstr("rpl-expected"), HasSubstr(R"("severity":1)"),
                                HasSubstr(R"("start":{"line":0,"character":16)")));
  EXPECT_THAT(client.notify("textDocument/didClose", R"({"textDocument":{"uri":"file:///a.rpl"}})"),
              ElementsAre(HasSubstr(R"("diagnostics":[])")));
}

// Greys what no variant has: a client may fix options.
TEST(Lsp, DimsWhatNoVariantHas) {
  EXPECT_THAT(Client().open(kText), Not(HasSubstr("inactive")));
  Client fixed(R"({"options":{"fast":false,"mode":"tinted"}})");
  EXPECT_THAT(fixed.open(kText), AllOf(HasSubstr(R"("start":{"line":13,"character":23)"), HasSubstr(R"("tags":[1])"),
                                       Not(HasSubstr(R"("line":9)")), Not(HasSubstr("rpl-"))));
  // Both conditions are true in some variant, and never together.
  EXPECT_THAT(Client().open(
                  "instance fog: flag off;\ncolor_output_container target { f4 color; };\n"
                  "void fragment_main (void)\n{\n    target.color = f4 {1.0};\n"
                  "    conditional (fog)\n    {\n        conditional (!fog) { target.color = f4 {0.0}; }\n    }\n}\n"),
              AllOf(HasSubstr(R"("start":{"line":7,"character":27)"), HasSubstr("in every variant")));
}

TEST(Lsp, ReportsErrorsOfAllVariants) {
  Client client;
  const std::string shown = client.open(
      "instance fog: flag off;\nglobal size: enum \"small\" \"large\";\ncolor_output_container target { f4 color; };\n"
      "void fragment_main (void)\n{\n    target.color = f4 {1.0};\n"
      "    conditional (fog && size == \"large\") { target.color = colr; }\n    conditional (fog) { target.colour = f4 "
      "{1.0}; }\n}\n");
  EXPECT_THAT(
      shown, AllOf(HasSubstr("`colr`"), HasSubstr("(with fog=true, size="), HasSubstr("`target` has no field `colour`"),
                   HasSubstr("did you mean `color`? (with fog=true)"), Not(HasSubstr("variants fail"))));
  // Too many variants to search while somebody types: one is analysed.
  std::string many;
  for (int i = 0; i < 10; ++i) many += formatted("instance o{}: flag off;\n", i);
  many += "color_output_container target { f4 color; };\nvoid fragment_main (void)\n{\n    target.color = wrong;\n";
  for (int i = 0; i < 10; ++i) many += formatted("    conditional (o{}) {{ target.color.x = 0.{}; }}\n", i, i);
  EXPECT_THAT(client.open(many + "}\n"), AllOf(HasSubstr("`wrong`"), Not(HasSubstr("rpl-variant-limit"))));
  EXPECT_THAT(client.whole("textDocument/codeLens"), HasSubstr("more than 512 variants"));
}

TEST(Lsp, HoversWithTypeLayoutAndPlace) {
  Client client;
  client.open(kText);
  const auto hover = [&](std::string_view what, std::size_t into = 0, int nth = 1) {
    return client.at("textDocument/hover", what, into, nth);
  };
  EXPECT_THAT(hover("view.projection_view", 6), HasSubstr("offset 0, 64 bytes"));
  EXPECT_THAT(hover("view.projection_view", 1), AllOf(HasSubstr("set_pass (set 0), binding 0"), HasSubstr("64 bytes")));
  EXPECT_THAT(hover("lights.list[0u].color", 16), AllOf(HasSubstr("f4 light.color"), HasSubstr("offset 0")));
  EXPECT_THAT(hover("lights.list[0u]", 0), HasSubstr("set_material (set 1), binding 0"));
  EXPECT_THAT(hover("= vertex.uv", 9), AllOf(HasSubstr("location 1"), HasSubstr("offset 12"), HasSubstr("float16")));
  EXPECT_THAT(hover("target.color", 8), HasSubstr("location 0"));
  EXPECT_THAT(hover("local + lights"), HasSubstr("f4 local"));
  EXPECT_THAT(hover("mode =="), HasSubstr("global option, here `plain`"));
  EXPECT_THAT(hover("vertex_stage_output_position"), HasSubstr("void vertex_stage_output_position (f4)"));
  EXPECT_THAT(hover("cull_mode"), HasSubstr("`none` `back` `front`"));
  EXPECT_THAT(hover("struct light", 8), HasSubstr("struct of 32 bytes, aligned to 16"));
  EXPECT_THAT(hover("f4 local", 1), HasSubstr("built-in type"));
  EXPECT_THAT(hover("{\n", 0), HasSubstr(R"("result":null)"));
}

TEST(Lsp, FindsDefinitions) {
  Client client;
  client.open(kText);
  const auto definition = [&](std::string_view what, std::size_t into = 0) {
    return client.at("textDocument/definition", what, into);
  };
  EXPECT_THAT(definition("view.projection_view", 6), HasSubstr(R"("start":{"line":4,"character":36})"));
  EXPECT_THAT(definition("lights.list[0u].color", 16), HasSubstr(R"("start":{"line":3,"character":18})"));
  EXPECT_THAT(definition("local + lights"), HasSubstr(R"("start":{"line":12,"character":7})"));
  EXPECT_THAT(definition("tint) setting"), HasSubstr(R"("start":{"line":2,"character":9})"));
  EXPECT_THAT(definition("light... list"), HasSubstr(R"("start":{"line":3,"character":7})"));
  EXPECT_THAT(definition("vertex_stage_output_position"), HasSubstr(R"("result":null)"));
}

TEST(Lsp, Completes) {
  Client client;
  client.open(kText);
  const auto complete = [&](std::string_view what, std::size_t into) {
    return client.at("textDocument/completion", what, into);
  };
  EXPECT_THAT(complete("vertex.position", 7),
              AllOf(HasSubstr(R"("position")"), HasSubstr(R"("uv")"), Not(HasSubstr("round_f3"))));
  EXPECT_THAT(complete("list[0u].color", 9), AllOf(HasSubstr(R"("color")"), HasSubstr(R"("range")")));
  EXPECT_THAT(complete("cull_mode = \"none\"", 13),
              AllOf(HasSubstr("front"), HasSubstr("back"), Not(HasSubstr("keep"))));
  // The quote is there already.
  EXPECT_THAT(complete("cull_mode = \"none\"", 13),
              AllOf(HasSubstr(R"("label":"front")"), Not(HasSubstr(R"(\"front)"))));
  EXPECT_THAT(complete("cull_mode = \"none\"", 12), HasSubstr(R"("label":"\"front\"")"));
  EXPECT_THAT(complete("setting cull_mode", 8), AllOf(HasSubstr("depth_test"), HasSubstr("color_output_format")));
  EXPECT_THAT(complete("mode == \"tinted\"", 9), AllOf(HasSubstr("plain"), HasSubstr("tinted")));
  EXPECT_THAT(complete("local = local", 8),
              AllOf(HasSubstr(R"("local")"), HasSubstr("round_f3"), HasSubstr(R"("mode")"), HasSubstr(R"("lights")")));
  // What fits, and first what has the type.
  const std::string expression = complete("local = local", 8);
  EXPECT_THAT(expression, AllOf(HasSubstr(R"("sortText":"0normalize_f4")"), HasSubstr(R"("sortText":"1normalize_f3")"),
                                HasSubstr(R"("sortText":"0local")"), Not(HasSubstr(R"("label":"struct")")),
                                Not(HasSubstr("cull_mode")), Not(HasSubstr("image_color_2d")),
                                Not(HasSubstr("fragment_main")), Not(HasSubstr("compute_stage"))));
  EXPECT_THAT(complete("f4 local", 0), AllOf(HasSubstr(R"("label":"return")"), HasSubstr(R"("label":"f4x4")"),
                                             HasSubstr(R"("label":"target")"), Not(HasSubstr("global"))));
  EXPECT_THAT(complete("f4 local", 5), HasSubstr(R"("result":[])")) << "a new name";
  EXPECT_THAT(complete("f1 range", 0), AllOf(HasSubstr(R"("label":"light")"), HasSubstr(R"("label":"pack")"),
                                             Not(HasSubstr("return")), Not(HasSubstr("round_f3"))));
  EXPECT_THAT(
      complete("uniform_buffer view", 0),
      AllOf(HasSubstr("read_only_storage_buffer"), HasSubstr("image_depth_cube"), Not(HasSubstr(R"("label":"f4")"))));
  EXPECT_THAT(complete("(fast)", 1), AllOf(HasSubstr(R"("label":"fast")"), HasSubstr(R"("label":"tint")"),
                                           Not(HasSubstr(R"("label":"view")")), Not(HasSubstr("round_f3"))));
  EXPECT_THAT(complete("struct light", 0), AllOf(HasSubstr(R"("label":"set_pass")"), Not(HasSubstr("round_f3")),
                                                 Not(HasSubstr(R"("label":"view")"))));
  // While a name is being typed the program does not parse.
  client.open("set_pass uniform_buffer view { f4 a; f4 b; };\nvoid vertex_main (void) { f4 x = view. }");
  EXPECT_THAT(complete("view. }", 5), AllOf(HasSubstr(R"("a")"), HasSubstr(R"("b")")));
}

TEST(Lsp, FormatsARange) {
  Client client;
  client.open("struct  a{f4 b;};\nstruct c\n{\n    f4 d;\n};\nstruct  e{f4 f;};\n");
  const auto format = [&](int first, int last) {
    return client.request(
        "textDocument/rangeFormatting",
        formatted(R"({{"textDocument":{{"uri":"file:///a.rpl"}},"range":{{"start":{{"line":{},"character":0}},)"
                  R"("end":{{"line":{},"character":0}}}}}})",
                  first, last));
  };
  EXPECT_THAT(format(0, 1), AllOf(HasSubstr("struct a"), Not(HasSubstr("struct e"))));
  EXPECT_THAT(format(5, 6), AllOf(HasSubstr("struct e"), HasSubstr(R"("start":{"line":5,"character":0})"),
                                  Not(HasSubstr("struct a"))));
  EXPECT_THAT(format(2, 4), HasSubstr(R"("result":[])"));
  EXPECT_THAT(client.whole("textDocument/formatting"),
              AllOf(HasSubstr("struct a"), HasSubstr("struct e"), Not(HasSubstr("f4 d"))))
      << "lines that stay as they are are not replaced";
}

TEST(Lsp, FoldsBodies) {
  Client client;
  client.open(kText);
  const std::string folds = client.whole("textDocument/foldingRange");
  EXPECT_THAT(folds, HasSubstr(R"({"startLine":10,"endLine":16})"));
  EXPECT_THAT(folds, Not(HasSubstr(R"("startLine":17)"))) << "one line";
}

TEST(Lsp, FindsTypesAndCallers) {
  Client client;
  client.open(kText);
  EXPECT_THAT(client.at("textDocument/typeDefinition", "list[0u]"), HasSubstr(R"("start":{"line":3,"character":7})"));
  EXPECT_THAT(client.at("textDocument/typeDefinition", "local = local"), HasSubstr(R"("result":null)"));
  client.open(
      "color_output_container target { f4 color; };\nf1 half (in f1 x) { return x * 0.5; }\n"
      "f1 quarter (in f1 x) { return half (half (x)); }\n"
      "void fragment_main (void) { target.color = f4 {quarter (1.0), half (1.0), 0.0, 0.0}; }\n");
  const std::string prepared = client.at("textDocument/prepareCallHierarchy", "half (half");
  EXPECT_THAT(prepared,
              AllOf(HasSubstr(R"("name":"half")"), HasSubstr(R"("selectionRange":{"start":{"line":1,"character":3})")));
  EXPECT_THAT(client.at("textDocument/prepareCallHierarchy", "target"), HasSubstr(R"("result":null)"));
  const auto item = [](int line, int character) {
    return formatted(
        R"({{"item":{{"uri":"file:///a.rpl","selectionRange":{{"start":{{"line":{},"character":{}}}}}}}}})", line,
        character);
  };
  const std::string incoming = client.request("callHierarchy/incomingCalls", item(1, 3));
  EXPECT_THAT(incoming,
              AllOf(HasSubstr(R"("from":{"name":"quarter")"), HasSubstr(R"("from":{"name":"fragment_main")")));
  EXPECT_THAT(
      incoming,
      HasSubstr(
          R"("fromRanges":[{"start":{"line":2,"character":30},"end":{"line":2,"character":34}},{"start":{"line":2,"character":36})"));
  const std::string outgoing = client.request("callHierarchy/outgoingCalls", item(3, 5));
  EXPECT_THAT(outgoing, AllOf(HasSubstr(R"("to":{"name":"quarter")"), HasSubstr(R"("to":{"name":"half")")));
  EXPECT_THAT(client.request("callHierarchy/incomingCalls", item(3, 5)), HasSubstr(R"("result":[])"));
  EXPECT_THAT(client.request("callHierarchy/outgoingCalls", R"({"item":7})"), HasSubstr(R"("result":null)"));
}

TEST(Lsp, ShowsWhatVariantsCost) {
  Client client;
  client.open(
      "instance fog: flag off;\ncolor_output_container target { f4 color; };\n"
      "vertex_attribute_container vertex { f4 position; };\n"
      "void vertex_main (void) { vertex_stage_output_position (vertex.position); }\n"
      "void fragment_main (void)\n{\n    target.color = f4 {1.0};\n    conditional (fog) { target.color.x = 0.5; "
      "}\n}\n");
  const std::string lenses = client.whole("textDocument/codeLens");
  EXPECT_THAT(lenses, ::testing::ContainsRegex("2 variants, 1 of this stage: [0-9]+ bytes, [0-9]+ instructions"));
  EXPECT_THAT(lenses, ::testing::ContainsRegex(
                          "2 variants, 2 of this stage: [0-9]+ to [0-9]+ bytes, [0-9]+ to [0-9]+ instructions"));
  client.open("void fragment_main (void) { target.color = f4 {1.0}; }\n");
  EXPECT_THAT(client.whole("textDocument/codeLens"), HasSubstr("1 variant, 1 with errors"));
}

TEST(Lsp, ListsSymbolsAndFormats) {
  Client client;
  client.open("struct  light{f4 color;};");
  const std::string document = R"({"textDocument":{"uri":"file:///a.rpl"}})";
  EXPECT_THAT(client.request("textDocument/documentSymbol", document),
              AllOf(HasSubstr(R"("name":"light")"), HasSubstr(R"("name":"color")")));
  EXPECT_THAT(client.request("textDocument/formatting", document),
              HasSubstr(R"("newText":"struct light { f4 color; };\n")"));
  client.open("struct light {");
  EXPECT_THAT(client.request("textDocument/formatting", document), HasSubstr(R"("result":null)"));
}

TEST(Lsp, CountsCharactersInUtf16) {
  Client client;
  client.open("/* \xF0\x9F\x8E\xA8\xC3\xA9 */ struct s { nope a; };");
  // 24 bytes, of which one character has four and two units, one has two and one unit.
  EXPECT_THAT(client.at("textDocument/hover", "/* "), HasSubstr(R"("result":null)"));
  const auto answers = client.notify(
      "textDocument/didChange",
      R"({"textDocument":{"uri":"file:///a.rpl"},"contentChanges":[{"text":"/* 🎨é */ struct s { f4 a }"}]})");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_THAT(answers[0], HasSubstr(R"("start":{"line":0,"character":26)"));
}

TEST(Lsp, ChangesPartsOfATextInSequence) {
  Client client;
  client.open("struct s { f4 a; };\nstruct t { f4 b; };\n");
  // The second change is about the text after the first one.
  const auto answers =
      client.notify("textDocument/didChange",
                    R"({"textDocument":{"uri":"file:///a.rpl"},"contentChanges":[)"
                    R"({"range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}},"text":""},)"
                    R"({"range":{"start":{"line":0,"character":11},"end":{"line":0,"character":13}},"text":"nope"}]})");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_THAT(answers[0], AllOf(HasSubstr("rpl-unknown-type"), HasSubstr(R"("start":{"line":0,"character":11})"),
                                HasSubstr(R"("end":{"line":0,"character":15})")));
}

TEST(Lsp, FindsAndHighlightsReferences) {
  Client client;
  client.open(kText);
  const std::string with = R"(,"context":{"includeDeclaration":true})",
                    without = R"(,"context":{"includeDeclaration":false})";
  const auto count = [](const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = text.find("\"range\""); at != text.npos; at = text.find("\"range\"", at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count(client.at("textDocument/references", "local + lights", 0, 1, with)), 4U);
  EXPECT_EQ(count(client.at("textDocument/references", "local + lights", 0, 1, without)), 3U);
  // The field `color` of `light`, not that of `target`.
  EXPECT_EQ(count(client.at("textDocument/references", "list[0u].color", 9, 1, with)), 2U);
  EXPECT_EQ(count(client.at("textDocument/documentHighlight", "state.uv", 1)), 3U);
  EXPECT_THAT(client.at("textDocument/references", "{\n", 0, 1, with), HasSubstr(R"("result":null)"));
}

TEST(Lsp, Renames) {
  Client client;
  client.open(kText);
  const auto rename = [&](std::string_view what, std::size_t into, std::string_view name) {
    return client.at("textDocument/rename", what, into, 1, formatted(R"(,"newName":"{}")", name));
  };
  const std::string made = rename("tint) setting", 0, "tinted_mode");
  EXPECT_THAT(made, AllOf(HasSubstr(R"("file:///a.rpl":[)"), HasSubstr(R"("line":2,"character":9)"),
                          HasSubstr(R"("line":9,"character":13)"), HasSubstr(R"("newText":"tinted_mode")")));
  EXPECT_THAT(rename("tint) setting", 0, "mode"), HasSubstr("-32803"));
  EXPECT_THAT(rename("tint) setting", 0, "void"), HasSubstr("-32803"));
  EXPECT_THAT(rename("tint) setting", 0, "9a"), HasSubstr("cannot be a name"));
  EXPECT_THAT(rename("vertex_stage_output_position", 0, "x"), HasSubstr("no name that a program declares"));
  EXPECT_THAT(rename("float16", 0, "x"), HasSubstr("no name that a program declares"));
  EXPECT_THAT(client.at("textDocument/prepareRename", "lights.list", 8),
              HasSubstr(R"("start":{"line":13,"character":48},"end":{"line":13,"character":52})"));
  EXPECT_THAT(client.at("textDocument/prepareRename", "f4 local"), HasSubstr(R"("result":null)"));
}

TEST(Lsp, ShowsSignatures) {
  Client client;
  client.open(
      "f4 blend (in f4 base, in f1 amount) { return base * amount; }\n"
      "void g (void) { f4 x = blend (f4 {1.0, 2.0}, max_f1 (1.0, 2.0)); }\n");
  const auto help = [&](std::string_view what, std::size_t into) {
    return client.at("textDocument/signatureHelp", what, into);
  };
  EXPECT_THAT(help("f4 {1.0", 0), AllOf(HasSubstr(R"x("label":"f4 blend (in f4 base, in f1 amount)")x"),
                                        HasSubstr(R"("activeParameter":0)"), HasSubstr(R"("label":[10,20])")));
  EXPECT_THAT(help("2.0}, max", 4), HasSubstr(R"("activeParameter":0)"));
  EXPECT_THAT(help("}, max", 3), AllOf(HasSubstr("blend"), HasSubstr(R"("activeParameter":1)")));
  EXPECT_THAT(help("2.0));", 0), AllOf(HasSubstr("f1 max_f1 (f1, f1)"), HasSubstr(R"("activeParameter":1)"),
                                       HasSubstr(R"("label":[11,13])")));
  EXPECT_THAT(help("f4 x", 0), HasSubstr(R"("result":null)"));
}

TEST(Lsp, ColorsNamesByTheirMeaning) {
  Client client;
  client.open("struct light { f4 color; };\n");
  // Line and character relative to the token before, length, type, modifiers: struct, type, property.
  EXPECT_THAT(client.whole("textDocument/semanticTokens/full"), HasSubstr(R"("data":[0,7,5,2,1,0,8,2,1,4,0,3,5,5,1])"));
}

TEST(Lsp, HintsAtBindingsLocationsAndOffsets) {
  Client client;
  client.open(kText);
  const std::string hints = client.whole("textDocument/inlayHint");
  EXPECT_THAT(hints, AllOf(HasSubstr("set_pass (set 0), binding 0"), HasSubstr("location 1; offset 12, float16"),
                           HasSubstr("offset 0, 64 bytes"), HasSubstr(R"("position":{"line":4,"character":28})")));
}

TEST(Lsp, CorrectsMisspelledNames) {
  Client client;
  client.open(
      "color_output_container target { f4 color; };\n"
      "void fragment_main (void) { target.colour = f4 {1.0}; }\n");
  EXPECT_THAT(client.whole("textDocument/codeAction"),
              AllOf(HasSubstr("replace `colour` by `color`"), HasSubstr(R"("kind":"quickfix")"),
                    HasSubstr(R"("file:///a.rpl":[{"range":{"start":{"line":1,"character":35})"),
                    HasSubstr(R"("newText":"color")")));
  client.open("struct light { f4 color; };\n");
  EXPECT_THAT(client.whole("textDocument/codeAction"), HasSubstr(R"("result":[])"));
}

TEST(Lsp, UrisNamePathsOfThisSystem) {
  const Path path = (std::filesystem::temp_directory_path() / "a b.rpl").make_preferred();
  EXPECT_THAT(uri_of_path(path), AllOf(::testing::StartsWith("file:///"), ::testing::EndsWith("/a%20b.rpl")));
  EXPECT_EQ(path_of_uri(uri_of_path(path)), path.lexically_normal());
}

TEST(Lsp, ChecksOtherDocuments) {
  const auto check = [](const SourcePtr& source, const Path& path) -> std::optional<Diagnostics> {
    Diagnostics found;
    found
        .error(DiagnosticKind::UnknownKey, SourceLocation::in_text(source, {1, 7}),
               "unknown key in " + path.generic_string())
        .suggest(SourceLocation::in_text(source, {2, 6}), "dims");
    return found;
  };
  Client client("{}", "{}", {}, check);
  EXPECT_THAT(client.open_as("file:///scene%20one.json", R"({"dimz": 1})"),
              ElementsAre(AllOf(HasSubstr("unknown key in /scene one.json"), HasSubstr("unknown-key"))));
  EXPECT_THAT(client.whole("textDocument/codeAction"), HasSubstr("replace `dimz` by `dims`"));
  // Editors send these by themselves, for all documents of the server.
  for (const char* method : {"semanticTokens/full", "documentSymbol", "inlayHint", "formatting"}) {
    EXPECT_THAT(client.whole(std::string("textDocument/") + method), HasSubstr(R"("result":null)")) << method;
  }
  for (const char* method : {"hover", "completion", "definition", "documentHighlight", "prepareRename"}) {
    EXPECT_THAT(
        client.request(std::string("textDocument/") + method,
                       R"({"textDocument":{"uri":"file:///scene%20one.json"},"position":{"line":0,"character":1}})"),
        HasSubstr(R"("result":null)"))
        << method;
  }
}

// A pass and two materials on a disk.
struct ProjectFiles {
  std::map<Path, std::string> texts = {
      {"/game/game.rplproject.json",
       R"({"passes": [{"name": "forward", "sources": ["pass.rpl"],
                       "entry_points": {"vertex": "vertex_main", "fragment": "fragment_main"}},
                      {"name": "shadow", "sources": ["shadow.rpl"], "materials": ["brick"],
                       "entry_points": {"vertex": "vertex_main", "fragment": "shadow_main"}}],
           "materials": [{"name": "brick", "sources": ["materials/brick.rpl"]},
                         {"name": "glass", "sources": ["materials/glass.rpl"]}],
           "options": {"fog": [true, false]}})"},
      {"/game/pass.rpl",
       "global fog: flag off;\nset_pass uniform_buffer view { f4 tint; };\n"
       "color_output_container target { f4 color; };\nvertex_attribute_container vertex { f4 position; };\n"
       "void vertex_main (void) { vertex_stage_output_position (vertex.position); }\n"},
      {"/game/shadow.rpl",
       "set_pass uniform_buffer view { f4 tint; };\ncolor_output_container moments { f4 value; };\n"
       "vertex_attribute_container vertex { f4 position; };\n"
       "void vertex_main (void) { vertex_stage_output_position (vertex.position); }\n"},
      {"/game/materials/brick.rpl",
       "void fragment_main (void) { target.color = view.tint; }\n"
       "void shadow_main (void) { moments.value = view.tint; }\n"},
      {"/game/materials/glass.rpl", "void fragment_main (void) { target.color = f4 {0.5}; }\n"}};

  FileAccess access() {
    return {.read = [this](const Path& path) -> Result<std::string> {
              const auto found = texts.find(path);
              if (found == texts.end()) return fail(DiagnosticKind::FileNotFound, {}, "missing");
              return found->second;
            },
            .list =
                [this](const Path& directory) {
                  std::vector<Path> files;
                  for (const auto& [path, text] : texts) {
                    if (path.parent_path() == directory) files.push_back(path);
                  }
                  return files;
                }};
  }
};

TEST(LspProject, AMaterialAloneHasNoFalseErrors) {
  ProjectFiles files;
  Client client("{}", "{}", files.access());
  const std::string brick = files.texts["/game/materials/brick.rpl"];
  EXPECT_THAT(client.open_as("file:///game/materials/brick.rpl", brick), ElementsAre(HasSubstr(R"("diagnostics":[])")));
  EXPECT_THAT(client.at("textDocument/hover", "view.tint", 6), HasSubstr("offset 0, 16 bytes"));
  EXPECT_THAT(client.at("textDocument/definition", "view.tint", 6),
              AllOf(HasSubstr(R"("uri":"file:///game/pass.rpl")"), HasSubstr(R"("line":1,"character":34)")));
  EXPECT_THAT(client.at("textDocument/completion", "view.tint", 5), HasSubstr(R"("tint")"));
  // The same file without a project.
  Client alone;
  EXPECT_THAT(alone.open_as("file:///game/materials/brick.rpl", brick),
              ElementsAre(AllOf(HasSubstr("rpl-unknown-name"), HasSubstr("no project file"))));
}

TEST(LspProject, LooksIntoAllPrograms) {
  ProjectFiles files;
  Client client("{}", "{}", files.access());
  // A mistake in what only one value of an option enables.
  std::string brick = files.texts["/game/materials/brick.rpl"];
  brick.insert(brick.find("target.color"), "conditional (!fog) { target.color = view.tin; } ");
  EXPECT_THAT(client.open_as("file:///game/materials/brick.rpl", brick),
              ElementsAre(AllOf(HasSubstr("rpl-component"), HasSubstr("(with fog=false)"))));
  client.open_as("file:///game/materials/brick.rpl", files.texts["/game/materials/brick.rpl"]);
  EXPECT_THAT(client.whole("textDocument/codeLens"),
              AllOf(HasSubstr("1 variant, 1 of this stage: "), Not(HasSubstr("in 2 programs"))));
  client.open_as("file:///game/pass.rpl", files.texts["/game/pass.rpl"]);
  EXPECT_THAT(client.whole("textDocument/codeLens"), HasSubstr("in 2 programs: 2 variants, 1 of this stage: "));
  const std::string found = client.request("workspace/symbol", R"({"query":"FRAGMAIN"})");
  EXPECT_THAT(found, AllOf(HasSubstr("file:///game/materials/brick.rpl"), HasSubstr("file:///game/materials/glass.rpl"),
                           Not(HasSubstr("vertex_main"))));
  EXPECT_THAT(client.request("workspace/symbol", R"({"query":""})"), HasSubstr(R"("name":"moments")"));
}

TEST(LspProject, AChangeIsSeenInAllOpenSources) {
  ProjectFiles files;
  Client client("{}", "{}", files.access());
  client.open_as("file:///game/materials/brick.rpl", files.texts["/game/materials/brick.rpl"]);
  EXPECT_THAT(client.open_as("file:///game/materials/glass.rpl", files.texts["/game/materials/glass.rpl"]),
              ElementsAre(HasSubstr(R"("diagnostics":[])")));
  std::string pass = files.texts["/game/pass.rpl"];
  pass.replace(pass.find("f4 tint"), 7, "f4 shade");
  // `fog` is on, so nothing of the pass is dimmed; the error is in the material, of which only one is affected.
  EXPECT_THAT(client.open_as("file:///game/pass.rpl", pass),
              ElementsAre(AllOf(HasSubstr("pass.rpl"), HasSubstr(R"("diagnostics":[])")),
                          AllOf(HasSubstr("brick.rpl"), HasSubstr("rpl-component"))));
  // Closed without saving: the text on the disk counts again.
  EXPECT_THAT(client.notify("textDocument/didClose", R"({"textDocument":{"uri":"file:///game/pass.rpl"}})"),
              ElementsAre(HasSubstr("pass.rpl"), AllOf(HasSubstr("brick.rpl"), HasSubstr(R"("diagnostics":[])"))));
  // Changed on the disk by another program.
  files.texts["/game/pass.rpl"] = pass;
  EXPECT_THAT(client.notify("workspace/didChangeWatchedFiles", R"({"changes":[]})"),
              ElementsAre(AllOf(HasSubstr("brick.rpl"), HasSubstr("rpl-component"))));
}

// A document that is opened or changed does not concern the others.
TEST(Lsp, ChecksOnlyWhatAChangeConcerns) {
  int checks = 0;
  const CheckDocument check = [&](const SourcePtr&, const Path&) -> std::optional<Diagnostics> {
    ++checks;
    return Diagnostics();
  };
  constexpr int kDocuments = 20;
  Client client("{}", "{}", {}, check);
  for (int i = 0; i < kDocuments; ++i) client.open_as(formatted("file:///scene{}.json", i), "{}");
  EXPECT_EQ(checks, kDocuments);
  client.notify("textDocument/didClose", R"({"textDocument":{"uri":"file:///scene0.json"}})");
  EXPECT_EQ(checks, kDocuments);
  client.notify("workspace/didChangeWatchedFiles", R"({"changes":[]})");
  EXPECT_EQ(checks, kDocuments + kDocuments - 1);
}

// The error of a project file about a source that is missing goes when an editor has a new document for it.
TEST(LspProject, ANewDocumentIsASource) {
  ProjectFiles files;
  files.texts.erase("/game/materials/glass.rpl");
  Client client("{}", "{}", files.access());
  EXPECT_THAT(client.open_as("file:///game/game.rplproject.json", files.texts["/game/game.rplproject.json"]),
              ElementsAre(HasSubstr("the file cannot be read")));
  EXPECT_THAT(client.open_as("file:///game/materials/glass.rpl", "void fragment_main (void) {}\n"),
              ElementsAre(HasSubstr("glass.rpl"), AllOf(HasSubstr("rplproject"), HasSubstr(R"("diagnostics":[])"))));
  EXPECT_THAT(client.notify("textDocument/didClose", R"({"textDocument":{"uri":"file:///game/materials/glass.rpl"}})"),
              ElementsAre(HasSubstr("glass.rpl"), HasSubstr("the file cannot be read")));
}

TEST(LspProject, RenamesInAllSources) {
  ProjectFiles files;
  Client client("{}", "{}", files.access());
  client.open_as("file:///game/pass.rpl", files.texts["/game/pass.rpl"]);
  // Two passes declare it for one material.
  const std::string made = client.at("textDocument/rename", "tint", 0, 1, R"(,"newName":"shade")");
  EXPECT_THAT(made, AllOf(HasSubstr("file:///game/pass.rpl"), HasSubstr("file:///game/shadow.rpl"),
                          HasSubstr("file:///game/materials/brick.rpl"), Not(HasSubstr("glass"))));
  EXPECT_THAT(client.at("textDocument/rename", "tint", 0, 1, R"(,"newName":"color")"), HasSubstr("newText"));
  EXPECT_THAT(client.at("textDocument/rename", "target {", 0, 1, R"(,"newName":"view")"), HasSubstr("-32803"));
  // A refused name leaves no trace.
  EXPECT_THAT(client.at("textDocument/hover", "target {"), HasSubstr("color_output_container target"));
}

TEST(LspProject, ChecksProjectFiles) {
  ProjectFiles files;
  Client client("{}", "{}", files.access());
  std::string text = files.texts["/game/game.rplproject.json"];
  EXPECT_THAT(client.open_as("file:///game/game.rplproject.json", text), ElementsAre(HasSubstr(R"("diagnostics":[])")));
  text.replace(text.find("\"glass.rpl\"") == text.npos ? text.find("glass.rpl") : 0, 9, "glas.rpl");
  text.replace(text.find(R"("materials": ["brick"])"), 22, R"("materials": ["brik"])");
  EXPECT_THAT(client.open_as("file:///game/game.rplproject.json", text),
              ElementsAre(AllOf(HasSubstr("unknown-reference"), HasSubstr("did you mean `brick`?"))));
  EXPECT_THAT(client.whole("textDocument/codeAction"), HasSubstr("replace `brik` by `brick`"));
}

TEST(Lsp, AnswersWrongMessages) {
  Server server;
  const auto answer = [&](std::string_view message) {
    const auto answers = server.handle(message);
    return answers.empty() ? std::string() : answers[0];
  };
  EXPECT_THAT(answer(R"({"jsonrpc":"2.0","id":1,"method":"textDocument/hover"})"), HasSubstr("-32002"));
  EXPECT_THAT(answer("{nonsense"), HasSubstr("-32700"));
  EXPECT_THAT(answer("[]"), HasSubstr("-32600"));
  EXPECT_THAT(answer(R"({"id":{},"method":"x"})"), HasSubstr("-32600"));
  EXPECT_THAT(answer(R"({"id":1})"), HasSubstr("-32600"));
  answer(R"({"jsonrpc":"2.0","id":2,"method":"initialize","params":[]})");
  EXPECT_THAT(answer(R"({"jsonrpc":"2.0","id":"a","method":"no/such"})"),
              AllOf(HasSubstr("-32601"), HasSubstr(R"("id":"a")")));
  EXPECT_EQ(answer(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}})"), "");
  EXPECT_THAT(answer(R"({"jsonrpc":"2.0","id":3,"method":"textDocument/hover","params":{}})"), HasSubstr("-32602"));
  EXPECT_EQ(answer(R"({"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":7}})"), "");
  EXPECT_EQ(answer(R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":null})"), "");
  answer(R"({"method":"textDocument/didOpen","params":{"textDocument":{"uri":"a","text":"x"}}})");
  EXPECT_THAT(
      answer(R"({"id":4,"method":"textDocument/hover","params":{"textDocument":{"uri":"a"},"position":{"line":-1}}})"),
      HasSubstr("-32602"));
  EXPECT_THAT(answer(R"({"id":5,"method":"textDocument/hover","params":{"textDocument":{"uri":"a"},
                        "position":{"line":4000000000,"character":4000000000}}})"),
              HasSubstr("result"));
  EXPECT_THAT(answer(R"({"id":6,"method":"shutdown"})"), HasSubstr(R"("result":null)"));
  EXPECT_THAT(answer(R"({"id":7,"method":"textDocument/hover"})"), HasSubstr("-32600"));
  EXPECT_FALSE(server.ended());
  answer(R"({"method":"exit"})");
  EXPECT_TRUE(server.ended());
  EXPECT_EQ(server.exit_status(), 0);
}

TEST(LspFrames, ComeInAnyPieces) {
  FrameReader reader;
  const std::string stream =
      frame("{\"a\":1}") + "Content-Type: x\r\ncontent-length: 2\r\n\r\n[]" + "junk\r\n\r\n" + frame("last");
  std::vector<std::string> bodies;
  for (const char c : stream) {
    reader.feed({&c, 1});
    while (const auto body = reader.next()) bodies.push_back(*body);
  }
  EXPECT_THAT(bodies, ElementsAre("{\"a\":1}", "[]", "last"));
  reader.feed("Content-Length: 99999999999\r\n\r\n");
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.broken());
}

}  // namespace
}  // namespace slipway::rpl::lsp
