// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operator sets that a model or a function imports (docs/spec/import.md#versions).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "importer/onnx/wire/messages.hpp"

namespace slipway::importer::onnx {

// By domain; that of the format, `ai.onnx`, is the empty one.
using Versions = std::vector<std::pair<std::string, std::int64_t>>;

constexpr std::string_view normal_domain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

Versions read_versions(OnnxFile& file, const Context& where, const Submessages& imports);
std::optional<std::int64_t> version_of(const Versions& versions, std::string_view domain);

}  // namespace slipway::importer::onnx
