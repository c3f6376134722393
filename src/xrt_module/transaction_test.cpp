// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transactions that the software NPU executes: what they copy, and how their mistakes show.
#include "xrt_module/software_npu/transaction.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace slipway::recipe::software_npu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kValid = 1u << 25, kToken = 1u << 31;
constexpr std::uint64_t kFirst = 0x1'0000'0000, kSecond = 0x2'0000'0000;

class Transaction : public ::testing::Test {
 public:
  Transaction() {
    std::iota(first_.begin(), first_.end(), 1u);
    second_.fill(0);
  }

  // A buffer descriptor: d0 and d1 are the registers of two dimensions.
  Transaction& descriptor(std::uint32_t index, std::uint32_t length, std::uint64_t address, std::uint32_t d0 = 0,
                          std::uint32_t d1 = 0, std::uint32_t last = kValid, std::uint32_t iteration = 0) {
    return add({1, 0x1d000 + 0x20 * index, 44, length, static_cast<std::uint32_t>(address),
                static_cast<std::uint32_t>(address >> 32), d0, d1, 0, iteration, last});
  }
  Transaction& patch(std::uint32_t index, std::uint32_t argument, std::uint32_t added = 0) {
    return add({0x81, 24, 0x1d004 + 0x20 * index, argument, added, 0});
  }
  Transaction& reads(std::uint32_t task) { return add({0, 0x1d214, task}); }   // MM2S 0
  Transaction& writes(std::uint32_t task) { return add({0, 0x1d204, task}); }  // S2MM 0
  Transaction& sync(std::uint32_t direction = 0) { return add({0x80, 16, direction, 0x00010000}); }
  Transaction& add(Words operation) {
    words_.insert(words_.end(), operation.begin(), operation.end());
    ++count_;
    return *this;
  }

  TransactionResult run() {
    Words code = {0x06040001, 0x104, count_, static_cast<std::uint32_t>(16 + 4 * words_.size())};
    code.insert(code.end(), words_.begin(), words_.end());
    words_.clear();
    count_ = 0;
    const auto bytes = std::as_bytes(std::span(code));
    EXPECT_TRUE(is_transaction(bytes));
    return run_transaction(bytes, [this](std::uint64_t address) -> std::optional<std::span<std::byte>> {
      std::array<std::uint32_t, 8>* const buffer = address >> 32 == 1   ? &first_
                                                   : address >> 32 == 2 ? &second_
                                                                        : nullptr;
      const std::uint64_t offset = address & 0xffffffff;
      if (buffer == nullptr || offset >= sizeof *buffer) return std::nullopt;
      return std::as_writable_bytes(std::span(*buffer)).subspan(offset);
    });
  }

  std::array<std::uint32_t, 8> first_{}, second_{};

 private:
  Words words_;
  std::uint32_t count_ = 0;
};

TEST_F(Transaction, CopiesBetweenBuffers) {
  descriptor(0, 3, kFirst + 4).patch(0, 0, 4).descriptor(1, 3, kSecond + 8).patch(1, 2);
  const TransactionResult result = writes(1 | kToken).reads(0).sync().run();
  EXPECT_EQ(result.fault, "");
  EXPECT_TRUE(result.starts_dma);
  EXPECT_THAT(second_, ElementsAre(0, 0, 2, 3, 4, 0, 0, 0));
}

// As the array sees DDR.
TEST_F(Transaction, AddressesMayHaveTheOffsetOfDdr) {
  descriptor(0, 1, kFirst + 0x80000000).descriptor(1, 1, kSecond + 0x80000000);
  EXPECT_EQ(reads(0).writes(1).run().fault, "");
  EXPECT_EQ(second_[0], 1u);
}

TEST_F(Transaction, DimensionsIterationsAndChains) {
  // Two rows of two words, four words apart: 1 2 5 6.
  descriptor(0, 4, kFirst, 2u << 20, 3).descriptor(1, 4, kSecond);
  EXPECT_EQ(reads(0).writes(1).run().fault, "");
  EXPECT_THAT(second_, ElementsAre(1, 2, 5, 6, 0, 0, 0, 0));
  // Two times one word, three words apart; then a second descriptor.
  second_.fill(0);
  descriptor(0, 1, kFirst, 0, 0, kValid, 1u << 20 | 2).descriptor(1, 1, kSecond, 0, 0, kValid | 1u << 26 | 2u << 27);
  descriptor(2, 1, kSecond + 16);
  EXPECT_EQ(reads(1u << 16).writes(1).run().fault, "");
  EXPECT_THAT(second_, ElementsAre(1, 0, 0, 0, 4, 0, 0, 0));
}

TEST_F(Transaction, MaskedWritesKeepTheOtherBits) {
  descriptor(0, 2, kFirst).descriptor(1, 2, kSecond);
  add({3, 0x1d000, 0xff, 1});  // the length becomes 3
  add({3, 0x1d020, 0xff, 1});
  EXPECT_EQ(reads(0).writes(1).run().fault, "");
  EXPECT_THAT(second_, ElementsAre(1, 2, 3, 0, 0, 0, 0, 0));
}

TEST_F(Transaction, AnUnsetArgumentIsNamed) {
  descriptor(0, 1, 0).patch(0, 2);
  EXPECT_EQ(run().fault, "argument 2 is not set: nothing wrote its address to register 0x1d004");
  descriptor(0, 1, 0x40).patch(0, 2, 0x40);
  EXPECT_THAT(run().fault, HasSubstr("argument 2 is not set"));
}

TEST_F(Transaction, WrongAddressesAreFaults) {
  descriptor(0, 1, 0x7'0000'0000);
  EXPECT_EQ(reads(0).run().fault, "the address 0x700000000 of buffer descriptor 0 of column 0 is not in a buffer");
  descriptor(0, 9, kFirst);
  EXPECT_EQ(reads(0).run().fault,
            "buffer descriptor 0 of column 0 reaches byte 36 after its address, where 32 bytes are left in the buffer");
  descriptor(3, 1, kFirst, 0, 0, 0);
  EXPECT_EQ(reads(3).run().fault, "column 0 starts buffer descriptor 3, which is not valid");
  EXPECT_EQ(reads(0).run().fault, "column 0 starts buffer descriptor 0, which is not valid");
}

TEST_F(Transaction, SyncsWaitForTokens) {
  descriptor(0, 2, kFirst).descriptor(1, 2, kSecond);
  TransactionResult result = reads(0).writes(1).sync().run();  // without a token
  EXPECT_TRUE(result.waits);
  EXPECT_EQ(result.fault, "a sync waits for a token of S2MM channel 0 of column 0, which does not come");
  descriptor(0, 1, kFirst).descriptor(1, 2, kSecond);
  EXPECT_TRUE(reads(0).writes(1 | kToken).sync().run().waits);  // one word is missing
  descriptor(0, 1, kFirst);
  EXPECT_FALSE(reads(0 | kToken).sync(1).run().waits);
}

TEST_F(Transaction, OtherCodeIsAFault) {
  EXPECT_THAT(add({99}).run().fault, HasSubstr("operation 0 at byte 16 is not one of a transaction"));
  EXPECT_THAT(add({1, 0x1d000, 400}).run().fault, HasSubstr("or is truncated"));
  const std::array<std::byte, 16> zeros{};
  EXPECT_FALSE(is_transaction(zeros));
  EXPECT_FALSE(is_transaction(std::span(zeros).first(8)));
}

}  // namespace
}  // namespace slipway::recipe::software_npu
