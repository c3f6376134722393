// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/standalone/fill.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "tensor/element.hpp"

namespace slipway::model {
namespace {

using tosa::DataType;

std::vector<double> filled(DataType type, const Fill& how, std::size_t count) {
  const tensor::ElementType storage = tosa::storage_of(type);
  std::vector<std::byte> bytes(count * tensor::size_of(storage));
  if (Result<> done = fill(type, how, bytes); !done) throw std::runtime_error(done.error()[0].message);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(tensor::double_of(storage, bytes.data() + i * tensor::size_of(storage)));
  return values;
}

TEST(Fill, RandomCoversTheTypeAndNotItsStorage) {
  const std::vector<double> nibbles = filled(DataType::I4, {.seed = 3}, 1000);
  EXPECT_EQ(std::ranges::min(nibbles), -8);
  EXPECT_EQ(std::ranges::max(nibbles), 7);
  const std::vector<double> reals = filled(DataType::F32, {.seed = 3}, 1000);
  EXPECT_LT(std::ranges::min(reals), -0.9);
  EXPECT_GT(std::ranges::max(reals), 0.9);
  EXPECT_LE(std::ranges::max(reals), 1);
  EXPECT_EQ(filled(DataType::I8, {.seed = 3}, 10), filled(DataType::I8, {.seed = 3}, 10));
  EXPECT_NE(filled(DataType::I8, {.seed = 3}, 10), filled(DataType::I8, {.seed = 4}, 10));
}

TEST(Fill, WithinBounds) {
  const std::vector<double> values = filled(DataType::I32, {.low = -2, .high = 2}, 200);
  EXPECT_EQ(std::ranges::min(values), -2);
  EXPECT_EQ(std::ranges::max(values), 2);
}

TEST(Fill, OtherKinds) {
  EXPECT_THAT(filled(DataType::I4, {.kind = FillKind::Ramp}, 18),
              ::testing::ElementsAre(-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, -8, -7));
  EXPECT_THAT(filled(DataType::F32, {.kind = FillKind::Ramp, .low = 0, .high = 255}, 3),
              ::testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(filled(DataType::F16, {.kind = FillKind::Zeros}, 2), ::testing::ElementsAre(0, 0));
  EXPECT_THAT(filled(DataType::I8, {.kind = FillKind::Edges}, 200), ::testing::Contains(-128));
  for (const DataType type : {DataType::Bool, DataType::I4, DataType::I8, DataType::I16, DataType::I32, DataType::I48,
                              DataType::F16, DataType::BF16, DataType::F32, DataType::F8E4M3, DataType::F8E5M2}) {
    for (const FillKind kind : {FillKind::Random, FillKind::Ramp, FillKind::Edges})
      EXPECT_EQ(filled(type, {.kind = kind}, 20).size(), 20u) << name_of(type);
  }
}

TEST(Fill, BoundsThatDoNotFit) {
  std::vector<std::byte> bytes(4);
  for (const FillKind kind : {FillKind::Random, FillKind::Ramp}) {
    const Result<> wide = fill(DataType::I8, {.kind = kind, .high = 300}, bytes);
    ASSERT_FALSE(wide);
    EXPECT_EQ(wide.error()[0].kind, DiagnosticKind::OutOfRange);
    EXPECT_FALSE(fill(DataType::I8, {.kind = kind, .low = 0.5}, bytes));
    EXPECT_FALSE(fill(DataType::F32, {.kind = kind, .low = 2, .high = 1}, bytes));
  }
}

TEST(Fill, Names) {
  EXPECT_EQ(fill_kind_from_name("edges"), FillKind::Edges);
  EXPECT_FALSE(fill_kind_from_name("corners"));
}

}  // namespace
}  // namespace slipway::model
