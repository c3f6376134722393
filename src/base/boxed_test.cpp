// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/boxed.hpp"

#include <gtest/gtest.h>

#include <array>

namespace slipway {
namespace {

using Large = std::array<int, 100>;
using Either = std::variant<char, Boxed<Large>>;

TEST(Boxed, KeepsAVariantSmallAndCopiesTheValue) {
  EXPECT_LE(sizeof(Either), 2 * sizeof(void*));
  Either first = Large{1};
  Either second = first;
  get_boxed<Large>(second)[0] = 2;
  EXPECT_EQ(get_boxed<Large>(std::as_const(first))[0], 1);
  first = second;
  EXPECT_EQ((*get_boxed_if<Large>(first))[0], 2);
  EXPECT_EQ(get_boxed_if<Large>(Either('a')), nullptr);
  EXPECT_EQ(std::visit([](const auto& one) { return sizeof unboxed(one); }, first), sizeof(Large));
}

}  // namespace
}  // namespace slipway
