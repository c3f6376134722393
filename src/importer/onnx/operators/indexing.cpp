// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that read and write at indices (docs/spec/import.md#shape-and-data-movement).
#include "importer/emit/indexing/indexing.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/emit/indexing/scatter.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/parameters.hpp"

namespace slipway::importer {

void emit_onnx_Gather(NodeContext& node) {
  const Term& x = node.in(0);
  const Term& indices = node.in(1);
  const std::size_t axis = axis_of(node.integer("axis", 0), x.rank());
  const auto at = static_cast<std::int64_t>(axis);
  const std::span<const std::int64_t> extents(x.shape);
  // A GATHER of an inner axis needs transposes, which slices do not.
  if (!indices.known || product_of(extents.first(axis)) == 1) return node.out(0, node.b.take(x, at, indices));
  tensor::Shape shape(extents.begin(), extents.begin() + at);
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), extents.begin() + at + 1, extents.end());
  const std::vector<std::int64_t> list = normal_indices(node.b, indices, x.shape[axis]).known->integers();
  node.out(0, node.b.reshape(take_list(node.b, x, at, list), std::move(shape)));
}

void emit_onnx_GatherElements(NodeContext& node) {
  node.out(0, gather_elements(node.b, node.in(0), node.integer("axis", 0), node.in(1)));
}

void emit_onnx_GatherND(NodeContext& node) {
  const std::int64_t batch = node.integer("batch_dims", 0);
  if (batch < 0) throw Refused("`batch_dims` is below 0");
  node.out(0, gather_nd(node.b, node.in(0), node.in(1), static_cast<std::size_t>(batch)));
}

namespace {

Combine reduction_of(NodeContext& node) {
  const std::string name = node.text("reduction", "none");
  if (name == "none") return Combine::Replace;
  if (name == "add") return Combine::Add;
  if (name == "mul") return Combine::Mul;
  if (name == "max") return Combine::Max;
  if (name == "min") return Combine::Min;
  throw Refused(formatted("the reduction `{}` is not known", name));
}

}  // namespace

void emit_onnx_ScatterElements(NodeContext& node) {
  const std::int64_t axis = node.integer("axis", 0);
  node.out(0, scatter_elements(node.b, node.in(0), axis, node.in(1), node.in(2), reduction_of(node)));
}

void emit_onnx_Scatter(NodeContext& node) { emit_onnx_ScatterElements(node); }

void emit_onnx_ScatterND(NodeContext& node) {
  node.out(0, scatter_nd(node.b, node.in(0), node.in(1), node.in(2), reduction_of(node)));
}

// Rows of a cache [batch, ..., max, ...] are replaced from a position of each batch on.
void emit_onnx_TensorScatter(NodeContext& node) {
  Builder& b = node.b;
  const Term& cache = node.in(0);
  const Term& update = node.in(1);
  const std::size_t axis = axis_of(node.integer("axis", -2), cache.rank());
  const std::string mode = node.text("mode", "linear");
  if (mode != "linear" && mode != "circular") throw Refused(formatted("the mode `{}` is not known", mode));
  tensor::Shape shape = cache.shape;
  if (axis == 0 || update.rank() != cache.rank()) throw Refused("the update does not fit the cache");
  shape[axis] = update.shape[axis];
  if (update.shape != shape || shape[axis] > cache.shape[axis]) throw Refused("the update does not fit the cache");
  if (update.count() == 0) return node.out(0, cache);
  const std::int64_t batch = shape[0], count = shape[axis], limit = cache.shape[axis];
  const std::span<const std::int64_t> extents(shape);
  const std::int64_t groups = product_of(extents.subspan(1, axis - 1)), inner = product_of(extents.subspan(axis + 1));
  const Term start = node.has(2) ? node.in(2) : b.number(FileType::I64, 0, {batch});
  if (start.shape != tensor::Shape{batch}) throw Refused("`write_indices` is not one for each of the batch");
  Term position = b.add(b.reshape(b.cast(start, FileType::I32), {batch, 1, 1}), b.arange(FileType::I32, 0, count));
  if (mode == "circular") position = b.binary(Binary::Mod, position, static_cast<double>(limit));
  const Term first = b.reshape(b.arange(FileType::I32, 0, batch * groups, limit), {batch, groups, 1});
  const Term rows = b.reshape(b.add(first, position), {1, batch * groups * count});
  const Term flat = b.reshape(cache, {batch * groups * limit, inner});
  const Term given = b.reshape(update, {1, batch * groups * count, inner});
  const Term made =
      rows.known ? combine_rows(b, flat, rows, given, Combine::Replace)
                 : b.scatter_rows(flat, b.reshape(rows, {rows.count()}), b.reshape(given, {rows.count(), inner}));
  node.out(0, b.reshape(made, cache.shape));
}

void emit_onnx_ReverseSequence(NodeContext& node) {
  const std::int64_t batch = node.integer("batch_axis", 1), time = node.integer("time_axis", 0);
  node.out(0, reverse_sequence(node.b, node.in(0), node.in(1), batch, time));
}

void emit_onnx_OneHot(NodeContext& node) {
  const std::int64_t depth = integer_operand(node, 1, "depth");
  if (depth < 0) throw Refused("`depth` is below 0");
  const Term& values = node.in(2);
  if (values.shape != tensor::Shape{2}) throw Refused("the values are not two");
  const Term whole = node.b.cast(node.in(0), FileType::I32);
  const Term from_end = node.b.binary(Binary::Add, whole, static_cast<double>(depth));
  const Term indices = node.b.select(node.b.binary(Binary::Less, whole, 0), from_end, whole);
  const Term off = node.b.slice_axis(values, 0, 0, 1), on = node.b.slice_axis(values, 0, 1, 1);
  node.out(0, one_hot(node.b, indices, depth, node.integer("axis", -1), on, off));
}

void emit_onnx_NonZero(NodeContext& node) {
  const Array& x = node.known(0, "X");
  tensor::Shape shape = x.shape;
  if (shape.empty()) shape = {1};
  const tensor::Shape strides = strides_of(shape);
  std::vector<std::vector<std::int64_t>> coordinates(shape.size());
  for (std::size_t i = 0; i < x.count(); ++i) {
    if (is_real(x.type) ? x.real(i) == 0 : x.integer(i) == 0) continue;
    for (std::size_t d = 0; d < shape.size(); ++d)
      coordinates[d].push_back(static_cast<std::int64_t>(i) / strides[d] % shape[d]);
  }
  std::vector<std::int64_t> all;
  for (const std::vector<std::int64_t>& of_axis : coordinates) all.insert(all.end(), of_axis.begin(), of_axis.end());
  const auto count = static_cast<std::int64_t>(coordinates.front().size());
  node.out(0, node.b.integers(FileType::I64, {static_cast<std::int64_t>(shape.size()), count}, all));
}

void emit_onnx_Compress(NodeContext& node) {
  const std::vector<std::int64_t> condition = node.integers(1, "condition");
  std::vector<std::int64_t> chosen;
  for (std::size_t i = 0; i < condition.size(); ++i) {
    if (condition[i] != 0) chosen.push_back(static_cast<std::int64_t>(i));
  }
  const Term& x = node.in(0);
  if (node.has("axis")) return node.out(0, take_list(node.b, x, node.integer("axis"), chosen));
  node.out(0, take_list(node.b, node.b.reshape(x, {x.count()}), 0, chosen));
}

namespace {

// Distinct slices of a tensor along an axis: which slice each one is, and where it was first.
struct Distinct {
  std::vector<std::int64_t> first, inverse, counts;
};

// `key(i, j)`: element j of slice i.
template <class Key>
Distinct distinct_slices(std::int64_t count, std::int64_t length, bool sorted, Key key) {
  const auto before = [&](std::int64_t a, std::int64_t b) {
    for (std::int64_t j = 0; j < length; ++j) {
      if (key(a, j) != key(b, j)) return key(a, j) < key(b, j);
    }
    return false;
  };
  std::map<std::int64_t, std::vector<std::int64_t>, decltype(before)> groups(before);
  for (std::int64_t i = 0; i < count; ++i) groups[i].push_back(i);
  std::vector<std::vector<std::int64_t>> members;
  for (auto& [slice, of_slice] : groups) members.push_back(std::move(of_slice));
  if (!sorted) std::ranges::sort(members, {}, [](const auto& of_slice) { return of_slice.front(); });
  Distinct made;
  made.inverse.resize(static_cast<std::size_t>(count));
  for (std::size_t group = 0; group < members.size(); ++group) {
    made.first.push_back(members[group].front());
    made.counts.push_back(static_cast<std::int64_t>(members[group].size()));
    for (const std::int64_t i : members[group])
      made.inverse[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(group);
  }
  return made;
}

}  // namespace

void emit_onnx_Unique(NodeContext& node) {
  Builder& b = node.b;
  const Term given = known_term(node.known(0, "X"));
  const bool flat = !node.has("axis");
  const Term x = flat ? b.reshape(given, {given.count()}) : given;
  const std::size_t axis = flat ? 0 : axis_of(node.integer("axis"), x.rank());
  const std::int64_t count = x.shape[axis], length = count == 0 ? 0 : x.count() / count;
  // Element j of a slice has an outer and an inner part.
  const std::int64_t inner = product_of(std::span<const std::int64_t>(x.shape).subspan(axis + 1));
  const auto at = [&](std::int64_t i, std::int64_t j) {
    return static_cast<std::size_t>((j / inner * count + i) * inner + j % inner);
  };
  const bool sorted = node.flag("sorted", true);
  const Array& array = *x.known;
  if (is_real(x.type) && std::ranges::any_of(array.reals(), [](double value) { return std::isnan(value); }))
    throw Refused("a NaN is not equal to itself");
  const Distinct found =
      is_real(x.type)
          ? distinct_slices(count, length, sorted, [&](std::int64_t i, std::int64_t j) { return array.real(at(i, j)); })
          : distinct_slices(count, length, sorted,
                            [&](std::int64_t i, std::int64_t j) { return array.integer(at(i, j)); });
  const auto list = [&](const std::vector<std::int64_t>& values) {
    return b.integers(FileType::I64, {static_cast<std::int64_t>(values.size())}, values);
  };
  node.out(0, b.take(x, static_cast<std::int64_t>(axis), list(found.first)));
  node.out(1, list(found.first));
  node.out(2, list(found.inverse));
  node.out(3, list(found.counts));
}

}  // namespace slipway::importer
