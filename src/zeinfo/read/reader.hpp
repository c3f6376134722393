// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader used by parse.hpp and locate.hpp: recursive descent over the text, guided by the schema.
//
// The position is always at a token: blanks, comments and line ends before it are skipped, `column_` is its column (in
// bytes from 0) and `fresh_` is true if it is the first on its line. Of a mapping without a table (`MappingInfo` null)
// only the form is read: values of unknown keys, and mappings that locate.hpp reads again.
#pragma once

#include <string_view>
#include <vector>

#include "zeinfo/model.hpp"
#include "zeinfo/schema.hpp"
#include "zeinfo/text_diagnostics.hpp"

namespace slipway::zeinfo {

inline constexpr int kMaxDepth = 16;

class Reader {
 public:
  // `diagnostics` may be null: nothing is reported. Deviations and strings are added to `document`.
  Reader(std::string_view text, Document& document, TextDiagnostics* diagnostics, bool quick);

  void read_text(Root& root);
  // Reads the form of the mapping at `at` and records the locations of `key` and its value.
  struct Found {
    Span first_key;
    bool found = false;
    Span key, value;  // `value` is empty, after the key, if it has no value
  };
  Found find_entry(std::uint32_t at, std::string_view key);

 private:
  enum class Style : std::uint8_t { Plain, Single, Double };
  struct Scalar {
    std::string_view text;  // without quotes and escapes
    Span span;
    Style style = Style::Plain;
    bool ok = true;
  };
  struct Entry {
    const FieldInfo* field = nullptr;  // null: unknown, or no table
    Span key;
    int column = 0;  // of the key
    bool ok = false;
  };

  // --- tokens (reader_tokens.cpp) ---
  std::uint32_t offset(const char* at) const { return static_cast<std::uint32_t>(at - begin_); }
  Span span(const char* from, const char* to) const { return {offset(from), offset(to)}; }
  bool at_end() const { return p_ >= end_; }
  char peek(std::size_t n = 0) const { return n < static_cast<std::size_t>(end_ - p_) ? p_[n] : '\0'; }
  bool is_blank_or_end(const char* at) const;
  bool is_line_end(const char* at) const;
  bool at_dash() const { return peek() == '-' && is_blank_or_end(p_ + 1); }
  bool at_marker() const;
  void next_token();
  bool skip_comment();  // at `#`
  void skip_inline_blanks();
  void skip_line();  // to its end
  void end_line();   // after a value: only blanks and a comment may follow
  bool looks_like_entry() const;
  Scalar read_scalar(bool in_flow, bool is_key);
  Scalar read_plain(bool in_flow, bool is_key);
  Scalar read_quoted();
  bool check_utf8(std::string_view text);

  // --- structure (reader.cpp) ---
  void block_mapping(const MappingInfo* mapping, std::byte* object, int column, bool of_item);
  Entry read_key(const MappingInfo* mapping, std::uint64_t& seen, bool in_flow);
  Span value(const Entry& entry, const MappingInfo* in, std::byte* object, bool opens_item);
  Span inline_value(const FieldInfo* field, const MappingInfo* in, std::byte* object, bool in_flow);
  Span block_value(const FieldInfo* field, const MappingInfo* in, std::byte* object, int key_column);
  Span no_value(const FieldInfo* field, const MappingInfo* in, std::byte* object, Span key);
  void block_sequence(const FieldInfo* field, std::byte* object, int column);
  void flow_sequence(const FieldInfo* field, const MappingInfo* in, std::byte* object);
  void flow_mapping(const MappingInfo* mapping, std::byte* object);
  void break_flow(const char* at, std::string_view message);
  bool next_flow_item(const char* open, char close);
  void end_flow_item(const char* open, char close);
  void read_item(const MappingInfo* mapping, std::byte* object, int dash_column);
  bool is_sequence_form(const FieldInfo& field) const;
  void sequence_form(const FieldInfo& field, const MappingInfo* in, std::byte* object, bool in_flow);
  void unknown_key(const MappingInfo& mapping, std::string_view key, Span span);
  void note_entry(Span key, Span value);
  // Reports lines that are indented deeper than an entry that already has its value. Returns true if the position
  // moved.
  bool skip_deeper(int column, std::size_t errors_before) {
    if (at_end() || column_ <= column) return false;
    skip_deeper_lines(column, errors_before);
    return true;
  }
  void skip_deeper_lines(int column, std::size_t errors_before);
  void scalar_value(const FieldInfo& field, const MappingInfo* in, std::byte* object, const Scalar& scalar);
  struct Int3Reading {
    Int3 value;
    int count = 0;
    bool ok = true;
  };
  void int3_block(const FieldInfo& field, const MappingInfo* in, std::byte* object, int column);
  void int3_flow(const FieldInfo& field, const MappingInfo* in, std::byte* object);
  void int3_element(const FieldInfo& field, const MappingInfo* in, const Scalar& scalar, Int3Reading& to);
  void finish_int3(const FieldInfo& field, const MappingInfo* in, std::byte* object, Int3Reading reading, Span span);
  void finish_mapping(const MappingInfo* mapping, std::byte* object, std::uint64_t seen, Span at);
  void wrong_kind(const FieldInfo& field, const MappingInfo* in, Span span);
  void bad_scalar(const FieldInfo& field, const MappingInfo* in, DiagnosticKind kind, Span span,
                  std::string_view message);
  void store_list(const FieldInfo& field, std::byte* object, std::size_t from, std::uint32_t count);
  bool enter(const char* at) {  // one level deeper, unless that is too deep
    if (depth_ >= kMaxDepth) return too_deep(at);
    ++depth_;
    return true;
  }
  bool too_deep(const char* at);

  // --- the quick path (reader_quick.cpp) ---
  // Reads an entry in canonical form whose value is a scalar, up to the next token; false if it is anything else.
  bool quick_entry(const MappingInfo& mapping, std::byte* object, std::uint64_t& seen);
  const char* quick_scalar(const FieldInfo& field, std::byte* object, const char* at);

  // --- messages ---
  void error(DiagnosticKind kind, Span span, std::string_view message);
  Diagnostic* problem(Severity severity, DiagnosticKind kind, Span span, std::string_view message);
  void deviation(DeviationKind kind, Span span, const MappingInfo* mapping = nullptr, const FieldInfo* field = nullptr);

  static void mark(std::byte* object, const FieldInfo& field) {
    *reinterpret_cast<std::uint64_t*>(object) |= std::uint64_t{1} << field.index;
  }
  template <class T>
  static T& member(std::byte* object, const FieldInfo& field) {
    return *reinterpret_cast<T*>(object + field.offset);
  }

  const char* begin_;
  const char* end_;
  const char* p_;
  const char* line_;
  const char* quick_end_;  // quick reading stops here: enough bytes follow for scan.hpp
  int column_ = 0;
  bool fresh_ = true;
  int depth_ = 0;
  std::size_t errors_ = 0;    // after an error in an entry, deeper lines are not reported
  bool flow_broken_ = false;  // a flow value is malformed: all its levels are abandoned
  Document& document_;
  TextDiagnostics* diagnostics_;
  Scratch scratch_;  // the items of unfinished lists, innermost last
  std::uint32_t kernel_ = ~0u;

  std::string_view wanted_;
  Found* found_ = nullptr;
  int found_depth_ = 0;
};

}  // namespace slipway::zeinfo
