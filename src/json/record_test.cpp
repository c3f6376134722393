// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "json/record.hpp"

#include <gtest/gtest.h>

#include "base/print_diagnostic.hpp"
#include "json/writer.hpp"

namespace slipway::json {
namespace {

TEST(Writer, BytesThatAreNotUtf8) {
  EXPECT_EQ(quoted("\xc3\xb6 \xe2\x82\xac \xf0\x9f\x98\x80"), "\"\xc3\xb6 \xe2\x82\xac \xf0\x9f\x98\x80\"");
  EXPECT_EQ(quoted("a\xff"
                   "b"),
            "\"a\xEF\xBF\xBD"
            "b\"");
  EXPECT_EQ(quoted("\xe2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");                  // ends within a character
  EXPECT_EQ(quoted("\xed\xa0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // half of a surrogate pair
  EXPECT_EQ(quoted("\xc0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");                  // overlong
}

enum class Access { Read, Write };
constexpr Word<Access> kAccess[] = {{"readonly", Access::Read}, {"writeonly", Access::Write}};

struct Part {
  std::uint32_t id = 0;
};

struct Thing {
  std::string uid;
  std::uint64_t size = 7;
  std::optional<Access> access;
  std::vector<Part> parts;
  std::vector<Access> stages;
  bool flag = false;
  Value at;
};

const Record<Part>& part_record() {
  static const auto record = Record<Part>("part", "a part").required("id", &Part::id, Integer{.max = 9}, "its number");
  return record;
}

const Record<Thing>& thing_record() {
  static const auto record = Record<Thing>("thing", "a thing", &Thing::at)
                                 .required("uid", &Thing::uid, Text{.empty = false}, "its name")
                                 .optional("size", &Thing::size, Integer{.min = 1}, "bytes")
                                 .optional("access", &Thing::access, Words<Access>(kAccess), "who may")
                                 .optional("parts", &Thing::parts, List{Nested(part_record()), 0, 2}, "its parts")
                                 .optional("stages", &Thing::stages, List{Words<Access>(kAccess)}, "stages")
                                 .optional("flag", &Thing::flag, Boolean{}, "a flag");
  return record;
}

struct Outcome {
  std::shared_ptr<const Document> document;
  std::optional<Thing> thing;
  std::string messages;
};

Outcome read(std::string text, Severity leniency = Severity::Warning) {
  auto document = parse(make_source("t.json", std::move(text)));
  if (!document) return {nullptr, std::nullopt, format_diagnostics(document.error())};
  Diagnostics diagnostics;
  Decoder decoder(diagnostics, leniency);
  auto thing = decoder.read(thing_record(), (*document)->root());
  return {*document, std::move(thing), format_diagnostics(diagnostics.all(), {.sources = false})};
}

TEST(Record, ReadsAndKeepsDefaults) {
  const Outcome outcome =
      read(R"({"uid": "a", "access": "writeonly", "parts": [{"id": 3.0}], "comment": 1, "$x": 2, "_y": 3})");
  ASSERT_TRUE(outcome.thing);
  EXPECT_EQ(outcome.messages, "");
  EXPECT_EQ(outcome.thing->uid, "a");
  EXPECT_EQ(outcome.thing->size, 7u);
  EXPECT_EQ(outcome.thing->access, Access::Write);
  EXPECT_EQ(outcome.thing->parts.at(0).id, 3u);
  EXPECT_EQ(outcome.thing->at["uid"].string(), "a");
}

TEST(Record, ReportsEverythingAtOnce) {
  const Outcome outcome = read(R"({"sizes": 3, "size": 0, "access": "readony", "parts": [{}, {"id": 10}, {"id": "x"}],
 "stages": ["x"], "flag": 1, "uid": ""})");
  EXPECT_FALSE(outcome.thing);
  EXPECT_EQ(outcome.messages,
            R"(t.json:1:2: warning: unknown key `sizes` in thing; did you mean `size`? [unknown-key]
  = at /sizes
t.json:2:37: error: `uid` must not be empty [out-of-range]
  = at /uid
t.json:1:22: error: `size` is 0, but must be at least 1 [out-of-range]
  = at /size
t.json:1:35: error: Unknown access value `readony`; accepted are `readonly`, `writeonly`; did you mean `readonly`? [unknown-value]
  = at /access
t.json:1:55: error: `parts` has 3 elements, but must have 0 to 2 [out-of-range]
  = at /parts
t.json:2:13: error: Unknown stages value `x`; accepted are `readonly`, `writeonly` [unknown-value]
  = at /stages/0
t.json:2:27: error: `flag` takes a boolean, but here is a number [wrong-type]
  = at /flag
)");
}

// The key is needed, so this is an error also where unknown keys are warnings.
TEST(Record, AMisspelledKeyThatIsMissingIsOneError) {
  EXPECT_EQ(read(R"({"uidd": "a"})").messages,
            "t.json:1:2: error: unknown key `uidd` in thing; did you mean `uid`? [unknown-key]\n  = at /uidd\n");
  EXPECT_EQ(read(R"({"sizes": 3, "parts": [{"idd": 1}]})").messages,
            "t.json:1:2: warning: unknown key `sizes` in thing; did you mean `size`? [unknown-key]\n  = at /sizes\n"
            "t.json:1:1: error: missing key `uid` in thing [missing-key]\n"
            "t.json:1:25: error: unknown key `idd` in part; did you mean `id`? [unknown-key]\n  = at /parts/0/idd\n");
}

TEST(Record, NumbersAndMissingKeys) {
  EXPECT_EQ(read(R"({"size": 1.5})").messages,
            "t.json:1:1: error: missing key `uid` in thing [missing-key]\n"
            "t.json:1:10: error: `size` takes an integer, but here is 1.5 [wrong-type]\n  = at /size\n");
  EXPECT_EQ(read(R"({"uid": "a", "parts": [{"id": -1}, {}]})").messages,
            "t.json:1:31: error: `id` is -1, but must be 0 to 9 [out-of-range]\n  = at /parts/0/id (uid a)\n"
            "t.json:1:36: error: missing key `id` in part [missing-key]\n  = at /parts/1 (uid a)\n");
  EXPECT_EQ(read(R"({"uid": "a", "size": 99999999999999999999})").messages,
            "t.json:1:22: error: `size` is 99999999999999999999, but must be 1 to 18446744073709551615 [out-of-range]\n"
            "  = at /size (uid a)\n");
  EXPECT_EQ(read("[]").messages, "t.json:1:1: error: expected an object, but here is an array [wrong-type]\n");
}

TEST(Record, DuplicateKeysCountTheLast) {
  const Outcome outcome = read(R"({"uid": "a", "uid": "b"})");
  EXPECT_EQ(outcome.thing->uid, "b");
  EXPECT_EQ(outcome.messages,
            "t.json:1:14: warning: `uid` is given twice in thing `b`; the last one counts [duplicate-key]\n"
            "  = at /uid (uid b)\nt.json:1:2: note: the first one is here\n");
  EXPECT_NE(read(R"({"uid": "a", "uid": "b"})", Severity::Error).messages.find("error: `uid`"), std::string::npos);
}

struct Extent {
  std::array<std::uint32_t, 3> sides{1, 1, 1};
  double scale = 1;
};

struct Box {
  Extent extent;
  std::vector<std::string> labels{"none"};
  Value at;
};

const Record<Extent>& extent_record() {
  static const auto record =
      Record<Extent>("extent", "an extent")
          .required("sides", &Extent::sides, List{Integer{.min = 1}, 1, 3}, "up to three")
          .formerly("dims")
          .optional("scale", &Extent::scale, Real{.min = 0}, "a factor")
          .rule([](Decoder& decoder, Value value, Extent& extent) {
            return extent.sides[0] != 13 || decoder.error(value["sides"], DiagnosticKind::OutOfRange, "not 13");
          });
  return record;
}

const Record<Box>& box_record() {
  static const auto record = Record<Box>("box", "a box", &Box::at)
                                 .part(&Box::extent, extent_record())
                                 .optional("labels", &Box::labels, OneOrMore{Text{}}, "its labels");
  return record;
}

std::string read_box(std::string text, Box& box) {
  static std::vector<std::shared_ptr<const Document>> documents;  // the box points into them
  documents.push_back(parse(make_source("t.json", std::move(text))).value());
  Diagnostics diagnostics;
  Decoder decoder(diagnostics, Severity::Error);
  if (auto read = decoder.read(box_record(), documents.back()->root())) box = std::move(*read);
  return format_diagnostics(diagnostics.all(), {.sources = false});
}

TEST(Record, PartsBelongToTheSameObject) {
  Box box;
  EXPECT_EQ(read_box(R"({"sides": [4, 5], "scale": 0.5, "labels": "a"})", box), "");
  EXPECT_EQ(box.extent.sides, (std::array<std::uint32_t, 3>{4, 5, 1}));
  EXPECT_EQ(box.extent.scale, 0.5);
  EXPECT_EQ(box.labels, std::vector<std::string>{"a"});
  EXPECT_EQ(read_box(R"({"sides": [1], "labels": ["a", "b"]})", box), "");
  EXPECT_EQ(box.labels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read_box(R"({"sides": [1]})", box), "");
  EXPECT_EQ(box.labels, std::vector<std::string>{"none"});
  EXPECT_EQ(read_box(R"({"sides": [1, 2, 3, 4], "scale": -1})", box),
            "t.json:1:11: error: `sides` has 4 elements, but must have 1 to 3 [out-of-range]\n  = at /sides\n"
            "t.json:1:34: error: `scale` is -1, but must be at least 0 [out-of-range]\n  = at /scale\n");
  EXPECT_EQ(read_box(R"({"sides": [13]})", box), "t.json:1:11: error: not 13 [out-of-range]\n  = at /sides\n");
  EXPECT_EQ(read_box("{}", box), "t.json:1:1: error: missing key `sides` in box [missing-key]\n");
}

TEST(Record, OldNames) {
  Box box;
  EXPECT_EQ(read_box(R"({"dims": [7]})", box),
            "t.json:1:2: warning: `dims` is an old name of `sides` [deprecated-form]\n  = at /dims\n");
  EXPECT_EQ(box.extent.sides[0], 7u);
  EXPECT_EQ(
      read_box(R"({"dims": [7], "sides": [8]})", box),
      "t.json:1:2: warning: `dims` is an old name of `sides`, which is also present and is used [deprecated-form]\n"
      "  = at /dims\n");
  EXPECT_EQ(box.extent.sides[0], 8u);
}

struct Sample {
  std::string name;
  Access access = Access::Write;
  std::vector<Part> parts;
  std::optional<std::uint64_t> limit, first;
  std::vector<std::pair<std::string, double>> times;
  std::int32_t offset = -1;
};

const Record<Sample>& sample_record() {
  static const auto record = Record<Sample>("sample", "a sample")
                                 .required("format", Constant{R"("sample")"}, "what this is")
                                 .required("name", &Sample::name, Text{}, "its name")
                                 .required("access", &Sample::access, Words<Access>(kAccess), "who may")
                                 .optional("parts", &Sample::parts, List{Nested(part_record())}, "its parts")
                                 .written_if([](const Sample& sample) { return !sample.parts.empty(); })
                                 .optional("limit", &Sample::limit, Integer{}, "none if absent")
                                 .required("first", &Sample::first, OrNull{Integer{}}, "null: none")
                                 .required("times", &Sample::times, Map{Real{}}, "by name")
                                 .required("offset", &Sample::offset, Integer{.min = -9}, "bytes");
  return record;
}

std::string written(const Sample& sample) {
  Writer out(0);
  sample_record().write(out, sample);
  return out.text();
}

TEST(Record, Writes) {
  Sample sample{.name = "a \"b\"", .times = {{"x", 0.5}, {"y", 2}}};
  EXPECT_EQ(written(sample), R"({"format":"sample", "name":"a \"b\"", "access":"writeonly", "first":null, )"
                             R"("times":{"x":0.5, "y":2.0}, "offset":-1})");
  sample.parts = {{1}, {2}};
  sample.limit = sample.first = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(written(sample), R"({"format":"sample", "name":"a \"b\"", "access":"writeonly", )"
                             R"("parts":[{"id":1}, {"id":2}], "limit":18446744073709551615, )"
                             R"("first":18446744073709551615, "times":{"x":0.5, "y":2.0}, "offset":-1})");
  Writer one(0);
  one.object([&] { sample_record().write_member(one, "limit", sample); });
  EXPECT_EQ(one.text(), R"({"limit":18446744073709551615})");
}

TEST(Record, ReadsWhatItWrites) {
  const Sample sample{.name = "s", .parts = {{3}}, .first = 4, .times = {{"x", 1}}, .offset = 5};
  for (const bool null : {false, true}) {
    Sample changed = sample;
    if (null) changed.first.reset();
    const auto document = parse(make_source("t.json", written(changed))).value();
    Diagnostics diagnostics;
    Decoder decoder(diagnostics, Severity::Error);
    const auto read = decoder.read(sample_record(), document->root());
    ASSERT_TRUE(read) << format_diagnostics(diagnostics.all());
    EXPECT_EQ(written(*read), written(changed));
  }
}

TEST(Record, Schema) {
  Writer out(0);
  Schema schema(out);
  out.object([&] {
    out.key("items");
    Nested(thing_record()).schema(schema);
    schema.write_definitions();
  });
  const auto parsed = parse(make_source("schema", out.text()));
  ASSERT_TRUE(parsed) << out.text();
  const Value definitions = (*parsed)->root()["$defs"];
  EXPECT_EQ(definitions["thing"]["required"][0].string(), "uid");
  EXPECT_EQ(definitions["thing"]["properties"]["parts"]["allOf"][0]["items"]["$ref"].string(), "#/$defs/part");
  EXPECT_EQ(definitions["part"]["properties"]["id"]["allOf"][0]["maximum"].integer(), 9);
}

}  // namespace
}  // namespace slipway::json
