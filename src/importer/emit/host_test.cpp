// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/host.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace slipway::importer {
namespace {

TEST(ProductOf, IsTheLargestNumberIfItIsLarger) {
  EXPECT_EQ(product_of(tensor::Shape{}), 1);
  EXPECT_EQ(product_of(tensor::Shape{3, 4}), 12);
  EXPECT_EQ(product_of(tensor::Shape{std::int64_t{1} << 32, std::int64_t{1} << 31}),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(product_of(tensor::Shape{std::int64_t{1} << 62, std::int64_t{1} << 62, 0}), 0);
}

}  // namespace
}  // namespace slipway::importer
