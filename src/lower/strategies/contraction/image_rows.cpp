// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/strategies/contraction/image_rows.hpp"

#include "lower/strategies/contraction/operands.hpp"

namespace slipway::lower {

std::optional<ImageRows> ImageRows::of(const ProgramBuilder& program, const Contraction& c, std::int64_t unit) {
  if (c.is_matmul) return std::nullopt;
  const tosa::Graph& graph = program.graph();
  ImageRows rows;
  rows.unit_ = unit;
  rows.source_ = c.a;
  const tensor::Shape &image = graph[c.a].type.shape, &weight = graph[c.b].type.shape,
                      &out = graph[c.node->outputs[0]].type.shape;
  std::vector<std::int64_t> start(image.size(), 0);
  if (!program.stored()[index(c.a)]) {
    const tosa::Node& view = *graph.producer(c.a);
    if (view.op != tosa::Op::SLICE) return std::nullopt;
    rows.source_ = view.inputs[0];
    start.assign_range(view.attributes.list("start"));
  }
  const tensor::Shape& whole = graph[rows.source_].type.shape;
  const bool units = image.back() % unit == 0 && whole.back() % unit == 0 && start.back() % unit == 0;
  if (!units || !program.stored()[index(rows.source_)] || program.widened(rows.source_)) return std::nullopt;

  const std::size_t spatial = image.size() - 2;
  rows.strides_.assign(spatial + 1, 0);
  std::int64_t stride = whole.back() / unit;
  rows.start_ = start.back() / unit;
  for (std::size_t d = spatial + 1; d-- > 0;) {
    rows.strides_[d] = stride;
    rows.start_ += start[d] * stride;
    stride *= whole[d];
  }
  const auto pad = c.node->attributes.list("pad"), step = c.node->attributes.list("stride"),
             dilation = c.node->attributes.list("dilation");
  rows.counts_.push_back(out[0]);
  for (std::size_t i = 0; i < spatial; ++i) {
    rows.counts_.push_back(out[1 + i]);
    rows.kernel_.push_back(weight[1 + i]);
    rows.extent_.push_back(image[1 + i]);
    rows.pad_.push_back(pad[2 * i]);
    rows.step_.push_back(step[i]);
    rows.dilation_.push_back(dilation[i]);
    rows.padded_.push_back(pad[2 * i] != 0 || pad[2 * i + 1] != 0);
  }
  rows.kernel_.push_back(image.back() / unit);
  return rows;
}

std::optional<ImageRows> ImageRows::of_pairs(const ProgramBuilder& program, const Contraction& c) {
  std::optional<ImageRows> rows = of(program, c, 1);
  if (!rows) return std::nullopt;
  const std::size_t x = rows->step_.size() - 1;  // columns
  const std::int64_t channels = rows->channels(), row = rows->extent_[x] * channels;
  const auto is_even = [](std::int64_t n) { return n % 2 == 0; };
  const bool whole_rows = rows->strides_[1 + x] == channels && rows->start_ == 0 && rows->strides_[x] == row;
  if (!whole_rows || rows->dilation_[x] != 1 || !is_even(row) || !is_even(rows->step_[x] * channels))
    return std::nullopt;
  const std::int64_t before = rows->pad_[x] * channels;
  rows->unit_ = 2;
  rows->run_ = rows->kernel_[x] * channels;
  rows->gap_ = before % 2;
  // Columns and channels become one dimension, of pairs.
  rows->kernel_[x] = (rows->gap_ + rows->run_ + 1) / 2;
  rows->kernel_.back() = 1;
  rows->extent_[x] = row / 2;
  rows->pad_[x] = (before + rows->gap_) / 2;
  rows->step_[x] = rows->step_[x] * channels / 2;
  for (std::int64_t& stride : rows->strides_) stride /= 2;
  rows->strides_.back() = 1;
  return rows;
}

std::int64_t ImageRows::products() const {
  return unit_ * static_cast<std::int64_t>(tensor::element_count(kernel_).value_or(0));
}

ImageRows::Row ImageRows::row(Kernel& k, Value index) const {
  const Coordinates at = coordinates_of(k, counts_, index);
  Row row{.begin = at[0] * strides_[0] + start_, .first = {}};
  for (std::size_t d = 0; d < step_.size(); ++d) {
    row.first.push_back(at[1 + d] * step_[d] - pad_[d]);
    row.begin = row.begin + row.first[d] * strides_[1 + d];
  }
  return row;
}

ImageRows::Tap ImageRows::tap(Kernel& k, Value product) const {
  const Coordinates at = coordinates_of(k, kernel_, product);
  Tap tap{.distance = at.back(), .offset = {}};
  for (std::size_t d = 0; d < step_.size(); ++d) {
    tap.offset.push_back(at[d] * dilation_[d]);
    tap.distance = tap.distance + tap.offset[d] * strides_[1 + d];
  }
  return tap;
}

Value ImageRows::inside(Kernel& k, const Row& row, const Tap& tap) const {
  Value inside = k.boolean(true);
  for (std::size_t d = 0; d < extent_.size(); ++d) {
    if (padded_[d]) inside = inside & k.unsigned_less(row.first[d] + tap.offset[d], k.integer(extent_[d]));
  }
  return inside;
}

Value ImageRows::without_gaps(Kernel& k, Value pair, Value bits) const {
  const std::int64_t pairs = kernel_[step_.size() - 1];
  if (gap_ == 0 && run_ == 2 * pairs) return bits;
  const Value in_run = pair - k.unsigned_divide(pair, k.integer(pairs)) * pairs;
  if (gap_ == 1) bits = k.select(in_run == 0, bits & k.integer(~0xffff), bits);
  if (gap_ + run_ < 2 * pairs) bits = k.select(in_run == pairs - 1, bits & 0xffff, bits);
  return bits;
}

ImageRows::Factor ImageRows::factor(Kernel& k, Value product) const {
  const std::int64_t length = 2 * kernel_[step_.size() - 1];  // of a run with its gaps
  const Value run = k.unsigned_divide(product, k.integer(length)), in_run = product - run * length - gap_;
  const Value exists = k.unsigned_less(in_run, k.integer(run_)) & (product < products());
  return {k.select(exists, run * run_ + in_run, k.integer(0)), exists};
}

}  // namespace slipway::lower
