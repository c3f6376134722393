// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs as text. A program is a list of items: statements up to `;`, and blocks `head { items }`. Items are found
// again after each pass, so that their positions are those of the current text.
#include <algorithm>
#include <vector>

#include "base/format.hpp"
#include "cli/reduce/delta.hpp"
#include "cli/reduce/reducer.hpp"

namespace slipway::cli {
namespace {

struct TextItem {
  std::size_t begin = 0, end = 0;    // of all of it
  std::size_t inner = 0, outer = 0;  // of a block: after `{`, and at `}`; equal for a statement
  int level = 0;
};

// Finds the items of all levels, and comments.
class ItemFinder {
 public:
  explicit ItemFinder(std::string_view text) : text_(text) {}

  std::vector<TextItem> find() {
    at_ = 0;
    while (at_ < text_.size()) items(0);
    return std::move(found_);
  }

  // The ranges of comments.
  std::vector<std::pair<std::size_t, std::size_t>> comments() {
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    for (at_ = 0; at_ < text_.size();) {
      const std::size_t begin = at_;
      if (is_comment()) {
        skip_token();
        ranges.emplace_back(begin, at_);
      } else {
        skip_token();
      }
    }
    return ranges;
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool is_comment() const { return starts("//") || starts("/*"); }

  // A comment, a string, a directive of a preprocessor, or one character.
  void skip_token() {
    if (starts("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (starts("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == text_.npos ? text_.size() : end + 2;
    } else if (text_[at_] == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_) {
        if (text_[at_] == '\\') ++at_;
      }
      at_ = std::min(at_ + 1, text_.size());
    } else {
      ++at_;
    }
  }

  bool at_directive() const {
    if (text_[at_] != '#') return false;
    const std::size_t line = text_.find_last_not_of(" \t", at_ == 0 ? 0 : at_ - 1);
    return at_ == 0 || line == text_.npos || text_[line] == '\n';
  }

  void skip_directive() {
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_, text_.size());
  }

  // Items up to the end or a `}` that closes the block around them. An unmatched `}` at the top is an item.
  void items(int level) {
    while (at_ < text_.size()) {
      if (std::string_view(" \t\r\n").contains(text_[at_])) {
        ++at_;
      } else if (is_comment()) {
        skip_token();
      } else if (text_[at_] == '}') {
        if (level > 0) return;
        found_.push_back({at_, at_ + 1, at_, at_, level});
        ++at_;
      } else {
        item(level);
      }
    }
  }

  void item(int level) {
    TextItem made{.begin = at_, .level = level};
    const std::size_t index = found_.size();
    found_.push_back(made);
    int brackets = 0;
    if (at_directive()) {
      skip_directive();
    } else {
      while (at_ < text_.size()) {
        const char c = is_comment() ? ' ' : text_[at_];
        if (c == '(' || c == '[') ++brackets;
        if (c == ')' || c == ']') --brackets;
        if (c == '}' && brackets <= 0) break;  // of the block around it
        if (c == ';' && brackets <= 0) {
          ++at_;
          break;
        }
        if (c == '{' && brackets <= 0) {
          made.inner = ++at_;
          items(level + 1);
          made.outer = std::min(at_, text_.size());
          at_ = std::min(at_ + 1, text_.size());
          const std::size_t next = text_.find_first_not_of(" \t\r\n", at_);
          if (next != text_.npos && text_[next] == ';') at_ = next + 1;
          break;
        }
        skip_token();
      }
    }
    made.end = at_;
    found_[index] = made;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<TextItem> found_;
};

using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

// The text without these ranges, and without the lines that become empty.
std::string without(std::string_view text, Ranges ranges) {
  std::ranges::sort(ranges);
  std::string result;
  std::size_t at = 0;
  for (auto [begin, end] : ranges) {
    if (begin < at) continue;
    result += text.substr(at, begin - at);
    at = std::max(at, end);
    const std::size_t line = result.find_last_not_of(" \t");
    const bool first_in_line = line == result.npos || result[line] == '\n';
    const std::size_t next = std::min(text.find_first_not_of(" \t\r", at), text.size());
    if (first_in_line && (next == text.size() || text[next] == '\n')) {
      result.resize(line == result.npos ? 0 : line + 1);
      at = std::min(next + 1, text.size());
    }
  }
  return result += text.substr(at);
}

class TextReducer {
 public:
  TextReducer(std::string text, const std::function<bool(const std::string&)>& fails, const ReduceNotes& notes)
      : text_(std::move(text)), fails_(fails), notes_(notes) {}

  std::string run() {
    for (std::size_t before = 0; before != text_.size();) {
      before = text_.size();
      leave_out("comments", ItemFinder(text_).comments());
      for (int level = 0; leave_out_level(level); ++level) {
      }
      unwrap();
      leave_out("lines", lines());
      tidy();
    }
    return std::move(text_);
  }

 private:
  bool try_text(std::string candidate) {
    if (candidate.size() >= text_.size() || !fails_(candidate)) return false;
    text_ = std::move(candidate);
    return true;
  }

  void leave_out(std::string_view pass, const Ranges& ranges) {
    if (ranges.empty()) return;
    const std::string whole = text_;
    const auto text_with = [&](const std::vector<std::size_t>& kept) {
      Ranges gone;
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        if (!std::ranges::binary_search(kept, i)) gone.push_back(ranges[i]);
      }
      return without(whole, gone);
    };
    const auto kept = minimise(ranges.size(), [&](const auto& some) { return fails_(text_with(some)); });
    if (kept.size() == ranges.size()) return;
    text_ = text_with(kept);
    notes_(pass, size_of_text(text_));
  }

  // Returns whether there are items of this level.
  bool leave_out_level(int level) {
    Ranges ranges;
    for (const TextItem& item : ItemFinder(text_).find()) {
      if (item.level == level) ranges.emplace_back(item.begin, item.end);
    }
    leave_out(level == 0 ? "declarations" : formatted("statements of level {}", level), ranges);
    return !ranges.empty();
  }

  // Blocks are replaced by what they contain.
  void unwrap() {
    bool changed = false;
    for (std::size_t i = 0;;) {
      const std::vector<TextItem> items = ItemFinder(text_).find();
      while (i < items.size() && items[i].inner == items[i].outer) ++i;
      if (i >= items.size()) break;
      const TextItem& item = items[i];
      if (try_text(without(text_, {{item.begin, item.inner}, {item.outer, item.end}})))
        changed = true;
      else
        ++i;
    }
    if (changed) notes_("blocks", size_of_text(text_));
  }

  // Spaces at the ends of lines, and around the text.
  void tidy() {
    std::string tidied;
    for (const auto& [begin, end] : lines()) {
      const std::string_view line = std::string_view(text_).substr(begin, end - begin);
      const std::size_t last = line.find_last_not_of(" \t\r\n");
      tidied += line.substr(0, last == line.npos ? 0 : last + 1);
      if (line.ends_with('\n')) tidied += '\n';
    }
    tidied.erase(0, std::min(tidied.find_first_not_of(" \t\n"), tidied.size()));
    try_text(std::move(tidied));
  }

  Ranges lines() const {
    Ranges ranges;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size() - 1) + 1;
      ranges.emplace_back(at, end);
      at = end;
    }
    return ranges;
  }

  std::string text_;
  const std::function<bool(const std::string&)>& fails_;
  const ReduceNotes& notes_;
};

}  // namespace

std::string reduce_text(const std::string& text, const std::function<bool(const std::string&)>& fails,
                        const ReduceNotes& notes) {
  return TextReducer(text, fails, notes).run();
}

std::string size_of_text(std::string_view text) {
  const auto lines = std::ranges::count(text, '\n') + (text.empty() || text.ends_with('\n') ? 0 : 1);
  return formatted("{} line{}, {} byte{}", lines, lines == 1 ? "" : "s", text.size(), text.size() == 1 ? "" : "s");
}

}  // namespace slipway::cli
