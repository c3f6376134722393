// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/control_characters.hpp"

#include <gtest/gtest.h>

namespace slipway {
namespace {

TEST(ControlCharacters, AreShown) {
  EXPECT_EQ(show_control_characters("a\x1b]0;t\x07\x7f\r b\t\n"), "a\\x1b]0;t\\x07\\x7f\\x0d b\t\n");
  EXPECT_EQ(show_control_characters("a\nb", {.newlines = false}), "a\\x0ab");
  EXPECT_EQ(show_control_characters(std::string_view("\0", 1)), "\\x00");
}

TEST(ControlCharacters, OfTwoBytesInUtf8) {
  EXPECT_EQ(show_control_characters("\xc2\x9b"
                                    "2J \xc2\xa0\xc3\x9b"),
            "\\x9b2J \xc2\xa0\xc3\x9b");
  EXPECT_EQ(show_control_characters("\xc2"), "\xc2");
}

TEST(ControlCharacters, OfTheDirectionOfWriting) {
  EXPECT_EQ(show_control_characters("a\u202eb\u2066c\u061c\u200f\u2028"), "a\\u202eb\\u2066c\\u061c\\u200f\\u2028");
  EXPECT_EQ(show_control_characters("\u2027\u202f\u2065\u206a\u200b\u061b\u20ac"),
            "\u2027\u202f\u2065\u206a\u200b\u061b\u20ac");
  EXPECT_EQ(show_control_characters("\xe2\x80"), "\xe2\x80");
}

TEST(ControlCharacters, OnlyWholeSequencesOfVisibleColoursAreKept) {
  EXPECT_EQ(show_control_characters("\x1b[1;31mred\x1b[0m", {.colours = true}), "\x1b[1;31mred\x1b[0m");
  EXPECT_EQ(show_control_characters("\x1b[1;31mred"), "\\x1b[1;31mred");
  for (const std::string_view text : {"\x1b", "\x1b[", "\x1b[1;31", "\x1b[2J", "\x1b]0;m", "\x1b[1 m", "\x1b[8m",
                                      "\x1b[1;8m", "\x1b[1;30m", "\x1b[37;47m"}) {
    EXPECT_EQ(show_control_characters(text, {.colours = true}), "\\x1b" + std::string(text.substr(1)));
  }
}

}  // namespace
}  // namespace slipway
