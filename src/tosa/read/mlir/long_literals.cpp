// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/read/mlir/long_literals.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/format.hpp"

namespace slipway::tosa {
namespace {

constexpr std::size_t kLong = 64 << 10;  // characters
constexpr std::size_t kChunk = 4 << 20;  // kept in memory at once
constexpr std::size_t kAlignDigits = 8;  // the first four bytes of a resource are its alignment
constexpr std::string_view kKey = "slipway_literal_", kMark = "slipway:";
constexpr std::string_view kBlanks = " \t\r\n";

constexpr std::uint8_t kNoDigit = 0xff;
constexpr std::array<std::uint8_t, 256> digit_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 10; ++i) values['0' + i] = i;
  for (std::uint8_t i = 0; i < 6; ++i) values['a' + i] = values['A' + i] = static_cast<std::uint8_t>(10 + i);
  return values;
}
constexpr std::array<std::uint8_t, 256> kDigits = digit_values();

class Shortener {
 public:
  Shortener(std::string_view text, const DoneWith& done_with) : text_(text), done_with_(done_with) {}

  std::optional<ShortenedText> run() {
    for (std::size_t at = 0; at < text_.size();) {
      if (text_[at] == '"') {
        const std::size_t end = string_end(at + 1);
        if (end - at > kLong) literal(at, end);
        at = end + 1;
      } else if (text_[at] == '/' && text_.substr(at, 2) == "//") {
        at = std::min(text_.find('\n', at), text_.size());
      } else {
        in_resources_ |= text_[at] == '{' && text_.substr(at, 3) == "{-#";
        ++at;
      }
    }
    if (made_.literals.empty()) return std::nullopt;
    copy_to(text_.size());
    return std::move(made_);
  }

 private:
  // The end of a string that begins here: its quotation mark, or the end of the text.
  std::size_t string_end(std::size_t begin) const {
    for (std::size_t at = begin; at < text_.size();) {
      const std::size_t size = std::min(kChunk, text_.size() - at);
      const auto* found = static_cast<const char*>(std::memchr(&text_[at], '"', size));
      if (!found) {
        done(at, size);
        at += size;
        continue;
      }
      const auto end = static_cast<std::size_t>(found - text_.data());
      std::size_t before = end;
      while (before > begin && text_[before - 1] == '\\') --before;
      if ((end - before) % 2 == 0) return end;
      at = end + 1;
    }
    return text_.size();
  }

  void done(std::size_t at, std::size_t size) const {
    if (done_with_) done_with_(bytes_of(text_.substr(at, size)));
  }

  void literal(std::size_t quote, std::size_t end) {
    if (text_.substr(quote + 1, 2) != "0x" || end == text_.size()) return;
    const std::size_t digits = quote + 3;
    const std::string_view before = text_.substr(0, text_.find_last_not_of(kBlanks, quote - 1) + 1);
    const std::size_t behind = text_.find_first_not_of(kBlanks, end + 1);
    if (before.ends_with("dense<") && behind != text_.npos && text_[behind] == '>') {
      cut(before.size() - std::string_view("dense<").size(), behind + 1,
          formatted("dense_resource<{}>", placeholder_key(made_.literals.size())), {digits, end});
    } else if (in_resources_ && before.ends_with(':')) {
      std::string stand_in = formatted("\"0x{}", text_.substr(digits, kAlignDigits));
      for (const char c : placeholder_data(made_.literals.size()))
        stand_in += formatted("{:02x}", static_cast<unsigned char>(c));
      cut(quote, end + 1, stand_in + "\"", {digits + kAlignDigits, end});
    }
  }

  void cut(std::size_t begin, std::size_t end, const std::string& stand_in, LongLiteral literal) {
    copy_to(begin);
    made_.text += stand_in;
    copied_ = end;
    made_.cuts.push_back({line_, made_.text.size() - line_begin_ + 1, end - begin - stand_in.size()});
    made_.literals.push_back(literal);
    done(literal.begin, literal.end - literal.begin);
  }

  void copy_to(std::size_t end) {
    const std::string_view piece = text_.substr(copied_, end - copied_);
    line_ += static_cast<std::uint64_t>(std::ranges::count(piece, '\n'));
    if (const std::size_t last = piece.rfind('\n'); last != piece.npos) line_begin_ = made_.text.size() + last + 1;
    made_.text += piece;
  }

  std::string_view text_;
  const DoneWith& done_with_;
  ShortenedText made_;
  bool in_resources_ = false;
  std::size_t copied_ = 0;
  std::uint64_t line_ = 1, line_begin_ = 0;  // of what is copied
};

}  // namespace

std::string placeholder_key(std::size_t literal) { return formatted("{}{}", kKey, literal); }

std::string placeholder_data(std::size_t literal) {
  std::string data(kMark);
  for (std::size_t i = 0; i < 8; ++i) data += static_cast<char>(literal >> (8 * i) & 0xff);
  return data;
}

std::uint64_t ShortenedText::column(std::uint64_t line, std::uint64_t column) const {
  std::uint64_t taken = 0;
  for (auto cut = std::ranges::lower_bound(cuts, line, {}, &Cut::line);
       cut != cuts.end() && cut->line == line && cut->column <= column; ++cut)
    taken += cut->taken;
  return column + taken;
}

const LongLiteral* ShortenedText::by_key(std::string_view key) const {
  std::size_t number = 0;
  if (!key.starts_with(kKey)) return nullptr;
  const std::string_view digits = key.substr(kKey.size());
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (failed != std::errc() || end != digits.data() + digits.size() || number >= literals.size()) return nullptr;
  return &literals[number];
}

const LongLiteral* ShortenedText::by_data(Bytes data) const {
  if (data.size() != kMark.size() + 8 || !slipway::text_of(data).starts_with(kMark)) return nullptr;
  const auto number = load<std::uint64_t>(data.data() + kMark.size());
  return number < literals.size() ? &literals[number] : nullptr;
}

std::optional<ShortenedText> shorten(std::string_view text, const DoneWith& done_with) {
  return Shortener(text, done_with).run();
}

std::expected<std::vector<std::byte>, BadDigit> decode(std::string_view text, const LongLiteral& literal,
                                                       const DoneWith& done_with) {
  if ((literal.end - literal.begin) % 2 != 0)
    return std::unexpected(BadDigit{literal.end, "the number of hexadecimal digits is odd"});
  std::vector<std::byte> bytes;
  bytes.reserve((literal.end - literal.begin) / 2);
  for (std::size_t at = literal.begin; at < literal.end;) {
    const std::size_t stop = std::min(literal.end, at + kChunk);
    for (std::size_t i = at; i < stop; i += 2) {
      const std::uint8_t high = kDigits[static_cast<unsigned char>(text[i])],
                         low = kDigits[static_cast<unsigned char>(text[i + 1])];
      if (high == kNoDigit || low == kNoDigit)
        return std::unexpected(BadDigit{high == kNoDigit ? i : i + 1, "this is not a hexadecimal digit"});
      bytes.push_back(static_cast<std::byte>(high << 4 | low));
    }
    if (done_with) done_with(bytes_of(text.substr(at, stop - at)));
    at = stop;
  }
  return bytes;
}

}  // namespace slipway::tosa
