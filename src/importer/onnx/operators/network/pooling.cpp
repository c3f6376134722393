// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling (docs/spec/import.md#matrix-products-convolutions-pooling).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/format.hpp"
#include "importer/emit/host.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/operators/network/window_attributes.hpp"

namespace slipway::importer {
namespace {

// With ceil_mode a last window that leaves the padding counts, unless it begins in the padding.
void round_up(Windows& windows, tensor::ShapeView extents) {
  for (std::size_t d = 0; d < windows.rank(); ++d) {
    const std::int64_t stride = windows.stride[d];
    const std::int64_t space = extents[d] + windows.before[d] + windows.after[d] - windows.reach(d);
    std::int64_t count = (space + stride - 1) / stride + 1;
    if ((count - 1) * stride >= extents[d] + windows.before[d]) --count;
    windows.after[d] = (count - 1) * stride + windows.reach(d) - extents[d] - windows.before[d];
  }
}

tensor::ShapeView spatial_of(const Term& x) {
  if (x.rank() < 3) throw Refused(formatted("the tensor has rank {}; pooling needs 3 or more", x.rank()));
  return std::span(x.shape).subspan(2);
}

struct Pool {
  Windows windows;   // with the padding of the attributes
  Windows extended;  // with what ceil_mode adds
};

Pool pool_of(const NodeContext& node, const Term& x) {
  const tensor::ShapeView extents = spatial_of(x);
  if (!node.has("kernel_shape")) throw Refused("the attribute `kernel_shape` is missing");
  Pool pool{.windows = window_attributes(node, kernel_shape(node, {}), extents), .extended = {}};
  pool.extended = pool.windows;
  if (node.flag("ceil_mode") && !automatic_padding(node)) round_up(pool.extended, extents);
  return pool;
}

// --- indices of maxima -----------------------------------------------------------------------------------------------

// For one element of the windows: the index in a plane of each window's element; those in the padding do not matter.
Term plane_indices(Builder& b, const Windows& windows, tensor::ShapeView extents, const tensor::Shape& counts,
                   const tensor::Shape& tap, bool column_major) {
  const std::size_t rank = windows.rank();
  tensor::Shape weights = strides_of(extents);
  if (column_major) {
    for (std::size_t d = 0; d < rank; ++d) weights[d] = product_of(extents.first(d));
  }
  std::vector<std::int64_t> indices;
  const std::int64_t total = product_of(counts);
  for (std::int64_t i = 0; i < total; ++i) {
    const tensor::Shape at = tensor::coordinates_of(counts, static_cast<std::uint64_t>(i));
    std::int64_t index = 0;
    for (std::size_t d = 0; d < rank; ++d)
      index += weights[d] * (at[d] * windows.stride[d] - windows.before[d] + tap[d] * windows.dilation[d]);
    indices.push_back(index);
  }
  tensor::Shape shape{1, 1};
  shape.insert(shape.end(), counts.begin(), counts.end());
  return b.integers(FileType::I32, shape, indices);
}

// The maxima of windows over x [N, C, spatial...], and where they are in the whole tensor: the first of equal ones.
std::pair<Term, Term> max_with_indices(Builder& b, const Term& x, const Windows& windows, bool column_major) {
  constexpr std::int64_t kMaxTaps = 1024;
  const tensor::ShapeView extents = spatial_of(x);
  const std::int64_t taps = product_of(windows.kernel);
  if (taps > kMaxTaps) throw Refused(formatted("the indices of maxima of {} elements are not supported", taps));
  const tensor::Shape counts = window_counts(windows, extents);
  tensor::Shape before{0, 0}, after{0, 0};
  before.insert(before.end(), windows.before.begin(), windows.before.end());
  after.insert(after.end(), windows.after.begin(), windows.after.end());
  const Term wide = is_real(x.type) ? x : b.widen(x);
  const double lowest = is_real(x.type) ? -INFINITY : std::ldexp(-1, 31);
  const Term padded = b.pad(wide, before, after, b.number(wide.type, lowest));
  Term best, index;
  for (std::int64_t i = 0; i < taps; ++i) {
    const tensor::Shape tap = tensor::coordinates_of(windows.kernel, static_cast<std::uint64_t>(i));
    Term slice = padded;
    for (std::size_t d = 0; d < windows.rank(); ++d) {
      slice =
          b.stride(slice, static_cast<std::int64_t>(2 + d), tap[d] * windows.dilation[d], windows.stride[d], counts[d]);
    }
    const Term own = plane_indices(b, windows, extents, counts, tap, column_major);
    const Term larger = i == 0 ? Term{} : b.binary(Binary::Greater, slice, best);
    index = i == 0 ? own : b.select(larger, own, index);
    best = i == 0 ? slice : b.select(larger, slice, best);
  }
  tensor::Shape planes{x.shape[0], x.shape[1]};
  planes.resize(x.rank(), 1);
  const Term first = b.reshape(b.arange(FileType::I32, 0, x.shape[0] * x.shape[1], product_of(extents)), planes);
  const Term where = b.add(b.broadcast(index, best.shape), first);
  return {is_real(x.type) ? best : b.narrow(best, x.type), b.cast(where, FileType::I64)};
}

// |x|^p summed by `sum`, and the root of that.
template <class Sum>
Term norm(Builder& b, const Term& x, std::int64_t p, Sum sum) {
  if (p < 1) throw Refused(formatted("`p` is {}", p));
  const Term magnitude = p == 2 ? x : b.unary(Unary::Abs, x);
  if (p == 1) return sum(magnitude);
  const Term total = sum(b.binary(Binary::Pow, magnitude, static_cast<double>(p)));
  if (p == 2) return b.unary(Unary::Sqrt, total);
  return b.binary(Binary::Pow, total, 1.0 / static_cast<double>(p));
}

std::vector<std::int64_t> spatial_axes(const Term& x) {
  std::vector<std::int64_t> axes(spatial_of(x).size());
  std::iota(axes.begin(), axes.end(), 2);
  return axes;
}

}  // namespace

void emit_onnx_MaxPool(NodeContext& node) {
  const Term& x = node.in(0);
  const Pool pool = pool_of(node, x);
  Builder& b = node.b;
  if (node.wants(1)) {
    auto [best, index] = max_with_indices(b, x, pool.extended, node.flag("storage_order"));
    node.out(0, std::move(best));
    return node.out(1, std::move(index));
  }
  node.out(0, channels_first(b, max_pool(b, channels_last(b, x), pool.extended)));
}

Term onnx_average_pool(const NodeContext& node, const Term& x) {
  Pool pool = pool_of(node, x);
  Builder& b = node.b;
  Term source = channels_last(b, x);
  if (node.flag("count_include_pad")) {
    // Padding of the attributes counts; what ceil_mode adds does not.
    tensor::Shape before{0}, after{0};
    for (std::size_t d = 0; d < pool.windows.rank(); ++d) {
      before.push_back(pool.windows.before[d]);
      after.push_back(pool.windows.after[d]);
      pool.extended.before[d] = 0;
      pool.extended.after[d] -= pool.windows.after[d];
    }
    before.push_back(0);
    after.push_back(0);
    source = b.pad(source, before, after, b.number(x.type, 0));
  }
  return channels_first(b, average_pool(b, source, pool.extended));
}

namespace {

// How many elements of each window along a dimension count.
std::vector<double> window_sizes(const Pool& pool, std::size_t d, std::int64_t extent, std::int64_t count,
                                 bool counts_padding) {
  const std::int64_t low = counts_padding ? -pool.windows.before[d] : 0;
  const std::int64_t high = extent + (counts_padding ? pool.windows.after[d] : 0);
  std::vector<double> sizes(static_cast<std::size_t>(count), 0);
  for (std::int64_t w = 0; w < count; ++w) {
    for (std::int64_t i = 0; i < pool.windows.kernel[d]; ++i) {
      const std::int64_t at = w * pool.windows.stride[d] - pool.windows.before[d] + i * pool.windows.dilation[d];
      if (at >= low && at < high) sizes[static_cast<std::size_t>(w)] += 1;
    }
  }
  return sizes;
}

}  // namespace

WindowSums onnx_window_sums(const NodeContext& node, const Term& x, std::int64_t zero) {
  const Pool pool = pool_of(node, x);
  const tensor::ShapeView extents = spatial_of(x);
  const tensor::Shape counts = window_counts(pool.extended, extents);
  WindowSums made{.sums = {}, .shape = {1, 1}, .counts = {1}};
  for (std::size_t d = 0; d < counts.size(); ++d) {
    const std::vector<double> sizes = window_sizes(pool, d, extents[d], counts[d], node.flag("count_include_pad"));
    std::vector<double> both;
    for (const double before : made.counts) {
      for (const double size : sizes) both.push_back(before * size);
    }
    made.counts = std::move(both);
    made.shape.push_back(counts[d]);
  }
  if (std::ranges::all_of(made.counts, [&](double each) { return each == made.counts[0]; })) {
    made.counts.resize(1);
    made.shape.clear();
  }
  Builder& b = node.b;
  made.sums = channels_first(b, sum_pool(b, channels_last(b, x), pool.extended, zero));
  return made;
}

void emit_onnx_AveragePool(NodeContext& node) { node.out(0, onnx_average_pool(node, node.in(0))); }

void emit_onnx_LpPool(NodeContext& node) {
  const Term& x = node.in(0);
  const Pool pool = pool_of(node, x);
  Builder& b = node.b;
  const auto sum = [&](const Term& powers) { return sum_pool(b, powers, pool.extended); };
  node.out(0, channels_first(b, norm(b, channels_last(b, x), node.integer("p", 2), sum)));
}

void emit_onnx_GlobalAveragePool(NodeContext& node) {
  node.out(0, node.b.reduce(Reduction::Mean, node.in(0), spatial_axes(node.in(0)), true));
}

void emit_onnx_GlobalMaxPool(NodeContext& node) {
  node.out(0, node.b.reduce(Reduction::Max, node.in(0), spatial_axes(node.in(0)), true));
}

void emit_onnx_GlobalLpPool(NodeContext& node) {
  const Term& x = node.in(0);
  const auto sum = [&](const Term& powers) { return node.b.reduce(Reduction::Sum, powers, spatial_axes(x), true); };
  node.out(0, norm(node.b, x, node.integer("p", 2), sum));
}

void emit_onnx_MaxUnpool(NodeContext& node) {
  const Term& x = node.in(0);
  const Term& indices = node.in(1);
  if (indices.shape != x.shape) throw Refused("the indices have another shape than the maxima");
  const tensor::ShapeView extents = spatial_of(x);
  const Windows windows = window_attributes(node, kernel_shape(node, {}), extents);
  tensor::Shape inferred{x.shape[0], x.shape[1]};
  for (std::size_t d = 0; d < extents.size(); ++d)
    inferred.push_back((extents[d] - 1) * windows.stride[d] - windows.before[d] - windows.after[d] + windows.kernel[d]);
  Builder& b = node.b;
  const Term zeros = b.broadcast(b.number(x.type, 0, {1, 1}), {product_of(inferred), 1});
  const Term filled = b.scatter_rows(zeros, b.reshape(indices, {indices.count()}), b.reshape(x, {x.count(), 1}));
  Term made = b.reshape(filled, inferred);
  if (node.has(2)) {
    // A larger result has zeros after the inferred one.
    const std::vector<std::int64_t> wanted = node.integers(2, "output_shape");
    if (wanted.size() != inferred.size()) throw Refused("`output_shape` has another rank than the maxima");
    tensor::Shape after;
    for (std::size_t d = 0; d < wanted.size(); ++d) after.push_back(wanted[d] - inferred[d]);
    made = b.pad(made, tensor::Shape(wanted.size(), 0), after, b.number(x.type, 0));
  }
  node.out(0, std::move(made));
}

}  // namespace slipway::importer
