// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens of one source (docs/spec/rpl.md#lexical-grammar).
#pragma once

#include <cstdint>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/text/source.hpp"
#include "rpl/names.hpp"

namespace slipway::rpl {

enum class TokenKind : std::uint8_t {
  End,
  Identifier,  // value: NameId
  PlainInt,    // value; without suffix, up to 2^32 - 1
  Sint,        // value; with suffix s
  Uint,        // value; with suffix u, binary, hexadecimal
  Float,       // value: bits
  String,      // value: NameId of the text without quotes and escapes
  LeftParen,
  RightParen,
  LeftBrace,
  RightBrace,
  LeftBracket,
  RightBracket,
  Comma,
  Semicolon,
  Colon,
  Dot,
  Ellipsis,
  Plus,
  Minus,
  Star,
  Slash,
  Percent,
  ShiftLeft,
  ShiftRight,
  Less,
  Greater,
  LessEqual,
  GreaterEqual,
  EqualEqual,
  NotEqual,
  Ampersand,
  Caret,
  Pipe,
  Tilde,
  AndAnd,
  OrOr,
  Bang,
  Equal,
};
// As a message names it: `;`, `identifier`, `end of file`.
std::string_view text_of(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::End;
  std::uint32_t value = 0;
  std::uint32_t begin = 0, end = 0;  // offsets in the source, plus the base that `lex` was given
};

struct Comment {
  std::uint32_t begin = 0, end = 0;  // like a token's; a line comment without its line end
};

inline constexpr std::size_t kMaxSource = std::size_t{64} << 20;
inline constexpr std::size_t kMaxIdentifier = 1023;

// Appends the tokens of a source of at most kMaxSource bytes, an End at last. After an error a token of the same
// kind is appended where possible, so that the parser does not report it again. Comments are kept when a list is given.
void lex(const SourcePtr& source, std::uint32_t base, NameTable& names, std::vector<Token>& tokens,
         Diagnostics& diagnostics, std::vector<Comment>* comments = nullptr);

}  // namespace slipway::rpl
