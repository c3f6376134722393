// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/flexbuffer.hpp"

#include <flatbuffers/flexbuffers.h>
#include <gtest/gtest.h>

#include <random>

namespace slipway::importer {
namespace {

Bytes bytes_of_buffer(const std::vector<std::uint8_t>& buffer) { return std::as_bytes(std::span(buffer)); }

template <class T>
T attribute(const std::map<std::string, AttributeValue, std::less<>>& map, std::string_view key) {
  const auto found = map.find(key);
  EXPECT_NE(found, map.end()) << key;
  const T* value = found == map.end() ? nullptr : std::get_if<T>(&found->second);
  EXPECT_NE(value, nullptr) << key;
  return value ? *value : T{};
}

std::vector<std::uint8_t> sample() {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Int("small", -3);
    builder.Int("large", -123456789012);
    builder.UInt("unsigned", 200);
    builder.Bool("yes", true);
    builder.Double("real", 0.1);
    builder.Float("single", 0.5F);
    builder.String("text", "words");
    builder.Key("key");
    builder.Key("name");
    builder.IndirectInt("indirect", 77777);
    builder.IndirectDouble("indirect_real", 0.3);
    builder.Null("nothing");
    builder.TypedVector("integers", [&] {
      for (int i : {1, -2, 300}) builder.Int(i);
    });
    builder.Vector("mixed", [&] {
      builder.Int(1);
      builder.Double(1.5);
    });
    builder.Vector("strings", [&] {
      builder.String("a");
      builder.String("bc");
    });
    builder.TypedVector("bools", [&] {
      builder.Bool(true);
      builder.Bool(false);
    });
    builder.Vector("empty", [] {});
    const float three[] = {1.0F, 2.0F, 3.0F};
    builder.FixedTypedVector("three", three, 3);
    builder.Map("inner", [&] { builder.Int("x", 1); });
    const std::uint8_t blob[] = {9, 8, 7};
    builder.Key("blob");
    builder.Blob(blob, sizeof blob);
  });
  builder.Finish();
  return builder.GetBuffer();
}

TEST(Flexbuffer, ReadsAllKindsOfValues) {
  const std::vector<std::uint8_t> buffer = sample();
  const auto map = read_flexbuffer(bytes_of_buffer(buffer));
  ASSERT_TRUE(map);
  EXPECT_EQ(attribute<std::int64_t>(*map, "small"), -3);
  EXPECT_EQ(attribute<std::int64_t>(*map, "large"), -123456789012);
  EXPECT_EQ(attribute<std::int64_t>(*map, "unsigned"), 200);
  EXPECT_EQ(attribute<std::int64_t>(*map, "yes"), 1);
  EXPECT_EQ(attribute<double>(*map, "real"), 0.1);
  EXPECT_EQ(attribute<double>(*map, "single"), 0.5);
  EXPECT_EQ(attribute<std::string>(*map, "text"), "words");
  EXPECT_EQ(attribute<std::string>(*map, "key"), "name");
  EXPECT_EQ(attribute<std::int64_t>(*map, "indirect"), 77777);
  EXPECT_EQ(attribute<double>(*map, "indirect_real"), 0.3);
  EXPECT_EQ(attribute<std::vector<std::int64_t>>(*map, "integers"), (std::vector<std::int64_t>{1, -2, 300}));
  EXPECT_EQ(attribute<std::vector<double>>(*map, "mixed"), (std::vector<double>{1, 1.5}));
  EXPECT_EQ(attribute<std::vector<std::string>>(*map, "strings"), (std::vector<std::string>{"a", "bc"}));
  EXPECT_EQ(attribute<std::vector<std::int64_t>>(*map, "bools"), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(attribute<std::vector<std::int64_t>>(*map, "empty"), std::vector<std::int64_t>());
  EXPECT_EQ(attribute<std::vector<double>>(*map, "three"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(attribute<Array>(*map, "blob").integers(), (std::vector<std::int64_t>{9, 8, 7}));
  EXPECT_FALSE(map->contains("nothing"));
  EXPECT_FALSE(map->contains("inner"));
  EXPECT_EQ(map->size(), 17U);
}

TEST(Flexbuffer, RefusesWhatIsNotAMap) {
  flexbuffers::Builder builder;
  builder.Int(5);
  builder.Finish();
  EXPECT_FALSE(read_flexbuffer(bytes_of_buffer(builder.GetBuffer())));
  EXPECT_FALSE(read_flexbuffer({}));
  // Three integers of 32 bits, as a custom operator has them.
  EXPECT_FALSE(read_flexbuffer(bytes_of_buffer({1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0})));
}

TEST(Flexbuffer, DamagedBytesDoNotHarm) {
  const std::vector<std::uint8_t> buffer = sample();
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::uint8_t> damaged = buffer;
    for (int changes = 0; changes < 1 + i % 4; ++changes)
      damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
    if (i % 5 == 0) damaged.resize(random() % damaged.size());
    refused += read_flexbuffer(bytes_of_buffer(damaged)) ? 0 : 1;
  }
  EXPECT_GT(refused, 4000U);
  EXPECT_LT(refused, 20000U);
}

// A hundred keys that share one list of a hundred values would be ten thousand values.
TEST(Flexbuffer, SharedValuesAreLimited) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    const std::size_t list = builder.TypedVector("a", [&] {
      for (int i = 0; i < 100; ++i) builder.Int(i);
    });
    (void)list;
    const flexbuffers::Builder::Value shared = builder.LastValue();
    for (int i = 0; i < 100; ++i) builder.ReuseValue(("k" + std::to_string(i)).c_str(), shared);
  });
  builder.Finish();
  EXPECT_FALSE(read_flexbuffer(bytes_of_buffer(builder.GetBuffer())));
}

}  // namespace
}  // namespace slipway::importer
