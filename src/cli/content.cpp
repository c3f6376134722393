// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/content.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace slipway::cli {
namespace {

// Scans the text of one JSON file for keys and skips over syntax errors.
class KeyScanner {
 public:
  explicit KeyScanner(std::string_view text) : text_(text) {}

  std::vector<std::string> keys() {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != '{') return {};
    while (at_ < text_.size() && (depth_ > 0 || keys_.empty())) {
      step();
      if (depth_ == 0) break;
    }
    return std::move(keys_);
  }

 private:
  void step() {
    switch (text_[at_]) {
      case '{':
      case '[':
        ++depth_;
        if (depth_ <= 2) object_[depth_ - 1] = text_[at_] == '{';
        ++at_;
        break;
      case '}':
      case ']':
        --depth_;
        ++at_;
        break;
      case '"':
        string();
        break;
      case '/':
        comment();
        break;
      default:
        ++at_;
    }
  }

  // Reads a string, which is a key if a colon follows it.
  void string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    const std::size_t end = std::min(at_, text_.size());
    at_ = end + 1;
    if (depth_ > 2 || depth_ < 1 || !object_[depth_ - 1]) return;
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != ':') return;
    const std::string_view key = text_.substr(begin, end - begin);
    if (depth_ == 1) above_ = key;
    if (keys_.size() < kMaxKeys) keys_.push_back(depth_ == 1 ? std::string(key) : formatted("{}/{}", above_, key));
  }

  void comment() {
    const std::string_view rest = text_.substr(at_);
    const std::string_view close = rest.starts_with("/*") ? "*/" : "\n";
    if (!rest.starts_with("/*") && !rest.starts_with("//")) {
      ++at_;
      return;
    }
    const std::size_t end = text_.find(close, at_ + 2);
    at_ = end == text_.npos ? text_.size() : end + close.size();
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == '/') {
        const std::size_t before = at_;
        comment();
        if (at_ == before + 1) return;
      } else if (std::string_view(" \t\r\n").contains(text_[at_])) {
        ++at_;
      } else {
        return;
      }
    }
  }

  static constexpr std::size_t kMaxKeys = 1000;  // more than any format has; a malicious file may have millions

  std::string_view text_;
  std::size_t at_ = 0;
  std::int64_t depth_ = 0;
  bool object_[2] = {};
  std::string_view above_;
  std::vector<std::string> keys_;
};

}  // namespace

bool Content::has(std::string_view key) const { return std::ranges::contains(keys, key); }

std::vector<std::string> json_keys(std::string_view text) { return KeyScanner(text).keys(); }

Result<ContentOf> ContentOf::read(const std::string& path) {
  ContentOf read;
  read.content_.path = path;
  if (directory_exists(path)) {
    read.content_.directory = true;
    return read;
  }
  if (path == "-") {
    Result<std::vector<std::byte>> bytes = peek_standard_input();
    if (!bytes) return fail(std::move(bytes.error()));
    read.piped_ = std::move(*bytes);
    read.content_.bytes = read.piped_;
  } else {
    Result<MappedFile> file = map_file(path);
    if (!file) return fail(std::move(file.error()));
    read.file_ = std::move(*file);
    read.content_.bytes = read.file_.bytes();
  }
  read.content_.keys = json_keys(text_of(read.content_.bytes));
  return read;
}

std::string describe_contents(const Content& content) {
  if (content.directory) return "a directory";
  if (content.bytes.empty()) return "an empty file";
  if (!content.keys.empty()) {
    std::string text = "a JSON object with";
    std::size_t shown = 0;
    for (const std::string& key : content.keys) {
      if (key.contains('/') || ++shown > 5) continue;
      text += formatted("{} `{}`", shown > 1 ? "," : "", key);
    }
    return text + (shown > 5 ? ", ..." : "");
  }
  const std::string_view head = text_of(content.bytes).substr(0, 16);
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff")) return "text in UTF-16; save it as UTF-8";
  if (std::ranges::all_of(head, [](unsigned char c) { return c == '\n' || c == '\r' || (c >= ' ' && c < 0x7f); })) {
    return formatted("text that begins with `{}`", head.substr(0, head.find_first_of("\r\n")));
  }
  std::string text = "bytes that begin with";
  for (const unsigned char c : head) text += formatted(" {:02x}", c);
  return text;
}

}  // namespace slipway::cli
