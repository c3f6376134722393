// What is in an input file, as far as it takes to tell its format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"

namespace slipway::cli {

struct Content {
  Path path;               // for text without a mark of its own, where the suffix has to do; `-` is standard input
  Bytes bytes;             // all of the file; empty for a directory
  bool directory = false;  // then `path` is to be looked into
  // Of a JSON object the keys of two levels, `resources` and `execution/runs`, as far as the text is sound.
  std::vector<std::string> keys;

  bool has(std::string_view key) const;
  // Whether the bytes begin so.
  bool begins(std::string_view mark) const { return text_of(bytes).starts_with(mark); }
};

// Keeps the bytes of a content alive.
class ContentOf {
 public:
  // Standard input can be read again after this. Errors: file-not-found, file-unreadable.
  static Result<ContentOf> read(const std::string& path);

  const Content& content() const { return content_; }

 private:
  MappedFile file_;
  std::vector<std::byte> piped_;
  Content content_;
};

// The keys of a JSON object, comments allowed; nothing for other text. Linear, and without recursion.
std::vector<std::string> json_keys(std::string_view text);

// For messages: the keys of an object, the first characters of a text, or the first bytes of anything else.
std::string first_sight(const Content& content);

}  // namespace slipway::cli
