// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/operators/recurrent.hpp"

namespace slipway::importer {

Term svdf_feature(NodeContext& node) {
  Builder& b = node.b;
  const QuantisedTerm x = quantised_operand(node, 0), weights = quantised_operand(node, 1),
                      state = quantised_operand(node, 4);
  const std::int64_t rows = x.term.extent(0), inputs = weights.term.extent(1), filters = weights.term.extent(0);
  const Term sums =
      convolution(b, b.reshape(x.term, {rows, 1, 1, inputs}), b.reshape(weights.term, {filters, 1, 1, inputs}), nullptr,
                  windows_of({1, 1}), {.input_zero = x.type.zero});
  const double scale = x.type.scale * weights.type.scale / state.type.scale;
  return b.reshape(rescale(b, sums, state.type.type, {.by = {multiplier_of(scale)}, .arithmetic = arithmetic_of(node)}),
                   {rows, filters});
}

void svdf_result(NodeContext& node, const Term& sums) {
  const QuantisedTerm time = quantised_operand(node, 2), state = quantised_operand(node, 4);
  const QuantisedType to = result_type(node);
  const double scale = state.type.scale * time.type.scale / to.scale;
  out_quantised(node,
                rescale(node.b, sums, to.type,
                        {.by = {multiplier_of(scale)}, .output_zero = to.zero, .arithmetic = arithmetic_of(node)}));
}

}  // namespace slipway::importer
