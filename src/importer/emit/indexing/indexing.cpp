// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/indexing/indexing.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/format.hpp"
#include "importer/emit/host.hpp"

namespace slipway::importer {

Term slice_ranges(Builder& b, const Term& x, std::span<const AxisRange> ranges) {
  Term made = x;
  for (const AxisRange& range : ranges) {
    if (range.step == 0) throw Refused("a slice has the step 0");
    const std::int64_t extent = made.extent(range.axis);
    const auto bound = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
      return std::clamp(at < 0 ? at + extent : at, low, high);
    };
    // Larger steps take one element, too.
    const std::int64_t step = std::clamp(range.step, -extent - 1, extent + 1);
    const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    const std::int64_t start = bound(range.start, low, high), end = bound(range.end, low, high);
    const std::int64_t distance = step > 0 ? end - start : start - end;
    const std::int64_t count = distance <= 0 ? 0 : (distance - 1) / std::abs(step) + 1;
    made = b.stride(made, range.axis, start, step, count);
  }
  return made;
}

namespace {

struct Run {
  std::int64_t start = 0, step = 0, count = 0;
};

// Consecutive indices whose differences are equal and -1, 0 or 1.
std::vector<Run> runs_of(std::span<const std::int64_t> indices) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t end = i + 1;
    const std::int64_t step = end < indices.size() ? indices[end] - indices[i] : 1;
    if (std::abs(step) <= 1) {
      while (end < indices.size() && indices[end] - indices[end - 1] == step) ++end;
    }
    runs.push_back({indices[i], step, static_cast<std::int64_t>(end - i)});
    i = end;
  }
  return runs;
}

Term number_of_none(Builder& b, FileType type, tensor::Shape shape) { return b.number(type, 0, std::move(shape)); }

}  // namespace

Term take_list(Builder& b, const Term& x, std::int64_t axis, std::span<const std::int64_t> indices) {
  constexpr std::size_t kMaxRuns = 8;
  const std::size_t at = axis_of(axis, x.rank());
  const auto count = static_cast<std::int64_t>(indices.size());
  for (const std::int64_t index : indices) {
    if (index < 0 || index >= x.shape[at])
      throw Refused(formatted("the index {} is out of range of {} elements", index, x.shape[at]));
  }
  const std::vector<Run> runs = runs_of(indices);
  if (indices.empty() || runs.size() > kMaxRuns)
    return b.take(x, axis, b.integers(FileType::I64, {count}, indices), true);
  std::vector<Term> parts;
  for (const Run& run : runs) {
    if (run.step != 0 || run.count == 1) {
      parts.push_back(b.stride(x, axis, run.start, run.count == 1 ? 1 : run.step, run.count));
      continue;
    }
    tensor::Shape multiples(x.rank(), 1);
    multiples[at] = run.count;
    parts.push_back(b.tile(b.slice_axis(x, axis, run.start, 1), multiples));
  }
  return b.concat(parts, axis);
}

Term normal_indices(Builder& b, const Term& indices, std::int64_t extent) {
  if (indices.known) {
    std::vector<std::int64_t> list = indices.known->integers();
    for (std::int64_t& index : list) {
      const std::int64_t given = index;
      if (index < 0) index += extent;
      if (index < 0 || index >= extent)
        throw Refused(formatted("the index {} is out of range of {} elements", given, extent));
    }
    return b.integers(FileType::I32, indices.shape, list);
  }
  Term wide = b.widen(indices);
  if (is_unsigned(indices.type)) return wide;
  return b.select(b.binary(Binary::Less, wide, 0), b.binary(Binary::Add, wide, static_cast<double>(extent)), wide);
}

Term linear_indices(Builder& b, const Term& indices, tensor::ShapeView extents) {
  const auto depth = static_cast<std::int64_t>(extents.size());
  if (product_of(extents) > std::numeric_limits<std::int32_t>::max())
    throw Refused(
        formatted("a tensor of shape {} has too many elements for indices of 32 bits", tensor::shape_text(extents)));
  Term linear = b.number(FileType::I32, 0, tensor::Shape(indices.shape.begin(), indices.shape.end() - 1));
  const tensor::Shape strides = strides_of(extents);
  if (indices.known) {  // each is checked
    for (std::int64_t d = 0; d < depth; ++d) {
      const auto at = static_cast<std::size_t>(d);
      const Term part = normal_indices(b, b.squeeze(b.slice_axis(indices, -1, d, 1), -1), extents[at]);
      linear = b.add(linear, b.binary(Binary::Mul, part, static_cast<double>(strides[at])));
    }
    return linear;
  }
  if (depth == 0) return linear;
  const Term wide = b.widen(indices);
  const Term from_end = b.add(wide, b.integers(FileType::I32, {depth}, extents));
  const Term normal = b.select(b.binary(Binary::Less, wide, 0), from_end, wide);
  if (depth == 1) return b.squeeze(normal, -1);
  return b.reduce(Reduction::Sum, b.mul(normal, b.integers(FileType::I32, {depth}, strides)), {-1}, false);
}

Term line_starts(Builder& b, const tensor::Shape& shape, const tensor::Shape& extents, std::size_t axis) {
  if (product_of(extents) > std::numeric_limits<std::int32_t>::max())
    throw Refused(
        formatted("a tensor of shape {} has too many elements for indices of 32 bits", tensor::shape_text(extents)));
  const tensor::Shape strides = strides_of(extents);
  Term sum = b.number(FileType::I32, 0, tensor::Shape(shape.size(), 1));
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d == axis || shape[d] <= 1) continue;
    tensor::Shape line(shape.size(), 1);
    line[d] = shape[d];
    sum = b.add(sum, b.reshape(b.arange(FileType::I32, 0, shape[d], strides[d]), line));
  }
  return sum;
}

Term gather_nd(Builder& b, const Term& x, const Term& indices, std::size_t batch) {
  const auto depth = static_cast<std::size_t>(indices.extent(-1));
  if (batch >= indices.rank() || batch + depth > x.rank()) {
    throw Refused(formatted("indices of shape {} do not fit a tensor of shape {}", tensor::shape_text(indices.shape),
                            tensor::shape_text(x.shape)));
  }
  const std::span<const std::int64_t> extents(x.shape);
  if (!std::ranges::equal(extents.first(batch), std::span(indices.shape).first(batch)))
    throw Refused("the batch dimensions of the tensor and of the indices differ");
  tensor::Shape shape(indices.shape.begin(), indices.shape.end() - 1);
  shape.insert(shape.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(batch + depth), x.shape.end());
  if (product_of(shape) == 0) return number_of_none(b, x.type, shape);
  const std::int64_t batches = product_of(extents.first(batch));
  const std::int64_t inner = product_of(extents.subspan(batch + depth));
  const std::int64_t rows = x.count() / inner;
  const std::int64_t count = product_of(shape) / inner / batches;
  Term linear = linear_indices(b, b.reshape(indices, {batches, count, static_cast<std::int64_t>(depth)}),
                               extents.subspan(batch, depth));
  if (batches > 1) linear = b.add(linear, b.reshape(b.arange(FileType::I32, 0, batches, rows / batches), {batches, 1}));
  return b.reshape(b.rows(b.reshape(x, {rows, inner}), b.reshape(linear, {batches * count})), shape);
}

Term gather_elements(Builder& b, const Term& x, std::int64_t axis, const Term& indices) {
  const std::size_t at = axis_of(axis, x.rank());
  if (indices.rank() != x.rank()) throw Refused("the indices have another rank than the tensor");
  if (indices.count() == 0) return number_of_none(b, x.type, indices.shape);
  const Term normal = normal_indices(b, indices, x.shape[at]);
  const Term scaled = b.binary(Binary::Mul, normal, static_cast<double>(strides_of(x.shape)[at]));
  const Term linear = b.add(scaled, line_starts(b, indices.shape, x.shape, at));
  const Term taken = b.rows(b.reshape(x, {x.count(), 1}), b.reshape(linear, {linear.count()}));
  return b.reshape(taken, indices.shape);
}

Term one_hot(Builder& b, const Term& indices, std::int64_t depth, std::int64_t axis, const Term& on, const Term& off) {
  const Term whole = b.cast(indices, FileType::I32);
  const std::size_t at = axis_of(axis, indices.rank() + 1);
  tensor::Shape line(indices.rank() + 1, 1), shape = indices.shape;
  line[at] = depth;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), depth);
  if (product_of(shape) == 0) return number_of_none(b, on.type, shape);
  const Term positions = b.reshape(b.arange(FileType::I32, 0, depth), line);
  const Term is_there = b.binary(Binary::Equal, b.unsqueeze(whole, static_cast<std::int64_t>(at)), positions);
  return b.select(is_there, b.reshape(on, {}), b.reshape(off, {}));
}

namespace {

// The position from 0 to `extent` - 1 of what is at `at`, which may be outside.
std::int64_t mirrored(std::int64_t at, std::int64_t extent, PadMode mode) {
  const auto modulo = [](std::int64_t a, std::int64_t n) { return ((a % n) + n) % n; };
  switch (mode) {
    case PadMode::Edge:
      return std::clamp<std::int64_t>(at, 0, extent - 1);
    case PadMode::Wrap:
      return modulo(at, extent);
    case PadMode::Reflect: {
      if (extent == 1) return 0;
      const std::int64_t within = modulo(at, 2 * (extent - 1));
      return within < extent ? within : 2 * (extent - 1) - within;
    }
    case PadMode::Symmetric: {
      const std::int64_t within = modulo(at, 2 * extent);
      return within < extent ? within : 2 * extent - 1 - within;
    }
  }
  std::unreachable();
}

}  // namespace

Term pad_by_index(Builder& b, const Term& x, const tensor::Shape& before, const tensor::Shape& after, PadMode mode) {
  constexpr std::int64_t kMaxExtent = 1 << 24;
  Term made = x;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    if (before[d] == 0 && after[d] == 0) continue;
    const std::int64_t extent = x.shape[d], count = extent + before[d] + after[d];
    if (count < 0) throw Refused("more than the whole tensor is cropped");
    if (extent == 0 && count > 0) throw Refused("a dimension without elements is padded");
    if (count > kMaxExtent) throw Refused(formatted("a dimension is padded to {} elements", count));
    b.will_make({count});
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
      indices[static_cast<std::size_t>(i)] = mirrored(i - before[d], extent, mode);
    made = take_list(b, made, static_cast<std::int64_t>(d), indices);
  }
  return made;
}

Term depth_to_space_last(Builder& b, const Term& x, std::int64_t block) {
  if (x.rank() != 4 || block < 1 || x.shape[3] % (block * block) != 0)
    throw Refused(formatted("a tensor of shape {} has no blocks of {}", tensor::shape_text(x.shape), block));
  const std::int64_t n = x.shape[0], h = x.shape[1], w = x.shape[2], row = x.shape[3] / block;
  const Term split = b.transpose(b.reshape(x, {n * h, w, block, row}), {0, 2, 1, 3});
  return b.reshape(split, {n, h * block, w * block, row / block});
}

Term space_to_depth_last(Builder& b, const Term& x, std::int64_t block) {
  if (x.rank() != 4 || block < 1 || x.shape[1] % block != 0 || x.shape[2] % block != 0)
    throw Refused(formatted("a tensor of shape {} has no blocks of {}", tensor::shape_text(x.shape), block));
  const std::int64_t n = x.shape[0], h = x.shape[1] / block, w = x.shape[2] / block, row = block * x.shape[3];
  const Term split = b.transpose(b.reshape(x, {n * h, block, w, row}), {0, 2, 1, 3});
  return b.reshape(split, {n, h, w, block * row});
}

Term reverse_sequence(Builder& b, const Term& x, const Term& lengths, std::int64_t batch_axis, std::int64_t time_axis) {
  const auto batch = static_cast<std::int64_t>(axis_of(batch_axis, x.rank()));
  const auto time = static_cast<std::int64_t>(axis_of(time_axis, x.rank()));
  if (batch == time) throw Refused("the batch axis and the time axis are the same");
  if (lengths.shape != tensor::Shape{x.extent(batch)}) throw Refused("the lengths are not one for each of the batch");
  if (x.count() == 0) return x;
  std::vector<std::int64_t> permutation{batch, time}, back(x.rank());
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(x.rank()); ++d) {
    if (d != batch && d != time) permutation.push_back(d);
  }
  for (std::size_t d = 0; d < permutation.size(); ++d)
    back[static_cast<std::size_t>(permutation[d])] = static_cast<std::int64_t>(d);
  const std::int64_t sequences = x.extent(batch), steps = x.extent(time);
  const Term at = b.arange(FileType::I32, 0, steps);
  const Term length = b.reshape(b.cast(lengths, FileType::I32), {sequences, 1});
  const Term reversed = b.sub(b.binary(Binary::Sub, length, 1), at);
  const Term from = b.select(b.binary(Binary::Less, at, length), reversed, at);
  const Term linear = b.add(from, b.reshape(b.arange(FileType::I32, 0, sequences, steps), {sequences, 1}));
  const Term moved = b.transpose(x, permutation);
  const Term rows = b.reshape(moved, {sequences * steps, x.count() / (sequences * steps)});
  const Term taken = b.rows(rows, b.reshape(linear, {sequences * steps}));
  return b.transpose(b.reshape(taken, moved.shape), back);
}

}  // namespace slipway::importer
