// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements of tensors in ONNX files (docs/spec/import.md#tensor-data). They are a view of the file, or of an
// external file, unless they are packed, in a typed field of another size, or sparse.
#pragma once

#include <optional>

#include "importer/array.hpp"
#include "importer/onnx/wire/messages.hpp"

namespace slipway::importer::onnx {

// Elements of strings and complex numbers are not read: the array has only their shape. Errors are reported.
std::optional<Array> read_tensor(OnnxFile& file, const Context& where, const TensorProto& tensor);
// As a dense tensor.
std::optional<Array> read_sparse_tensor(OnnxFile& file, const Context& where, const SparseTensorProto& tensor);

}  // namespace slipway::importer::onnx
