// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations of com.microsoft (docs/spec/import.md#operators-of-commicrosoft).
#include "importer/onnx/operators/network/normalisation.hpp"

#include "base/format.hpp"
#include "importer/onnx/operators.hpp"

namespace slipway::importer {
namespace {

// Results of the operators with a skip connection: the values, two statistics, and the sum that was normalised.
void give(NodeContext& node, Normalised made, const Term& sum, bool by_mean) {
  node.out(0, std::move(made.values));
  if (!by_mean && node.wants(1)) throw Refused("it has no mean");
  if (by_mean) node.out(1, std::move(made.mean));
  node.out(2, std::move(made.inverse_deviation));
  node.out(3, sum);
}

constexpr double kDefaultSkipEpsilon = 1e-12F;

}  // namespace

void emit_microsoft_LayerNormalization(NodeContext& node) { emit_onnx_LayerNormalization(node); }

// Files have it in the domain of ai.onnx as well.
void emit_onnx_SimplifiedLayerNormalization(NodeContext& node) {
  Normalised made = layer_normalised(node.b, node.in(0), node.in(1), nullptr, node.integer("axis", -1),
                                     node.real("epsilon", 1e-5F), false);
  node.out(0, std::move(made.values));
  node.out(1, std::move(made.inverse_deviation));
}

void emit_microsoft_SimplifiedLayerNormalization(NodeContext& node) { emit_onnx_SimplifiedLayerNormalization(node); }

void emit_microsoft_SkipLayerNormalization(NodeContext& node) {
  Builder& b = node.b;
  Term sum = b.add(node.in(0), node.in(1));
  if (node.has(4)) sum = b.add(sum, node.in(4));
  const Term* shift = node.has(3) ? &node.in(3) : nullptr;
  give(node, layer_normalised(b, sum, node.in(2), shift, -1, node.real("epsilon", kDefaultSkipEpsilon), true), sum,
       true);
}

void emit_microsoft_SkipSimplifiedLayerNormalization(NodeContext& node) {
  Builder& b = node.b;
  Term sum = b.add(node.in(0), node.in(1));
  if (node.has(3)) sum = b.add(sum, node.in(3));
  give(node, layer_normalised(b, sum, node.in(2), nullptr, -1, node.real("epsilon", kDefaultSkipEpsilon), false), sum,
       false);
}

void emit_microsoft_EmbedLayerNormalization(NodeContext& node) {
  Builder& b = node.b;
  const Term& ids = node.in(0);
  const Term &words = node.in(2), &positions = node.in(3);
  if (ids.rank() != 2 || words.rank() != 2 || positions.rank() != 2)
    throw Refused("the ids or the embeddings do not have rank 2");
  Term sum = b.take(words, 0, ids);
  // [S, H], or [B, S, H] by ids.
  sum = b.add(sum, node.has(8) ? b.take(positions, 0, node.in(8)) : b.slice_axis(positions, 0, 0, ids.shape[1]));
  if (node.has(1) && node.has(4)) sum = b.add(sum, b.take(node.in(4), 0, node.in(1)));
  Normalised made =
      layer_normalised(b, sum, node.in(5), &node.in(6), -1, node.real("epsilon", kDefaultSkipEpsilon), true);
  node.out(0, std::move(made.values));
  if (node.wants(1)) {
    const Term none = b.number(FileType::I32, 0, {ids.shape[0]});
    node.out(1, node.has(7) ? b.reduce(Reduction::Sum, b.cast(node.in(7), FileType::I32), {1}, false) : none);
  }
  node.out(2, sum);
}

}  // namespace slipway::importer
