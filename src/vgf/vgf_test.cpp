// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "testing/data_files.hpp"
#include "testing/scratch_directory.hpp"
#include "vgf/check.hpp"
#include "vgf/dump.hpp"
#include "vgf/testing.hpp"

namespace slipway::vgf {
namespace {

using ::testing::HasSubstr;
using testing::test_vector;
using testing::test_vector_calls;

// All messages, one per line, with the offset in bytes.
std::string messages(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    text += formatted("{:#x} {}{} [{}]\n", diagnostic.location.span.begin,
                      diagnostic.severity == Severity::Warning ? "warning: " : "", diagnostic.message,
                      name_of(diagnostic.kind));
  }
  return text;
}

std::string read_messages(std::vector<std::byte> bytes) {
  Diagnostics diagnostics;
  read_vgf(bytes, "t.vgf", diagnostics);
  return messages(diagnostics);
}

std::string check_messages(Encoder encoder) {
  const auto bytes = encoder.finish();
  Diagnostics diagnostics;
  const auto file = read_vgf(bytes.value(), "t.vgf", diagnostics);
  EXPECT_EQ(messages(diagnostics), "");
  if (file) check_vgf(*file, diagnostics);
  return messages(diagnostics);
}

template <class T>
std::vector<std::byte> with(std::vector<std::byte> bytes, std::size_t offset, T value) {
  store(&bytes[offset], value);
  return bytes;
}

TEST(VgfWrite, TestVectorByteForByte) {
  const auto file = test_vector_calls().finish();
  ASSERT_TRUE(file);
  const std::vector<std::byte> wanted = test_vector();
  ASSERT_EQ(file->size(), wanted.size());
  EXPECT_EQ(std::ranges::mismatch(*file, wanted).in1 - file->begin(), std::ssize(wanted))
      << "the first byte that differs";
}

TEST(VgfWrite, ToAFileIsTheSame) {
  const slipway::testing::ScratchDirectory directory;
  auto out = OutputFile::create(directory.path() / "t.vgf");
  ASSERT_TRUE(out);
  ASSERT_TRUE(test_vector_calls().write_to(*out));
  ASSERT_TRUE(out->commit());
  const auto written = map_file(directory.path() / "t.vgf");
  EXPECT_TRUE(std::ranges::equal(written->bytes(), test_vector()));
}

TEST(VgfWrite, RefusesNul) {
  Encoder encoder;
  encoder.add_module({.name = std::string_view("a\0b", 3), .entry_point = "main"});
  const auto file = encoder.finish();
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error()[0].message, "the module name `a` contains a NUL character");
}

TEST(VgfRead, TestVector) {
  Diagnostics diagnostics;
  const std::vector<std::byte> bytes = test_vector();
  const auto file = read_vgf(bytes, "t.vgf", diagnostics);
  ASSERT_TRUE(file) << messages(diagnostics);
  EXPECT_EQ(messages(diagnostics), "");
  EXPECT_EQ(file->version, kCurrentVersion);
  ASSERT_EQ(file->modules.size(), 2u);
  EXPECT_EQ(file->modules[0].words.size(), 20u);
  EXPECT_TRUE(file->modules[1].is_placeholder());
  ASSERT_EQ(file->segments.size(), 2u);
  EXPECT_EQ(file->segments[0].inputs[0].table, file->inputs[0].table) << "one table, referred to twice";
  EXPECT_EQ(file->segments[1].sets[0].slots[0].binding, 4u);
  EXPECT_TRUE(file->segments[1].sets[0].explicit_index);
  EXPECT_FALSE(file->segments[0].sets[0].explicit_index);
  EXPECT_EQ(file->segments[1].dispatch, (std::array<std::uint32_t, 3>{8, 8, 1}));
  EXPECT_EQ(file->segments[1].push_constants[0].stage_flags, 32u);
  EXPECT_EQ(file->constants[0].data.size(), 3u);
  EXPECT_EQ(file->constants[0].sparsity, -1);
  EXPECT_EQ(file->resources[2].sampler->min_filter, vk::Filter::LINEAR);
  EXPECT_EQ(file->resources[1].alias_group, 0u);
  EXPECT_EQ(file->resources[0].alias_group, std::nullopt);
  EXPECT_EQ(input_name(*file, 0), "x");
  EXPECT_EQ(output_name(*file, 0), "y");
}

TEST(VgfRead, HeaderErrors) {
  EXPECT_EQ(read_messages({}),
            "0x0 File too small to contain VGF header: 0 bytes, and the header alone has 128 [file-truncated]\n");
  EXPECT_EQ(read_messages(with(test_vector(), 0, 'X')),
            "0x0 Invalid VGF file: header or section verification failed: the file does not start with `VGF1` "
            "[file-format]\n");
  EXPECT_EQ(read_messages(with(test_vector(), 9, std::uint8_t{5})),
            "0x8 Invalid VGF file: header or section verification failed: version 0.5.3 is not supported; supported "
            "are 0.3.0 "
            "to 0.4.x [file-format]\n");
  EXPECT_THAT(read_messages(with(test_vector(), 9, std::uint8_t{2})), HasSubstr("warning: version 0.2.3 is older"));
  EXPECT_THAT(read_messages(with(test_vector(), 24, ~std::uint64_t{0})), HasSubstr("0x10 Invalid VGF file: header"));
  EXPECT_THAT(read_messages(with(test_vector(), 32, std::uint64_t{8})),
              HasSubstr("the model sequence table section overlaps the header"));
  EXPECT_EQ(read_messages(with(test_vector(), 0, std::uint32_t{0xF0E1D2C3})), "") << "the old magic";
}

TEST(VgfRead, ConstantErrors) {
  EXPECT_EQ(
      read_messages(with(test_vector(), 0x470, ~std::uint64_t{0})),
      "0x470 Invalid constant section: 18446744073709551615 constants do not fit into its 48 bytes [file-format]\n");
  EXPECT_EQ(read_messages(with(test_vector(), 0x478, std::uint32_t{9})),
            "0x490 Constant 0: MRT index 9 out of range (4 entries) [index-out-of-range]\n");
  EXPECT_EQ(
      read_messages(with(test_vector(), 0x47c, std::int32_t{-2})),
      "0x478 Invalid constant metadata at index 0: 3 bytes at 0x0 of 8 bytes of data, sparsity -2 [file-format]\n");
  EXPECT_THAT(read_messages(with(test_vector(), 0x480, std::uint64_t{9})),
              HasSubstr("Invalid constant metadata at index 0"));
  EXPECT_THAT(read_messages(with(test_vector(), 0x488, ~std::uint64_t{0})), HasSubstr("Invalid constant metadata"));
}

// Other errors of reading, found by changing every byte: the result is always an error or a valid value.
TEST(VgfRead, EveryByteChangedIsReadOrRejected) {
  const std::vector<std::byte> sound = test_vector();
  std::size_t refused = 0;
  for (std::size_t i = 0; i < sound.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::vector<std::byte> bytes = sound;
      bytes[i] ^= static_cast<std::byte>(change);
      Diagnostics diagnostics;
      const auto file = read_vgf(bytes, "t.vgf", diagnostics);
      EXPECT_EQ(file.has_value(), !diagnostics.has_errors());
      refused += !file;
      if (!file) continue;
      check_vgf(*file, diagnostics);
      dump_json(*file);
      describe(*file);
      (void)reencode(*file, bytes, diagnostics);
    }
  }
  EXPECT_GT(refused, 500u);
}

TEST(VgfRead, EveryTruncationIsRejected) {
  const std::vector<std::byte> sound = test_vector();
  for (std::size_t size = 0; size < sound.size() - 8; ++size) {
    EXPECT_NE(read_messages({sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(size)}), "") << size;
  }
}

TEST(VgfReencode, CurrentVersionIsCopied) {
  const std::vector<std::byte> bytes = test_vector();
  Diagnostics diagnostics;
  const auto file = read_vgf(bytes, "t.vgf", diagnostics);
  EXPECT_TRUE(reencode(*file, bytes, diagnostics).value() == bytes);
}

TEST(VgfReencode, OlderVersionGetsTheBytesOfTheSameCalls) {
  const std::vector<std::byte> bytes = with(test_vector(), 10, std::uint8_t{0});
  Diagnostics diagnostics;
  const auto file = read_vgf(bytes, "t.vgf", diagnostics);
  const auto again = reencode(*file, bytes, diagnostics);
  ASSERT_TRUE(again);
  const auto second = read_vgf(*again, "t.vgf", diagnostics);
  ASSERT_TRUE(second) << messages(diagnostics);
  EXPECT_EQ(second->version, kCurrentVersion);
  std::string before = dump_json(*file);
  const std::size_t patch = before.find("\"patch\": 0");
  ASSERT_NE(patch, before.npos);
  before[patch + 9] = '3';
  EXPECT_EQ(dump_json(*second), before);
}

TEST(VgfDump, Json) {
  Diagnostics diagnostics;
  const std::vector<std::byte> bytes = test_vector();
  const auto file = read_vgf(bytes, "t.vgf", diagnostics);
  const std::string json = dump_json(*file);
  EXPECT_TRUE(
      json.starts_with("{\n    \"constants\": [\n        {\n            \"index\": 0,\n            \"mrt_index\": 0,\n"
                       "            \"sparsity_dimension\": -1\n        }\n    ],\n    \"header\": {"));
  EXPECT_TRUE(json.ends_with("\n}"));
  EXPECT_THAT(json, HasSubstr("\"vk_descriptor_type\": \"VK_DESCRIPTOR_TYPE_TENSOR_ARM\""));
  EXPECT_THAT(json, HasSubstr("\"vk_descriptor_type\": \"none\""));
  EXPECT_THAT(json, HasSubstr("\"outputs\": []"));
  EXPECT_THAT(json, HasSubstr("\"address_mode_v\": \"VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER\""));
}

TEST(VgfDump, PartsAndTheirErrors) {
  Diagnostics diagnostics;
  const std::vector<std::byte> bytes = test_vector();
  const auto file = read_vgf(bytes, "t.vgf", diagnostics);
  EXPECT_EQ(module_words(*file, 0)->size(), 20u);
  EXPECT_EQ(module_words(*file, 9).error()[0].message, "Module index 9 out of bounds. Number of modules: 2");
  EXPECT_EQ(module_words(*file, 1).error()[0].message, "Module index 1 has no stored SPIRV code");
  EXPECT_EQ(module_text(*file, 0, CodeKind::Glsl).error()[0].message, "Module index 0 has no stored GLSL code");
  EXPECT_EQ(constant_bytes(*file, 1).error()[0].message, "Constant index 1 out of bounds. Number of constants: 1");
  const auto npy = constant_npy(*file, 0);
  ASSERT_TRUE(npy);
  EXPECT_EQ(text_of(Bytes(*npy).subspan(10, 54)), "{'descr': '|i1','fortran_order': False,'shape': (3,)} ");
  EXPECT_EQ((npy->size() - 3) % 16, 0u);
}

TEST(VgfDump, ScenarioTemplate) {
  Encoder encoder;
  const auto x = encoder.add_resource({.category = Category::Input, .format = vk::Format::R8_SINT, .shape = {-1, 4}});
  const auto y = encoder.add_resource({.category = Category::Output,
                                       .descriptor_type = vk::DescriptorType::STORAGE_BUFFER,
                                       .format = vk::Format::R32_SINT,
                                       .shape = {4, 4}});
  const auto in = encoder.add_slot(0, x), out = encoder.add_slot(7, y);
  encoder.add_module({.kind = ModuleKind::Compute, .name = "post", .entry_point = "go", .code = CodeKind::Glsl});
  encoder.set_model(std::array{in}, std::array<std::string_view, 1>{"x"}, std::array{out},
                    std::array<std::string_view, 1>{"y"});
  const auto bytes = encoder.finish();
  Diagnostics diagnostics;
  const auto file = read_vgf(*bytes, "t.vgf", diagnostics);
  const auto text = scenario_template(*file, "t.vgf", true);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("\"dims\": [\n                    -1,\n                    4\n                ]"));
  EXPECT_THAT(*text, HasSubstr("\"size\": 64"));
  EXPECT_THAT(*text, HasSubstr("\"dst\": \"TEMPLATE_PATH_BUFFER_OUTPUT_0\""));
  EXPECT_THAT(*text, HasSubstr("\"id\": 7"));
  EXPECT_THAT(*text, HasSubstr("\"src\": \"TEMPLATE_PATH_SHADER_GLSL_0\""));
  EXPECT_THAT(*text, HasSubstr("\"target\": \"post\""));
  EXPECT_THAT(*text, HasSubstr("\"mark_boundary\""));
  EXPECT_THAT(scenario_template(*file, "t.vgf", false).value(), ::testing::Not(HasSubstr("mark_boundary")));
}

// --- level M ---

TEST(VgfCheck, TestVectorIsValid) { EXPECT_EQ(check_messages(test_vector_calls()), ""); }

TEST(VgfCheck, Resources) {
  const auto one = [](NewResource resource) {
    Encoder encoder;
    encoder.add_resource(std::move(resource));
    const std::string text = check_messages(std::move(encoder));
    return text.substr(text.find(' ') + 1);
  };
  EXPECT_EQ(one({.format = vk::Format::R8_SINT, .shape = {1}}), "");
  EXPECT_EQ(one({.format = vk::Format::R8_SINT, .shape = {1, 2, 3}, .strides = {6, 3, 1}}), "");
  EXPECT_EQ(one({.format = vk::Format::R32_SINT, .shape = {1, 2, 3}, .strides = {24, 12, 4}}), "");
  EXPECT_EQ(one({.format = vk::Format::R8_SINT, .shape = {2, 3}, .strides = {4, 1}}),
            "resource 0 has strides [4, 1] for shape [2, 3]: non-packed strides are not supported [unsupported]\n");
  EXPECT_EQ(one({.format = vk::Format::R8G8_UNORM, .shape = {2}}),
            "resource 0 has format `VK_FORMAT_R8G8_UNORM`, which a tensor cannot have [unknown-value]\n");
  EXPECT_EQ(one({.format = vk::Format::R8_SINT, .shape = {1, 1, 1, 1, 1, 1, 1}}),
            "resource 0 has rank 7; tensors have at most 6 [out-of-range]\n");
  EXPECT_EQ(one({.format = vk::Format::R8_SINT, .shape = {1, 0}}),
            "resource 0 has shape [1, 0]; a dimension cannot be 0 [out-of-range]\n");
  EXPECT_EQ(one({.format = vk::Format::R8_SINT, .shape = {1ll << 40, 1ll << 40}}),
            "resource 0 has shape [1099511627776, 1099511627776], whose size does not fit in 64 bits [out-of-range]\n");
  EXPECT_EQ(one({.descriptor_type = std::nullopt, .format = vk::Format::R8_SINT, .shape = {1}}),
            "warning: resource 0 has no descriptor type and is treated as a tensor [file-format]\n");
  EXPECT_EQ(one({.category = Category::Constant, .format = vk::Format::R8_SINT, .shape = {1}}),
            "warning: resource 0 is a constant and has a descriptor type [file-format]\n");
  EXPECT_EQ(one({.category = Category::Constant,
                 .descriptor_type = std::nullopt,
                 .format = vk::Format::R8_SINT,
                 .shape = {-1}}),
            "resource 0 is a constant, and its shape is not known [file-format]\n");
  EXPECT_EQ(one({.format = vk::Format::R8_SINT, .shape = {1}, .alias_group = 3}),
            "warning: resource 0 is alone in alias group 3 [file-format]\n");
  EXPECT_EQ(one({.format = vk::Format::R8_SINT, .shape = {1}, .sampler = Sampler{.min_filter = vk::Filter{77}}}),
            "the sampler of resource 0 has the unknown min_filter 77 [unknown-value]\n");
  EXPECT_EQ(one({.descriptor_type = vk::DescriptorType{99}, .format = vk::Format::R8_SINT, .shape = {1}}),
            "resource 0 has the unknown descriptor type 99 [unknown-value]\n");
}

TEST(VgfCheck, Segments) {
  Encoder encoder;
  const std::array<std::byte, 4> data{};
  const auto x = encoder.add_resource({.category = Category::Input, .format = vk::Format::R8_SINT, .shape = {1}});
  const auto w = encoder.add_resource(
      {.category = Category::Constant, .descriptor_type = std::nullopt, .format = vk::Format::R8_SINT, .shape = {3}});
  const auto constant = encoder.add_constant(w, data, 1);
  const auto wrong = encoder.add_constant(x, Bytes(data).first(1));
  const auto in = encoder.add_slot(0, x), also = encoder.add_slot(0, w), other = encoder.add_slot(5, x);
  const auto shader = encoder.add_module({.kind = ModuleKind::Compute, .name = "c", .entry_point = "main"});
  const auto set = encoder.add_set(std::array{in, in, also}, 0), second = encoder.add_set(std::array{other}, 0);
  const auto a = encoder.add_push_constants({1, 0, 8}), b = encoder.add_push_constants({1, 4, 6});
  encoder.add_segment({.module = shader,
                       .name = "s",
                       .sets = std::array{set, second},
                       .inputs = std::array{other},
                       .outputs = std::array{in},
                       .constants = std::array{constant, wrong},
                       .push_constants = std::array{a, b}});
  encoder.set_model(std::array{in, in}, {}, std::array{in}, std::array<std::string_view, 2>{"a", "b"});
  const std::string text = check_messages(std::move(encoder));
  for (const std::string_view expected : {
           "constant 0 has 4 bytes; resource 1 with shape [3] needs 3 [file-mismatch]",
           "constant 0 is sparse along dimension 1 of shape [3] [out-of-range]",
           "Resource not marked as constant: constant 1 is the data of resource 0, which is an INPUT [file-format]",
           "segment 0 `s` is a compute segment and cannot have constants [file-format]",
           "warning: segment 0 `s` dispatches no workgroups [out-of-range]",
           "segment 0 `s` has descriptor set 0 twice [duplicate-name]",
           "warning: segment 0 `s` binds set 0 binding 0 twice [duplicate-name]",
           "segment 0 `s` binds set 0 binding 0 twice, to different resources [duplicate-name]",
           "segment 0 `s` binds resource 1, which is a constant [wrong-reference]",
           "segment 0 `s`: push constant range 1 has 6 bytes at 4",
           "segment 0 `s`: push constant ranges 0 and 1 overlap [file-format]",
           "two model inputs have the logical binding 0 [duplicate-name]",
           "a model output is resource 0, whose category is INPUT [file-mismatch]",
           "warning: 2 names for 1 model outputs: the names are not used [file-format]",
       }) {
    EXPECT_THAT(text, HasSubstr(expected));
  }
}

TEST(VgfCheck, RulesOfSlipwayAreWarningsOfRuns) {
  Encoder encoder;
  const auto x = encoder.add_resource({.category = Category::Input, .format = vk::Format::R8_SINT, .shape = {1}});
  const auto in = encoder.add_slot(0, x);
  const auto shader = encoder.add_module({.kind = ModuleKind::Compute, .name = "c", .entry_point = "main"});
  encoder.add_segment({.module = shader, .name = "s", .inputs = std::array{in}});
  encoder.set_model(std::array{in}, {}, {}, {});
  const auto bytes = encoder.finish();
  Diagnostics diagnostics;
  check_vgf(*read_vgf(bytes.value(), "t.vgf", diagnostics), diagnostics);
  EXPECT_THAT(messages(diagnostics),
              HasSubstr("warning: segment 0 `s` lists resource 0 as input, but no descriptor set"));
  EXPECT_EQ(diagnostics.errors(), 0u);
  diagnostics.enforce_rules();
  EXPECT_THAT(messages(diagnostics), ::testing::Not(HasSubstr("warning")));
}

// The size of an alias group of two resources, or what the check reports.
std::string alias_messages(const NewResource& first, const NewResource& second) {
  Encoder encoder;
  for (NewResource info : {first, second}) {
    info.category = Category::Intermediate;
    info.alias_group = 0;
    encoder.add_resource(info);
  }
  encoder.set_model({}, {}, {}, {});
  return check_messages(std::move(encoder));
}

TEST(VgfCheck, AliasGroupsOfEqualSize) {
  using vk::DescriptorType, vk::Format;
  EXPECT_EQ(alias_messages({.format = Format::R32_SFLOAT, .shape = {1, 4, 9, 4}},
                           {.descriptor_type = DescriptorType::COMBINED_IMAGE_SAMPLER,
                            .format = Format::R32G32B32A32_SFLOAT,
                            .shape = {1, 4, 9, 4}}),
            "");
  EXPECT_EQ(
      alias_messages({.descriptor_type = DescriptorType::STORAGE_BUFFER, .format = Format::R8_SINT, .shape = {512}},
                     {.format = Format::R16_UINT, .shape = {1, 16, 16, 1}}),
      "");
  EXPECT_THAT(alias_messages({.format = Format::R8_SINT, .shape = {4}}, {.format = Format::R8_SINT, .shape = {5}}),
              HasSubstr("warning: resources 0 and 1 of alias group 0 have 4 and 5 bytes: shapes [4] and [5] with the "
                        "formats VK_FORMAT_R8_SINT and VK_FORMAT_R8_SINT [file-mismatch]"));
}

// Two segments in a chain, whose shaders number their descriptors alike.
TEST(VgfCheck, NumbersOfSlotsMayBeLocalToASegment) {
  Encoder encoder;
  const auto tensor = [&](Category category) {
    return encoder.add_resource({.category = category, .format = vk::Format::R8_SINT, .shape = {1}});
  };
  const auto x = tensor(Category::Input), y = tensor(Category::Intermediate), z = tensor(Category::Output);
  const auto in = encoder.add_slot(7, x), out = encoder.add_slot(9, z);
  const auto shader = encoder.add_module({.kind = ModuleKind::Compute, .name = "c", .entry_point = "main"});
  const auto segment = [&](ResourceRef from, ResourceRef to) {
    const auto read = encoder.add_slot(0, from), written = encoder.add_slot(1, to);
    const auto set = encoder.add_set(std::array{read, written}, 0);
    encoder.add_segment({.module = shader,
                         .name = "s",
                         .sets = std::array{set},
                         .inputs = std::array{read},
                         .outputs = std::array{written},
                         .dispatch = std::array{1u, 1u, 1u}});
  };
  segment(x, y);
  segment(y, z);
  encoder.set_model(std::array{in}, {}, std::array{out}, {});
  EXPECT_EQ(check_messages(std::move(encoder)), "");
}

// --- real files ---

TEST(VgfModels, ReadCheckDumpAndReencode) {
  const std::vector<std::filesystem::path> files = slipway::testing::data_files("models", {".vgf"});
  ASSERT_FALSE(files.empty());
  for (const std::filesystem::path& path : files) {
    SCOPED_TRACE(path.filename());
    const auto mapped = map_file(path);
    Diagnostics diagnostics;
    const auto file = read_vgf(mapped->bytes(), "m.vgf", diagnostics);
    ASSERT_TRUE(file) << messages(diagnostics);
    check_vgf(*file, diagnostics);
    EXPECT_EQ(messages(diagnostics), "");
    const auto again = reencode(*file, mapped->bytes(), diagnostics);
    ASSERT_TRUE(again);
    const auto second = read_vgf(*again, "m.vgf", diagnostics);
    ASSERT_TRUE(second);
    const auto body = [](const File& of) {
      const std::string text = dump_json(of);
      return text.substr(0, text.find("\"header\"")) + text.substr(text.find("\"model_sequence\""));
    };
    EXPECT_EQ(body(*second), body(*file));
    for (std::size_t i = 0; i < file->constants.size(); ++i)
      EXPECT_TRUE(std::ranges::equal(file->constants[i].data, second->constants[i].data));
    EXPECT_TRUE(reencode(*second, *again, diagnostics).value() == *again);
  }
}

}  // namespace
}  // namespace slipway::vgf
