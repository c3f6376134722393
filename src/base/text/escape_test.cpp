// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/text/escape.hpp"

#include <gtest/gtest.h>

namespace slipway {
namespace {

TEST(EscapeMarkup, ReplacesCharactersWithAMeaning) {
  EXPECT_EQ(escape_markup("a < b && c > \"d\" 'e'"), "a &lt; b &amp;&amp; c &gt; &quot;d&quot; 'e'");
}

TEST(EscapeMarkup, ControlCharactersBecomeSpaces) { EXPECT_EQ(escape_markup("a\x01\tb\nc\x1f"), "a \tb\nc "); }

TEST(EscapeMarkup, WhatXmlDoesNotAllowIsReplaced) {
  EXPECT_EQ(escape_markup("a\xff\xe9"
                          "b"),
            "a\ufffd\ufffdb");
  EXPECT_EQ(escape_markup("a\xef\xbf\xbe|\xef\xbf\xbf|\xed\xa0\x80"), "a\ufffd|\ufffd|\ufffd\ufffd\ufffd");
  EXPECT_EQ(escape_markup("a\x7f"
                          "b\xc2\x9b"
                          "c"),
            "a b c");
}

TEST(EscapeMarkup, NewlinesOfAttributes) { EXPECT_EQ(escape_markup("a\nb", "&#10;"), "a&#10;b"); }

TEST(EscapeMarkup, OtherTextIsUnchanged) { EXPECT_EQ(escape_markup("größe 3²"), "größe 3²"); }

}  // namespace
}  // namespace slipway
