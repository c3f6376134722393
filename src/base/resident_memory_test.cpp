#include "base/resident_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace slipway {
namespace {

// Nothing may be lost, whatever kind of memory it is, and ends inside of pages are no matter.
TEST(ResidentMemory, PagesKeepTheirContents) {
  std::vector<std::byte> bytes(1 << 20, std::byte{7});
  release_pages(Bytes(bytes).subspan(5, bytes.size() - 11));
  release_pages(Bytes(bytes).first(3));
  release_pages({});
  release_freed_memory();
  EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{7}; }));
}

}  // namespace
}  // namespace slipway
