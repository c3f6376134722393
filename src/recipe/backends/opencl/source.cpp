// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/backends/opencl/source.hpp"

#include <algorithm>
#include <charconv>

#include "base/format.hpp"

namespace slipway::recipe::opencl {
namespace {

using tensor::ElementType;

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// Splits text into words and punctuation marks, without comments, literals and preprocessor lines.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  std::vector<std::string_view> all() {
    std::vector<std::string_view> tokens;
    bool line_start = true;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') line_start = true;
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else if (text_.substr(at_).starts_with("//")) {
        skip_line();
      } else if (text_.substr(at_).starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == text_.npos ? text_.size() : end + 2;
      } else if (c == '#' && line_start) {
        skip_line();
      } else if (c == '"' || c == '\'') {
        skip_literal(c);
      } else {
        line_start = false;
        std::size_t end = at_ + 1;
        if (is_word(c)) {
          while (end < text_.size() && is_word(text_[end])) ++end;
        }
        tokens.push_back(text_.substr(at_, end - at_));
        at_ = end;
      }
    }
    return tokens;
  }

 private:
  // Skips to the end of the line, including continued lines.
  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() ? 2 : 1;
    }
  }
  void skip_literal(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct ScalarType {
  std::string_view name;
  ElementType element;
  bool is_float;
};
// OpenCL C 3.0, 6.3.1. Signed types too: the value of a constant decides how it is stored.
constexpr ScalarType kScalars[] = {
    {"char", ElementType::U8, false},    {"uchar", ElementType::U8, false},  {"short", ElementType::U16, false},
    {"ushort", ElementType::U16, false}, {"int", ElementType::U32, false},   {"uint", ElementType::U32, false},
    {"long", ElementType::U64, false},   {"ulong", ElementType::U64, false}, {"half", ElementType::F16, true},
    {"float", ElementType::F32, true},   {"double", ElementType::F64, true}};

using TokenSpan = std::span<const std::string_view>;

bool has(TokenSpan words, std::string_view word) {
  return std::ranges::contains(words, word) || std::ranges::contains(words, formatted("__{}", word));
}

std::string joined(TokenSpan words) {
  std::string text;
  for (const std::string_view word : words) text += formatted("{}{}", text.empty() ? "" : " ", word);
  return text;
}

// `float4`, `unsigned int`: a value of one scalar type.
KernelArgument value_of(TokenSpan words) {
  constexpr std::string_view kQualifiers[] = {"const", "volatile", "private", "__private", "restrict", "signed"};
  std::vector<std::string_view> types;
  for (const std::string_view word : words) {
    if (!std::ranges::contains(kQualifiers, word)) types.push_back(word);
  }
  std::erase(types, "unsigned");  // `unsigned int`, `unsigned`
  const std::string_view type = types.empty() ? "int" : types.front();
  const std::string_view scalar = type.substr(0, type.find_first_of("0123456789"));
  std::uint32_t count = 1;
  if (scalar.size() < type.size()) std::from_chars(type.data() + scalar.size(), type.data() + type.size(), count);
  const auto known = std::ranges::find(kScalars, scalar, &ScalarType::name);
  constexpr std::uint32_t kCounts[] = {1, 2, 3, 4, 8, 16};
  if (known == std::end(kScalars) || types.size() > 1 || !std::ranges::contains(kCounts, count))
    return {.kind = KernelArgument::Kind::Other, .type = formatted("`{}`", joined(types))};
  const std::uint64_t width = tensor::size_of(known->element);
  return {.kind = KernelArgument::Kind::Value,
          .type = formatted("{}{}-bit {}", count > 1 ? formatted("{} times ", count) : "", width * 8,
                            known->is_float ? "float" : "integer"),
          .size = width * (count == 3 ? 4 : count),  // three elements have the size of four
          .element = known->element,
          .count = count};
}

KernelArgument argument_of(TokenSpan words) {
  const auto bracket = std::ranges::find(words, "[");  // `global int x[]` is a pointer
  const bool array = bracket != words.end();
  words = words.first(static_cast<std::size_t>(bracket - words.begin()));
  const auto star = std::ranges::find(words, "*");
  const bool pointer = star != words.end() || array;
  // Without a name, the last word of an argument is a type or a `*`.
  std::string_view name;
  const auto is_type = [](std::string_view word) {
    return word == "*" || word == "const" || word == "unsigned" || value_of({&word, 1}).element;
  };
  if (words.size() > 1 && !is_type(words.back())) {
    name = words.back();
    words = words.first(words.size() - 1);
  }
  KernelArgument argument;
  if (pointer) {
    const TokenSpan pointee = words.first(static_cast<std::size_t>(std::min(star, words.end()) - words.begin()));
    if (has(words, "local")) {
      argument = {.kind = KernelArgument::Kind::Local, .type = "pointer to local memory"};
    } else if (has(words, "constant")) {
      argument = {.kind = KernelArgument::Kind::Buffer, .type = "pointer to constant memory", .writes = false};
    } else if (has(words, "global")) {
      argument = {.kind = KernelArgument::Kind::Buffer,
                  .type = "pointer to global memory",
                  .writes = !std::ranges::contains(pointee, "const")};
    } else {
      argument.type = "pointer to private memory";
    }
  } else {
    argument = value_of(words);
  }
  argument.name = name;
  return argument;
}

class SourceReader {
 public:
  explicit SourceReader(std::vector<std::string_view> tokens) : tokens_(std::move(tokens)) {}

  std::vector<KernelInfo> read() {
    while (at_ < tokens_.size()) {
      const std::string_view token = tokens_[at_++];
      if (token == "kernel" || token == "__kernel") read_kernel();
    }
    return std::move(kernels_);
  }

 private:
  bool at(std::string_view token) const { return at_ < tokens_.size() && tokens_[at_] == token; }

  // Skips from a `(` past the closing `)`; returns the tokens between.
  TokenSpan in_parentheses() {
    const std::size_t begin = ++at_;
    for (int open = 1; at_ < tokens_.size(); ++at_) {
      if (tokens_[at_] == "(") ++open;
      if (tokens_[at_] == ")" && --open == 0) break;
    }
    const TokenSpan words = TokenSpan(tokens_).subspan(begin, at_ - begin);
    at_ = std::min(at_ + 1, tokens_.size());
    return words;
  }

  // __attribute__((reqd_work_group_size(x, y, z)))
  void read_attribute(KernelInfo& kernel) {
    if (++at_; !at("(")) return;
    const TokenSpan words = in_parentheses();
    const auto found =
        std::ranges::find_if(words, [](std::string_view word) { return word.contains("reqd_work_group_size"); });
    if (words.end() - found < 7) return;  // name ( x , y , z
    std::array<std::uint32_t, 3> sizes{};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string_view word = found[static_cast<std::ptrdiff_t>(2 + 2 * i)];
      if (std::from_chars(word.data(), word.data() + word.size(), sizes[i]).ec != std::errc()) return;
    }
    kernel.required_local = sizes;
  }

  void read_kernel() {
    KernelInfo kernel;
    while (at_ < tokens_.size() && !at("(")) {
      if (tokens_[at_] == "__attribute__") {
        read_attribute(kernel);
        continue;
      }
      if (is_word(tokens_[at_].front())) kernel.entry = tokens_[at_];  // the last word before the arguments
      ++at_;
    }
    if (kernel.entry.empty() || at_ >= tokens_.size()) return;
    const TokenSpan words = in_parentheses();
    const bool none = words.empty() || (words.size() == 1 && words.front() == "void");
    for (std::size_t begin = 0; !none && begin <= words.size();) {
      const auto comma = std::ranges::find(words.subspan(begin), ",");
      const auto size = static_cast<std::size_t>(comma - words.subspan(begin).begin());
      kernel.arguments.push_back(argument_of(words.subspan(begin, size)));
      begin += size + 1;
    }
    while (at("__attribute__")) read_attribute(kernel);
    if (!std::ranges::contains(kernels_, kernel.entry, &KernelInfo::entry)) kernels_.push_back(std::move(kernel));
  }

  std::vector<std::string_view> tokens_;
  std::size_t at_ = 0;
  std::vector<KernelInfo> kernels_;
};

}  // namespace

std::vector<KernelInfo> kernels_of_source(std::string_view text) { return SourceReader(Tokens(text).all()).read(); }

}  // namespace slipway::recipe::opencl
