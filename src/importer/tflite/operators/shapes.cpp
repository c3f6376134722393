// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that change shapes, or only know them.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {

void emit_tflite_RESHAPE(NodeContext& node) {
  const Term& x = node.in(0);
  tensor::Shape shape = node.has(1) ? node.integers(1, "shape") : node.list("new_shape").value_or(tensor::Shape{});
  // Old files have a list of one 0 for a scalar.
  if (!node.has(1) && shape == tensor::Shape{0}) shape.clear();
  std::int64_t others = 1;
  std::int64_t* inferred = nullptr;
  for (std::int64_t& extent : shape) {
    if (extent == -1 && inferred) throw Refused("the shape has several extents of -1");
    if (extent < -1) throw Refused(formatted("the shape has the extent {}", extent));
    if (extent == -1)
      inferred = &extent;
    else
      others *= extent;
  }
  if (inferred) *inferred = others == 0 ? 0 : x.count() / others;
  node.out(0, node.b.reshape(x, std::move(shape)));
}

void emit_tflite_SQUEEZE(NodeContext& node) {
  const Term& x = node.in(0);
  const std::vector<std::int64_t> dimensions = node.list("squeeze_dims").value_or(std::vector<std::int64_t>{});
  std::set<std::size_t> removed;
  for (const std::int64_t axis : dimensions) removed.insert(axis_of(axis, x.rank()));
  tensor::Shape shape;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    const bool goes = dimensions.empty() ? x.shape[d] == 1 : removed.contains(d);
    if (goes && x.shape[d] != 1) throw Refused(formatted("axis {} has {} elements; it has to have one", d, x.shape[d]));
    if (!goes) shape.push_back(x.shape[d]);
  }
  node.out(0, node.b.reshape(x, std::move(shape)));
}

void emit_tflite_EXPAND_DIMS(NodeContext& node) {
  node.out(0, node.b.unsqueeze(node.in(0), single_integer(node, 1, "axis")));
}

void emit_tflite_FILL(NodeContext& node) {
  const tensor::Shape shape = node.integers(0, "dims");
  if (std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 0; }))
    throw Refused("the shape has an extent below 0");
  node.out(0, node.b.broadcast(node.b.reshape(node.in(1), {}), shape));
}

void emit_tflite_ZEROS_LIKE(NodeContext& node) {
  const Term& x = node.in(0);
  node.out(0, node.b.number(x.type, 0, x.shape));
}

void emit_tflite_SHAPE(NodeContext& node) {
  const Term& x = node.in(0);
  node.out(
      0, node.b.integers(type_named(node, "out_type", FileType::I32), {static_cast<std::int64_t>(x.rank())}, x.shape));
}

void emit_tflite_RANK(NodeContext& node) {
  node.out(0, node.b.number(FileType::I32, static_cast<double>(node.in(0).rank())));
}

void emit_tflite_BROADCAST_TO(NodeContext& node) {
  const Term& x = node.in(0);
  node.out(0, node.b.broadcast(x, broadcast_shape(x.shape, node.integers(1, "shape"))));
}

void emit_tflite_BROADCAST_ARGS(NodeContext& node) {
  const tensor::Shape shape = broadcast_shape(node.integers(0, "s0"), node.integers(1, "s1"));
  node.out(0, node.b.integers(node.in(0).type, {static_cast<std::int64_t>(shape.size())}, shape));
}

void emit_tflite_RANGE(NodeContext& node) {
  Builder& b = node.b;
  const Array& start = node.known(0, "start");
  const Array& limit = node.known(1, "limit");
  const Array& delta = node.known(2, "delta");
  if (start.count() != 1 || limit.count() != 1 || delta.count() != 1)
    throw Refused("its operands have to have one element");
  if (!is_real(start.type)) {
    const std::int64_t first = start.integer(0), last = limit.integer(0), step = delta.integer(0);
    if (step == 0 || (first > last && step > 0) || (first < last && step < 0)) throw Refused("it has no end");
    const std::int64_t distance = last > first ? last - first : first - last, stride = step > 0 ? step : -step;
    return node.out(0, b.arange(start.type, first, (distance + stride - 1) / stride, step));
  }
  const auto first = static_cast<float>(start.real(0)), last = static_cast<float>(limit.real(0)),
             step = static_cast<float>(delta.real(0));
  if (step == 0 || (first > last && step > 0) || (first < last && step < 0)) throw Refused("it has no end");
  constexpr float kMaxCount = 1 << 24;
  const float count = std::ceil(std::fabs((last - first) / step));
  if (!(count <= kMaxCount)) throw Refused("it has too many elements");
  std::vector<double> values;
  float value = first;
  for (int i = 0; i < static_cast<int>(count); ++i, value += step) values.push_back(static_cast<double>(value));
  node.out(
      0, known_term(array_of(start.type, {static_cast<std::int64_t>(values.size())}, std::span<const double>(values))));
}

void emit_tflite_CAST(NodeContext& node) {
  const FileType type = node.result(0).type;
  node.out(0, node.b.cast(node.in(0), type));
}

void emit_tflite_BITCAST(NodeContext& node) {
  const Term& x = node.in(0);
  const FileType type = node.result(0).type;
  if (!x.known) {
    if (info_of(x.type).graph != info_of(type).graph)
      throw Refused("the bits of a tensor that is not known become another type");
    return node.out(0, node.b.relabel(x, type));
  }
  const auto size = static_cast<std::int64_t>(x.known->element_size());
  const auto wanted = static_cast<std::int64_t>(tensor::size_of(info_of(type).storage));
  tensor::Shape shape = x.shape;
  if (wanted < size) shape.push_back(size / wanted);
  if (wanted > size) {
    if (shape.empty() || shape.back() * size != wanted) throw Refused("the last dimension does not make one element");
    shape.pop_back();
  }
  node.out(0, known_term(array_of(type, shape, std::vector(x.known->data.begin(), x.known->data.end()))));
}

void emit_tflite_DENSIFY(NodeContext& node) { node.out(0, node.in(0)); }

}  // namespace slipway::importer
