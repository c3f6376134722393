// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics as SARIF 2.1.0, for code review tools and editors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace slipway::json {

// Where a result is. Lines and columns count from 1, columns in characters; an end is exclusive. A column of 0 is
// unknown.
struct SarifLocation {
  struct Text {
    std::uint32_t line = 0, column = 0, end_line = 0, end_column = 0;
    friend bool operator==(const Text&, const Text&) = default;
  };
  struct Bytes {
    std::uint64_t offset = 0, length = 0;
    friend bool operator==(const Bytes&, const Bytes&) = default;
  };
  std::string file;  // empty: nowhere
  std::optional<Text> text;
  std::optional<Bytes> bytes;
  std::string message;
  friend bool operator==(const SarifLocation&, const SarifLocation&) = default;
};

struct SarifResult {
  std::string kind;  // of the diagnostic
  Severity severity = Severity::Error;
  std::string message;
  SarifLocation location;
  std::vector<SarifLocation> related;
};

SarifLocation sarif_location(const SourceLocation& location, std::string_view message);

// `version` is that of the program.
std::string sarif_text(std::span<const SarifResult> results, std::string_view version);
std::string sarif_text(std::span<const Diagnostic> diagnostics, std::string_view version);

}  // namespace slipway::json
