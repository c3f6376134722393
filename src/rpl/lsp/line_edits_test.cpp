// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/line_edits.hpp"

#include <gtest/gtest.h>

#include <ranges>

namespace slipway::rpl::lsp {
namespace {

std::string apply(std::string text, const std::vector<LineEdit>& edits) {
  for (const LineEdit& edit : edits | std::views::reverse)
    text.replace(edit.replaced.begin, edit.replaced.end - edit.replaced.begin, edit.text);
  return text;
}

TEST(LineEdits, ReplacesLinesThatDiffer) {
  const std::vector<LineEdit> edits = line_edits("a\nb\nc\nd\n", "a\nB\nc\nD\nE\n");
  ASSERT_EQ(edits.size(), 2U);
  EXPECT_EQ(edits[0].replaced, (Span{2, 4}));
  EXPECT_EQ(edits[0].text, "B\n");
  EXPECT_EQ(edits[1].text, "D\nE\n");
  EXPECT_TRUE(line_edits("a\n", "a\n").empty());
}

TEST(LineEdits, MakeTheOtherText) {
  // All texts of up to four lines, of which the last one may lack its line break.
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; texts[i].size() < 8; ++i) {
    for (const char* line : {"a\n", "b\n"}) texts.push_back(texts[i] + line);
  }
  const std::size_t whole = texts.size();
  for (std::size_t i = 1; i < whole; ++i) texts.push_back(texts[i].substr(0, texts[i].size() - 1));
  ASSERT_GT(texts.size(), 60U);
  for (const std::string& before : texts) {
    for (const std::string& after : texts)
      EXPECT_EQ(apply(before, line_edits(before, after)), after) << before << "|" << after;
  }
  std::string many, others;
  for (int i = 0; i < 4000; ++i) {
    many += std::to_string(i) + "\n";
    others += std::to_string(i + i % 7) + "\n";
  }
  EXPECT_EQ(apply(many, line_edits(many, others)), others) << "too many lines to compare";
}

}  // namespace
}  // namespace slipway::rpl::lsp
