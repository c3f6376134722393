// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads TensorFlow Lite files (docs/spec/import.md#tflite-files).
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "importer/net.hpp"
#include "importer/read_options.hpp"

namespace slipway::importer {

// Whether the bytes have the identifier of a TensorFlow Lite file.
bool is_tflite(Bytes bytes);

// `bytes` must outlive the net. Options of operators are attributes by the names of the schema (`stride_w`); one that
// is absent in the file has the default of its table. Sparse constants become dense. Collects all errors: file-format,
// file-truncated, unknown-reference, out-of-range, path-outside, unsupported.
std::optional<Net> read_tflite(Bytes bytes, const std::string& name, const ReadOptions& options,
                               Diagnostics& diagnostics);

}  // namespace slipway::importer
