// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/operator_traits.hpp"

namespace slipway::lower {

using tosa::Op;

bool is_pointwise(Op op) { return (op >= Op::CLAMP && op <= Op::GREATER_EQUAL) || op == Op::CAST || op == Op::RESCALE; }

std::size_t elementwise_inputs(const tosa::Node& node) {
  return node.op == Op::RESCALE || node.op == Op::TABLE ? 1 : node.inputs.size();
}

bool is_view(Op op) {
  return op == Op::RESHAPE || op == Op::REVERSE || op == Op::SLICE || op == Op::TRANSPOSE || op == Op::TILE;
}

bool views_stored_value(const tosa::Graph& graph, const std::vector<bool>& stored, tosa::ValueId value) {
  const tosa::Node* node = graph.producer(value);
  while (!stored[index(value)] && node && is_view(node->op)) {
    value = node->inputs[0];
    node = graph.producer(value);
  }
  return stored[index(value)];
}

bool makes_one_nan(Op op) {
  using enum Op;
  switch (op) {
    case ERF:
    case SIGMOID:
    case TANH:
    case CEIL:
    case COS:
    case EXP:
    case FLOOR:
    case LOG:
    case RECIPROCAL:
    case SIN:
    case RSQRT:
      return true;
    default:
      return false;
  }
}

bool is_window(Op op) {
  return op == Op::CONV2D || op == Op::CONV3D || op == Op::DEPTHWISE_CONV2D || op == Op::TRANSPOSE_CONV2D ||
         op == Op::MATMUL || op == Op::MATMUL_T || op == Op::AVG_POOL2D || op == Op::MAX_POOL2D;
}

}  // namespace slipway::lower
