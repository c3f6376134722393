// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that read and write at indices.
#include <algorithm>
#include <limits>
#include <numeric>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/emit/indexing/indexing.hpp"
#include "importer/emit/indexing/scatter.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {
namespace {

// Dimensions of both from `batch` on belong to each other: linear indices of slices [batch..., axis, rest...].
Term gather_batches(Builder& b, const Term& x, const Term& indices, std::size_t batch, std::size_t axis) {
  // The axis comes after the batches, and goes back afterwards.
  std::vector<std::int64_t> order(x.rank());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + static_cast<std::ptrdiff_t>(batch), order.begin() + static_cast<std::ptrdiff_t>(axis),
              order.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  const Term moved = b.transpose(x, order);
  const std::span<const std::int64_t> extents = moved.shape, of_indices = indices.shape;
  const std::int64_t batches = product_of(extents.first(batch)), extent = extents[batch];
  const std::int64_t per_batch = product_of(of_indices.subspan(batch));
  const Term rows = b.reshape(moved, {batches * extent, product_of(extents.subspan(batch + 1))});
  const Term starts = b.reshape(b.arange(FileType::I32, 0, batches, extent), {batches, 1});
  const Term list = b.add(b.reshape(b.cast(indices, FileType::I32), {batches, per_batch}), starts);
  const std::int64_t between = product_of(std::span(x.shape).subspan(batch, axis - batch));
  const std::int64_t after = product_of(std::span(x.shape).subspan(axis + 1));
  const Term taken = b.reshape(b.rows(rows, list), {batches, per_batch, between, after});
  tensor::Shape shape(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), indices.shape.begin() + static_cast<std::ptrdiff_t>(batch), indices.shape.end());
  shape.insert(shape.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.shape.end());
  return b.reshape(b.transpose(taken, {0, 2, 1, 3}), shape);
}

}  // namespace

void emit_tflite_GATHER(NodeContext& node) {
  const Term& x = node.in(0);
  const Term& indices = node.in(1);
  const std::size_t axis = axis_of(node.integer("axis", 0), x.rank());
  std::int64_t batch = node.integer("batch_dims", 0);
  if (batch < 0) batch += static_cast<std::int64_t>(indices.rank());
  if (batch < 0 || batch > static_cast<std::int64_t>(axis) || batch > static_cast<std::int64_t>(indices.rank()))
    throw Refused(formatted("`batch_dims` is {}", batch));
  if (batch == 0) return node.out(0, node.b.take(x, static_cast<std::int64_t>(axis), indices, true));
  node.out(0, gather_batches(node.b, x, indices, static_cast<std::size_t>(batch), axis));
}

void emit_tflite_GATHER_ND(NodeContext& node) { node.out(0, gather_nd(node.b, node.in(0), node.in(1), 0)); }

void emit_tflite_SCATTER_ND(NodeContext& node) {
  const Term& updates = node.in(1);
  const Term zeros = node.b.number(updates.type, 0, node.integers(2, "shape"));
  node.out(0, scatter_nd(node.b, zeros, node.in(0), updates, Combine::Add));
}

void emit_tflite_EMBEDDING_LOOKUP(NodeContext& node) {
  Builder& b = node.b;
  const Term& weights = node.in(1);
  const Term rows = b.rows(weights, node.in(0));
  if (!is_real(node.result(0).type) || is_real(weights.type)) return node.out(0, rows);
  // Rows of integers become floats.
  Term whole = rows;
  whole.quantization = weights.quantization;
  if (!whole.quantization || whole.quantization->scales.empty()) throw Refused("the weights have no scale");
  if (whole.quantization->scales.size() == 1) return node.out(0, dequantised(b, whole));
  const std::vector<double> scales(whole.quantization->scales.begin(), whole.quantization->scales.end());
  const Term all = known_term(array_of(FileType::F32, {weights.shape[0]}, std::span<const double>(scales)));
  tensor::Shape line = node.in(0).shape;
  line.resize(rows.rank(), 1);
  node.out(0, b.mul(b.cast(rows, FileType::F32), b.reshape(b.rows(all, node.in(0)), line)));
}

void emit_tflite_ONE_HOT(NodeContext& node) {
  Builder& b = node.b;
  const std::int64_t depth = single_integer(node, 1, "depth");
  if (depth < 0) throw Refused(formatted("the depth is {}", depth));
  node.out(
      0, one_hot(b, node.in(0), depth, node.integer("axis", -1), b.reshape(node.in(2), {}), b.reshape(node.in(3), {})));
}

void emit_tflite_SELECT(NodeContext& node) {
  Term condition = node.in(0);
  const Term& x = node.in(1);
  // A condition of rank 1 chooses rows.
  if (condition.rank() == 1 && x.rank() > 1) {
    tensor::Shape shape(x.rank(), 1);
    shape[0] = condition.shape[0];
    condition = node.b.reshape(condition, std::move(shape));
  }
  node.out(0, node.b.select(condition, x, node.in(2)));
}

void emit_tflite_SELECT_V2(NodeContext& node) { node.out(0, node.b.select(node.in(0), node.in(1), node.in(2))); }

void emit_tflite_DYNAMIC_UPDATE_SLICE(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  const Term& update = node.in(1);
  const Term start = b.cast(node.in(2), FileType::I32);
  if (update.rank() != x.rank() || start.count() != static_cast<std::int64_t>(x.rank()))
    throw Refused("its operands do not fit together");
  // Linear indices of the elements of the update.
  Term index = b.number(FileType::I32, 0, tensor::Shape(x.rank(), 1));
  std::int64_t stride = 1;
  for (std::size_t d = x.rank(); d-- > 0;) {
    const std::int64_t most = x.shape[d] - update.shape[d];
    if (most < 0) throw Refused("the update is larger than the tensor");
    const Term first = b.slice_axis(b.reshape(start, {start.count()}), 0, static_cast<std::int64_t>(d), 1);
    const Term limited = b.binary(Binary::Min, b.binary(Binary::Max, first, 0), static_cast<double>(most));
    tensor::Shape line(x.rank(), 1);
    line[d] = update.shape[d];
    const Term positions = b.add(b.reshape(b.arange(FileType::I32, 0, update.shape[d]), line),
                                 b.reshape(limited, tensor::Shape(x.rank(), 1)));
    index = b.add(index, b.binary(Binary::Mul, positions, static_cast<double>(stride)));
    stride *= x.shape[d];
  }
  const Term made = b.scatter_rows(b.reshape(x, {x.count()}), b.reshape(index, {update.count()}),
                                   b.reshape(update, {update.count()}));
  node.out(0, b.reshape(made, x.shape));
}

void emit_tflite_SPARSE_TO_DENSE(NodeContext& node) {
  Builder& b = node.b;
  const tensor::Shape shape = node.integers(1, "output_shape");
  const auto rank = static_cast<std::int64_t>(shape.size());
  const Term& values = node.in(2);
  Term indices = node.in(0);
  if (rank == 0 || indices.count() % rank != 0) throw Refused("its indices do not fit its shape");
  const std::int64_t count = indices.count() / rank;
  indices = b.reshape(indices, {count, rank});
  const Term filled = b.broadcast(b.reshape(node.in(3), {}), shape);
  node.out(0, scatter_nd(b, filled, indices,
                         b.broadcast(b.reshape(values, values.count() == 1 ? tensor::Shape{} : values.shape), {count}),
                         Combine::Replace));
}

namespace {

// [n, n] that is true on the diagonal.
Term diagonal(Builder& b, std::int64_t rows, std::int64_t columns) {
  return b.binary(Binary::Equal, b.reshape(b.arange(FileType::I32, 0, rows), {rows, 1}),
                  b.reshape(b.arange(FileType::I32, 0, columns), {1, columns}));
}

void segments(NodeContext& node, Reduction op, std::int64_t count) {
  node.out(0, reduce_segments(node.b, op, node.in(0), node.in(1), count));
}

// Segments without elements have the lowest or the largest finite number, not an infinity.
void unsorted_segments(NodeContext& node, Reduction op) {
  Builder& b = node.b;
  const std::int64_t count = single_integer(node, 2, "num_segments");
  const Term made = reduce_segments(b, op, node.in(0), node.in(1), count);
  const bool is_extreme = op == Reduction::Max || op == Reduction::Min;
  if (!is_extreme || !is_real(made.type)) return node.out(0, made);
  const auto most = static_cast<double>(std::numeric_limits<float>::max());
  node.out(0, b.clamp(made, -most, most));
}

}  // namespace

void emit_tflite_MATRIX_DIAG(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  node.out(0, b.select(diagonal(b, x.extent(-1), x.extent(-1)), b.unsqueeze(x, -1), b.number(x.type, 0)));
}

void emit_tflite_MATRIX_SET_DIAG(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  const Term& given = node.in(1);
  const std::int64_t missing = x.extent(-1) - given.extent(-1);
  tensor::Shape before(given.rank(), 0), after(given.rank(), 0);
  after.back() = missing;
  const Term wide = b.pad(given, before, after, b.number(x.type, 0));
  node.out(0, b.select(diagonal(b, x.extent(-2), x.extent(-1)), b.unsqueeze(wide, -2), x));
}

void emit_tflite_SEGMENT_SUM(NodeContext& node) {
  const std::vector<std::int64_t> ids = node.integers(1, "segment_ids");
  segments(node, Reduction::Sum, ids.empty() ? 0 : ids.back() + 1);
}

void emit_tflite_UNSORTED_SEGMENT_SUM(NodeContext& node) { unsorted_segments(node, Reduction::Sum); }
void emit_tflite_UNSORTED_SEGMENT_PROD(NodeContext& node) { unsorted_segments(node, Reduction::Product); }
void emit_tflite_UNSORTED_SEGMENT_MAX(NodeContext& node) { unsorted_segments(node, Reduction::Max); }
void emit_tflite_UNSORTED_SEGMENT_MIN(NodeContext& node) { unsorted_segments(node, Reduction::Min); }

void emit_tflite_BUCKETIZE(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  const std::vector<double> boundaries = node.reals("boundaries").value_or(std::vector<double>{});
  if (boundaries.empty()) return node.out(0, b.number(FileType::I32, 0, x.shape));
  constexpr std::size_t kMaxBoundaries = 1024;
  if (boundaries.size() > kMaxBoundaries) throw Refused(formatted("{} boundaries are too many", boundaries.size()));
  Term count;
  for (const double boundary : boundaries) {
    // Integers are compared with boundaries that may have a fraction.
    const Term limit = b.number(is_real(x.type) ? x.type : FileType::F32, boundary);
    const Term above = b.binary(Binary::GreaterEqual, is_real(x.type) ? x : b.cast(x, FileType::F32), limit);
    const Term one = b.cast(above, FileType::I32);
    count = count.shape.empty() && count.value == tosa::kNoValue && !count.known ? one : b.add(count, one);
  }
  node.out(0, count);
}

void emit_tflite_WHERE(NodeContext& node) {
  const Array& condition = node.known(0, "condition");
  const std::vector<double> values = condition.reals();
  const tensor::Shape strides = strides_of(condition.shape);
  std::vector<std::int64_t> found;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    ++count;
    for (std::size_t d = 0; d < strides.size(); ++d)
      found.push_back(static_cast<std::int64_t>(i) / strides[d] % condition.shape[d]);
  }
  node.out(0, node.b.integers(FileType::I64, {count, static_cast<std::int64_t>(strides.size())}, found));
}

void emit_tflite_UNIQUE(NodeContext& node) {
  const Array& x = node.known(0, "x");
  std::vector<double> seen;
  std::vector<std::int64_t> first, where;
  for (std::size_t i = 0; i < x.count(); ++i) {
    const double value = is_real(x.type) ? x.real(i) : static_cast<double>(x.integer(i));
    const auto at = std::ranges::find(seen, value);
    where.push_back(at - seen.begin());
    if (at != seen.end()) continue;
    seen.push_back(value);
    first.push_back(static_cast<std::int64_t>(i));
  }
  const Term indices = node.b.integers(FileType::I32, {static_cast<std::int64_t>(first.size())}, first);
  if (node.wants(0)) node.out(0, node.b.rows(node.in(0), indices));
  if (node.wants(1))
    node.out(1, node.b.integers(node.result(1).type, {static_cast<std::int64_t>(where.size())}, where));
}

}  // namespace slipway::importer
