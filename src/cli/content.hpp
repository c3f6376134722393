// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contents of an input file, as far as they are needed to detect its format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/system/files.hpp"

namespace slipway::cli {

struct Content {
  Path path;               // for text without a magic number, where the suffix decides; `-` is standard input
  Bytes bytes;             // the whole file; empty for a directory
  bool directory = false;  // then `bytes` is empty and the files in `path` decide
  // The keys of the first two levels of a JSON object, such as `resources` and `execution/runs`, up to the first
  // syntax error.
  std::vector<std::string> keys;

  bool has(std::string_view key) const;
  bool starts_with(std::string_view magic) const { return text_of(bytes).starts_with(magic); }
};

// Keeps the bytes of a content alive.
class ContentOf {
 public:
  // Standard input stays readable for later calls. Errors: file-not-found, file-unreadable.
  static Result<ContentOf> read(const std::string& path);

  const Content& content() const { return content_; }

 private:
  MappedFile file_;
  std::vector<std::byte> piped_;
  Content content_;
};

// Returns the keys of a JSON object, comments allowed; empty for other text. Takes linear time and does not recurse.
std::vector<std::string> json_keys(std::string_view text);

// For messages: the keys of an object, the first characters of a text, or the first bytes of any other file.
std::string describe_contents(const Content& content);

}  // namespace slipway::cli
