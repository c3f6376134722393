// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Losses (docs/spec/import.md#matrix-products-convolutions-pooling).
#include <numeric>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/onnx/operators.hpp"

namespace slipway::importer {
namespace {

// [N, C, d...] as [N, C, d], and [N, d...] as [N, d].
Term merged_after(Builder& b, const Term& x, std::size_t rank) {
  if (x.rank() <= rank) return x;
  tensor::Shape shape(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(rank));
  shape.back() = product_of(std::span(x.shape).subspan(rank - 1));
  return b.reshape(x, std::move(shape));
}

void check_labels(const Term& x, const Term& labels) {
  if (x.rank() < 2 || labels.rank() + 1 != x.rank())
    throw Refused(formatted("labels of rank {} do not fit a tensor of rank {}", labels.rank(), x.rank()));
}

// The negative of the logarithms [N, C, d] at the labels [N, d], weighted and reduced; without a reduction [N, d].
Term negative_likelihood(const NodeContext& node, const Term& logarithms, const Term& labels, const Term* weights) {
  Builder& b = node.b;
  const Term& x = logarithms;
  tensor::Shape line(x.rank(), 1);
  line[1] = x.shape[1];
  const Term classes = b.reshape(b.arange(labels.type, 0, x.shape[1]), line);
  Term chosen = b.binary(Binary::Equal, b.unsqueeze(labels, 1), classes);
  const bool ignores = node.has("ignore_index");
  if (ignores) {
    const Term ignored =
        b.binary(Binary::Equal, labels, b.number(labels.type, static_cast<double>(node.integer("ignore_index"))));
    chosen = b.logical(Binary::BitAnd, chosen, b.unsqueeze(b.unary(Unary::Not, ignored), 1));
  }
  const Term zero = b.number(x.type, 0);
  const auto at_label = [&](const Term& values) {
    return b.reduce(Reduction::Sum, b.select(chosen, values, zero), {1}, false);
  };
  Term loss = b.unary(Unary::Neg, at_label(x));
  std::optional<Term> weight;
  if (weights || ignores)
    weight = at_label(weights ? b.reshape(b.cast(*weights, x.type), line) : b.number(x.type, 1, {1}));
  if (weight) loss = b.mul(loss, *weight);
  const std::string reduction = node.text("reduction", "mean");
  if (reduction == "none") return loss;
  std::vector<std::int64_t> axes(loss.rank());
  std::iota(axes.begin(), axes.end(), 0);
  if (reduction == "sum") return b.reduce(Reduction::Sum, loss, axes, false);
  if (reduction != "mean") throw Refused(formatted("`reduction` is `{}`", reduction));
  if (!weight) return b.reduce(Reduction::Mean, loss, axes, false);
  return b.div(b.reduce(Reduction::Sum, loss, axes, false), b.reduce(Reduction::Sum, *weight, axes, false));
}

}  // namespace

namespace {

void give_loss(NodeContext& node, const Term& logarithms) {
  Builder& b = node.b;
  const Term* weights = node.has(2) ? &node.in(2) : nullptr;
  const Term loss = negative_likelihood(node, logarithms, merged_after(b, node.in(1), 2), weights);
  node.out(0, loss.rank() == 0 ? loss : b.reshape(loss, node.in(1).shape));
}

}  // namespace

void emit_onnx_NegativeLogLikelihoodLoss(NodeContext& node) {
  check_labels(node.in(0), node.in(1));
  give_loss(node, merged_after(node.b, node.in(0), 3));
}

void emit_onnx_SoftmaxCrossEntropyLoss(NodeContext& node) {
  check_labels(node.in(0), node.in(1));
  const Term logarithms = node.b.log_softmax(merged_after(node.b, node.in(0), 3), 1);
  give_loss(node, logarithms);
  if (node.wants(1)) node.out(1, node.b.reshape(logarithms, node.in(0).shape));
}

}  // namespace slipway::importer
