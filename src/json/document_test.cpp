// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json/document.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/print_diagnostic.hpp"

namespace slipway::json {
namespace {

// A text after which bytes may be read is parsed where it is. Here they would continue it.
SourcePtr padded(std::string text) {
  const std::size_t size = text.size();
  text.append(200, '9').resize(size);
  return make_source("t.json", std::move(text));
}

std::shared_ptr<const Document> good(std::string text) {
  auto copied = parse(make_source("t.json", text)), document = parse(padded(std::move(text)));
  if (!copied) ADD_FAILURE() << format_diagnostics(copied.error());
  if (!document) ADD_FAILURE() << format_diagnostics(document.error());
  return document.value_or(nullptr);
}

std::string bad(std::string text) {
  const auto message = [](const Result<std::shared_ptr<const Document>>& document) {
    return document ? "parsed" : format_diagnostic(document.error().at(0), {.sources = false});
  };
  std::string copied = message(parse(make_source("t.json", text)));
  EXPECT_EQ(message(parse(padded(std::move(text)))), copied);
  return copied;
}

TEST(Document, ValuesHaveLocations) {
  const auto document = good("{\"a\": [1, {\"b/c\": \"x\\n\"}],\n \"d\" : true , \"e\":null}");
  const Value root = document->root();
  const Value deep = root["a"][1]["b/c"];
  EXPECT_EQ(deep.string(), "x\n");
  EXPECT_EQ(deep.pointer(), "/a/1/b~1c");
  EXPECT_EQ(deep.text(), "\"x\\n\"");
  EXPECT_EQ(root["a"].text(), "[1, {\"b/c\": \"x\\n\"}]");
  EXPECT_EQ(format_location(root["d"].location()), "t.json:2:8");
  EXPECT_EQ(format_location(root["d"].key_location()), "t.json:2:2");
  EXPECT_TRUE(root["d"].boolean());
  EXPECT_TRUE(root["e"].is(Type::Null));
  EXPECT_FALSE(root["nothing"]["more"]);
  EXPECT_EQ(root["a"].string() + root["d"].string() + root["nothing"].string(), "");
  EXPECT_EQ(root.size(), 3u);
}

TEST(Document, Numbers) {
  const auto document = good("[40.0, 1.5, -3, 18446744073709551615, 1e400, 4e1, 123456789012345678901234567890]");
  const Value root = document->root();
  EXPECT_EQ(root[0].integer(), 40);
  EXPECT_EQ(root[1].integer(), std::nullopt);
  EXPECT_EQ(root[2].integer(), -3);
  EXPECT_EQ(root[2].unsigned_integer(), std::nullopt);
  EXPECT_EQ(root[3].unsigned_integer(), 18446744073709551615ull);
  EXPECT_EQ(root[4].number(), HUGE_VAL);
  EXPECT_EQ(root[5].unsigned_integer(), 40u);
  EXPECT_EQ(root[6].unsigned_integer(), std::nullopt);
}

TEST(Document, CommentsAndTrailingCommasKeepOffsets) {
  const auto document = good("{ // one\n \"a\": [1, 2,], /* two , } */ \"b//\": 3,\n}");
  EXPECT_EQ(document->root()["a"].size(), 2u);
  EXPECT_EQ(document->root()["b//"].integer(), 3);
  ASSERT_TRUE(document->extension());
  EXPECT_EQ(document->extension()->begin, 2u);
  EXPECT_FALSE(good("{\"a\": \"// no, }\"}")->extension());
}

// Nodes have no ends: the text of each array and object is parsed again.
int count_equal_texts(Value value) {
  if (!value.is(Type::Array) && !value.is(Type::Object)) return 0;
  const auto again = good(std::string(value.text()));
  int equal = again && again->root().type() == value.type() && again->root().size() == value.size();
  for (const Value child : value) equal += count_equal_texts(child);
  return equal;
}

TEST(Document, EndsAndKeysComeFromTheText) {
  const auto document = good(R"({"a" /* "no": [ */ : [ {"b": [ ] /* ] } */ , } // ] "no": 1
  , [[[ ], {}]], 12/* } */, "\\\"]", ] , /* "no": */ "c\"" /* : */ : {} , "d":-1e5})");
  const Value root = document->root();
  EXPECT_EQ(count_equal_texts(root), 9);
  EXPECT_EQ(root["a"].text().back(), ']');
  EXPECT_EQ(root["a"][0].text(), "{\"b\": [ ] /* ] } */ , }");
  EXPECT_EQ(root["a"][1].text(), "[[[ ], {}]]");
  EXPECT_EQ(root["a"][2].text(), "12");
  EXPECT_EQ(root["a"][3].text(), R"("\\\"]")");
  EXPECT_EQ(root["a"][3].pointer(), "/a/3");
  EXPECT_EQ(root["c\""].text(), "{}");
  EXPECT_EQ(root["d"].text(), "-1e5");
  std::string keys;
  for (const Value member : root) {
    const SourceLocation at = member.key_location();
    keys += std::string(document->source()->text(at.span)) + " ";
  }
  EXPECT_EQ(keys, R"("a" "c\"" "d" )");
  EXPECT_EQ(document->source()->text(root["a"][0]["b"].key_location().span), "\"b\"");
}

TEST(Document, SyntaxErrorsHaveLocations) {
  EXPECT_EQ(bad(""), "t.json:1:1: error: the file is empty [json-syntax]\n");
  EXPECT_EQ(bad("{\"a\": 1 \"b\": 2}"), "t.json:1:9: error: unexpected `\"b` [json-syntax]\n");
  EXPECT_EQ(bad("{\"a\" 1}"), "t.json:1:6: error: expected `:` after the key [json-syntax]\n");
  EXPECT_EQ(bad("{a: 1}"), "t.json:1:2: error: expected a key in double quotes [json-syntax]\n");
  EXPECT_EQ(bad("{\"a\": tru}"), "t.json:1:7: error: unexpected `tru` [json-syntax]\n");
  EXPECT_EQ(bad("{\"a\": nul}"), "t.json:1:7: error: unexpected `nul` [json-syntax]\n");
  EXPECT_EQ(bad("{\"a\": 01}"), "t.json:1:7: error: unexpected `01` [json-syntax]\n");
  EXPECT_EQ(bad("{\"a\": [1, 2}"), "t.json:1:12: error: unexpected `}` [json-syntax]\n");
  EXPECT_EQ(bad("{\"a\":\n \"x"), "t.json:2:2: error: a string without its closing quote [json-syntax]\n");
  EXPECT_EQ(bad("{\"a\": [1"), "t.json:1:9: error: the text ends before all brackets are closed [json-syntax]\n");
  EXPECT_EQ(bad("[1] 2"), "t.json:1:5: error: unexpected text after the end of the value [json-syntax]\n");
  EXPECT_EQ(bad("17"), "t.json:1:1: error: expected `{` or `[` at the start [json-syntax]\n");
  EXPECT_EQ(bad("[\"\x01\"]"), "t.json:1:3: error: a control character inside a string [json-syntax]\n");
  EXPECT_EQ(bad("[\"\\q\"]"), "t.json:1:2: error: a string with a bad escape sequence [json-syntax]\n");
  EXPECT_EQ(bad("[\"ab\xff\"]"), "t.json:1:5: error: the text is not UTF-8 here [json-syntax]\n");
  EXPECT_EQ(bad(std::string(300, '[') + std::string(300, ']')),
            "t.json:1:257: error: nested deeper than 256 levels [json-syntax]\n");
}

}  // namespace
}  // namespace slipway::json
