// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/suggest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace slipway {
namespace {

TEST(Suggest, Distance) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("dims", "dims"), 0u);
  EXPECT_EQ(edit_distance("dimz", "dims"), 1u);
  EXPECT_EQ(edit_distance("dmis", "dims"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Suggest, TheFirstOfTheNearest) {
  const std::vector<std::string_view> words{"size", "side", "dims", "format"};
  EXPECT_EQ(closest("siz", words), "size");
  EXPECT_EQ(closest("sixe", words), "size");
  EXPECT_EQ(closest("fromat", words), "format");
  EXPECT_EQ(closest("formatted", words), "format");
  EXPECT_EQ(closest("uid", words), std::nullopt);
  EXPECT_EQ(closest("x", std::vector<std::string_view>{"y", "yz"}), "y");
  EXPECT_EQ(closest("", words), std::nullopt);
}

TEST(Suggest, CaseIsTheLeastDifference) {
  EXPECT_EQ(closest("C", std::vector<std::string_view>{"a", "b", "c"}), "c");
  EXPECT_EQ(closest("OUTPUT", std::vector<std::string_view>{"input", "Output"}), "Output");
}

TEST(Suggest, TheWordIsAPart) {
  const std::vector<std::string_view> words{"dispatch_compute", "dispatch_graph", "VK_FORMAT_R32_SFLOAT"};
  EXPECT_EQ(closest_or_longer("dispatch", words), "dispatch_compute");
  EXPECT_EQ(closest_or_longer("R32_SFLOAT", words), "VK_FORMAT_R32_SFLOAT");
  EXPECT_EQ(closest_or_longer("r32_sfloat", words), "VK_FORMAT_R32_SFLOAT");
  EXPECT_EQ(closest_or_longer("disp", words), std::nullopt);
  EXPECT_EQ(closest_or_longer("VK", words), std::nullopt);
  // A near word goes first.
  EXPECT_EQ(closest_or_longer("size", std::vector<std::string_view>{"size_of_all", "sise"}), "sise");
}

TEST(Suggest, NothingForVeryLongWords) {
  const std::string word(kMaxSuggestedLength, 'a'), near = word.substr(1);
  EXPECT_EQ(closest(word, std::vector<std::string_view>{near}), near);
  EXPECT_EQ(closest(word + "a", std::vector<std::string_view>{word}), std::nullopt);
}

}  // namespace
}  // namespace slipway
