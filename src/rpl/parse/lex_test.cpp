// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/parse/lex.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <string>

namespace slipway::rpl {
namespace {

float lexed(const std::string& text) {
  NameTable names;
  std::vector<Token> tokens;
  Diagnostics diagnostics;
  lex(make_source("p.rpl", text), 0, names, tokens, diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << text;
  EXPECT_EQ(tokens.front().kind, TokenKind::Float) << text;
  return std::bit_cast<float>(tokens.front().value);
}

// Numbers of few digits are read in another way than the others: all are correctly rounded.
TEST(Lex, FloatsAreTheNearestOnes) {
  std::uint64_t state = 1;
  const auto below = [&](std::uint64_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % limit;
  };
  std::vector<std::string> numbers = {"0.0",           "16777215.0", "16777216.0",     "1677721.5",
                                      "1677721.6",     "0.16777217", "1.00000000000",  "0.0000000001",
                                      "0.00000000001", "8388608.5",  "1.17549435e-38", "3.4028235e+38"};
  for (int i = 0; i < 100'000; ++i) {
    std::string text = std::to_string(below(i % 3 == 0 ? 100'000'000 : 100)) + ".";
    for (std::uint64_t digits = 1 + below(12); digits-- != 0;) text += static_cast<char>('0' + below(10));
    numbers.push_back(text);
  }
  for (const std::string& text : numbers) {
    float expected = 0;
    std::from_chars(text.data(), text.data() + text.size(), expected);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(lexed(text)), std::bit_cast<std::uint32_t>(expected)) << text;
  }
}

// Their first eight bytes are read at once where the text has as many.
TEST(Lex, WordsEndBeforeTheFirstByteThatIsNoPartOfThem) {
  for (std::size_t length = 1; length <= 20; ++length) {
    for (int byte = 0; byte < 256; ++byte) {
      for (const std::string_view rest : {"", "_", "        rest of the line"}) {
        const std::string word = std::string("aZ_x09yBcdefghijklmn").substr(0, length);
        const auto other = static_cast<char>(byte);
        const bool part = (other >= 'a' && other <= 'z') || (other >= 'A' && other <= 'Z') ||
                          (other >= '0' && other <= '9') || other == '_';
        NameTable names;
        std::vector<Token> tokens;
        Diagnostics diagnostics;
        lex(make_source("p.rpl", word + other + std::string(rest)), 0, names, tokens, diagnostics);
        std::string expected = word;
        if (part) expected += other;
        if (part && rest == "_") expected += rest;
        ASSERT_EQ(tokens.front().kind, TokenKind::Identifier);
        ASSERT_EQ(names.text(tokens.front().value), expected) << byte;
        ASSERT_EQ(tokens.front().end, expected.size()) << byte;
        ASSERT_EQ(names.find(expected), tokens.front().value);
      }
    }
  }
}

}  // namespace
}  // namespace slipway::rpl
