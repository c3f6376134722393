// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structures of C from the JSON of the compiler, without the compiler.
#include "slipway/rpl_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "rpl/metadata/metadata_json.hpp"
#include "rpl_c/metadata_of.hpp"
#include "rpl_c/structs.hpp"
#include "testing/rpl_programs.hpp"

namespace slipway::rpl_c {
namespace {

using ::testing::HasSubstr;

struct JsonRead {
  explicit JsonRead(const std::string& text) {
    size = rpl_json_pipeline_size(text.data(), text.size(), &error);
    if (size == 0) return;
    memory.resize(size);
    status = rpl_json_pipeline(text.data(), text.size(), memory.data(), size, &pipeline, &error);
  }
  std::string problem() const {
    return formatted("{}:{}: {} at {}", error.line, error.column, +error.message, +error.path);
  }
  std::size_t size = 0;
  std::vector<std::byte> memory;
  rpl_json_error error{};
  rpl_status status = RPL_BAD_INPUT;
  const rpl_pipeline* pipeline = nullptr;
};

std::string without_modules(rpl::Metadata metadata) {
  metadata.modules.clear();
  return metadata_text(metadata);
}

TEST(RplJson, HasWhatTheCompilerWrote) {
  for (const rpl::TestProgram& test : rpl::tool_programs()) {
    const rpl::Built built(test);
    ASSERT_TRUE(built.made);
    const rpl::Metadata& metadata = built.made->metadata;
    const JsonRead read(metadata_text(metadata));
    ASSERT_EQ(read.status, RPL_OK) << test.name << read.problem();
    EXPECT_EQ(without_modules(metadata_of(read.pipeline->metadata)), without_modules(metadata)) << test.name;

    // The same as the structures of the compiler.
    Arena arena;
    rpl_pipeline compiled{};
    make_pipeline(arena, metadata, [](std::size_t) { return spirv::WordSpan(); }, compiled);
    EXPECT_EQ(without_modules(metadata_of(compiled.metadata)), without_modules(metadata)) << test.name;
    ASSERT_EQ(read.pipeline->modules.count, compiled.modules.count);
    for (std::uint32_t i = 0; i < compiled.modules.count; ++i) {
      const rpl_module &mine = read.pipeline->modules[i], &its = compiled.modules[i];
      ASSERT_EQ(mine.entry_points.count, its.entry_points.count);
      EXPECT_EQ(mine.words.count, 0) << "they are in a file of their own";
      for (std::uint32_t k = 0; k < its.entry_points.count; ++k) {
        EXPECT_EQ(mine.entry_points[k].stage, its.entry_points[k].stage);
        EXPECT_STREQ(mine.entry_points[k].function.data, its.entry_points[k].function.data);
      }
    }
    EXPECT_EQ(read.pipeline->metadata.options.count, metadata.options.size());
    for (std::uint32_t i = 0; i < compiled.metadata.options.count; ++i) {
      EXPECT_STREQ(read.pipeline->metadata.options[i].value.data, compiled.metadata.options[i].value.data);
    }
  }
}

TEST(RplJson, ReadsWhatOtherProgramsWrite) {
  std::string text = metadata_text(rpl::Built(rpl::tools_program("tinted.rpl")).made->metadata);
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    EXPECT_TRUE(changed.contains(from)) << from;
    return changed.replace(changed.find(from), from.size(), to);
  };
  // Keys in another order, escapes, other keys and a byte order mark.
  const std::string mine =
      "\xef\xbb\xbf" + with("\"format\": \"slipway-rpl-metadata\",", "\"more\": [{\"a\": [1, \"]\"]}, null],");
  std::string reordered = mine;
  reordered.insert(reordered.rfind('}'), ", \"format\":\"slipway-rpl-metadata\"");
  const JsonRead read(reordered);
  ASSERT_EQ(read.status, RPL_OK) << read.problem();
  const JsonRead escaped(with("\"vulkan1.3\"", "\"\\u0076ulkan\\t\\ud83d\\ude00\""));
  ASSERT_EQ(escaped.status, RPL_OK) << escaped.problem();
  EXPECT_STREQ(escaped.pipeline->metadata.requirements.target.data, "vulkan\t\xf0\x9f\x98\x80");
  // Keys and words that are compared have escapes, too: each of their letters.
  const auto in_codes = [](std::string_view word) {
    std::string codes;
    for (const char letter : word) codes += formatted("\\u{:04x}", static_cast<int>(letter));
    return codes;
  };
  std::string coded = text;
  for (const std::string_view word :
       {"slipway-rpl-metadata", "format", "version", "polygon_mode", "fill", "f3", "float32"}) {
    const std::size_t at = coded.find(formatted("\"{}\"", word));
    ASSERT_NE(at, coded.npos) << word;
    coded.replace(at + 1, word.size(), in_codes(word));
  }
  const JsonRead codes(coded);
  ASSERT_EQ(codes.status, RPL_OK) << codes.problem();
  EXPECT_EQ(metadata_text(metadata_of(codes.pipeline->metadata)),
            metadata_text(metadata_of(JsonRead(text).pipeline->metadata)));
  const JsonRead real(with("\"line_width\": 1.0", "\"line_width\": 1.2500e+1"));
  ASSERT_EQ(real.status, RPL_OK) << real.problem();
  EXPECT_EQ(real.pipeline->metadata.settings.line_width, 12.5F);
  // More than the middle between two floats, by a digit after the first 15.
  const JsonRead above(with("\"line_width\": 1.0", "\"line_width\": 16777217.0000000001"));
  ASSERT_EQ(above.status, RPL_OK) << above.problem();
  EXPECT_EQ(above.pipeline->metadata.settings.line_width, 16777218.0F);
  for (const float each : {3.4028234663852886e38F, 1e-45F, -1.17549435e-38F, 0.1F, 16777217.0F, 1e10F}) {
    const JsonRead exact(with("\"line_width\": 1.0", formatted("\"line_width\": {}", each)));
    ASSERT_EQ(exact.status, RPL_OK) << each << exact.problem();
    EXPECT_EQ(exact.pipeline->metadata.settings.line_width, each);
  }
}

TEST(RplJson, HasAnEntryPointForEachStage) {
  // More than a module has stages.
  std::string text = metadata_text(rpl::Built(rpl::tools_program("tinted.rpl")).made->metadata);
  const std::size_t begin = text.find('{', text.find("\"entry_points\": ["));
  const std::string entry = text.substr(begin, text.find('}', begin) + 1 - begin) + ",";
  for (int i = 0; i < 100; ++i) text.insert(begin, entry);
  const JsonRead read(text);
  ASSERT_EQ(read.status, RPL_OK) << read.problem();
  EXPECT_GT(read.pipeline->metadata.entry_points.count, 100);
  for (std::uint32_t i = 0; i < read.pipeline->modules.count; ++i)
    EXPECT_EQ(read.pipeline->modules[i].entry_points.count, read.pipeline->metadata.code.items[i].stages.count);
}

TEST(RplJson, HasEmptyTextsWhereAStructureIsNull) {
  const std::string text = metadata_text(rpl::Built(rpl::tools_program("tinted.rpl")).made->metadata);
  ASSERT_TRUE(text.contains("\"tail\": null"));
  const JsonRead read(text);
  ASSERT_EQ(read.status, RPL_OK) << read.problem();
  std::size_t count = 0;
  for (const auto& set : read.pipeline->metadata.pipeline_interface.sets) {
    for (std::uint32_t i = 0; i < set.buffers.count; ++i, ++count) EXPECT_STREQ(set.buffers[i].tail.name.data, "");
  }
  EXPECT_NE(count, 0);
}

TEST(RplJson, SaysWhereAnErrorIs) {
  const std::string text = metadata_text(rpl::Built(rpl::tools_program("tinted.rpl")).made->metadata);
  const auto problem = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    EXPECT_TRUE(changed.contains(from)) << from;
    changed.replace(changed.find(from), from.size(), to);
    const JsonRead read(changed);
    EXPECT_EQ(read.size, 0);
    return read.problem();
  };
  EXPECT_EQ(problem("\"version\": 1", "\"version\": 2"),
            "3:14: expected 1: this is not metadata of this version at /version");
  EXPECT_THAT(problem("slipway-rpl-metadata", "other"), HasSubstr("expected \"slipway-rpl-metadata\""));
  EXPECT_THAT(problem("\"cull_mode\": \"back\"", "\"cull_mode\": \"back\", \"cull\\u005fmode\": \"back\""),
              HasSubstr("the key occurs twice at /settings/cull_mode"));
  EXPECT_THAT(problem("\"fill\"", "\"full\""),
              HasSubstr("`full` is not a value of this key at /settings/polygon_mode"));
  EXPECT_THAT(problem("\"binding\": 0", "\"binding\": -1"),
              HasSubstr("`-1` is not a whole number of 32 bits at /interface/attribute_sources/0/binding"));
  EXPECT_THAT(problem("\"binding\": 0", "\"binding\": 4294967296"), HasSubstr("of 32 bits"));
  EXPECT_THAT(problem("\"cull_mode\": \"back\",", ""), HasSubstr("the key `cull_mode` is missing at /settings"));
  EXPECT_THAT(problem("\"cull_mode\": \"back\"", "\"cull_mode\": \"back\", \"cull_mode\": \"back\""),
              HasSubstr("the key occurs twice at /settings/cull_mode"));
  EXPECT_THAT(problem("\"f3\"", "\"f5\""), HasSubstr("`f5` is not a type"));
  EXPECT_THAT(problem("\"float32\"", "\"none\""), HasSubstr("this is not a format"));
  EXPECT_THAT(problem("\"index\": 0", "\"index\": 4"), HasSubstr("`4` is out of range at /interface/set_pass/index"));
  EXPECT_THAT(problem("\"depth_test\": true", "\"depth_test\": 1"), HasSubstr("expected `true` or `false`"));
  EXPECT_THAT(problem("\"line_width\": 1.0", "\"line_width\": 1e39"),
              HasSubstr("`1e39` is not a number of a 32-bit float"));
  EXPECT_THAT(problem("\"name\": \"tint_mode\"", "\"name\": \"\\q\""),
              HasSubstr("a string has an escape that no text has at /options/0/name"));
  EXPECT_THAT(problem("\"name\": \"tint_mode\"", "\"name\": \"\\u0000\""), HasSubstr("an escape that no text has"));
  for (const char* each :
       {"\x80", "\xc0\x80", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80"})
    EXPECT_THAT(problem("\"name\": \"tint_mode\"", formatted("\"name\": \"{}\"", each)),
                HasSubstr("a string is not UTF-8"));
  EXPECT_THAT(problem("\"index\": 0", "\"index\": 00"), HasSubstr("expected a number at /interface/set_pass/index"));
  for (const char* each : {"{]", "[1 2]", "[1,]", "{\"a\":1,}", "nil", "1.", "01", "[", "\"\\"})
    EXPECT_NE(problem("\"version\": 1", formatted("\"other\": {}, \"version\": 1", each)), "0:0:  at ") << each;
  EXPECT_THAT(problem("\"version\": 1",
                      formatted("\"other\": {}1{}, \"version\": 1", std::string(64, '['), std::string(64, ']'))),
              HasSubstr("values are nested too deep at "));
  EXPECT_THAT(problem("\"name\": \"tint_mode\"", "\"name\": null"), HasSubstr("expected a string at /options/0/name"));
  // Every beginning of the text ends too early.
  for (std::size_t size = 0; size < text.rfind('}'); size += 1 + size / 100) {
    const JsonRead read(text.substr(0, size));
    EXPECT_EQ(read.size, 0) << size;
    EXPECT_NE(read.error.line, 0) << size;
  }
  EXPECT_THAT(JsonRead(text + "{").problem(), HasSubstr("there is something after the object"));
  EXPECT_THAT(JsonRead(std::string(100000, '[')).problem(), HasSubstr("expected an object"));
}

TEST(RplJson, ChecksTheCall) {
  const std::string text = metadata_text(rpl::Built(rpl::tools_program("tinted.rpl")).made->metadata);
  const JsonRead read(text);
  ASSERT_EQ(read.status, RPL_OK);
  std::vector<std::byte> memory(read.size);
  const rpl_pipeline* pipeline = nullptr;
  EXPECT_EQ(rpl_json_pipeline(text.data(), text.size(), memory.data(), read.size / 2, &pipeline, nullptr),
            RPL_WRONG_CALL);
  EXPECT_EQ(pipeline, nullptr);
  EXPECT_EQ(rpl_json_pipeline(text.data(), text.size(), memory.data(), 1, &pipeline, nullptr), RPL_WRONG_CALL);
  EXPECT_EQ(rpl_json_pipeline(text.data(), text.size(), nullptr, 0, &pipeline, nullptr), RPL_WRONG_CALL);
  EXPECT_EQ(rpl_json_pipeline(nullptr, 1, memory.data(), read.size, &pipeline, nullptr), RPL_WRONG_CALL);
  EXPECT_EQ(rpl_json_pipeline("[]", 2, memory.data(), read.size, &pipeline, nullptr), RPL_BAD_INPUT);
  EXPECT_EQ(rpl_json_pipeline_size("{", 1, nullptr), 0);
  EXPECT_EQ(rpl_json_pipeline_size(nullptr, 0, nullptr), 0);
}

}  // namespace
}  // namespace slipway::rpl_c
