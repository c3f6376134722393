// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lex.hpp"

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

}  // namespace
}  // namespace slipway::rpl
