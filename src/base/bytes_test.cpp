// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/bytes.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace slipway
