// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads ONNX files: protobuf wire format, external data, sparse tensors, functions (docs/spec/import.md#onnx-files).
#pragma once

#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "importer/net.hpp"
#include "importer/read_options.hpp"

namespace slipway::importer {

// Whether the bytes are an ONNX model (docs/spec/import.md#input-detection). Looks at no more than 4,096 fields.
bool is_onnx(Bytes bytes);

// `bytes` must outlive the net. Functions of the file are inlined; subgraphs are attributes of their nodes. Collects
// all errors: file-format, file-truncated, unknown-reference, duplicate-name, out-of-range, path-outside, unsupported,
// and those of reading files.
std::optional<Net> read_onnx(Bytes bytes, const std::string& name, const ReadOptions& options,
                             Diagnostics& diagnostics);

}  // namespace slipway::importer
