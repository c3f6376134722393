// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats with weights of 8 bits (docs/spec/import.md#hybrid-and-weight-only): each row of the floats is quantised while
// the graph runs.
#pragma once

#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {

// Whether the operands 0 and `weights` are floats and quantised weights.
bool is_hybrid(const NodeContext& node, std::size_t weights);

// [rows, outputs] of FULLY_CONNECTED.
Term hybrid_linear(NodeContext& node, std::int64_t rows, const Term* bias);
Term hybrid_convolution(NodeContext& node, const Windows& windows, std::int64_t groups, const Term* bias);
Term hybrid_depthwise(NodeContext& node, const Windows& windows, const Term* bias);
// x is in its order; the second operand is transposed if `transposes`.
Term hybrid_matmul(NodeContext& node, const Term& x, bool transposes);

}  // namespace slipway::importer
