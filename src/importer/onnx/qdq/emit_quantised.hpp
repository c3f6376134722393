// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of nodes between DequantizeLinear and QuantizeLinear as operators on integers
// (docs/spec/import.md#onnx-models-with-quantizelinear-and-dequantizelinear).
#pragma once

#include "importer/emit/node_context.hpp"
#include "importer/onnx/qdq/quantised_groups.hpp"

namespace slipway::importer {

// `node` is the main node, whose operands with a source are the numbers that DequantizeLinear reads; its results are
// those of QuantizeLinear. Refused: the group is computed as floats.
void emit_quantised(NodeContext& node, const QuantisedGroup& group);

}  // namespace slipway::importer
