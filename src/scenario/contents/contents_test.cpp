// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/contents/contents.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "testing/scenario_case.hpp"

namespace slipway::scenario {
namespace {

template <class T>
std::vector<T> values_of(const launch::Contents& contents) {
  const auto bytes = read_contents(contents).value();
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

// The scenario with one resource and its files, planned.
struct Planned {
  testing::Case made;
  explicit Planned(const std::string& resource, const testing::CaseFiles& files = {}) : made(files) {
    made.plan(R"({"resources": [)" + resource + R"(], "commands": []})");
    if (!made.plan()) ADD_FAILURE() << made.messages();
  }
  template <class T>
  std::vector<T> level(std::size_t index = 0) const {
    return values_of<T>(made.plan()->resources.at(0).initial.at(index));
  }
  template <class T>
  std::vector<T> expected(std::size_t index = 0) const {
    return values_of<T>(std::get<launch::Contents>(made.plan()->expectations.at(index).expected));
  }
};

// A KTX2 file of R8_UINT with the levels 1 2 and 9.
std::string two_levels() {
  return "hex ab 4b 54 58 20 32 30 bb 0d 0a 1a 0a\n"
         "u32 13 1 2 1 0 0 1 2 0\n"
         "u32 128 44 0 0\nu64 0 0\n"
         "u64 176 2 2\nu64 172 1 1\n"
         "u32 44 0\nu16 2 40\nhex 01 01 01 00 00 00 00 00 01 00 00 00 00 00 00 00\n"
         "hex 00 00 07 00\nu32 0 0 1\n"
         "hex 09 00 00 00 01 02";
}

TEST(Contents, NpyInOrderAndLittleEndian) {
  const Planned planned(R"({"buffer": {"uid": "a", "size": 24, "shader_access": "readonly", "src": "a.npy"}})",
                        {{"a.npy",
                          "npy '>f4' (2, 3) fortran\n"
                          "hex 3f 80 00 00 40 80 00 00 40 00 00 00 40 a0 00 00 40 40 00 00 40 c0 00 00"}});
  EXPECT_EQ(planned.level<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(Contents, NothingIsReadBeforeItIsWritten) {
  const Planned planned(R"({"buffer": {"uid": "a", "size": 4, "shader_access": "readonly", "src": "a.npy"}})",
                        {{"a.npy", "npy '<u4' (1,)\nu32 1"}});
  // The mapping sees what the file holds when the contents are written.
  const auto changed = testing::cook("npy '<u4' (1,)\nu32 2");
  std::FILE* file = std::fopen((planned.made / "a.npy").string().c_str(), "r+b");
  ASSERT_NE(file, nullptr);
  std::fwrite(changed.data(), 1, changed.size(), file);
  std::fclose(file);
  EXPECT_EQ(planned.level<std::uint32_t>(), std::vector<std::uint32_t>{2});
}

TEST(Contents, LevelsOfDds) {
  const Planned planned(
      R"({"image": {"uid": "a", "dims": [4, 2], "mips": 2, "format": "VK_FORMAT_R8_UINT", "shader_access": "readonly", "src": "a.dds"}})",
      {{"a.dds", "dds 62 4 2 3\nu8 1 2 3 4 5 6 7 8\nu8 11 12\nu8 21"}});
  ASSERT_EQ(planned.made.plan()->resources[0].initial.size(), 2u);
  EXPECT_EQ(planned.level<std::uint8_t>(), (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(planned.level<std::uint8_t>(1), (std::vector<std::uint8_t>{11, 12}));
}

TEST(Contents, PaddedTexelsOfDds) {
  const std::string rgb =
      R"({"image": {"uid": "a", "dims": [2, 1], "format": "VK_FORMAT_R8G8B8_SNORM", "shader_access": "readonly", "src": "a.dds"}})";
  const std::vector<std::uint8_t> texels{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(Planned(rgb, {{"a.dds", "dds 133 2 1 1\nu8 1 2 3 4 5 6"}}).level<std::uint8_t>(), texels);
  EXPECT_EQ(Planned(rgb, {{"a.dds", "dds 133 2 1 1\nu8 1 2 3 4 5 6 0 0"}}).level<std::uint8_t>(), texels);
}

TEST(Contents, DepthOfDepthWithStencil) {
  const Planned planned(
      R"({"image": {"uid": "a", "dims": [2, 1], "format": "VK_FORMAT_R32_SFLOAT", "shader_access": "readonly", "src": "a.dds"}})",
      {{"a.dds", "dds 20 2 1 1\nf32 0.25\nhex 07 00 00 00\nf32 0.5\nzeros 4"}});
  EXPECT_EQ(planned.level<float>(), (std::vector<float>{0.25, 0.5}));
  EXPECT_EQ(std::get<launch::Image>(planned.made.plan()->resources[0].kind).format, vk::Format::R32_SFLOAT);
  EXPECT_NE(planned.made.messages().find("Ignoring stencil data"), std::string::npos);
}

TEST(Contents, Png) {
  const Planned planned(
      R"({"image": {"uid": "a", "dims": [1, 2], "format": "VK_FORMAT_R8G8B8A8_UNORM", "shader_access": "readonly", "src": "a.png"}})",
      {{"a.png", "u8 1 2 3 4 5 6 7 8\npng 1 2"}});
  EXPECT_EQ(planned.level<std::uint8_t>(), (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Contents, LevelsAndLayersOfKtx2) {
  const Planned layers(
      R"({"image": {"uid": "a", "dims": [2, 1], "layers": 3, "format": "VK_FORMAT_R8_UINT", "shader_access": "readonly", "src": "a.ktx2"}})",
      {{"a.ktx2", "u8 1 2 3 4 5 6\nktx2 13 2 1 1 3"}});
  EXPECT_EQ(layers.level<std::uint8_t>(), (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}));
  // Two levels: the file of one with an entry for the second, whose byte is before.
  const Planned levels(
      R"({"image": {"uid": "a", "dims": [2, 1], "mips": 2, "format": "VK_FORMAT_R8_UINT", "shader_access": "readonly", "src": "a.ktx2"}})",
      {{"a.ktx2", two_levels()}});
  ASSERT_EQ(levels.made.plan()->resources[0].initial.size(), 2u);
  EXPECT_EQ(levels.level<std::uint8_t>(), (std::vector<std::uint8_t>{1, 2}));
  EXPECT_EQ(levels.level<std::uint8_t>(1), std::vector<std::uint8_t>{9});
}

TEST(Contents, Exr) {
  const std::string image =
      R"({"image": {"uid": "a", "dims": [2, 1], "format": "VK_FORMAT_R16G16B16A16_SFLOAT", "shader_access": "readonly", "src": "a.exr"}})";
  // Floats become halfs; one component is grey.
  EXPECT_EQ(Planned(image, {{"a.exr", "f32 1 2 3 4 5 6 7 8\nexr 109 2 1"}}).level<std::uint16_t>(),
            (std::vector<std::uint16_t>{0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800}));
  EXPECT_EQ(Planned(image, {{"a.exr", "f32 0.5 2\nexr 100 2 1"}}).level<std::uint16_t>(),
            (std::vector<std::uint16_t>{0x3800, 0x3800, 0x3800, 0x3c00, 0x4000, 0x4000, 0x4000, 0x3c00}));
}

TEST(Contents, BuffersTakeTypedValues) {
  EXPECT_EQ(
      Planned(
          R"({"buffer": {"uid": "a", "size": 8, "shader_access": "readonly", "data": {"type": "i16", "values": [-1, 2, 3, 4]}}})")
          .level<std::int16_t>(),
      (std::vector<std::int16_t>{-1, 2, 3, 4}));
  EXPECT_EQ(
      Planned(
          R"({"buffer": {"uid": "a", "size": 12, "shader_access": "readonly", "fill": {"type": "f32", "value": 1.5}}})")
          .level<float>(),
      (std::vector<float>{1.5, 1.5, 1.5}));
}

TEST(Contents, TensorsOfNormalizedFormatsTakeRealValues) {
  const Planned planned(
      R"({"tensor": {"uid": "a", "dims": [2, 2], "format": "VK_FORMAT_R8_UNORM", "shader_access": "readonly",
                     "data": [[0, 0.5], [1, 0.25]], "expect": {"fill": 0.5}}})");
  EXPECT_EQ(planned.level<std::uint8_t>(), (std::vector<std::uint8_t>{0, 128, 255, 64}));
  EXPECT_EQ(planned.expected<std::uint8_t>(), (std::vector<std::uint8_t>{128, 128, 128, 128}));
  const Planned integers(
      R"({"tensor": {"uid": "a", "dims": [2], "format": "VK_FORMAT_R16_SINT", "shader_access": "readonly", "data": [-1, 2]}})");
  EXPECT_EQ(integers.level<std::int16_t>(), (std::vector<std::int16_t>{-1, 2}));
}

TEST(Contents, ExpectedTexelsAreComponents) {
  const Planned packed(
      R"({"image": {"uid": "a", "dims": [1, 1], "format": "VK_FORMAT_B10G11R11_UFLOAT_PACK32", "shader_access": "readonly",
                    "expect": {"data": [0.5, 1, 2]}}})");
  EXPECT_EQ(packed.expected<float>(), (std::vector<float>{0.5, 1, 2}));
  EXPECT_EQ(packed.made.plan()->expectations[0].shape, (tensor::Shape{1, 1, 1, 3}));
  const Planned plain(
      R"({"image": {"uid": "a", "dims": [1, 1], "format": "VK_FORMAT_R8G8_UNORM", "shader_access": "readonly", "expect": {"data": [0.5, 1]}}})");
  EXPECT_EQ(plain.expected<std::uint8_t>(), (std::vector<std::uint8_t>{128, 255}));
}

// Contents that buffers and raw data reject.
TEST(Contents, RejectedInlineContents) {
  testing::Case made({});
  made.plan(R"({"resources": [
  {"buffer": {"uid": "a", "size": 6, "shader_access": "readonly", "fill": {"type": "f32", "value": 1}}},
  {"buffer": {"uid": "b", "size": 8, "shader_access": "readonly", "data": {"type": "f32", "values": [1]}}},
  {"raw_data": {"uid": "c", "data": {"values": [{"type": "u8", "values": [1]}, {"type": "u8", "values": [256]}]}}}
], "commands": []})");
  EXPECT_EQ(
      made.messages(),
      "scene.json:2:14: error: 6 bytes are not a whole number of f32 elements, which have 4 bytes each "
      "[out-of-range]\n  = at /resources/0/buffer (uid a)\n"
      "scene.json:3:101: error: 1 numbers are given, but 2 of type f32 are needed, for the shape [2] [out-of-range]\n"
      "  = at /resources/1/buffer/data/values (uid b)\n"
      "scene.json:4:106: error: `256` is out of range for `u8` (0 to 255) [out-of-range]\n"
      "  = at /resources/2/raw_data/data/values/1/values/0 (uid c)\n");
}

}  // namespace
}  // namespace slipway::scenario
