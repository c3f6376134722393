// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads TOSA FlatBuffers (`.tosa`), versions 1.0 and 1.1 (docs/spec/converter.md#reading-tosa-files).
//
//   std::optional<Model> model = read_tosa(mapped.bytes(), "m.tosa", diagnostics);
//
// Nothing in the file is trusted. Constants refer to the bytes of the file, which must outlive the model. Only types
// without a machine type (i4, i48), and 64-bit integers, which become i32, are decoded. Shape operands, zero points and
// other constant operands of one element become attributes; IDENTITY operators are removed; a COND_IF with a constant
// condition is replaced by the selected branch. The graph is not verified.
#pragma once

#include "base/diagnostic.hpp"
#include "tosa/model.hpp"

namespace slipway::tosa {

// Whether bytes have the identifier of the format.
bool is_tosa(Bytes bytes);

// Collects all errors, each at its operator or tensor: file-format, file-truncated, unknown-reference,
// duplicate-name, type-mismatch, missing-key, unknown-value, out-of-range, unsupported. Empty after an error.
std::optional<Model> read_tosa(Bytes bytes, std::string name, Diagnostics& diagnostics);

}  // namespace slipway::tosa
