// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators on block-scaled tensors (docs/spec/tosa.md#block-scaled-tensors): the elements of a block are numbers of
// few bits, times a power of two that they share.
#include <algorithm>

#include "reference/operation.hpp"
#include "tosa/block_formats.hpp"

namespace slipway::reference {
namespace {

// The values of block-scaled data.
Tensor scaled(const Tensor& data, const Tensor& scale) {
  Tensor values = data;
  for (std::size_t i = 0; i < values.reals.size(); ++i) {
    go_on_at(i);
    values.reals[i] *= scale.reals[i / static_cast<std::size_t>(tosa::kBlockSize)];
  }
  values.type.data = DataType::F32;
  return values;
}

// An operator on the values of two block-scaled tensors: operands 0 and 1, and 2 and 3.
void run_on_values(Operation& operation, Op op, std::initializer_list<std::string_view> zero_points,
                   void (*run)(Operation&)) {
  const Tensor a = scaled(operation.in(0), operation.in(1)), b = scaled(operation.in(2), operation.in(3));
  tosa::Node node = operation.node;
  node.op = op;
  for (const std::string_view name : zero_points) node.attributes.set(name, std::int64_t{0});
  std::vector<const Tensor*> inputs = {&a, &b};
  inputs.insert(inputs.end(), operation.inputs.begin() + 4, operation.inputs.end());
  Operation inner{node, inputs, operation.results};
  run(inner);
}

}  // namespace

void run_CAST_FROM_BLOCK_SCALED(Operation& operation) {
  operation.out().reals = scaled(operation.in(0), operation.in(1)).reals;
}

// The scale of a block brings its largest magnitude into the highest binade of the format. Larger results than the
// format has are replaced by its largest.
void run_CAST_TO_BLOCK_SCALED(Operation& operation) {
  const std::vector<double>& in = operation.in().reals;
  const tosa::BlockFormat format = tosa::block_format(operation.out(0).type.data);
  for (std::size_t block = 0; block < operation.out(1).size(); ++block) {
    const auto elements = std::span(in).subspan(block * static_cast<std::size_t>(tosa::kBlockSize),
                                                static_cast<std::size_t>(tosa::kBlockSize));
    go_on_after(tosa::kBlockSize);
    double largest = 0;
    for (const double x : elements) largest = max_with(largest, std::fabs(x), false);
    const bool is_special = std::isnan(largest) || std::isinf(largest);
    const int exponent = largest >= tosa::kMinNormal ? std::ilogb(largest) : tosa::kMinExponent - 1;
    const double scale = std::ldexp(1.0, std::max(exponent - format.max_exponent, tosa::kMinScaleExponent));
    operation.out(1).reals[block] = is_special ? kNan : scale;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const double wanted = elements[i] / scale;
      operation.out(0).reals[block * elements.size() + i] =
          is_special ? 0
                     : std::clamp(round_to(operation.out(0).type.data, std::clamp(wanted, -format.max, format.max)),
                                  -format.max, format.max);
    }
  }
}

void run_MATMUL_T_BLOCK_SCALED(Operation& operation) {
  run_on_values(operation, Op::MATMUL_T, {"A_zp", "B_zp"}, run_MATMUL_T);
}
void run_CONV2D_BLOCK_SCALED(Operation& operation) {
  run_on_values(operation, Op::CONV2D, {"input_zp", "weight_zp"}, run_CONV2D);
}

}  // namespace slipway::reference
