#include "base/bytes.hpp"

#include <gtest/gtest.h>

#include "base/suggest.hpp"

namespace slipway {
namespace {

TEST(Bytes, ReaderStopsAtTheEnd) {
  ByteWriter writer;
  writer.write(std::uint16_t{0x0201}).append("xy").pad_to(6);
  EXPECT_EQ(writer.size(), 6u);
  ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.read<std::uint16_t>(), 0x0201);
  EXPECT_EQ(text_of(reader.take(2)), "xy");
  EXPECT_EQ(reader.remaining(), 2u);
  EXPECT_EQ(reader.read<std::uint32_t>(), 0u);
  EXPECT_TRUE(reader.failed());
  EXPECT_EQ(reader.read<std::uint8_t>(), 0u);  // stays failed
  ByteReader far(writer.bytes(), ~std::size_t{0});
  EXPECT_EQ(far.remaining(), 0u);
  EXPECT_TRUE(far.take(1).empty());
  EXPECT_TRUE(far.failed());
}

TEST(Suggest, DistanceCountsSwapsOnce) {
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
  EXPECT_EQ(edit_distance("abc", "acb"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Suggest, OnlyWhatIsNear) {
  const std::vector<std::string_view> words = {"dims", "format", "shader_access"};
  EXPECT_EQ(closest("dimz", words), "dims");
  EXPECT_EQ(closest("shader_acess", words), "shader_access");
  EXPECT_EQ(closest("colour", words), std::nullopt);
  EXPECT_EQ(closest("xims", std::vector<std::string_view>{"dims", "sims"}), "dims");  // the first of equals
}

}  // namespace
}  // namespace slipway
