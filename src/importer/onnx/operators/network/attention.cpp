// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention, RotaryEmbedding and TensorScatter (docs/spec/import.md#operators-that-need-more-words).
#include "importer/onnx/operators/network/attention.hpp"

#include <cmath>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/operators/network/products.hpp"

namespace slipway::importer {

Term split_heads(Builder& b, const Term& x, std::int64_t heads) {
  if (x.rank() == 4) return x;
  if (x.rank() != 3 || heads < 1 || x.shape[2] % heads != 0)
    throw Refused(formatted("a tensor of shape {} cannot be split into {} heads", tensor::shape_text(x.shape), heads));
  return b.transpose(b.reshape(x, {x.shape[0], x.shape[1], heads, x.shape[2] / heads}), {0, 2, 1, 3});
}

Term merge_heads(Builder& b, const Term& x) {
  return b.reshape(b.transpose(x, {0, 2, 1, 3}), {x.shape[0], x.shape[2], x.shape[1] * x.shape[3]});
}

namespace {

std::int64_t queries_per_key(const Term& queries, const Term& keys) {
  const std::int64_t heads = queries.shape[1], key_heads = keys.shape[1];
  if (queries.shape[0] != keys.shape[0] || key_heads < 1 || heads % key_heads != 0)
    throw Refused(formatted("{} query heads do not fit {} key heads", heads, key_heads));
  return heads / key_heads;
}

}  // namespace

Term attention_scores(Builder& b, const Term& queries, const Term& keys, double scale) {
  const std::int64_t per_key = queries_per_key(queries, keys);
  const std::int64_t rows = queries.shape[2];
  const Term grouped = b.reshape(queries, {queries.shape[0], keys.shape[1], per_key * rows, queries.shape[3]});
  const Term scores =
      b.reshape(b.matmul_wide(grouped, swapped(b, keys)), {queries.shape[0], queries.shape[1], rows, keys.shape[2]});
  return b.affine(scores, scale, 0);
}

Term attention_values(Builder& b, const Term& shares, const Term& values) {
  const std::int64_t per_key = queries_per_key(shares, values), rows = shares.shape[2];
  const Term grouped = b.reshape(shares, {shares.shape[0], values.shape[1], per_key * rows, shares.shape[3]});
  return b.reshape(b.matmul(grouped, values), {shares.shape[0], shares.shape[1], rows, values.shape[3]});
}

Term bias_of_mask(Builder& b, const Term& mask, FileType type) {
  return b.select(mask, b.number(type, 0), b.number(type, -INFINITY));
}

Term causal_bias(Builder& b, FileType type, std::int64_t queries, std::int64_t keys, std::int64_t past) {
  const Term row = b.reshape(b.arange(FileType::I32, past, queries), {queries, 1});
  const Term column = b.reshape(b.arange(FileType::I32, 0, keys), {1, keys});
  return bias_of_mask(b, b.binary(Binary::LessEqual, column, row), type);
}

namespace {

struct AttentionOptions {
  double scale = 0, softcap = 0;
  bool causal = false;
  bool capped_first = false;  // since version 25 the cap comes before the mask
  std::int64_t past = 0, mode = 0, left_window = -1, right_window = -1;
};

// All that is added to the scores; empty: nothing.
std::optional<Term> attention_bias(const NodeContext& node, const Term& queries, const Term& keys,
                                   const AttentionOptions& options) {
  Builder& b = node.b;
  std::optional<Term> bias;
  const auto add = [&](const Term& more) { bias = bias ? b.add(*bias, more) : more; };
  const FileType type = FileType::F32;
  const std::int64_t rows = queries.shape[2], columns = keys.shape[2];
  if (node.has(3)) {
    Term mask = node.in(3);
    if (mask.rank() < 1) throw Refused("the mask is a scalar");
    mask = mask.type == FileType::Bool ? bias_of_mask(b, mask, type) : b.cast(mask, type);
    if (mask.extent(-1) < columns && mask.extent(-1) != 1) {
      tensor::Shape after(mask.rank(), 0);
      after.back() = columns - mask.extent(-1);
      mask = b.pad(mask, tensor::Shape(mask.rank(), 0), after, b.number(type, -INFINITY));
    }
    add(mask);
  }
  if (options.causal) add(causal_bias(b, type, rows, columns, options.past));
  if (options.left_window >= 0 || options.right_window >= 0) {
    const Term row = b.reshape(b.arange(FileType::I32, options.past, rows), {rows, 1});
    const Term distance = b.sub(b.reshape(b.arange(FileType::I32, 0, columns), {1, columns}), row);
    if (options.left_window >= 0)
      add(bias_of_mask(b, b.binary(Binary::GreaterEqual, distance, static_cast<double>(-options.left_window)), type));
    if (options.right_window >= 0)
      add(bias_of_mask(b, b.binary(Binary::LessEqual, distance, static_cast<double>(options.right_window)), type));
  }
  if (node.has(6)) {
    const Term lengths = b.reshape(node.in(6), {node.in(6).count(), 1, 1, 1});
    const Term column = b.reshape(b.arange(lengths.type, 0, columns), {1, 1, 1, columns});
    add(bias_of_mask(b, b.binary(Binary::Less, column, lengths), type));
  }
  return bias;
}

AttentionOptions attention_options(const NodeContext& node, const Term& queries, const Term& keys) {
  AttentionOptions options;
  options.scale = node.real("scale", 1 / std::sqrt(static_cast<double>(queries.shape[3])));
  options.softcap = node.real("softcap", 0);
  options.causal = node.flag("is_causal");
  options.capped_first = node.version() >= 25;
  options.past = node.has(4) ? node.in(4).shape[2] : options.capped_first ? keys.shape[2] - queries.shape[2] : 0;
  options.mode = node.integer("qk_matmul_output_mode", 0);
  options.left_window = node.integer("left_window_size", -1);
  options.right_window = node.integer("right_window_size", -1);
  if (options.scale < 0) throw Refused("`scale` is negative");
  if (options.mode < 0 || options.mode > 3) throw Refused(formatted("`qk_matmul_output_mode` is {}", options.mode));
  return options;
}

Term capped(Builder& b, const Term& x, double cap) {
  if (cap <= 0) return x;
  return b.affine(b.unary(Unary::Tanh, b.binary(Binary::Div, x, cap)), cap, 0);
}

FileType softmax_type(const NodeContext& node, FileType otherwise) {
  if (!node.has("softmax_precision")) return otherwise;
  const FileType type = file_type_of_onnx(node.integer("softmax_precision"));
  if (!is_real(type)) throw Refused("`softmax_precision` is not a type of floats");
  return type;
}

}  // namespace

void emit_onnx_Attention(NodeContext& node) {
  Builder& b = node.b;
  const bool is_flat = node.in(0).rank() == 3;
  const std::int64_t heads = node.integer("q_num_heads", 0), key_heads = node.integer("kv_num_heads", 0);
  const Term queries = split_heads(b, node.in(0), heads);
  Term keys = split_heads(b, node.in(1), key_heads), values = split_heads(b, node.in(2), key_heads);
  if (node.has(4)) keys = b.concat({node.in(4), keys}, 2);
  if (node.has(5)) values = b.concat({node.in(5), values}, 2);
  const AttentionOptions options = attention_options(node, queries, keys);
  Term scores = attention_scores(b, queries, keys, options.scale);
  Term shown = scores;  // the fourth result
  const std::optional<Term> bias = attention_bias(node, queries, keys, options);
  const auto masked = [&] {
    if (bias) scores = b.add(scores, *bias);
    if (options.mode == (options.capped_first ? 2 : 1)) shown = scores;
  };
  if (!options.capped_first) masked();
  scores = capped(b, scores, options.softcap);
  if (options.mode == (options.capped_first ? 1 : 2)) shown = scores;
  if (options.capped_first) masked();
  Term shares = b.softmax(b.cast(scores, softmax_type(node, scores.type)), -1);
  if (options.capped_first && bias) {
    // Of a query that sees no key nothing remains.
    const Term sees = b.binary(Binary::Greater, b.reduce(Reduction::Max, scores, {-1}, true), -INFINITY);
    shares = b.select(sees, shares, b.number(shares.type, 0));
  }
  if (options.mode == 3) shown = shares;
  const Term made = attention_values(b, b.cast(shares, values.type), values);
  node.out(0, b.cast(is_flat ? merge_heads(b, made) : made, queries.type));
  node.out(1, keys);
  node.out(2, values);
  node.out(3, b.cast(shown, queries.type));
}

Term rotated(Builder& b, const Term& x, const Term& cosine, const Term& sine, const Rotary& rotary) {
  const std::int64_t all = x.shape[3], dimensions = rotary.dimensions == 0 ? all : rotary.dimensions,
                     half = dimensions / 2;
  if (dimensions > all || dimensions % 2 != 0 || cosine.extent(-1) != half || sine.extent(-1) != half)
    throw Refused(
        formatted("{} dimensions of {} cannot be rotated by tables of {}", dimensions, all, cosine.extent(-1)));
  const Term turning = b.slice_axis(x, 3, 0, dimensions);
  // Pairs of neighbours, or of the halves.
  const tensor::Shape pairs = rotary.interleaved ? tensor::Shape{x.shape[0], x.shape[1] * x.shape[2], half, 2}
                                                 : tensor::Shape{x.shape[0], x.shape[1] * x.shape[2], 2, half};
  const std::int64_t axis = rotary.interleaved ? 3 : 2;
  const tensor::Shape halves{x.shape[0], x.shape[1], x.shape[2], half};
  const Term paired = b.reshape(turning, pairs);
  const Term first = b.reshape(b.slice_axis(paired, axis, 0, 1), halves);
  const Term second = b.reshape(b.slice_axis(paired, axis, 1, 1), halves);
  const Term real = b.sub(b.mul(first, cosine), b.mul(second, sine));
  const Term imaginary = b.add(b.mul(first, sine), b.mul(second, cosine));
  tensor::Shape one = pairs;
  one[static_cast<std::size_t>(axis)] = 1;
  const Term joined = b.concat({b.reshape(real, one), b.reshape(imaginary, one)}, axis);
  const Term turned = b.reshape(joined, turning.shape);
  return dimensions == all ? turned : b.concat({turned, b.slice_axis(x, 3, dimensions, all - dimensions)}, 3);
}

void emit_onnx_RotaryEmbedding(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  const Term split = split_heads(b, x, node.integer("num_heads", 0));
  const auto table = [&](std::size_t operand) {
    const Term& cache = node.in(operand);
    // [B, 1, S, half]
    return b.unsqueeze(node.has(3) ? b.take(cache, 0, node.in(3)) : cache, 1);
  };
  const Rotary rotary{.dimensions = node.integer("rotary_embedding_dim", 0), .interleaved = node.flag("interleaved")};
  const Term made = rotated(b, split, table(1), table(2), rotary);
  node.out(0, x.rank() == 3 ? merge_heads(b, made) : made);
}

}  // namespace slipway::importer
