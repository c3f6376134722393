// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats with weights of 8 bits (docs/spec/import.md#hybrid-and-weight-only): each row of the floats is quantised while
// the graph runs.
#pragma once

#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {

// Whether the operands 0 and `weights` are floats and quantised weights.
bool is_hybrid(const NodeContext& node, std::size_t weights);

// Rows of floats as int8 numbers: real = scale * (stored - zero).
struct QuantisedRows {
  Term stored;
  Term scale;  // of each row, with the rank of the rows
  Term zero;   // float32; no shape and no value: 0
  bool moves = false;
};

// The last `dimensions` dimensions make a row.
QuantisedRows quantise_rows(Builder& b, const Term& x, std::size_t dimensions, bool asymmetric);
// [rows, outputs] of rows [rows, inputs] and the operand `weights` [outputs, inputs]; a bias of null is nothing.
Term hybrid_linear(NodeContext& node, const QuantisedRows& rows, std::size_t weights, const Term* bias);

// [rows, outputs] of FULLY_CONNECTED.
Term hybrid_linear(NodeContext& node, std::int64_t rows, const Term* bias);
Term hybrid_convolution(NodeContext& node, const Windows& windows, std::int64_t groups, const Term* bias);
Term hybrid_depthwise(NodeContext& node, const Windows& windows, const Term* bias);
// x is in its order; the second operand is transposed if `transposes`.
Term hybrid_matmul(NodeContext& node, const Term& x, bool transposes);

}  // namespace slipway::importer
