// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of com.microsoft (docs/spec/import.md#operators-of-commicrosoft).
#include <cmath>

#include "base/format.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/operators/network/attention.hpp"

namespace slipway::importer {
namespace {

// Operands after their projections, [B, heads, S or T, D], and where the masks are.
struct Heads {
  Term queries, keys, values;
  std::int64_t past = 0;
};

struct MaskOperands {
  std::size_t mask, bias;
};

// Keys that a mask of integers hides: lengths [B], [B, T] or [B, S, T] with 1 for keys that count.
Term padding_bias(Builder& b, const Term& mask, std::int64_t batch, std::int64_t keys, FileType type, double filling) {
  Term counts;
  if (mask.rank() == 1 && mask.shape[0] == batch) {
    const Term column = b.reshape(b.arange(mask.type, 0, keys), {1, 1, 1, keys});
    counts = b.binary(Binary::Less, column, b.reshape(mask, {batch, 1, 1, 1}));
  } else if ((mask.rank() == 2 || mask.rank() == 3) && mask.extent(-1) == keys && mask.shape[0] == batch) {
    const std::int64_t rows = mask.rank() == 3 ? mask.shape[1] : 1;
    const Term shaped = b.reshape(mask, {batch, 1, rows, keys});
    counts = shaped.type == FileType::Bool ? shaped : b.binary(Binary::Greater, shaped, 0);
  } else {
    throw Refused(formatted("a mask of shape {} is not supported", tensor::shape_text(mask.shape)));
  }
  return b.select(counts, b.number(type, 0), b.number(type, filling));
}

// The result [B, S, heads * D].
Term attended(const NodeContext& node, const Heads& heads, const MaskOperands& operands, Term* shown) {
  Builder& b = node.b;
  const double scale = node.real("scale", 0);
  const double used = scale == 0 ? 1 / std::sqrt(static_cast<double>(heads.queries.shape[3])) : scale;
  Term scores = attention_scores(b, heads.queries, heads.keys, used);
  const std::int64_t rows = scores.shape[2], keys = scores.shape[3];
  if (node.has(operands.bias)) scores = b.add(scores, b.cast(node.in(operands.bias), scores.type));
  if (node.has(operands.mask)) {
    const double filling = node.real("mask_filter_value", -10000);
    scores = b.add(scores, padding_bias(b, node.in(operands.mask), scores.shape[0], keys, scores.type, filling));
  }
  if (node.flag("unidirectional")) scores = b.add(scores, causal_bias(b, scores.type, rows, keys, heads.past));
  if (shown) *shown = b.cast(scores, heads.queries.type);
  const Term shares = b.cast(b.softmax(scores, -1), heads.values.type);
  return merge_heads(b, attention_values(b, shares, heads.values));
}

Term with_past(const NodeContext& node, std::size_t operand, const Term& own) {
  return node.has(operand) ? node.b.concat({node.in(operand), own}, 2) : own;
}

// Part `i` of a packed operand [B, S, heads, parts, D], as [B, heads, S, D].
Term packed_part(Builder& b, const Term& packed, std::int64_t i) {
  return b.transpose(b.squeeze(b.slice_axis(packed, 3, i, 1), 3), {0, 2, 1, 3});
}

// The operands of MultiHeadAttention in each of their forms.
Heads multi_heads(const NodeContext& node, std::int64_t count) {
  Builder& b = node.b;
  const Term& queries = node.in(0);
  std::vector<Term> parts;
  if (queries.rank() == 5) {
    for (std::int64_t i = 0; i < 3; ++i) parts.push_back(packed_part(b, queries, i));
  } else if (node.in(1).rank() == 5) {
    parts = {split_heads(b, queries, count), packed_part(b, node.in(1), 0), packed_part(b, node.in(1), 1)};
  } else {
    for (std::size_t i = 0; i < 3; ++i) parts.push_back(split_heads(b, node.in(i), count));
  }
  if (node.has(3)) {
    // One bias for all three, each [heads * D].
    std::int64_t first = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const bool has_heads = i > 0 && node.has(i) && node.in(i).rank() == 4;
      const std::int64_t extent = parts[i].shape[1] * parts[i].shape[3];
      const Term own =
          b.reshape(b.slice_axis(node.in(3), 0, first, extent), {1, parts[i].shape[1], 1, parts[i].shape[3]});
      // Keys and values of another layer have their bias already.
      if (!has_heads) parts[i] = b.add(parts[i], own);
      first += extent;
    }
  }
  return {parts[0], with_past(node, 6, parts[1]), with_past(node, 7, parts[2]), node.has(6) ? node.in(6).shape[2] : 0};
}

}  // namespace

void emit_microsoft_MultiHeadAttention(NodeContext& node) {
  if (node.has(8) || node.has(9)) throw Refused("a buffer that past and present share is not supported");
  const Heads heads = multi_heads(node, node.integer("num_heads"));
  Term shown;
  node.out(0, attended(node, heads, {.mask = 4, .bias = 5}, &shown));
  node.out(1, heads.keys);
  node.out(2, heads.values);
  node.out(3, shown);
}

void emit_microsoft_Attention(NodeContext& node) {
  Builder& b = node.b;
  const Term &x = node.in(0), &weights = node.in(1);
  const std::int64_t count = node.integer("num_heads");
  if (node.has(6) || node.flag("past_present_share_buffer"))
    throw Refused("a buffer that past and present share is not supported");
  if (node.flag("do_rotary")) throw Refused("`do_rotary` is not supported");
  if (x.rank() != 3 || weights.rank() != 2) throw Refused("the input does not have rank 3, or the weights rank 2");
  Term projected = b.matmul(x, weights);
  if (node.has(2)) projected = b.add(projected, node.in(2));
  const std::int64_t third = weights.shape[1] / 3;
  const std::vector<std::int64_t> sizes =
      node.list("qkv_hidden_sizes").value_or(std::vector<std::int64_t>{third, third, third});
  if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != weights.shape[1])
    throw Refused(formatted("weights of {} columns cannot be split into three", weights.shape[1]));
  std::vector<Term> parts;
  std::int64_t first = 0;
  for (const std::int64_t size : sizes) {
    parts.push_back(split_heads(b, b.slice_axis(projected, -1, first, size), count));
    first += size;
  }
  Heads heads{parts[0], parts[1], parts[2], 0};
  if (node.has(4)) {
    const Term& past = node.in(4);  // [2, B, heads, P, D]
    if (past.rank() != 5) throw Refused("the past does not have rank 5");
    heads.keys = b.concat({b.squeeze(b.slice_axis(past, 0, 0, 1), 0), heads.keys}, 2);
    heads.values = b.concat({b.squeeze(b.slice_axis(past, 0, 1, 1), 0), heads.values}, 2);
    heads.past = past.shape[3];
  }
  node.out(0, attended(node, heads, {.mask = 3, .bias = 5}, nullptr));
  if (node.wants(1)) node.out(1, b.concat({b.unsqueeze(heads.keys, 0), b.unsqueeze(heads.values, 0)}, 0));
}

void emit_microsoft_RotaryEmbedding(NodeContext& node) {
  Builder& b = node.b;
  const Term &x = node.in(0), &positions = node.in(1), &cosine = node.in(2);
  if (node.flag("is_packed_batching")) throw Refused("`is_packed_batching` is not supported");
  if (x.rank() != 3 && x.rank() != 4) throw Refused(formatted("a tensor of rank {} has no heads", x.rank()));
  std::int64_t heads = node.integer("num_heads", 0);
  // Without their number a head has as many dimensions as the tables.
  if (heads == 0 && x.rank() == 3) heads = x.shape[2] / (2 * cosine.extent(-1));
  const Term split = split_heads(b, x, heads);
  // One number is the position of the first; otherwise there is one for each.
  const Term steps = b.arange(positions.type, 0, split.shape[2]);
  const Term at = positions.count() == 1 && positions.rank() == 1 ? b.unsqueeze(b.add(positions, steps), 0) : positions;
  const auto table = [&](const Term& cache) { return b.unsqueeze(b.take(cache, 0, at), 1); };
  const Rotary rotary{.dimensions = node.integer("rotary_embedding_dim", 0), .interleaved = node.flag("interleaved")};
  const Term made = rotated(b, split, table(cosine), table(node.in(3)), rotary);
  node.out(0, x.rank() == 3 ? merge_heads(b, made) : made);
}

}  // namespace slipway::importer
