// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/system/zeroed_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace slipway {
namespace {

TEST(ZeroedMemory, HasZerosAndOneOwner) {
  constexpr std::uint64_t kSize = (std::uint64_t{4} << 20) + 5;  // large pages, and a rest
  ZeroedMemory first(kSize);
  ASSERT_FALSE(first.failed());
  ASSERT_EQ(first.bytes().size(), kSize);
  EXPECT_TRUE(std::ranges::all_of(first.bytes(), [](std::byte byte) { return byte == std::byte{0}; }));
  first.bytes().back() = std::byte{7};
  const std::byte* const address = first.data();
  ZeroedMemory second(std::move(first));
  EXPECT_EQ(second.data(), address);
  EXPECT_EQ(second.bytes().back(), std::byte{7});
  ZeroedMemory third(1);
  third = std::move(second);
  EXPECT_EQ(third.data(), address);
}

TEST(ZeroedMemory, NothingIsNoFailure) {
  const ZeroedMemory nothing(0);
  EXPECT_FALSE(nothing.failed());
  EXPECT_TRUE(nothing.bytes().empty());
}

TEST(ZeroedMemory, TooMuchFails) {
  const ZeroedMemory memory(std::uint64_t{1} << 62);
  EXPECT_TRUE(memory.failed());
  EXPECT_TRUE(memory.bytes().empty());
}

}  // namespace
}  // namespace slipway
