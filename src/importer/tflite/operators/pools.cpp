// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling.
#include <cmath>

#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {
namespace {

Windows pool_windows(const NodeContext& node) {
  return windows_of(node, node.in(0), node.integer("filter_height", 1), node.integer("filter_width", 1), false);
}

}  // namespace

void emit_tflite_AVERAGE_POOL_2D(NodeContext& node) {
  const Windows windows = pool_windows(node);
  if (!is_quantised(node)) return node.out(0, activated(node, average_pool(node.b, node.in(0), windows)));
  // The numbers of the file are averaged, whatever their zero point is.
  const QuantisedTerm x = quantised_operand(node, 0);
  const Term made = average_pool(node.b, x.term, windows, -x.type.moved());
  out_quantised(node, activated(node, made, result_type(node)));
}

void emit_tflite_MAX_POOL_2D(NodeContext& node) {
  const Windows windows = pool_windows(node);
  if (!is_quantised(node)) return node.out(0, activated(node, max_pool(node.b, node.in(0), windows)));
  const QuantisedTerm x = quantised_operand(node, 0);
  out_quantised(node, activated(node, max_pool(node.b, x.term, windows), result_type(node)));
}

void emit_tflite_L2_POOL_2D(NodeContext& node) {
  const Term squares = node.b.mul(node.in(0), node.in(0));
  node.out(0, activated(node, node.b.unary(Unary::Sqrt, average_pool(node.b, squares, pool_windows(node)))));
}

}  // namespace slipway::importer
