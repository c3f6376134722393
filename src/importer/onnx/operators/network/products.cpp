// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices (docs/spec/import.md#matrix-products-convolutions-pooling).
#include "importer/onnx/operators/network/products.hpp"

#include "base/format.hpp"
#include "importer/onnx/operators.hpp"

namespace slipway::importer {

Term swapped(Builder& b, const Term& x) {
  if (x.rank() < 2) throw Refused(formatted("a tensor of rank {} has no rows to transpose", x.rank()));
  std::vector<std::int64_t> permutation;
  for (std::size_t d = 0; d < x.rank(); ++d) permutation.push_back(static_cast<std::int64_t>(d));
  std::swap(permutation[x.rank() - 1], permutation[x.rank() - 2]);
  return b.transpose(x, std::move(permutation));
}

void emit_onnx_MatMul(NodeContext& node) { node.out(0, node.b.matmul(node.in(0), node.in(1))); }

Term gemm(const NodeContext& node, const Term& a, const Term& weights, const Term* c) {
  Builder& b = node.b;
  if (a.rank() != 2 || weights.rank() != 2) throw Refused("its operands are not matrices");
  const double alpha = node.real("alpha", 1), beta = node.real("beta", 1);
  const bool swaps_weights = node.flag("transB");
  const Term x = node.flag("transA") ? swapped(b, a) : a;
  const std::int64_t outputs = weights.shape[swaps_weights ? 0 : 1];
  std::optional<Term> bias;
  if (c && beta != 0) bias = beta == 1 ? *c : b.binary(Binary::Mul, *c, beta);
  const bool is_line = bias && bias->count() == outputs && bias->rank() >= 1 && bias->extent(-1) == outputs;
  if (swaps_weights && weights.known && is_real(x.type) && b.computable(x).type == x.type && alpha == 1 &&
      weights.type == x.type && (!bias || is_line)) {
    if (bias) bias = b.reshape(*bias, {outputs});
    return b.linear(x, weights, bias ? &*bias : nullptr);
  }
  Term product = b.matmul(x, swaps_weights ? swapped(b, weights) : weights);
  if (alpha != 1) product = b.binary(Binary::Mul, product, alpha);
  if (!bias) return product;
  if (broadcast_shape(product.shape, bias->shape) != product.shape)
    throw Refused(formatted("`C` of shape {} does not fit the product {}", tensor::shape_text(bias->shape),
                            tensor::shape_text(product.shape)));
  return b.add(product, *bias);
}

void emit_onnx_Gemm(NodeContext& node) {
  node.out(0, gemm(node, node.in(0), node.in(1), node.has(2) ? &node.in(2) : nullptr));
}

}  // namespace slipway::importer
