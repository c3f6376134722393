// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Custom operators whose meaning is known.
#include <algorithm>
#include <cstring>

#include "base/format.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {

// TRANSPOSE_CONV with a bias, whose result is as large as its windows: options are the padding (1: SAME, 2: VALID) and
// both strides.
void emit_tflite_custom_Convolution2DTransposeBias(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  const Term& weights = node.in(1);
  const Array* const options = node.array("custom_options");
  constexpr std::size_t kOptions = 3;
  if (!options || options->data.size() < kOptions * sizeof(std::int32_t)) throw Refused("its options are too short");
  std::int32_t numbers[kOptions];
  std::memcpy(numbers, options->data.data(), sizeof(numbers));
  if (x.rank() != 4 || weights.rank() != 4) throw Refused("the operands have to have rank 4");
  if (numbers[0] != 1 && numbers[0] != 2) throw Refused(formatted("the padding {} is not known", numbers[0]));
  Windows windows = windows_of({weights.shape[1], weights.shape[2]});
  windows.stride = {numbers[2], numbers[1]};
  for (std::size_t d = 0; d < 2; ++d) {
    if (windows.stride[d] < 1) throw Refused("a stride is below 1");
    if (numbers[0] != 1) continue;
    // The result has the extent of the operand times the stride.
    const std::int64_t extra = windows.kernel[d] - windows.stride[d], total = std::max<std::int64_t>(extra, 0);
    windows.before[d] = total / 2;
    windows.after[d] = extra - windows.before[d];
  }
  const Term* const bias = node.has(2) ? &node.in(2) : nullptr;
  node.out(0, transposed_convolution(b, x, weights, bias, windows));
}

}  // namespace slipway::importer
