#include "lower/families/contraction.hpp"

#include <algorithm>
#include <set>

#include "base/bytes.hpp"
#include "lower/fusion.hpp"

namespace slipway::lower {
namespace {

using tosa::DataType;
using tosa::Node;
using tosa::Op;

std::int64_t product(const std::vector<Loop>& loops) {
  std::int64_t count = 1;
  for (const Loop& loop : loops) count *= loop.count;
  return count;
}

void add_loop(std::vector<Loop>& loops, Loop loop) {
  if (loop.count != 1) loops.push_back(loop);
}

bool suits(DataType a, DataType b, DataType sum) {
  if (tosa::is_float(a)) return true;  // every float of 16 or 8 bits is one of 32
  return (a == DataType::I8 || a == DataType::I4) && (b == DataType::I8 || b == DataType::I4) && sum == DataType::I32;
}

// Elements whose exponent is this are infinite or no numbers.
std::uint32_t greatest_exponent(tensor::ElementType type) {
  switch (type) {
    case tensor::ElementType::F32:
      return 0x7f800000;
    case tensor::ElementType::BF16:
      return 0x7f80;
    case tensor::ElementType::F16:
      return 0x7c00;
    case tensor::ElementType::F8E5M2:
      return 0x7c;
    default:  // e4m3 has one code without its sign that is no number
      return 0x7f;
  }
}

template <class Bits>
bool all_finite(Bytes data, std::uint32_t greatest) {
  for (std::size_t at = 0; at + sizeof(Bits) <= data.size(); at += sizeof(Bits)) {
    if ((load<Bits>(data.data() + at) & greatest) == greatest) return false;
  }
  return true;
}

// Padding contributes exactly nothing (TOSA page 5.1), but here it is multiplied as zeros are, which gives NaN with a
// weight that is infinite or NaN: weights have to be known, and finite.
bool may_multiply_padding(const tosa::Graph& graph, const Contraction& c) {
  if (c.is_matmul || c.same_border || !tosa::is_float(graph[c.a].type.data)) return true;
  const tosa::Constant* weights = graph.constant(c.b);
  if (!weights) return false;
  const tensor::ElementType type = tosa::storage_of(graph[c.b].type.data);
  const std::uint32_t greatest = greatest_exponent(type);
  switch (tensor::size_of(type)) {
    case 4:
      return all_finite<std::uint32_t>(weights->data, greatest);
    case 2:
      return all_finite<std::uint16_t>(weights->data, greatest);
    default:
      return all_finite<std::uint8_t>(weights->data, greatest);
  }
}

Contraction matmul(const tosa::Graph& graph, const Node& node) {
  const tensor::Shape &a = graph[node.inputs[0]].type.shape, &b = graph[node.inputs[1]].type.shape;
  Contraction c{
      .node = &node, .a = node.inputs[0], .b = node.inputs[1], .bias = {}, .border = {}, .lines = {}, .segments = {}};
  add_loop(c.lines, {a[0], a[1] * a[2]});
  c.rows = a[1];
  c.row_stride = c.run = a[2];
  c.channels = b[2];
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
                .lines = {},
                .segments = {}};
  c.channels = out.back();
  c.a_zero = node.attributes.integer("input_zp");
  c.b_zero = node.attributes.integer("weight_zp");
  const std::size_t spatial = image.size() - 2;
  c.border = {image, std::vector<std::int64_t>(image.size(), 0)};
  bool points = true;  // a window of one element, moved by one
  for (std::size_t i = 0; i < spatial; ++i) {
    c.border.before[1 + i] = pad[2 * i];
    c.border.shape[1 + i] += pad[2 * i] + pad[2 * i + 1];
    points &= weight[1 + i] == 1 && stride[i] == 1;
  }
  c.same_border = c.border.shape == image;
  const std::int64_t channels = image.back();
  c.run = channels;
  if (points && c.same_border) {
    for (std::size_t d = 0; d + 1 < out.size(); ++d) c.rows *= out[d];
    c.row_stride = channels;
    c.flat_rows = true;
    return c;
  }
  std::vector<std::int64_t> strides(image.size(), channels);  // of the bordered image, by dimension
  for (std::size_t d = spatial; d-- > 0;) strides[d] = strides[d + 1] * c.border.shape[d + 1];
  add_loop(c.lines, {out[0], strides[0]});
  for (std::size_t i = 0; i + 1 < spatial; ++i) {
    add_loop(c.lines, {out[1 + i], strides[1 + i] * stride[i]});
    add_loop(c.segments, {weight[1 + i], strides[1 + i] * dilation[i]});
  }
  c.rows = out[spatial];
  c.row_stride = channels * stride[spatial - 1];
  const std::int64_t columns = weight[spatial];
  if (dilation[spatial - 1] == 1)
    c.run = columns * channels;
  else
    add_loop(c.segments, {columns, channels * dilation[spatial - 1]});
  return c;
}

// `seen`: several of the others may read the same one.
bool look_for(const tosa::Graph& graph, const std::vector<bool>& stored, const Node& node, const tensor::Shape& shape,
              bool (*is_anchor)(Op), std::set<const Node*>& seen, Anchor& anchor) {
  if (!seen.insert(&node).second) return true;
  if (is_anchor(node.op)) {
    if (anchor.node) return false;
    anchor.node = &node;
    return true;
  }
  if (!is_pointwise(node.op)) return false;
  const std::size_t inputs = node.op == Op::RESCALE || node.op == Op::TABLE ? 1 : node.inputs.size();
  for (std::size_t i = 0; i < inputs; ++i) {
    const tensor::Shape& operand = graph[node.inputs[i]].type.shape;
    const bool whole = operand == shape;
    const bool by_channel = std::ranges::all_of(operand.begin(), operand.end() - (operand.empty() ? 0 : 1),
                                                [](std::int64_t extent) { return extent == 1; });
    anchor.reads_by_row_and_channel &= whole || by_channel;
    if (stored[index(node.inputs[i])]) continue;
    if (!look_for(graph, stored, *graph.producer(node.inputs[i]), shape, is_anchor, seen, anchor)) return false;
  }
  return true;
}

}  // namespace

bool is_contraction(Op op) { return op == Op::CONV2D || op == Op::CONV3D || op == Op::MATMUL; }

std::int64_t Contraction::line_count() const { return product(lines); }
std::int64_t Contraction::segment_count() const { return product(segments); }
std::int64_t Contraction::depth() const { return product(segments) * run; }
Contraction Contraction::in_one_run() const {
  Contraction one = *this;
  one.segments.clear();
  one.run = depth();
  return one;
}

std::optional<Contraction> contraction_of(const tosa::Graph& graph, const Node& node) {
  if (!is_contraction(node.op)) return std::nullopt;
  if (!suits(graph[node.inputs[0]].type.data, graph[node.inputs[1]].type.data, graph[node.outputs[0]].type.data))
    return std::nullopt;
  Contraction made = node.op == Op::MATMUL ? matmul(graph, node) : convolution(graph, node);
  if (!may_multiply_padding(graph, made)) return std::nullopt;
  return made;
}

Value result_of_sum(KernelMaker& maker, const Contraction& c, Value sum, Value channel) {
  const tosa::DataType type = maker.graph()[c.node->outputs[0]].type.data;
  Operation operation{maker.kernel(), maker.graph(), *c.node, maker};
  if (c.bias) sum = with_bias(operation, sum, channel);
  return tosa::is_float(type) ? rounded(maker.kernel(), tosa::storage_of(type), sum) : sum;
}

std::optional<Anchor> find_anchor(const tosa::Graph& graph, const std::vector<bool>& stored, const Node& node,
                                  bool (*is_anchor)(Op)) {
  Anchor anchor;
  std::set<const Node*> seen;
  if (!look_for(graph, stored, node, graph[node.outputs[0]].type.shape, is_anchor, seen, anchor) || !anchor.node)
    return std::nullopt;
  return anchor;
}

}  // namespace slipway::lower
