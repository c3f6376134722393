// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of the reader of TensorFlow Lite files share: the verified file, locations in it, and limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <flatbuffers/flatbuffers.h>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "importer/external.hpp"
#include "tosa/read/flat_lists.hpp"

namespace slipway::importer {

namespace fb {
struct Model;
}

class TfliteFile {
 public:
  // `model`: in `bytes`, verified. All must outlive this.
  TfliteFile(Bytes bytes, const std::string& name, const ReadOptions& options, const fb::Model& model,
             Diagnostics& diagnostics);

  Bytes bytes() const { return bytes_; }
  const ReadOptions& options() const { return options_; }
  const fb::Model& model() const { return model_; }

  // The fields of a table.
  SourceLocation location_of(const void* table) const;
  // At a table.
  Diagnostic& error(DiagnosticKind kind, const void* table, std::string message);
  Diagnostic& warning(DiagnosticKind kind, const void* table, std::string message);

  // Tables and lists of a file may be used many times, which makes of a small file much data. False, and an error at
  // the first time, if all that was taken exceeds what a file of this size may become.
  bool take(std::uint64_t bytes, const void* table);
  // Reading ends early: the file becomes too much, or has very many errors.
  bool stopped() const { return exhausted_ || errors_ >= kMaxErrors; }
  std::size_t errors() const { return errors_; }

  // Data outside of the tables, whose offset counts from the beginning of the file. Empty, with an error, past its end.
  // `what`: begins the message.
  Bytes appended(std::uint64_t offset, std::uint64_t size, std::string_view what, const void* table);
  // Data in another file. Empty, with an error, if it cannot be read.
  std::optional<ExternalData> external(const ExternalRange& range, const std::string& subject, const void* table);

 private:
  static constexpr std::size_t kMaxErrors = 1000;

  Bytes bytes_;
  const std::string& name_;
  const ReadOptions& options_;
  const fb::Model& model_;
  Diagnostics& diagnostics_;
  std::uint64_t left_;
  std::uint64_t allowed_;
  std::size_t errors_ = 0;
  bool exhausted_ = false;
  ExternalFiles external_;
};

using tosa::count_of;
using tosa::string_of;

// Of a list that may be absent.
template <class T>
std::span<const T> span_of(const flatbuffers::Vector<T>* list) {
  return list ? std::span<const T>(list->data(), list->size()) : std::span<const T>();
}

}  // namespace slipway::importer
