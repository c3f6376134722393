// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/parse/lex.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/format.hpp"
#include "rpl/bytes.hpp"

namespace slipway::rpl {

namespace {

enum class Char : std::uint8_t { Bad, Space, Letter, Digit, Quote, Slash, Punctuation };

constexpr std::array<Char, 256> make_classes() {
  std::array<Char, 256> classes{};
  for (const unsigned char c : {' ', '\t', '\n', '\v', '\f', '\r'}) classes[c] = Char::Space;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = Char::Letter;
  classes['_'] = Char::Letter;
  for (int c = '0'; c <= '9'; ++c) classes[c] = Char::Digit;
  classes['"'] = Char::Quote;
  classes['/'] = Char::Slash;
  for (const unsigned char c : std::string_view("(){}[],;:.+-*%<>=!&|^~")) classes[c] = Char::Punctuation;
  return classes;
}
constexpr std::array<Char, 256> kClasses = make_classes();

Char class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }
constexpr std::array<bool, 256> make_words() {
  std::array<bool, 256> words{};
  for (int c = 0; c < 256; ++c) {
    const Char kind = kClasses[static_cast<std::size_t>(c)];
    words[static_cast<std::size_t>(c)] = kind == Char::Letter || kind == Char::Digit;
  }
  return words;
}
constexpr std::array<bool, 256> kWordBytes = make_words();

// The token that a byte begins, where the byte alone determines it: punctuation that is a token regardless of what
// follows, and letters. End for other bytes.
constexpr std::array<TokenKind, 256> make_kinds() {
  std::array<TokenKind, 256> kinds{};
  constexpr std::string_view kBytes = "(){}[],;:+-*%^~";
  constexpr TokenKind kKinds[] = {TokenKind::LeftParen,  TokenKind::RightParen,  TokenKind::LeftBrace,
                                  TokenKind::RightBrace, TokenKind::LeftBracket, TokenKind::RightBracket,
                                  TokenKind::Comma,      TokenKind::Semicolon,   TokenKind::Colon,
                                  TokenKind::Plus,       TokenKind::Minus,       TokenKind::Star,
                                  TokenKind::Percent,    TokenKind::Caret,       TokenKind::Tilde};
  for (std::size_t i = 0; i < kBytes.size(); ++i) kinds[static_cast<unsigned char>(kBytes[i])] = kKinds[i];
  for (std::size_t c = 0; c < 256; ++c) {
    if (kClasses[c] == Char::Letter) kinds[c] = TokenKind::Identifier;
  }
  return kinds;
}
constexpr std::array<TokenKind, 256> kKindOfByte = make_kinds();

bool is_digit(char c) { return class_of(c) == Char::Digit; }
bool is_word(char c) { return kWordBytes[static_cast<unsigned char>(c)]; }

// Numbers up to this one, and these powers, are exact floats, so their quotient is the correctly rounded float: most
// numbers need only that division.
constexpr std::uint64_t kExactDigits = 1u << 24;
constexpr float kExactPowers[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f};

class Lexer {
 public:
  Lexer(const SourcePtr& source, std::uint32_t base, NameTable& names, std::vector<Token>& tokens,
        Diagnostics& diagnostics, std::vector<Comment>* comments)
      : source_(source),
        base_(base),
        names_(names),
        tokens_(tokens),
        diagnostics_(diagnostics),
        comments_(comments),
        begin_(source->text().data()),
        end_(begin_ + source->text().size()),
        at_(begin_),
        next_(tokens.data() + tokens.size()),
        limit_(next_) {}

  void run() {
    // The state of this loop is in local variables, because members would be written to memory for each byte.
    const char* at = at_;
    Token* next = next_;
    if (source_->text().starts_with("\xEF\xBB\xBF")) at += 3;
    // The text ends with a NUL that is not part of it, so that looking one byte ahead needs no test.
    for (;;) {
      while (class_of(*at) == Char::Space) ++at;
      const char* const from = at;
      const TokenKind kind = kKindOfByte[static_cast<unsigned char>(*from)];
      if (kind == TokenKind::End) {
        at_ = at;
        next_ = next;
        if (!other_token()) break;
        at = at_;
        next = next_;
        continue;
      }
      std::uint32_t value = 0;
      if (kind == TokenKind::Identifier) {
        at = end_of_word(from + 1);
        value = intern_word({from, at});
      } else {
        ++at;
      }
      if (next == limit_) [[unlikely]] {
        next = grow(next);
      }
      next = write(next, kind, from, at, value);
    }
    tokens_.resize(static_cast<std::size_t>(next_ - tokens_.data()));
  }

 private:
  // Member by member: a token as a whole would be cleared first. Returns where the next token goes.
  [[gnu::always_inline]] Token* write(Token* to, TokenKind kind, const char* from, const char* end,
                                      std::uint32_t value) const {
    to->kind = kind;
    to->value = value;
    to->begin = base_ + static_cast<std::uint32_t>(from - begin_);
    to->end = base_ + static_cast<std::uint32_t>(end - begin_);
    return to + 1;
  }

  // Space for more tokens from `next` on, where `tokens_` ends.
  Token* grow(const Token* next) {
    constexpr std::size_t kMore = 64;
    const auto count = static_cast<std::size_t>(next - tokens_.data());
    tokens_.resize(count + kMore);
    limit_ = tokens_.data() + tokens_.size();
    return tokens_.data() + count;
  }

  // A token that the byte at `at_` does not determine alone. False at the end.
  bool other_token() {
    switch (class_of(*at_)) {
      case Char::Digit:
        number();
        break;
      case Char::Quote:
        string();
        break;
      case Char::Slash:
        slash();
        break;
      case Char::Punctuation:
        punctuation();
        break;
      default:
        if (at_ >= end_) {
          put(TokenKind::End, end_);
          return false;
        }
        bad_byte();
    }
    return true;
  }

  void put(TokenKind kind, const char* from, std::uint32_t value = 0) {
    if (next_ == limit_) next_ = grow(next_);
    next_ = write(next_, kind, from, at_, value);
  }
  SourceLocation location(const char* from, const char* to) const {
    return SourceLocation::in_text(
        source_, {static_cast<std::uint64_t>(from - begin_), static_cast<std::uint64_t>(to - begin_)});
  }
  [[gnu::cold]] Diagnostic& error(DiagnosticKind kind, const char* from, std::string message) {
    return diagnostics_.error(kind, location(from, at_), std::move(message));
  }

  // Most words have several letters, so that a loop with several tests in each pass is shorter.
  [[gnu::always_inline]] static const char* end_of_word(const char* from) {
    for (;; from += 4) {
      if (!is_word(from[0])) return from;
      if (!is_word(from[1])) return from + 1;
      if (!is_word(from[2])) return from + 2;
      if (!is_word(from[3])) return from + 3;
    }
  }

  [[gnu::always_inline]] NameId intern_word(std::string_view word) {
    if (word.size() > kMaxIdentifier) [[unlikely]] {
      at_ = word.data() + word.size();
      error(DiagnosticKind::OutOfRange, word.data(),
            formatted("identifier of {} bytes; at most {} are allowed", word.size(), kMaxIdentifier));
    }
    // Where the text has eight bytes from here on, reading them all is cheaper than reading those of the word.
    return end_ - word.data() >= 8 ? names_.intern(word, first_bytes(eight_bytes(word.data()), word.size()))
                                   : names_.intern(word);
  }

  void malformed(const char* from, std::string_view hint) {
    while (is_word(*at_)) ++at_;
    error(DiagnosticKind::RplNumber, from,
          formatted("malformed number `{}`{}{}", std::string_view(from, at_), hint.empty() ? "" : "; ", hint));
    put(TokenKind::PlainInt, from);
  }
  void too_large(const char* from, TokenKind kind) {
    error(DiagnosticKind::RplNumberRange, from, formatted("`{}` is too large", std::string_view(from, at_)));
    put(kind, from);
  }

  void number() {
    const char* const from = at_;
    if (*at_ == '0' && (at_[1] == 'b' || at_[1] == 'x')) return radix(at_[1] == 'b' ? 2 : 16);
    std::uint64_t value = 0;
    bool large = false;
    for (; is_digit(*at_); ++at_) {
      value = value * 10 + static_cast<std::uint64_t>(*at_ - '0');
      if (value > 0xFFFFFFFFu) large = true, value = 0xFFFFFFFFu;
    }
    if (*at_ == '.' && !(at_[1] == '.' && at_[2] == '.')) return floating(from, value);
    TokenKind kind = TokenKind::PlainInt;
    if (*at_ == 'u' || *at_ == 's') kind = *at_++ == 'u' ? TokenKind::Uint : TokenKind::Sint;
    if (is_word(*at_)) {
      return malformed(from, *at_ == 'e' || *at_ == 'E' ? "a float has a `.` with digits on both sides" : "");
    }
    if (large || (kind == TokenKind::Sint && value > 0x80000000u)) return too_large(from, kind);
    put(kind, from, static_cast<std::uint32_t>(value));
  }

  void radix(unsigned base) {
    const char* const from = at_;
    at_ += 2;
    std::uint64_t value = 0;
    bool large = false;
    const char* const digits = at_;
    for (;; ++at_) {
      unsigned digit = 16;
      if (is_digit(*at_)) digit = static_cast<unsigned>(*at_ - '0');
      if (*at_ >= 'a' && *at_ <= 'f') digit = static_cast<unsigned>(*at_ - 'a') + 10;
      if (*at_ >= 'A' && *at_ <= 'F') digit = static_cast<unsigned>(*at_ - 'A') + 10;
      if (digit >= base) break;
      value = value * base + digit;
      if (value > 0xFFFFFFFFu) large = true, value = 0xFFFFFFFFu;
    }
    if (at_ == digits) return malformed(from, base == 2 ? "`0b` needs binary digits" : "`0x` needs hexadecimal digits");
    if (*at_ == 'u') ++at_;
    if (is_word(*at_)) return malformed(from, *at_ == 's' ? "binary and hexadecimal numbers are unsigned" : "");
    if (large) return too_large(from, TokenKind::Uint);
    put(TokenKind::Uint, from, static_cast<std::uint32_t>(value));
  }

  // Before its `.` the number is `digits`.
  void floating(const char* from, std::uint64_t digits) {
    ++at_;
    if (!is_digit(*at_)) return malformed(from, "a float has digits on both sides of its `.`");
    const char* const fraction = at_;
    for (; is_digit(*at_); ++at_) {
      if (digits < kExactDigits) digits = digits * 10 + static_cast<std::uint64_t>(*at_ - '0');
    }
    const auto locations = static_cast<std::size_t>(at_ - fraction);
    if (digits < kExactDigits && locations < std::size(kExactPowers) && !is_word(*at_)) {
      const float value = static_cast<float>(digits) / kExactPowers[locations];
      return put(TokenKind::Float, from, std::bit_cast<std::uint32_t>(value));
    }
    if (*at_ == 'e' || *at_ == 'E') {
      const char* exponent = at_ + 1;
      if (*exponent == '+' || *exponent == '-') ++exponent;
      if (!is_digit(*exponent)) return malformed(from, "the exponent needs digits");
      at_ = exponent;
      while (is_digit(*at_)) ++at_;
    }
    if (is_word(*at_)) return malformed(from, *at_ == 'f' ? "a float has no suffix" : "");
    float value = 0;
    const auto result = std::from_chars(from, at_, value);
    // Numbers that are too small are out of range, too: those are zero.
    if (result.ec == std::errc::result_out_of_range) value = is_tiny(from) ? 0.0f : INFINITY;
    if (std::isinf(value)) return too_large(from, TokenKind::Float);
    put(TokenKind::Float, from, std::bit_cast<std::uint32_t>(value));
  }

  // Whether a number outside the range of float is too small rather than too large. Because it may have many digits,
  // the position of the first one that is not zero is added to the exponent.
  bool is_tiny(const char* from) const {
    std::int64_t exponent = 0;
    const char* digit = from;
    for (; *digit == '0'; ++digit) {
    }
    if (is_digit(*digit)) {
      for (; is_digit(*digit); ++digit) ++exponent;
    } else {
      for (++digit; *digit == '0'; ++digit) --exponent;
    }
    while (digit < at_ && *digit != 'e' && *digit != 'E') ++digit;
    if (digit < at_) {
      ++digit;
      const bool negative = *digit == '-';
      if (*digit == '-' || *digit == '+') ++digit;
      std::int64_t written = 0;
      for (; digit < at_; ++digit) written = std::min<std::int64_t>(written * 10 + (*digit - '0'), 1'000'000'000'000);
      exponent += negative ? -written : written;
    }
    return exponent < 0;
  }

  void string() {
    const char* const from = at_++;
    const char* const text = at_;
    bool escapes = false;
    for (; *at_ != '"'; ++at_) {
      if (*at_ == '\\') {
        escapes = true;
        if (at_[1] == '"' || at_[1] == '\\') {
          ++at_;
        } else {
          diagnostics_.warning(DiagnosticKind::RplStringEscape, location(at_, at_ + 1),
                               "this backslash is kept: only `\\\"` and `\\\\` are escapes");
        }
      } else if (*at_ == '\n' || (*at_ == '\0' && at_ >= end_)) {
        error(DiagnosticKind::RplString, from, "this string does not end on its line").hint("add a `\"`");
        put(TokenKind::String, from, names_.intern({text, at_}));
        put(TokenKind::Semicolon, at_);  // which the string has probably swallowed
        return;
      } else if (*at_ == '\0') {
        diagnostics_.error(DiagnosticKind::RplChar, location(at_, at_ + 1), "a NUL byte in a string");
      }
    }
    NameId value = kNoName;
    if (escapes) {
      buffer_.clear();
      for (const char* c = text; c < at_; ++c) {
        if (*c == '\\' && (c[1] == '"' || c[1] == '\\')) ++c;
        buffer_ += *c;
      }
      value = names_.intern(buffer_);
    } else {
      value = names_.intern({text, at_});
    }
    ++at_;
    put(TokenKind::String, from, value);
  }

  void keep_comment(const char* from) {
    if (comments_) {
      comments_->push_back(
          {base_ + static_cast<std::uint32_t>(from - begin_), base_ + static_cast<std::uint32_t>(at_ - begin_)});
    }
  }

  void slash() {
    const char* const from = at_;
    if (at_[1] == '/') {
      at_ = static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
      if (!at_) at_ = end_;
      check_comment(from);
      keep_comment(from);
    } else if (at_[1] == '*') {
      const std::size_t close = std::string_view(at_ + 2, end_).find("*/");
      at_ = close == std::string_view::npos ? end_ : at_ + 2 + close + 2;
      if (close == std::string_view::npos) {
        diagnostics_.error(DiagnosticKind::RplUnclosed, location(from, from + 2), "this comment has no end")
            .hint("add `*/`");
      }
      check_comment(from);
      keep_comment(from);
    } else {
      ++at_;
      put(TokenKind::Slash, from);
    }
  }

  void check_comment(const char* from) {
    const void* const nul = std::memchr(from, '\0', static_cast<std::size_t>(at_ - from));
    if (!nul) return;
    const char* const where = static_cast<const char*>(nul);
    diagnostics_.error(DiagnosticKind::RplChar, location(where, where + 1), "a NUL byte in a comment");
  }

  void punctuation() {
    const char* const from = at_;
    const char next = at_[1];
    const auto one = [&](TokenKind kind) { at_ += 1, put(kind, from); };
    const auto two = [&](TokenKind kind) { at_ += 2, put(kind, from); };
    switch (*at_) {
      case '<':
        return next == '<' ? two(TokenKind::ShiftLeft) : next == '=' ? two(TokenKind::LessEqual) : one(TokenKind::Less);
      case '>':
        return next == '>'   ? two(TokenKind::ShiftRight)
               : next == '=' ? two(TokenKind::GreaterEqual)
                             : one(TokenKind::Greater);
      case '=':
        return next == '=' ? two(TokenKind::EqualEqual) : one(TokenKind::Equal);
      case '!':
        return next == '=' ? two(TokenKind::NotEqual) : one(TokenKind::Bang);
      case '&':
        return next == '&' ? two(TokenKind::AndAnd) : one(TokenKind::Ampersand);
      case '|':
        return next == '|' ? two(TokenKind::OrOr) : one(TokenKind::Pipe);
      default:
        break;
    }
    if (next == '.' && at_[2] == '.') {
      at_ += 3;
      return put(TokenKind::Ellipsis, from);
    }
    if (is_digit(next)) {
      at_ += 1;
      return malformed(from, "a float has digits on both sides of its `.`");
    }
    one(TokenKind::Dot);
  }

  // One diagnostic for a run of bytes that no token contains.
  void bad_byte() {
    const char* const from = at_;
    while (at_ < end_ && class_of(*at_) == Char::Bad) ++at_;
    const auto byte = static_cast<unsigned char>(*from);
    const bool shown = byte >= 0x20 && byte < 0x7F;
    Diagnostic& problem = error(DiagnosticKind::RplChar, from,
                                shown ? formatted("`{}` is not part of the language", *from)
                                      : formatted("byte 0x{:02x} is allowed in comments and strings only", byte));
    if (*from == '?') problem.hint("there is no `a ? b : c`; write `if` and `else`, or `mix`");
  }

  const SourcePtr& source_;
  std::uint32_t base_;
  NameTable& names_;
  std::vector<Token>& tokens_;
  Diagnostics& diagnostics_;
  std::vector<Comment>* comments_;
  const char* begin_;
  const char* end_;
  const char* at_;
  Token* next_;   // the next token goes here, in `tokens_`
  Token* limit_;  // the end of `tokens_`
  std::string buffer_;
};

}  // namespace

std::string_view text_of(TokenKind kind) {
  constexpr std::string_view kTexts[] = {"the end of the file",
                                         "a name",
                                         "a number",
                                         "a number",
                                         "a number",
                                         "a number",
                                         "a string",
                                         "`(`",
                                         "`)`",
                                         "`{`",
                                         "`}`",
                                         "`[`",
                                         "`]`",
                                         "`,`",
                                         "`;`",
                                         "`:`",
                                         "`.`",
                                         "`...`",
                                         "`+`",
                                         "`-`",
                                         "`*`",
                                         "`/`",
                                         "`%`",
                                         "`<<`",
                                         "`>>`",
                                         "`<`",
                                         "`>`",
                                         "`<=`",
                                         "`>=`",
                                         "`==`",
                                         "`!=`",
                                         "`&`",
                                         "`^`",
                                         "`|`",
                                         "`~`",
                                         "`&&`",
                                         "`||`",
                                         "`!`",
                                         "`=`"};
  return kTexts[static_cast<std::size_t>(kind)];
}

void lex(const SourcePtr& source, std::uint32_t base, NameTable& names, std::vector<Token>& tokens,
         Diagnostics& diagnostics, std::vector<Comment>* comments) {
  tokens.reserve(tokens.size() + source->text().size() / 3 + 16);
  Lexer(source, base, names, tokens, diagnostics, comments).run();
}

}  // namespace slipway::rpl
