// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pack gives is what the compiler gave.
#include "slipway/rpl_pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "rpl_runtime/fields.hpp"
#include "slipway/rpl.h"
#include "testing/source_directory.hpp"

namespace slipway::rpl_c {
namespace {

using rpl_runtime::FieldKind;
using rpl_runtime::read_as;
using rpl_runtime::StructField;
using rpl_runtime::StructId;

// --- structures as text, by the table ----------------------------------------------------------------------------

std::string text_of(StructId id, const char* from);

std::string text_of(const StructField& field, const char* from) {
  std::string text;
  switch (field.kind) {
    case FieldKind::Number:
      for (int i = 0; i < field.count; ++i) text += formatted("{} ", read_as<std::uint32_t>(from + 4 * i));
      return text;
    case FieldKind::Text:
      return formatted("\"{}\" ", std::string_view(read_as<rpl_text>(from)));
    case FieldKind::Texts:
      for (const rpl_text& each : read_as<rpl_texts>(from)) text += formatted("\"{}\" ", std::string_view(each));
      return formatted("[{}] ", text);
    case FieldKind::Words:
    case FieldKind::Numbers:
      for (const std::uint32_t each : read_as<rpl_numbers>(from)) text += formatted("{} ", each);
      return formatted("[{}] ", text);
    case FieldKind::Nested:
      for (int i = 0; i < field.count; ++i) text += text_of(field.nested, from + i * size_of(field.nested));
      return text;
    case FieldKind::List: {
      const auto list = read_as<rpl_texts>(from);
      const char* const items = reinterpret_cast<const char*>(list.items);
      for (std::uint32_t i = 0; i < list.count; ++i) text += text_of(field.nested, items + i * size_of(field.nested));
      return formatted("[{}] ", text);
    }
  }
  return text;
}

std::string text_of(StructId id, const char* from) {
  std::string text;
  for (const StructField& field : fields_of(id)) text += text_of(field, from + field.offset);
  return formatted("({}) ", text);
}

std::string text_of(const rpl_pipeline& pipeline) {
  return text_of(StructId::pipeline, reinterpret_cast<const char*>(&pipeline));
}

// --- a pack of the programs of the corpus -------------------------------------------------------------------------

struct Program {
  const char* name;
  const char* file;
  std::vector<rpl_entry_point_name> entries;
  rpl_pipeline_kind kind = RPL_PIPELINE_KIND_GRAPHICS;
  rpl_program* program = nullptr;
  rpl_variants variants{};
};

class Pack : public ::testing::Test {
 protected:
  void SetUp() override {
    compiler_ = rpl_compiler_create(nullptr);
    std::vector<rpl_packed> packed;
    for (Program& each : programs_) {
      const std::string file = (testing::source_directory() / each.file).string();
      const char* const files[] = {file.c_str()};
      ASSERT_EQ(rpl_program_load(compiler_, files, 1, &each.program, nullptr), RPL_OK) << file;
      rpl_variant variant{};
      variant.size = sizeof variant;
      variant.entry_points = each.entries.data();
      variant.entry_point_count = each.entries.size();
      variant.kind = each.kind;
      rpl_variants_options options{};
      options.size = sizeof options;
      options.variant = &variant;
      const std::array sizes = {"32", "64"};
      const rpl_domain groups = {"group", sizes.data(), sizes.size()};
      options.domains = &groups;
      options.domain_count = each.kind == RPL_PIPELINE_KIND_COMPUTE ? 1 : 0;
      ASSERT_EQ(rpl_program_variants(each.program, &options, &each.variants, nullptr), RPL_OK) << file;
      packed.push_back({each.name, &each.variants});
    }
    ASSERT_EQ(rpl_pack_make(packed.data(), packed.size(), &bytes_, nullptr), RPL_OK);
    ASSERT_EQ(rpl_pack_open(bytes_.data, bytes_.size, &pack_), RPL_OK);
  }
  void TearDown() override {
    rpl_bytes_free(&bytes_);
    for (Program& each : programs_) rpl_variants_free(&each.variants), rpl_program_release(each.program);
    rpl_compiler_release(compiler_);
  }

  std::vector<Program> programs_ = {
      {"tinted",
       "tests/corpus/rpl_tools/tinted.rpl",
       {{RPL_STAGE_VERTEX, "vertex_main"}, {RPL_STAGE_FRAGMENT, "fragment_main"}}},
      {"layouts",
       "tests/corpus/rpl_tools/layouts.rpl",
       {{RPL_STAGE_VERTEX, "vertex_main"}, {RPL_STAGE_FRAGMENT, "fragment_main"}}},
      {"skinned",
       "examples/skinned/skinned.rpl",
       {{RPL_STAGE_VERTEX, "vertex_main"}, {RPL_STAGE_FRAGMENT, "fragment_main"}}},
      {"scale", "tests/corpus/rpl_tools/scale.rpl", {{RPL_STAGE_COMPUTE, "compute_main"}}, RPL_PIPELINE_KIND_COMPUTE},
  };
  rpl_compiler* compiler_ = nullptr;
  rpl_bytes bytes_{};
  rpl_pack pack_{};
};

// The structures of a variant in memory of exactly the size that the pack reports.
struct Read {
  std::size_t size;
  std::unique_ptr<char[]> memory;
  const rpl_pipeline* pipeline = nullptr;
  rpl_status status;

  Read(const rpl_pack& pack, std::uint32_t program, std::uint32_t variant)
      : size(rpl_pack_pipeline_size(&pack, program, variant)), memory(new char[size + 1]) {
    status = rpl_pack_pipeline(&pack, program, variant, memory.get(), size, &pipeline);
  }
};

TEST_F(Pack, GivesThePipelinesOfTheCompiler) {
  ASSERT_EQ(rpl_pack_program_count(&pack_), programs_.size());
  std::size_t compared = 0;
  for (const Program& each : programs_) {
    std::uint32_t program = 99;
    ASSERT_EQ(rpl_pack_find_program(&pack_, each.name, &program), RPL_OK);
    EXPECT_EQ(rpl_pack_program_name(&pack_, program), each.name);
    ASSERT_EQ(rpl_pack_variant_count(&pack_, program), each.variants.count);
    for (std::uint32_t i = 0; i < each.variants.count; ++i) {
      const rpl_variant_class& of = each.variants[i];
      const Read read(pack_, program, i);
      ASSERT_EQ(read.status, RPL_OK);
      EXPECT_EQ(text_of(*read.pipeline), text_of(*of.pipeline));
      EXPECT_EQ(rpl_pack_variant_reason(&pack_, program, i), std::string_view(of.reason));
      const char* const words = reinterpret_cast<const char*>(read.pipeline->modules[0].words.data());
      EXPECT_TRUE(words > bytes_.data && words < static_cast<const char*>(bytes_.data) + bytes_.size)
          << "SPIR-V stays in the pack";
      ++compared;
      for (std::uint32_t k = 0; k < of.when_count; ++k) {
        std::uint32_t variant = 99;
        EXPECT_EQ(rpl_pack_find_variant(&pack_, program, of.when[k].data(), of.when[k].size(), &variant), RPL_OK);
        EXPECT_EQ(variant, i);
      }
    }
  }
  EXPECT_GE(compared, 8);
}

TEST_F(Pack, FindsVariantsByOptions) {
  std::uint32_t program = 0, by_default = 99, off = 99;
  ASSERT_EQ(rpl_pack_find_program(&pack_, "tinted", &program), RPL_OK);
  ASSERT_EQ(rpl_pack_find_variant(&pack_, program, nullptr, 0, &by_default), RPL_OK);
  EXPECT_EQ(rpl_pack_variant_reason(&pack_, program, by_default), "default");
  const rpl_option_value written[] = {{"wireframe", "off"}, {"tint_mode", "none"}};
  ASSERT_EQ(rpl_pack_find_variant(&pack_, program, written, 2, &off), RPL_OK);
  EXPECT_EQ(off, by_default);
  for (const rpl_option_value& wrong :
       {rpl_option_value{"wirefram", "on"}, {"wireframe", "maybe"}, {"tint_mode", "no"}}) {
    EXPECT_EQ(rpl_pack_find_variant(&pack_, program, &wrong, 1, &off), RPL_BAD_INPUT) << wrong.name;
  }
  ASSERT_EQ(rpl_pack_find_program(&pack_, "scale", &program), RPL_OK);
  for (const char* const value : {"32", "32u", "64"}) {
    const rpl_option_value group = {"group", value};
    std::uint32_t variant = 99;
    ASSERT_EQ(rpl_pack_find_variant(&pack_, program, &group, 1, &variant), RPL_OK) << value;
    const Read read(pack_, program, variant);
    EXPECT_EQ(read.pipeline->metadata.settings.workgroup_size_x, std::strtoul(value, nullptr, 10));
  }
  const rpl_option_value other = {"group", "128"};
  EXPECT_EQ(rpl_pack_find_variant(&pack_, program, &other, 1, &off), RPL_LACKS);
  EXPECT_EQ(rpl_pack_find_program(&pack_, "none", &program), RPL_BAD_INPUT);
}

TEST_F(Pack, ListsOptions) {
  std::uint32_t program = 0;
  ASSERT_EQ(rpl_pack_find_program(&pack_, "tinted", &program), RPL_OK);
  const std::size_t size = rpl_pack_options_size(&pack_, program);
  const std::unique_ptr<char[]> memory(new char[size]);
  rpl_options options{};
  ASSERT_EQ(rpl_pack_options(&pack_, program, memory.get(), size, &options), RPL_OK);
  ASSERT_EQ(options.count, 2);
  EXPECT_EQ(options[0].name, "tint_mode");
  EXPECT_EQ(options[0].values[1], "instance");
  EXPECT_EQ(rpl_pack_options(&pack_, program, memory.get(), size - 1, &options), RPL_WRONG_CALL);
  EXPECT_EQ(options.count, 0);
}

TEST_F(Pack, RefusesWhatIsNotWhole) {
  rpl_pack pack{};
  const auto* const begin = static_cast<const char*>(bytes_.data);
  for (std::size_t size = 0; size < bytes_.size; size += 4) EXPECT_EQ(rpl_pack_open(begin, size, &pack), RPL_BAD_INPUT);
  EXPECT_EQ(rpl_pack_open(begin + 1, bytes_.size - 1, &pack), RPL_WRONG_CALL) << "not aligned";
  std::vector<std::uint32_t> other(bytes_.size / 4);
  for (const std::size_t word : {0, 2, 3, 4}) {  // the magic number, the version, the form of structures, the size
    std::memcpy(other.data(), bytes_.data, bytes_.size);
    ++other[word];
    EXPECT_EQ(rpl_pack_open(other.data(), bytes_.size, &pack), RPL_BAD_INPUT) << word;
  }
  // A structure does not fit its memory.
  const Read read(pack_, 0, 0);
  const rpl_pipeline* pipeline = nullptr;
  EXPECT_EQ(rpl_pack_pipeline(&pack_, 0, 0, read.memory.get(), read.size - 1, &pipeline), RPL_WRONG_CALL);
  EXPECT_EQ(pipeline, nullptr);
  EXPECT_EQ(rpl_pack_pipeline(&pack_, 0, 99, read.memory.get(), read.size, &pipeline), RPL_WRONG_CALL);
  EXPECT_EQ(rpl_pack_pipeline_size(&pack_, 99, 0), 0);
}

// A caller allocates what a pack states.
TEST_F(Pack, StatesNoSizeThatItCannotFill) {
  std::vector<std::uint32_t> other(bytes_.size / 4);
  std::size_t opened = 0;
  constexpr std::size_t kStep = 61;  // some of the words
  for (std::size_t word = 0; word < other.size(); word += kStep) {
    std::memcpy(other.data(), bytes_.data, bytes_.size);
    other[word] = UINT32_MAX;
    rpl_pack pack{};
    if (rpl_pack_open(other.data(), bytes_.size, &pack) != RPL_OK) continue;
    ++opened;
    for (std::uint32_t program = 0; program < rpl_pack_program_count(&pack); ++program) {
      ASSERT_LE(rpl_pack_options_size(&pack, program), 64 * bytes_.size) << word;
      for (const std::uint32_t variant : {0U, 1U, UINT32_MAX})
        ASSERT_LE(rpl_pack_pipeline_size(&pack, program, variant), 64 * bytes_.size) << word;
    }
  }
  EXPECT_GT(opened, 50U);
}

}  // namespace
}  // namespace slipway::rpl_c
