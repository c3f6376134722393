// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/backends/plan/queue_spread.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::recipe {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using vk::QueuePoint;

// A pointer that is only compared, never dereferenced.
const buffer_storage* buffer(std::uintptr_t number) { return reinterpret_cast<const buffer_storage*>(number * 64); }

AccessedRange reads(std::uintptr_t number, std::uint64_t begin = 0, std::uint64_t end = 16) {
  return {buffer(number), begin, end, false};
}
AccessedRange writes(std::uintptr_t number, std::uint64_t begin = 0, std::uint64_t end = 16) {
  return {buffer(number), begin, end, true};
}

TEST(QueueSpread, TakesTheQueueWithTheFewestListsInFlight) {
  QueueSpread spread(3);
  EXPECT_EQ(spread.choose({}, false), 0u);
  const auto a = spread.add({0, 1}, {});
  EXPECT_EQ(spread.choose({}, false), 1u);
  spread.add({1, 1}, {});
  EXPECT_EQ(spread.choose({}, false), 2u);
  spread.add({2, 1}, {});
  EXPECT_EQ(spread.choose({}, false), 0u);  // all have one list: they take turns
  EXPECT_EQ(spread.choose({}, false), 1u);
  spread.remove(a);
  EXPECT_EQ(spread.choose({}, false), 0u);
  spread.remove(a);  // an unknown id has no effect
  EXPECT_EQ(spread.choose({}, false), 0u);
}

TEST(QueueSpread, OneQueueNeedsNoWaiting) {
  QueueSpread spread(1);
  const std::vector<AccessedRange> x = {writes(1)};
  spread.add({0, 0}, x);
  EXPECT_EQ(spread.choose(x, true), 0u);
  EXPECT_THAT(spread.waits(0, x), IsEmpty());
}

TEST(QueueSpread, WaitsForConflictsOnOtherQueues) {
  QueueSpread spread(4);
  const std::vector<AccessedRange> first = {reads(1), writes(2, 0, 8)}, second = {writes(2, 8, 16)}, third = {reads(1)};
  const auto number = spread.add({0, 3}, first);
  spread.add({1, 1}, second);
  spread.add({1, 2}, second);
  spread.add({2, 7}, third);
  const auto waits = [&](std::uint32_t queue, std::vector<AccessedRange> ranges) {
    return spread.waits(queue, ranges);
  };
  EXPECT_THAT(waits(3, {reads(1)}), IsEmpty());  // readers do not conflict
  EXPECT_THAT(waits(3, {writes(1)}), ElementsAre(QueuePoint{0, 3}, QueuePoint{2, 7}));
  EXPECT_THAT(waits(2, {writes(1)}), ElementsAre(QueuePoint{0, 3}));  // a queue needs no wait for itself
  EXPECT_THAT(waits(3, {reads(2)}), ElementsAre(QueuePoint{0, 3}, QueuePoint{1, 2}));
  EXPECT_THAT(waits(3, {reads(2, 0, 8)}), ElementsAre(QueuePoint{0, 3}));
  EXPECT_THAT(waits(3, {writes(3)}), IsEmpty());
  spread.remove(number);
  EXPECT_THAT(waits(3, {writes(1)}), ElementsAre(QueuePoint{2, 7}));
}

TEST(QueueSpread, WhatCannotStartBeforeGoesToTheSameQueue) {
  QueueSpread spread(4);
  const std::vector<AccessedRange> y = {writes(1)};
  spread.add({2, 1}, y);
  EXPECT_EQ(spread.choose(y, true), 2u);
  EXPECT_EQ(spread.choose(y, false), 0u);
  EXPECT_EQ(spread.choose({}, true), 1u);
}

}  // namespace
}  // namespace slipway::recipe
