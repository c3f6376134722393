// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/strategies/contraction/contraction_result.hpp"

namespace slipway::lower {

Value result_of_sum(KernelBuilder& builder, const Contraction& c, Value sum, Value channel) {
  const tosa::DataType type = builder.graph()[c.node->outputs[0]].type.data;
  Operation operation{builder.kernel(), builder.graph(), *c.node, builder};
  if (c.bias) sum = with_bias(operation, sum, channel);
  return tosa::is_float(type) ? rounded(builder.kernel(), tosa::storage_of(type), sum) : sum;
}

Value finished_sum(KernelBuilder& builder, const Contraction& c, Value sum, Value channel) {
  const bool is_float = tosa::is_float(builder.graph()[c.node->outputs[0]].type.data);
  if (!is_float && sum.type() == Scalar::Float)
    sum = builder.kernel().int_of_whole(sum, c.k() <= exact_products(c) / 4 ? kSumBits - 2 : kSumBits);
  return result_of_sum(builder, c, sum, channel);
}

}  // namespace slipway::lower
