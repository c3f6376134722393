// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files beside a model that have its weights (docs/spec/import.md#external-data). Each file is mapped once.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "base/system/paths/confined_file.hpp"
#include "importer/read_options.hpp"

namespace slipway::importer {

// Of a file; without a length to its end.
struct ExternalRange {
  std::string location;  // relative to the directory of the model
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

struct ExternalData {
  Bytes bytes;
  std::shared_ptr<const void> owner;
};

class ExternalFiles {
 public:
  explicit ExternalFiles(ReadOptions options) : options_(std::move(options)) {}

  // `subject`: what has the data, "initializer `w`". Errors are reported at `where`: path-outside, file-not-found,
  // file-unreadable, file-truncated. A file that cannot be opened is reported once.
  std::optional<ExternalData> find(const ExternalRange& range, const std::string& subject, const SourceLocation& where,
                                   Diagnostics& diagnostics);
  // Bytes of the files that are open.
  std::uint64_t total_size() const { return total_size_; }

 private:
  std::optional<ConfinedFile> open(const std::string& location, const std::string& subject, const SourceLocation& where,
                                   Diagnostics& diagnostics);

  ReadOptions options_;
  std::map<std::string, std::optional<ConfinedFile>, std::less<>> files_;
  std::uint64_t total_size_ = 0;
};

}  // namespace slipway::importer
