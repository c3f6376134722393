// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON values with source locations.
//
// A `Document` owns the tree. A `Value` is a cheap handle into it with its span in the text and its JSON pointer, so
// that a diagnostic can point at the value:
//
//   diagnostics.add(json::problem(value, DiagnosticKind::OutOfRange, "..."));
//
// simdjson parses the text. Comments and trailing commas (docs/spec/scenario.md#decision-20) are overwritten with
// spaces before, so that offsets stay the same.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace slipway::json {

enum class Type : std::uint8_t { Null, Bool, Number, String, Array, Object };
std::string_view name_of(Type type);  // "a string", "an array", ...

class Value;

// Deeper nesting is an error (docs/spec/scenario.md#limits-and-failures).
inline constexpr int kMaxDepth = 256;

class Document {
 public:
  Value root() const;
  const SourcePtr& source() const { return source_; }
  // The first comment or trailing comma, if there is one.
  std::optional<Span> extension() const { return extension_; }

 private:
  friend class Value;
  friend class Parser;
  static constexpr std::uint32_t kNoParent = (1u << 31) - 1;  // a value has at least two characters, so fewer fit

  // Files have millions of them, so that what the text has is not repeated: the type, the end, where the key is. A
  // value is before its children, and they are before its next sibling.
  struct Node {
    std::uint32_t begin = 0;
    std::uint32_t link = 0;  // of an array or object: after its last descendant; of a string: its value in strings_
    std::uint32_t name = 0;  // of a member: its key in strings_; of an element: its position
    std::uint32_t parent : 31 = kNoParent;
    std::uint32_t is_container : 1 = false;  // an array or object, which may be empty
  };
  std::uint32_t after(std::uint32_t index) const { return nodes_[index].is_container ? nodes_[index].link : index + 1; }
  // Offsets in the text: after a value, after its opening bracket if it is an array or object, and of the key of a
  // member.
  std::size_t end_of(std::uint32_t index) const;
  std::size_t end_of_token(std::uint32_t index) const;
  std::size_t key_of(std::uint32_t index) const;

  SourcePtr source_;
  std::vector<Node> nodes_;
  std::vector<std::string> strings_;  // equal ones mostly once
  std::optional<Span> extension_;
};

// Documents are smaller than 4 GiB. Errors: json-syntax, for the first syntax error.
Result<std::shared_ptr<const Document>> parse(SourcePtr source);

// A value of a document, which must outlive it, or nothing: `if (value)` tests that. The children of nothing are
// nothing.
class Value {
 public:
  Value() = default;

  explicit operator bool() const { return document_ != nullptr; }
  Type type() const;
  bool is(Type type) const { return document_ && this->type() == type; }

  bool boolean() const { return text().starts_with('t'); }
  const std::string& string() const;  // empty if it is not a string
  std::string_view number_text() const { return text(); }
  double number() const;
  // Empty if the number is fractional or does not fit. `40.0` is 40.
  std::optional<std::int64_t> integer() const;
  std::optional<std::uint64_t> unsigned_integer() const;

  std::size_t size() const;  // counts the children
  // The value of a key (the last one, if the key is repeated), or nothing.
  Value operator[](std::string_view key) const;
  Value operator[](std::size_t index) const;

  // The children in order: elements, or the values of members.
  class Iterator;
  Iterator begin() const;
  Iterator end() const;

  // Only for the value of a member: its key, and where the key is.
  const std::string& key() const { return document_->strings_[node().name]; }
  SourceLocation key_location() const;

  Value parent() const;
  SourceLocation location() const;
  // The first character: where a missing member of an object is reported.
  SourceLocation opening() const;
  std::string pointer() const;  // RFC 6901
  std::string_view text() const;

 private:
  friend class Document;
  Value(const Document* document, std::uint32_t index) : document_(document), index_(index) {}
  const Document::Node& node() const { return document_->nodes_[index_]; }

  const Document* document_ = nullptr;
  std::uint32_t index_ = 0;
};

class Value::Iterator {
 public:
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  Iterator() = default;
  Iterator(const Document* document, std::uint32_t index) : document_(document), index_(index) {}
  Value operator*() const { return {document_, index_}; }
  Iterator& operator++() {
    index_ = document_->after(index_);
    return *this;
  }
  Iterator operator++(int) {
    Iterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const Iterator& other) const { return index_ == other.index_; }

 private:
  const Document* document_ = nullptr;
  std::uint32_t index_ = 0;
};

inline Value::Iterator Value::begin() const { return {document_, index_ + 1}; }
inline Value::Iterator Value::end() const { return {document_, document_ ? document_->after(index_) : index_ + 1}; }

// After the closing quote of the string that begins there.
std::size_t end_of_string(std::string_view text, std::size_t begin);
// After the comment that begins there, without its line break; `begin` without one, or if it is never closed.
std::size_t end_of_comment(std::string_view text, std::size_t begin);

// The characters of a string or key without its quotes, for suggestions.
SourceLocation inside_quotes(SourceLocation quoted);

// The uid of the resource that a value belongs to: that of the nearest enclosing object with a string `uid`.
std::string uid_around(Value value);

// A diagnostic at a value, with its JSON pointer and uid.
Diagnostic problem(Value at, DiagnosticKind kind, std::string message, Severity severity = Severity::Error);

}  // namespace slipway::json
