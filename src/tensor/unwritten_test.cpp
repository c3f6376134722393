// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/unwritten.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace slipway::tensor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Ranges = std::vector<ByteRange>;

// What `run` does not write; `runs` counts how often it ran.
Ranges unwritten_by(std::uint64_t size, std::uint64_t element, const std::function<void(std::vector<std::byte>&)>& run,
                    int* runs = nullptr) {
  UnwrittenElements unwritten(size, element, 7);
  std::vector<std::byte> bytes(size);
  do {
    unwritten.fill(bytes);
    run(bytes);
    unwritten.check(bytes);
    if (runs) ++*runs;
  } while (!unwritten.is_decided());
  return {unwritten.ranges().begin(), unwritten.ranges().end()};
}

TEST(Unwritten, NothingIsLeftOfAnOutputThatIsWritten) {
  // Every value of a byte, so that some are those of the pattern.
  const auto write = [](std::vector<std::byte>& bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % 251);
  };
  for (const std::uint64_t element : {1, 2, 3, 4, 8, 16}) {
    for (const std::uint64_t size : {0, 1, 3, 7, 8, 9, 100, 4099})
      EXPECT_THAT(unwritten_by(size, element, write), IsEmpty()) << size << " bytes, elements of " << element;
  }
}

TEST(Unwritten, OneRunIsEnoughForElementsOfFourBytes) {
  int runs = 0;
  unwritten_by(1 << 16, 4, [](std::vector<std::byte>& bytes) { std::ranges::fill(bytes, std::byte{2}); }, &runs);
  EXPECT_EQ(runs, 1);
  runs = 0;
  unwritten_by(1 << 16, 1, [](std::vector<std::byte>& bytes) { std::ranges::fill(bytes, std::byte{2}); }, &runs);
  EXPECT_EQ(runs, 2) << "some bytes are equal by chance";
  runs = 0;
  unwritten_by(1 << 16, 1, [](std::vector<std::byte>& bytes) { std::ranges::fill(bytes, std::byte{0}); }, &runs);
  EXPECT_EQ(runs, 1) << "the first pattern has no zeros";
}

// All ranges of a small output, by all sizes of elements.
TEST(Unwritten, EveryRangeIsFoundExactly) {
  constexpr std::uint64_t kSize = 35;
  for (const std::uint64_t element : {1, 2, 4, 8}) {
    for (std::uint64_t begin = 0; begin < kSize; begin += element) {
      for (std::uint64_t end = begin + element; end <= kSize; end += element) {
        const Ranges found = unwritten_by(kSize, element, [&](std::vector<std::byte>& bytes) {
          for (std::uint64_t i = 0; i < kSize; ++i) {
            if (i < begin || i >= end) bytes[i] = static_cast<std::byte>(i * 37);
          }
        });
        EXPECT_THAT(found, ElementsAre(ByteRange{begin, end})) << "elements of " << element;
      }
    }
  }
}

TEST(Unwritten, SeveralRangesAreFound) {
  const Ranges found = unwritten_by(64, 4, [](std::vector<std::byte>& bytes) {
    std::fill_n(bytes.begin(), 8, std::byte{1});
    std::fill_n(bytes.begin() + 12, 20, std::byte{1});
    std::fill_n(bytes.begin() + 36, 28, std::byte{1});
  });
  EXPECT_THAT(found, ElementsAre(ByteRange{8, 12}, ByteRange{32, 36}));
}

// What a run writes into some of its iterations only is written.
TEST(Unwritten, WrittenByOneOfTheRunsIsWritten) {
  int run = 0;
  const Ranges found = unwritten_by(16, 4, [&](std::vector<std::byte>& bytes) {
    std::fill_n(bytes.begin() + (run++ % 2 == 0 ? 0 : 8), 8, std::byte{1});
  });
  EXPECT_THAT(found, IsEmpty());
}

// Values that change from run to run may be those of the pattern several times.
TEST(Unwritten, ResultsThatChangeNeedMoreRuns) {
  UnwrittenElements unwritten(1, 1, 3);
  std::vector<std::byte> bytes(1);
  for (int run = 0; run < 3; ++run) {
    unwritten.fill(bytes);
    unwritten.check(bytes);
    EXPECT_FALSE(unwritten.is_decided());
  }
  unwritten.fill(bytes);
  unwritten.check(bytes);
  EXPECT_TRUE(unwritten.is_decided());
  EXPECT_THAT(unwritten.ranges(), ElementsAre(ByteRange{0, 1}));
}

TEST(Unwritten, ChanceIsForgottenWithoutAnotherRun) {
  UnwrittenElements unwritten(4096, 1, 5);
  std::vector<std::byte> bytes(4096);
  unwritten.fill(bytes);
  std::fill_n(bytes.begin(), 2000, std::byte{2});
  std::fill_n(bytes.begin() + 2100, 1996, std::byte{2});
  unwritten.check(bytes);
  EXPECT_GT(unwritten.ranges().size(), 1u);
  unwritten.drop_undecided();
  ASSERT_EQ(unwritten.ranges().size(), 1u);
  EXPECT_LE(unwritten.ranges()[0].begin, 2000u);
  EXPECT_GE(unwritten.ranges()[0].end, 2100u);
}

TEST(Unwritten, TextNamesTheFirstElementAndTheCount) {
  const auto text = [](std::uint64_t element, std::uint64_t begin, std::uint64_t end) {
    UnwrittenElements unwritten(16, element, 1);
    std::vector<std::byte> bytes(16);
    do {
      unwritten.fill(bytes);
      for (std::uint64_t i = 0; i < bytes.size(); ++i) {
        if (i < begin || i >= end) bytes[i] = std::byte{9};
      }
      unwritten.check(bytes);
    } while (!unwritten.is_decided());
    return unwritten_text("y", unwritten);
  };
  EXPECT_EQ(text(4, 0, 16), "output `y` was not written: all 4 elements hold what was in the memory before the run");
  EXPECT_EQ(text(4, 8, 16),
            "output `y` was not written: 2 of 4 elements, from element 2 (byte 8) on, hold what was in the memory "
            "before the run");
  EXPECT_EQ(text(1, 5, 6),
            "output `y` was not written: 1 of 16 bytes, from byte 5 on, hold what was in the memory before the run");
}

}  // namespace
}  // namespace slipway::tensor
