// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/strategies/contraction/contraction.hpp"

#include <algorithm>
#include <set>

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "lower/operator_traits.hpp"

namespace slipway::lower {
namespace {

using tosa::DataType;
using tosa::Node;
using tosa::Op;

std::int64_t product(const std::vector<ContractionLoop>& loops) {
  std::int64_t count = 1;
  for (const ContractionLoop& loop : loops) count *= loop.count;
  return count;
}

void add_loop(std::vector<ContractionLoop>& loops, ContractionLoop loop) {
  if (loop.count != 1) loops.push_back(loop);
}

bool is_applicable(DataType a, DataType b, DataType sum) {
  if (tosa::is_float(a)) return true;  // a 32-bit float holds every float of 16 or 8 bits
  return (a == DataType::I8 || a == DataType::I4) && (b == DataType::I8 || b == DataType::I4) && sum == DataType::I32;
}

// Elements with this exponent are infinite or NaN.
std::uint32_t max_exponent(tensor::ElementType type) {
  switch (type) {
    case tensor::ElementType::F32:
      return 0x7f800000;
    case tensor::ElementType::BF16:
      return 0x7f80;
    case tensor::ElementType::F16:
      return 0x7c00;
    case tensor::ElementType::F8E5M2:
      return 0x7c;
    default:  // e4m3 has one NaN code, apart from the sign
      return 0x7f;
  }
}

template <class Bits>
bool all_finite(Bytes data, std::uint32_t exponent) {
  for (std::size_t at = 0; at + sizeof(Bits) <= data.size(); at += sizeof(Bits)) {
    if ((load<Bits>(data.data() + at) & exponent) == exponent) return false;
  }
  return true;
}

// Padding contributes nothing to a sum (docs/spec/tosa.md#tensor-operators), but here zeros are multiplied, and zero
// times a weight that is infinite or NaN is NaN. So the weights must be constants, and finite.
bool may_multiply_padding(const tosa::Graph& graph, const Contraction& c) {
  if (c.is_matmul || c.same_border || !tosa::is_float(graph[c.a].type.data)) return true;
  const tosa::Constant* weights = graph.constant(c.b);
  if (!weights) return false;
  const tensor::ElementType type = tosa::storage_of(graph[c.b].type.data);
  const std::uint32_t exponent = max_exponent(type);
  switch (tensor::size_of(type)) {
    case 4:
      return all_finite<std::uint32_t>(weights->data, exponent);
    case 2:
      return all_finite<std::uint16_t>(weights->data, exponent);
    default:
      return all_finite<std::uint8_t>(weights->data, exponent);
  }
}

Contraction matmul(const tosa::Graph& graph, const Node& node) {
  const tensor::Shape &a = graph[node.inputs[0]].type.shape, &b = graph[node.inputs[1]].type.shape;
  Contraction c{
      .node = &node, .a = node.inputs[0], .b = node.inputs[1], .bias = {}, .border = {}, .batch = {}, .k_blocks = {}};
  add_loop(c.batch, {a[0], a[1] * a[2]});
  c.m = a[1];
  c.m_stride = c.contiguous_k = a[2];
  c.n = b[2];
  c.is_matmul = true;
  c.a_zero = node.attributes.integer("A_zp");
  c.b_zero = node.attributes.integer("B_zp");
  return c;
}

Contraction convolution(const tosa::Graph& graph, const Node& node) {
  const tensor::Shape &image = graph[node.inputs[0]].type.shape, &weight = graph[node.inputs[1]].type.shape,
                      &out = graph[node.outputs[0]].type.shape;
  const auto pad = node.attributes.list("pad"), stride = node.attributes.list("stride"),
             dilation = node.attributes.list("dilation");
  Contraction c{.node = &node,
                .a = node.inputs[0],
                .b = node.inputs[1],
                .bias = node.inputs[2],
                .border = {},
                .batch = {},
                .k_blocks = {}};
  c.n = out.back();
  c.a_zero = node.attributes.integer("input_zp");
  c.b_zero = node.attributes.integer("weight_zp");
  const std::size_t spatial = image.size() - 2;
  c.border = {image, std::vector<std::int64_t>(image.size(), 0)};
  bool pointwise = true;  // a window of one element, with stride 1
  for (std::size_t i = 0; i < spatial; ++i) {
    c.border.before[1 + i] = pad[2 * i];
    c.border.shape[1 + i] += pad[2 * i] + pad[2 * i + 1];
    pointwise &= weight[1 + i] == 1 && stride[i] == 1;
  }
  c.same_border = c.border.shape == image;
  const std::int64_t channels = image.back();
  c.contiguous_k = channels;
  if (pointwise && c.same_border) {
    for (std::size_t d = 0; d + 1 < out.size(); ++d) c.m *= out[d];
    c.m_stride = channels;
    c.flat_m = true;
    return c;
  }
  std::vector<std::int64_t> strides(image.size(), channels);  // of the bordered image, by dimension
  for (std::size_t d = spatial; d-- > 0;) strides[d] = strides[d + 1] * c.border.shape[d + 1];
  add_loop(c.batch, {out[0], strides[0]});
  for (std::size_t i = 0; i + 1 < spatial; ++i) {
    add_loop(c.batch, {out[1 + i], strides[1 + i] * stride[i]});
    add_loop(c.k_blocks, {weight[1 + i], strides[1 + i] * dilation[i]});
  }
  c.m = out[spatial];
  c.m_stride = channels * stride[spatial - 1];
  const std::int64_t columns = weight[spatial];
  if (dilation[spatial - 1] == 1)
    c.contiguous_k = columns * channels;
  else
    add_loop(c.k_blocks, {columns, channels * dilation[spatial - 1]});
  return c;
}

// `seen`: several operators may read the same value.
bool search_anchor(const tosa::Graph& graph, const std::vector<bool>& stored, const Node& node, bool (*is_anchor)(Op),
                   std::set<const Node*>& seen, Anchor& anchor) {
  if (!seen.insert(&node).second) return true;
  if (is_anchor(node.op)) {
    if (anchor.node) return false;
    anchor.node = &node;
    return true;
  }
  if (keeps_channels(graph, node)) {
    anchor.is_reshaped = true;
    const Node* source = stored[index(node.inputs[0])] ? nullptr : graph.producer(node.inputs[0]);
    return source && search_anchor(graph, stored, *source, is_anchor, seen, anchor);
  }
  if (!is_pointwise(node.op)) return false;
  const tensor::Shape& shape = graph[node.outputs[0]].type.shape;
  for (std::size_t i = 0; i < elementwise_inputs(node); ++i) {
    const tensor::Shape& operand = graph[node.inputs[i]].type.shape;
    const bool whole = operand == shape;
    const bool by_channel = std::ranges::all_of(operand.begin(), operand.end() - (operand.empty() ? 0 : 1),
                                                [](std::int64_t extent) { return extent == 1; });
    anchor.reads_by_row_and_channel &= whole || by_channel;
    const bool is_view = views_stored_value(graph, stored, node.inputs[i]);
    anchor.has_residual |= !by_channel && (is_view || stored[index(node.inputs[i])]);
    if (stored[index(node.inputs[i])]) continue;
    if (is_view) {
      anchor.reads_by_row_and_channel &= keeps_channels(graph, *graph.producer(node.inputs[i]));
      continue;
    }
    if (!search_anchor(graph, stored, *graph.producer(node.inputs[i]), is_anchor, seen, anchor)) return false;
  }
  return true;
}

}  // namespace

bool is_contraction(Op op) { return op == Op::CONV2D || op == Op::CONV3D || op == Op::MATMUL; }

std::int64_t Contraction::batch_count() const { return product(batch); }
std::int64_t Contraction::k_block_count() const { return product(k_blocks); }
std::int64_t Contraction::k() const { return product(k_blocks) * contiguous_k; }
std::int64_t Contraction::steps(Factors factors) const {
  const std::int64_t products = products_of_step(factors);
  return k_block_count() * ((contiguous_k + products - 1) / products);
}
Contraction Contraction::with_contiguous_k() const {
  Contraction one = *this;
  one.k_blocks.clear();
  one.contiguous_k = k();
  return one;
}

std::optional<Contraction> contraction_of(const tosa::Graph& graph, const Node& node) {
  if (!is_contraction(node.op)) return std::nullopt;
  if (!is_applicable(graph[node.inputs[0]].type.data, graph[node.inputs[1]].type.data,
                     graph[node.outputs[0]].type.data))
    return std::nullopt;
  Contraction made = node.op == Op::MATMUL ? matmul(graph, node) : convolution(graph, node);
  if (!may_multiply_padding(graph, made)) return std::nullopt;
  return made;
}

std::int64_t exact_products(const Contraction& c) {
  const auto largest = [](std::int64_t zero) { return std::max(128 + zero, 127 - zero); };
  const std::int64_t products = (std::int64_t{1} << kSumBits) / (largest(c.a_zero) * largest(c.b_zero));
  return products / kUnrolled * kUnrolled;
}

bool sums_exactly(const tosa::Graph& graph, const Contraction& c) {
  return tosa::is_float(graph[c.a].type.data) || c.k() <= exact_products(c);
}

Factors factors_of(const tosa::Graph& graph, const std::vector<bool>& stored, const Contraction& c,
                   const DeviceFacts& device) {
  if (!device.native_vectors || tosa::is_float(graph[c.a].type.data) || !has_constant_b(graph, stored, c))
    return Factors::Floats;
  if (device.dot_products && c.b_zero == 0) return Factors::Bytes;
  // With factors from lanes a product of floats is one instruction, and one of pairs needs four.
  return device.lane_factors ? Factors::Floats : Factors::Pairs;
}

tosa::ValueId source_of(const tosa::Graph& graph, const std::vector<bool>& stored, tosa::ValueId value) {
  while (!stored[index(value)]) {
    const tosa::Node* node = graph.producer(value);
    if (!node || node->op != Op::RESHAPE) break;
    value = node->inputs[0];
  }
  return value;
}

bool has_constant_b(const tosa::Graph& graph, const std::vector<bool>& stored, const Contraction& c) {
  return graph.constant(source_of(graph, stored, c.b)) != nullptr;
}

std::string print_contraction(const Contraction& c) {
  std::string text = formatted("M {} N {} K {}", c.m, c.n, c.k());
  if (!c.k_blocks.empty()) {
    text += " =";
    for (const ContractionLoop& loop : c.k_blocks) text += formatted(" {} (stride {}) x", loop.count, loop.stride);
    text += formatted(" {} contiguous", c.contiguous_k);
  }
  text += formatted(", row stride {}", c.m_stride);
  for (std::size_t i = 0; i < c.batch.size(); ++i)
    text += formatted("{} {} (stride {})", i == 0 ? ", batch" : " x", c.batch[i].count, c.batch[i].stride);
  if (c.flat_m) text += ", flat";
  if (!c.same_border) text += ", padded to " + tensor::list_text(c.border.shape);
  if (c.a_zero || c.b_zero) text += formatted(", zero points {} {}", c.a_zero, c.b_zero);
  return text;
}

bool keeps_channels(const tosa::Graph& graph, const Node& node) {
  if (node.op != Op::RESHAPE) return false;
  const tensor::Shape &from = graph[node.inputs[0]].type.shape, &to = graph[node.outputs[0]].type.shape;
  return from.size() >= 2 && to.size() >= 2 && from.back() == to.back();
}

std::optional<Anchor> find_anchor(const tosa::Graph& graph, const std::vector<bool>& stored, const Node& node,
                                  bool (*is_anchor)(Op)) {
  Anchor anchor;
  std::set<const Node*> seen;
  if (!search_anchor(graph, stored, node, is_anchor, seen, anchor) || !anchor.node) return std::nullopt;
  return anchor;
}

}  // namespace slipway::lower
