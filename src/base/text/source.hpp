// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Source texts and source locations.
//
// A `Source` is the text of one file and the name that messages show. Spans are byte offsets; lines and columns (both
// from 1, columns in bytes) are computed only when a message is printed. Sources are shared: a diagnostic keeps its
// text alive.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slipway {

// A half-open range of byte offsets.
struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const Span&) const = default;
};

// Line and column count from 1, the column in bytes; the offset counts from 0.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint64_t offset = 0;
};

class Source {
 public:
  Source(std::string name, std::string text);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const;
  // How many bytes after the text may be read, for parsers that read blocks. Their values are undefined.
  std::size_t padding() const { return text_.capacity() - text_.size(); }

  // An offset past the end is treated as the end.
  Position position(std::uint64_t offset) const;
  // A line without its line break; empty if there is no such line.
  std::string_view line(std::uint32_t number) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint64_t> line_starts_;
};

using SourcePtr = std::shared_ptr<const Source>;

SourcePtr make_source(std::string name, std::string text);

// Where a diagnostic points: a span of text, a range of bytes in a binary file, a whole file, or nowhere.
struct SourceLocation {
  enum class Kind { None, File, Text, Bytes };

  Kind kind = Kind::None;
  std::string file;  // the name in messages; for Text that of the source
  SourcePtr source;  // Text only
  Span span;         // Text: offsets in the source; Bytes: offsets in the file

  static SourceLocation nowhere() { return {}; }
  static SourceLocation in_file(std::string name) { return {Kind::File, std::move(name), nullptr, {}}; }
  static SourceLocation in_text(SourcePtr source, Span span);
  static SourceLocation in_bytes(std::string name, Span range) {
    return {Kind::Bytes, std::move(name), nullptr, range};
  }
};

}  // namespace slipway
