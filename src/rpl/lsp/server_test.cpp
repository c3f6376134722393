// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/server.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/writer.hpp"
#include "rpl/lsp/frames.hpp"

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
  explicit Client(std::string_view options = "{}", std::string_view capabilities = "{}") {
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
    const auto answers =
        notify("textDocument/didOpen",
               formatted(R"({{"textDocument":{{"uri":"file:///a.rpl","text":{}}}}})", json::quoted(text)));
    EXPECT_EQ(answers.size(), 1U);
    text_ = text;
    return answers.empty() ? "" : answers[0];
  }
  // At the n-th occurrence of `what`, `into` characters in.
  std::string at(std::string_view method, std::string_view what, std::size_t into = 0, int nth = 1) {
    std::size_t offset = text_.find(what);
    for (; nth > 1; --nth) offset = text_.find(what, offset + 1);
    EXPECT_NE(offset, text_.npos) << what;
    offset += into;
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
    const std::size_t start = text_.rfind('\n', offset - 1);
    const std::size_t character = start == text_.npos || offset == 0 ? offset : offset - start - 1;
    return request(method,
                   formatted(R"({{"textDocument":{{"uri":"file:///a.rpl"}},"position":{{"line":{},"character":{}}}}})",
                             line, character));
  }

  Server server;
  std::string initialized_;

 private:
  int id_ = 0;
  std::string text_;
};

TEST(Lsp, SaysWhatItCan) {
  const Client client;
  for (const char* key : {"hoverProvider", "definitionProvider", "completionProvider", "documentSymbolProvider",
                          "documentFormattingProvider"}) {
    EXPECT_THAT(client.initialized_, HasSubstr(key));
  }
  EXPECT_THAT(client.initialized_, HasSubstr(R"("positionEncoding":"utf-16")"));
  const Client other("{}", R"({"general":{"positionEncodings":["utf-32","utf-8"]}})");
  EXPECT_THAT(other.initialized_, HasSubstr(R"("positionEncoding":"utf-8")"));
}

TEST(Lsp, PublishesDiagnosticsOnOpenAndChange) {
  Client client;
  // The scope and the setting that the defaults switch off.
  EXPECT_THAT(client.open(kText), AllOf(HasSubstr("inactive"), HasSubstr(R"("tags":[1])"), Not(HasSubstr("rpl-"))));
  const auto answers = client.notify(
      "textDocument/didChange",
      R"({"textDocument":{"uri":"file:///a.rpl","version":2},"contentChanges":[{"text":"struct s { f4 a }"}]})");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_THAT(answers[0], AllOf(HasSubstr("rpl-expected"), HasSubstr(R"("severity":1)"),
                                HasSubstr(R"("start":{"line":0,"character":16)")));
  EXPECT_THAT(client.notify("textDocument/didClose", R"({"textDocument":{"uri":"file:///a.rpl"}})"),
              ElementsAre(HasSubstr(R"("diagnostics":[])")));
}

TEST(Lsp, DimsByTheAssignmentOfTheClient) {
  Client client(R"({"options":{"fast":true,"mode":"tinted"}})");
  EXPECT_THAT(client.open(kText), Not(HasSubstr("inactive")));
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
  // While a name is being typed the program does not parse.
  client.open("set_pass uniform_buffer view { f4 a; f4 b; };\nvoid vertex_main (void) { f4 x = view. }");
  EXPECT_THAT(complete("view. }", 5), AllOf(HasSubstr(R"("a")"), HasSubstr(R"("b")")));
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
  EXPECT_THAT(client.request("textDocument/formatting", document), HasSubstr(R"("code":-32803)"));
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
