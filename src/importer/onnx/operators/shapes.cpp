// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that change shapes and move data (docs/spec/import.md#shape-and-data-movement).
#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/emit/indexing/indexing.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/parameters.hpp"

namespace slipway::importer {

void emit_onnx_Reshape(NodeContext& node) {
  const Term& x = node.in(0);
  const auto given = list_parameter(node, "shape", 1, 5);
  if (!given) throw Refused("it has no shape");
  tensor::Shape shape = *given;
  std::int64_t others = 1;
  std::optional<std::size_t> inferred;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0 && !node.flag("allowzero")) {
      if (d >= x.rank())
        throw Refused(formatted("the extent {} of the shape is 0, but the tensor has rank {}", d, x.rank()));
      shape[d] = x.shape[d];
    }
    if (shape[d] < -1) throw Refused(formatted("the shape has the extent {}", shape[d]));
    if (shape[d] == -1) {
      if (inferred) throw Refused("the shape has several extents of -1");
      inferred = d;
    } else {
      others *= shape[d];
    }
  }
  if (inferred) {
    if (others == 0) throw Refused("an extent of -1 does not follow from a tensor without elements");
    shape[*inferred] = x.count() / others;
  }
  node.out(0, node.b.reshape(x, std::move(shape)));
}

void emit_onnx_Flatten(NodeContext& node) {
  const Term& x = node.in(0);
  const std::int64_t axis = node.integer("axis", 1);
  // The axis may be the rank.
  const std::size_t at = axis == static_cast<std::int64_t>(x.rank()) ? x.rank() : axis_of(axis, x.rank());
  const std::span<const std::int64_t> extents(x.shape);
  node.out(0, node.b.reshape(x, {product_of(extents.first(at)), product_of(extents.subspan(at))}));
}

void emit_onnx_Squeeze(NodeContext& node) {
  const Term& x = node.in(0);
  const auto axes = list_parameter(node, "axes", 1, 13);
  std::set<std::size_t> removed;
  if (axes) {
    for (const std::int64_t axis : *axes) removed.insert(axis_of(axis, x.rank()));
  }
  tensor::Shape shape;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    const bool goes = axes ? removed.contains(d) : x.shape[d] == 1;
    if (goes && x.shape[d] != 1) throw Refused(formatted("axis {} has {} elements; it has to have one", d, x.shape[d]));
    if (!goes) shape.push_back(x.shape[d]);
  }
  node.out(0, node.b.reshape(x, std::move(shape)));
}

void emit_onnx_Unsqueeze(NodeContext& node) {
  const Term& x = node.in(0);
  const auto axes = list_parameter(node, "axes", 1, 13);
  if (!axes) throw Refused("it has no axes");
  tensor::Shape shape(x.rank() + axes->size(), 0);
  for (const std::int64_t axis : *axes) {
    std::int64_t& extent = shape[axis_of(axis, shape.size())];
    if (extent == 1) throw Refused(formatted("the axis {} occurs twice", axis));
    extent = 1;
  }
  std::size_t from = 0;
  for (std::int64_t& extent : shape) {
    if (extent == 0) extent = x.shape[from++];
  }
  node.out(0, node.b.reshape(x, std::move(shape)));
}

void emit_onnx_Transpose(NodeContext& node) {
  const Term& x = node.in(0);
  std::vector<std::int64_t> reversed(x.rank());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  const std::vector<std::int64_t> permutation = node.list("perm").value_or(reversed);
  if (std::set(permutation.begin(), permutation.end()).size() != x.rank())
    throw Refused("`perm` is not a permutation of the axes");
  node.out(0, node.b.transpose(x, permutation));
}

void emit_onnx_Concat(NodeContext& node) {
  std::vector<Term> parts;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    parts.push_back(node.in(i));
    if (parts.back().type != parts.front().type) throw Refused("its operands have different types");
  }
  node.out(0, node.b.concat(parts, node.version() < 4 ? node.integer("axis", 1) : node.integer("axis")));
}

namespace {

std::vector<std::int64_t> sizes_of_split(NodeContext& node, std::int64_t extent) {
  const auto count = static_cast<std::int64_t>(node.outputs());
  auto sizes = list_parameter(node, "split", 1, 13);
  if (node.version() == 1 && !sizes && node.has(1)) sizes = node.integers(1, "split");
  if (sizes && static_cast<std::int64_t>(sizes->size()) == count) return *sizes;
  if (sizes) throw Refused(formatted("it has {} sizes and {} results", sizes->size(), count));
  if (node.integer("num_outputs", count) != count) throw Refused("`num_outputs` is not the number of its results");
  const std::int64_t part = (extent + count - 1) / count;
  if (node.version() < 18 && part * count != extent)
    throw Refused(formatted("{} elements are not divided by {} results", extent, count));
  std::vector<std::int64_t> equal(static_cast<std::size_t>(count), part);
  // The last ones are smaller.
  for (std::int64_t i = 0; i < count; ++i)
    equal[static_cast<std::size_t>(i)] = std::clamp<std::int64_t>(extent - i * part, 0, part);
  return equal;
}

}  // namespace

void emit_onnx_Split(NodeContext& node) {
  const Term& x = node.in(0);
  const std::int64_t axis = node.integer("axis", 0), extent = x.extent(axis);
  std::int64_t start = 0;
  const std::vector<std::int64_t> sizes = sizes_of_split(node, extent);
  for (const std::int64_t size : sizes) {
    if (size < 0 || start + size > extent) throw Refused("its sizes do not fit the tensor");
    start += size;
  }
  if (start != extent) throw Refused(formatted("its sizes have the sum {}; the axis has {} elements", start, extent));
  start = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (node.wants(i)) node.out(i, node.b.slice_axis(x, axis, start, sizes[i]));
    start += sizes[i];
  }
}

void emit_onnx_Slice(NodeContext& node) {
  const Term& x = node.in(0);
  const auto starts = list_parameter(node, "starts", 1, 10), ends = list_parameter(node, "ends", 2, 10);
  if (!starts || !ends) throw Refused("it has no starts or no ends");
  std::vector<std::int64_t> in_order(starts->size());
  std::iota(in_order.begin(), in_order.end(), 0);
  const auto axes = list_parameter(node, "axes", 3, 10).value_or(in_order);
  std::vector<std::int64_t> steps(starts->size(), 1);
  if (node.version() >= 10 && node.has(4)) steps = node.integers(4, "steps");
  if (ends->size() != starts->size() || axes.size() != starts->size() || steps.size() != starts->size())
    throw Refused("the lists of its ranges have different lengths");
  std::vector<AxisRange> ranges;
  for (std::size_t i = 0; i < starts->size(); ++i) {
    // A backward range begins at the first element at the earliest.
    const std::int64_t start = steps[i] < 0 ? std::max((*starts)[i], -x.extent(axes[i])) : (*starts)[i];
    ranges.push_back({.axis = axes[i], .start = start, .end = (*ends)[i], .step = steps[i]});
  }
  node.out(0, slice_ranges(node.b, x, ranges));
}

void emit_onnx_Expand(NodeContext& node) {
  const Term& x = node.in(0);
  node.out(0, node.b.broadcast(x, broadcast_shape(x.shape, node.integers(1, "shape"))));
}

void emit_onnx_Tile(NodeContext& node) {
  const Term& x = node.in(0);
  tensor::Shape multiples;
  if (node.version() < 6) {
    multiples.assign(x.rank(), 1);
    multiples[axis_of(integer_operand(node, 2, "axis"), x.rank())] = integer_operand(node, 1, "tiles");
  } else {
    multiples = node.integers(1, "repeats");
  }
  if (std::ranges::any_of(multiples, [](std::int64_t times) { return times < 0; }))
    throw Refused("a repeat is below 0");
  node.out(0, node.b.tile(x, multiples));
}

void emit_onnx_Pad(NodeContext& node) {
  const Term& x = node.in(0);
  const auto pads = list_parameter(node, node.version() == 1 ? "paddings" : "pads", 1, 11);
  if (!pads) throw Refused("it has no pads");
  std::vector<std::int64_t> axes(x.rank());
  std::iota(axes.begin(), axes.end(), 0);
  if (node.version() >= 18 && node.has(3)) axes = node.integers(3, "axes");
  if (pads->size() != 2 * axes.size())
    throw Refused(formatted("it has {} pads for {} axes", pads->size(), axes.size()));
  tensor::Shape before(x.rank(), 0), after(x.rank(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t at = axis_of(axes[i], x.rank());
    before[at] = (*pads)[i];
    after[at] = (*pads)[axes.size() + i];
  }
  const std::string mode = node.text("mode", "constant");
  if (mode == "constant") {
    Term filling = node.b.number(x.type, node.version() < 11 ? node.real("value", 0) : 0);
    if (node.version() >= 11 && node.has(2) && node.in(2).count() == 1) filling = node.b.reshape(node.in(2), {});
    if (filling.type != x.type) throw Refused("the value has another type than the tensor");
    return node.out(0, node.b.pad(x, before, after, filling));
  }
  const bool is_known = mode == "reflect" || mode == "edge" || mode == "wrap";
  if (!is_known) throw Refused(formatted("the mode `{}` is not known", mode));
  const PadMode by = mode == "reflect" ? PadMode::Reflect : mode == "edge" ? PadMode::Edge : PadMode::Wrap;
  node.out(0, pad_by_index(node.b, x, before, after, by));
}

void emit_onnx_CenterCropPad(NodeContext& node) {
  const Term& x = node.in(0);
  const std::vector<std::int64_t> wanted = node.integers(1, "shape");
  std::vector<std::int64_t> all(x.rank());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<std::int64_t> axes = node.list("axes").value_or(all);
  if (axes.size() != wanted.size()) throw Refused("the shape does not have one extent for each axis");
  tensor::Shape before(x.rank(), 0), after(x.rank(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t at = axis_of(axes[i], x.rank());
    if (wanted[i] < 0) throw Refused(formatted("the shape has the extent {}", wanted[i]));
    const std::int64_t more = wanted[i] - x.shape[at];
    // Of an odd difference the larger part is at the end.
    before[at] = more >= 0 ? more / 2 : -(-more / 2);
    after[at] = more - before[at];
  }
  node.out(0, node.b.pad(x, before, after, node.b.number(x.type, 0)));
}

namespace {

// The extents of a tensor [N, C, H, W] and the size of a block.
struct Blocks {
  std::int64_t n, c, h, w, size;
};

Blocks blocks_of(NodeContext& node) {
  const Term& x = node.in(0);
  if (x.rank() != 4) throw Refused(formatted("the tensor has rank {}; it has to be 4", x.rank()));
  const std::int64_t size = node.integer("blocksize");
  if (size < 1) throw Refused(formatted("the size of a block is {}", size));
  return {x.shape[0], x.shape[1], x.shape[2], x.shape[3], size};
}

}  // namespace

void emit_onnx_DepthToSpace(NodeContext& node) {
  const auto [n, c, h, w, size] = blocks_of(node);
  const std::int64_t depth = c / (size * size);
  if (depth * size * size != c) throw Refused(formatted("{} channels are not divided by blocks of {}", c, size));
  const std::string mode = node.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") throw Refused(formatted("the mode `{}` is not known", mode));
  const bool depth_first = mode == "CRD";
  const tensor::Shape split =
      depth_first ? tensor::Shape{n, depth, size, size, h, w} : tensor::Shape{n, size, size, depth, h, w};
  const std::vector<std::int64_t> order =
      depth_first ? std::vector<std::int64_t>{0, 1, 4, 2, 5, 3} : std::vector<std::int64_t>{0, 3, 4, 1, 5, 2};
  const Term moved = node.b.transpose(node.b.reshape(node.in(0), split), order);
  node.out(0, node.b.reshape(moved, {n, depth, h * size, w * size}));
}

void emit_onnx_SpaceToDepth(NodeContext& node) {
  const auto [n, c, h, w, size] = blocks_of(node);
  if (h % size != 0 || w % size != 0)
    throw Refused(formatted("{} x {} elements are not divided by blocks of {}", h, w, size));
  const Term split = node.b.reshape(node.in(0), {n, c, h / size, size, w / size, size});
  const Term moved = node.b.transpose(split, {0, 3, 5, 1, 2, 4});
  node.out(0, node.b.reshape(moved, {n, c * size * size, h / size, w / size}));
}

}  // namespace slipway::importer
