// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that move data.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/format.hpp"
#include "importer/emit/indexing/indexing.hpp"
#include "importer/quant/tables.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {
namespace {

// A number of an operand of 8 bits in the quantisation of the result, as the kernel of uint8 has it.
Term requantised_part(NodeContext& node, const Term& part, const QuantisedType& to) {
  const QuantisedType from = quantised_type(part.type, part.quantization.get());
  if (same_quantisation(from, to)) return part;
  if (part.type != FileType::U8) throw Refused("its operands have different quantisation");
  const float scale = from.scale * (1.0F / to.scale);
  const float bias = -static_cast<float>(from.zero + from.moved()) * scale;
  return by_table(node.b, part, to.stored, [&](std::int64_t x) {
    return integer_of(std::round(static_cast<float>(x) * scale + bias)) + to.zero + to.moved();
  });
}

// [before, after] of each dimension.
struct Pads {
  tensor::Shape before, after;
};

Pads pads_of(const NodeContext& node) {
  const std::size_t rank = node.in(0).rank();
  const std::vector<std::int64_t> pads = node.integers(1, "paddings");
  if (pads.size() != 2 * rank) throw Refused(formatted("it has {} pads for {} dimensions", pads.size(), rank));
  Pads made;
  for (std::size_t d = 0; d < rank; ++d) {
    if (pads[2 * d] < 0 || pads[2 * d + 1] < 0) throw Refused("a pad is below 0");
    made.before.push_back(pads[2 * d]);
    made.after.push_back(pads[2 * d + 1]);
  }
  return made;
}

void slices(NodeContext& node, const Term& x, std::int64_t axis, std::span<const std::int64_t> sizes) {
  std::int64_t start = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || start + sizes[i] > x.extent(axis)) throw Refused("its sizes do not fit the tensor");
    if (node.wants(i)) node.out(i, node.b.slice_axis(x, axis, start, sizes[i]));
    start += sizes[i];
  }
}

}  // namespace

void emit_tflite_CONCATENATION(NodeContext& node) {
  std::vector<Term> parts;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    parts.push_back(node.in(i));
    if (parts.back().type != parts.front().type) throw Refused("its operands have different types");
    if (is_quantised(parts.back()) && node.result(0).quantization)
      parts.back() = requantised_part(node, parts.back(), result_type(node));
  }
  const Term made = node.b.concat(parts, node.integer("axis", 0));
  node.out(0, is_quantised(node) ? made : activated(node, made));
}

void emit_tflite_PACK(NodeContext& node) {
  std::vector<Term> parts;
  for (std::size_t i = 0; i < node.inputs(); ++i)
    parts.push_back(node.b.unsqueeze(node.in(i), node.integer("axis", 0)));
  node.out(0, node.b.concat(parts, node.integer("axis", 0)));
}

void emit_tflite_UNPACK(NodeContext& node) {
  const Term& x = node.in(0);
  const std::int64_t axis = node.integer("axis", 0);
  if (x.extent(axis) != static_cast<std::int64_t>(node.outputs()))
    throw Refused(formatted("it has {} results for {} elements", node.outputs(), x.extent(axis)));
  for (std::size_t i = 0; i < node.outputs(); ++i) {
    if (node.wants(i)) node.out(i, node.b.squeeze(node.b.slice_axis(x, axis, static_cast<std::int64_t>(i), 1), axis));
  }
}

void emit_tflite_SPLIT(NodeContext& node) {
  const std::int64_t axis = single_integer(node, 0, "split_dim"), count = static_cast<std::int64_t>(node.outputs());
  const Term& x = node.in(1);
  if (count == 0 || x.extent(axis) % count != 0)
    throw Refused(formatted("{} elements are not divided by {} results", x.extent(axis), count));
  slices(node, x, axis, std::vector<std::int64_t>(node.outputs(), x.extent(axis) / count));
}

void emit_tflite_SPLIT_V(NodeContext& node) {
  const Term& x = node.in(0);
  const std::int64_t axis = single_integer(node, 2, "axis");
  std::vector<std::int64_t> sizes = node.integers(1, "size_splits");
  if (sizes.size() != node.outputs())
    throw Refused(formatted("it has {} sizes and {} results", sizes.size(), node.outputs()));
  const auto open = std::ranges::find(sizes, -1);
  if (open != sizes.end()) *open = x.extent(axis) - (std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) + 1);
  slices(node, x, axis, sizes);
}

void emit_tflite_TRANSPOSE(NodeContext& node) {
  const Term& x = node.in(0);
  std::vector<std::int64_t> permutation = node.integers(1, "perm");
  for (std::int64_t& axis : permutation) axis = static_cast<std::int64_t>(axis_of(axis, x.rank()));
  if (permutation.size() != x.rank() || std::set(permutation.begin(), permutation.end()).size() != x.rank())
    throw Refused("`perm` is not a permutation of the dimensions");
  node.out(0, node.b.transpose(x, std::move(permutation)));
}

void emit_tflite_SLICE(NodeContext& node) {
  const Term& x = node.in(0);
  const std::vector<std::int64_t> start = node.integers(1, "begin");
  std::vector<std::int64_t> size = node.integers(2, "size");
  if (start.size() != x.rank() || size.size() != x.rank())
    throw Refused("`begin` and `size` do not have one element for each dimension");
  for (std::size_t d = 0; d < x.rank(); ++d) {
    if (size[d] == -1) size[d] = x.shape[d] - start[d];
    if (start[d] < 0 || size[d] < 0 || start[d] + size[d] > x.shape[d])
      throw Refused(formatted("the slice leaves dimension {}, which has {} elements", d, x.shape[d]));
  }
  node.out(0, node.b.slice(x, start, size));
}

namespace {

// STRIDED_SLICE: entries of its lists against dimensions of the operand.
struct StridedSlice {
  struct Range {
    std::int64_t axis, start, step, count;
  };
  std::vector<Range> ranges;
  tensor::Shape shape;  // of the result
};

bool bit(std::int64_t mask, std::size_t i) { return (mask >> i & 1) != 0; }

// One entry that takes a range or an index of a dimension.
void take_range(StridedSlice& made, std::int64_t extent, bool from_start, bool to_end, AxisRange range, bool shrinks) {
  const std::int64_t low = range.step > 0 ? 0 : -1, high = range.step > 0 ? extent : extent - 1;
  const auto bound = [&](std::int64_t at) { return std::clamp(at < 0 ? at + extent : at, low, high); };
  std::int64_t start = from_start ? (range.step > 0 ? 0 : extent - 1) : bound(range.start);
  std::int64_t end = to_end ? (range.step > 0 ? extent : -1) : bound(range.end);
  if (shrinks) {
    start = range.start < 0 ? range.start + extent : range.start;
    if (start < 0 || start >= extent)
      throw Refused(formatted("the index {} is out of range of {} elements", range.start, extent));
    end = start + 1;
    range.step = 1;
  }
  const std::int64_t distance = range.step > 0 ? end - start : start - end, stride = std::abs(range.step);
  const std::int64_t count = distance <= 0 ? 0 : (distance + stride - 1) / stride;
  if (!shrinks) made.shape.push_back(count);
  made.ranges.push_back({.axis = range.axis, .start = start, .step = range.step, .count = count});
}

StridedSlice strided_slice_of(const NodeContext& node) {
  const Term& x = node.in(0);
  const std::vector<std::int64_t> begin = node.integers(1, "begin"), end = node.integers(2, "end"),
                                  strides = node.integers(3, "strides");
  if (begin.size() != end.size() || begin.size() != strides.size()) throw Refused("its lists have different lengths");
  const std::int64_t ellipsis = node.integer("ellipsis_mask", 0), inserts = node.integer("new_axis_mask", 0);
  const std::int64_t shrinks = node.integer("shrink_axis_mask", 0);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (!bit(ellipsis, i) && !bit(inserts, i)) ++taken;
  }
  if (taken > x.rank()) throw Refused(formatted("{} ranges in a tensor of rank {}", taken, x.rank()));
  StridedSlice made;
  std::size_t axis = 0;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (bit(ellipsis, i)) {
      for (std::size_t rest = x.rank() - taken; rest > 0; --rest) made.shape.push_back(x.shape[axis++]);
    } else if (bit(inserts, i)) {
      made.shape.push_back(1);
    } else {
      if (strides[i] == 0) throw Refused("a stride is 0");
      const std::int64_t last = node.flag("offset") ? begin[i] + end[i] : end[i];
      const AxisRange range{
          .axis = static_cast<std::int64_t>(axis), .start = begin[i], .end = last, .step = strides[i]};
      take_range(made, x.shape[axis++], bit(node.integer("begin_mask", 0), i), bit(node.integer("end_mask", 0), i),
                 range, bit(shrinks, i));
    }
  }
  while (axis < x.rank()) made.shape.push_back(x.shape[axis++]);
  return made;
}

}  // namespace

void emit_tflite_STRIDED_SLICE(NodeContext& node) {
  const StridedSlice slice = strided_slice_of(node);
  Term x = node.in(0);
  for (const StridedSlice::Range& range : slice.ranges)
    x = node.b.stride(x, range.axis, range.start, range.step, range.count);
  node.out(0, node.b.reshape(x, slice.shape));
}

void emit_tflite_PAD(NodeContext& node) {
  const Term& x = node.in(0);
  const Pads pads = pads_of(node);
  // Of quantised numbers 0 is the zero point.
  const double zero = is_quantised(node) ? static_cast<double>(x.quantization->zero_point()) : 0;
  node.out(0, node.b.pad(x, pads.before, pads.after, node.b.number(x.type, zero)));
}

void emit_tflite_PADV2(NodeContext& node) {
  const Term& x = node.in(0);
  const Pads pads = pads_of(node);
  node.out(0, node.b.pad(x, pads.before, pads.after, node.b.reshape(node.in(2), {})));
}

void emit_tflite_MIRROR_PAD(NodeContext& node) {
  const Pads pads = pads_of(node);
  const PadMode mode = node.integer("mode", 0) == 0 ? PadMode::Reflect : PadMode::Symmetric;
  node.out(0, pad_by_index(node.b, node.in(0), pads.before, pads.after, mode));
}

void emit_tflite_TILE(NodeContext& node) {
  const std::vector<std::int64_t> multiples = node.integers(1, "multiples");
  if (std::ranges::any_of(multiples, [](std::int64_t times) { return times < 0; }))
    throw Refused("a multiple is below 0");
  node.out(0, node.b.tile(node.in(0), multiples));
}

void emit_tflite_REVERSE_V2(NodeContext& node) {
  Term x = node.in(0);
  for (const std::int64_t axis : node.integers(1, "axis")) x = node.b.reverse(x, axis);
  node.out(0, std::move(x));
}

void emit_tflite_REVERSE_SEQUENCE(NodeContext& node) {
  node.out(0,
           reverse_sequence(node.b, node.in(0), node.in(1), node.integer("batch_dim", 0), node.integer("seq_dim", 0)));
}

void emit_tflite_DILATE(NodeContext& node) {
  Builder& b = node.b;
  Term x = node.in(0);
  const std::vector<std::int64_t> factors = node.integers(1, "dilations");
  if (factors.size() != x.rank()) throw Refused("`dilations` does not have one element for each dimension");
  const Term filling = b.reshape(node.in(2), {});
  for (std::size_t d = 0; d < factors.size(); ++d) {
    if (factors[d] < 1) throw Refused("a dilation is below 1");
    if (factors[d] == 1) continue;
    const std::span<const std::int64_t> extents = x.shape;
    const auto product = [](std::span<const std::int64_t> of) {
      return std::accumulate(of.begin(), of.end(), std::int64_t{1}, std::multiplies<>());
    };
    const Term apart = b.reshape(x, {product(extents.first(d)), x.shape[d], 1, product(extents.subspan(d + 1))});
    tensor::Shape shape = x.shape;
    shape[d] *= factors[d];
    x = b.reshape(b.pad(apart, {0, 0, 0, 0}, {0, 0, factors[d] - 1, 0}, filling), shape);
    x = b.slice_axis(x, static_cast<std::int64_t>(d), 0, shape[d] - factors[d] + 1);
  }
  node.out(0, std::move(x));
}

}  // namespace slipway::importer
