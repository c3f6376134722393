// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/schema.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/system/files.hpp"
#include "json/document.hpp"

namespace slipway::scenario {
namespace {

TEST(Schema, DefinesEveryKind) {
  const auto document = json::parse(make_source("schema", schema_text()));
  ASSERT_TRUE(document);
  const json::Value root = (*document)->root();
  const json::Value resources = root["properties"]["resources"]["items"];
  EXPECT_EQ(resources["properties"].size(), 11u);
  EXPECT_EQ(resources["oneOf"].size(), 11u);
  EXPECT_EQ(root["properties"]["commands"]["items"]["properties"].size(), 8u);
  EXPECT_EQ(resources["properties"]["buffer"]["$ref"].string(), "#/$defs/buffer");
  EXPECT_EQ(root["$defs"]["buffer"]["properties"]["size"]["allOf"][0]["minimum"].integer(), 1);
  EXPECT_FALSE(root["$defs"]["image"]["additionalProperties"].boolean());
}

TEST(Describe, AKey) {
  EXPECT_EQ(describe("rangeND"),
            "rangeND in dispatch_compute, required: the number of workgroups in each dimension; 1 when absent\n"
            "  array, 1 to 3 of integer, at least 1\n");
}

TEST(Describe, AKeyOfOneObject) {
  EXPECT_EQ(describe("image.mips"), "mips in image: the number of levels; 1 when absent\n  integer, at least 1\n");
  EXPECT_EQ(describe("tensor.tiling"), "tiling in tensor: LINEAR when absent\n  `OPTIMAL`, `LINEAR`\n");
  EXPECT_EQ(describe("tensor.data_type"),
            "data_type in tensor, an old name: the VkFormat of an element, with one component\n  format\n");
  EXPECT_EQ(describe("shader.entry_points"),
            "entry_points in shader: the functions of an RPL graphics pipeline\n  entry_points\n");
  EXPECT_EQ(describe("custom_border_color"),
            "custom_border_color in image: red, green, blue, alpha for INT_CUSTOM_EXT and FLOAT_CUSTOM_EXT\n"
            "  array, 4 of number\n");
}

TEST(Describe, AnObject) {
  EXPECT_EQ(describe("specialization_constant"),
            "specialization_constant: a value for a specialization constant\n"
            "  id (required): the SpecId in the shader\n"
            "  value (required): converted to the type that the shader declares\n");
}

TEST(Describe, ReturnsNothingForUnknownKeys) {
  EXPECT_EQ(describe("mipz"), std::nullopt);
  EXPECT_EQ(describe("buffer.mips"), std::nullopt);
  EXPECT_EQ(describe(""), std::nullopt);
}

TEST(Describe, AllKeysCanBeDescribed) {
  const auto keys = describable_keys();
  EXPECT_TRUE(std::ranges::is_sorted(keys));
  for (const std::string_view key : {"resources", "image", "rangeND", "mips", "requires", "shader_access"}) {
    EXPECT_TRUE(std::ranges::contains(keys, key)) << key;
  }
  for (const std::string& key : keys) EXPECT_TRUE(describe(key)) << key;
}

}  // namespace
}  // namespace slipway::scenario
