// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/network/resize.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/format.hpp"
#include "importer/emit/host.hpp"

namespace slipway::importer {
namespace {

using tosa::Op;

bool are_all_one(const std::vector<double>& weights) {
  return std::ranges::all_of(weights, [](double weight) { return weight == 1; });
}

// The dimensions before and after an axis merged: [before, extent, after].
Term merged_around(Builder& b, const Term& x, std::size_t axis) {
  const std::span<const std::int64_t> dimensions = x.shape;
  return b.reshape(x, {product_of(dimensions.first(axis)), x.shape[axis], product_of(dimensions.subspan(axis + 1))});
}

// How often each element is repeated in order; 0: it is not a repetition.
std::int64_t repetition(const std::vector<std::int64_t>& indices, std::int64_t extent) {
  const auto count = static_cast<std::int64_t>(indices.size());
  if (count % extent != 0) return 0;
  const std::int64_t times = count / extent;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] != static_cast<std::int64_t>(i) / times) return 0;
  }
  return times;
}

Term taken(Builder& b, const Term& x, std::size_t axis, const std::vector<std::int64_t>& indices) {
  const std::int64_t times = repetition(indices, x.shape[axis]);
  if (times == 1) return x;
  if (times > 1) {
    const std::span<const std::int64_t> dimensions = x.shape;
    const std::int64_t outer = product_of(dimensions.first(axis + 1)), inner = product_of(dimensions.subspan(axis + 1));
    tensor::Shape shape = x.shape;
    shape[axis] *= times;
    return b.reshape(b.tile(b.reshape(x, {outer, 1, inner}), {1, times, 1}), std::move(shape));
  }
  const Term list = b.integers(FileType::I32, {static_cast<std::int64_t>(indices.size())}, indices);
  return b.take(x, static_cast<std::int64_t>(axis), list, true);
}

// The positions of one dimension as RESIZE has them: element o of the result is at (o * step + offset) / scale.
struct Line {
  std::int64_t scale = 1, step = 1, offset = 0;
};

bool matches(const Line& line, std::int64_t extent, const std::vector<double>& positions) {
  constexpr double kTolerance = 1.0 / (1 << 20);
  const auto clamped = [&](double position) { return std::clamp(position, 0.0, static_cast<double>(extent - 1)); };
  for (std::size_t o = 0; o < positions.size(); ++o) {
    const std::int64_t numerator = static_cast<std::int64_t>(o) * line.step + line.offset;
    const double position = static_cast<double>(numerator) / static_cast<double>(line.scale);
    if (std::fabs(clamped(position) - clamped(positions[o])) > kTolerance) return false;
  }
  return true;
}

std::int64_t border_of(const Line& line, std::int64_t extent, std::int64_t count) {
  return line.step * (count - 1) - (extent - 1) * line.scale + line.offset;
}

// The limits of TOSA 1.0, RESIZE.
bool is_legal(const Line& line, std::int64_t extent, std::int64_t count) {
  constexpr std::int64_t kMaxScale = 2048, kMaxExtent = 16383;
  const std::int64_t border = border_of(line, extent, count);
  return line.scale <= kMaxScale && line.step >= 1 && line.step < 16 * line.scale && line.offset >= -line.scale &&
         line.offset < 16 * line.scale && border >= -16 * line.scale && border < line.scale && extent <= kMaxExtent &&
         count <= kMaxExtent;
}

std::optional<Line> line_of(std::int64_t extent, const std::vector<double>& positions) {
  const auto count = static_cast<std::int64_t>(positions.size());
  const Line candidates[] = {{2 * count, 2 * extent, extent - count},
                             {std::max<std::int64_t>(count - 1, 1), std::max<std::int64_t>(extent - 1, 1), 0},
                             {count, extent, 0}};
  for (Line line : candidates) {
    const std::int64_t divisor = std::gcd(std::gcd(line.scale, line.step), line.offset);
    line = {line.scale / divisor, line.step / divisor, line.offset / divisor};
    if (is_legal(line, extent, count) && matches(line, extent, positions)) return line;
  }
  return std::nullopt;
}

}  // namespace

Samples linear_samples(std::size_t axis, std::int64_t extent, std::span<const double> positions) {
  Samples samples{.axis = axis, .taps = std::vector<Taps>(2)};
  for (const double position : positions) {
    const double clamped = std::clamp(position, 0.0, static_cast<double>(extent - 1));
    const double floor = std::floor(clamped), part = clamped - floor;
    const auto first = static_cast<std::int64_t>(floor);
    samples.taps[0].index.push_back(first);
    samples.taps[0].weight.push_back(1 - part);
    samples.taps[1].index.push_back(std::min(first + 1, extent - 1));
    samples.taps[1].weight.push_back(part);
  }
  if (are_all_one(samples.taps[0].weight)) samples.taps.pop_back();
  return samples;
}

Samples nearest_samples(std::size_t axis, std::int64_t extent, std::span<const std::int64_t> indices) {
  Samples samples{.axis = axis, .taps = std::vector<Taps>(1)};
  for (const std::int64_t index : indices) {
    samples.taps[0].index.push_back(std::clamp<std::int64_t>(index, 0, extent - 1));
    samples.taps[0].weight.push_back(1);
  }
  return samples;
}

Term resample(Builder& b, const Term& x, const Samples& samples) {
  Term sum;
  for (std::size_t t = 0; t < samples.taps.size(); ++t) {
    const Taps& taps = samples.taps[t];
    Term part = taken(b, x, samples.axis, taps.index);
    if (!are_all_one(taps.weight)) {
      if (!is_real(x.type)) throw Refused(formatted("interpolation of {} is not supported", name_of(x.type)));
      tensor::Shape line(x.rank(), 1);
      line[samples.axis] = static_cast<std::int64_t>(taps.weight.size());
      part = b.mul(part, known_term(array_of(x.type, line, std::span<const double>(taps.weight))));
    }
    sum = t == 0 ? part : b.add(sum, part);
  }
  return sum;
}

Term resample_by_matrix(Builder& b, const Term& x, const Samples& samples) {
  if (!is_real(x.type)) throw Refused(formatted("interpolation of {} is not supported", name_of(x.type)));
  const std::int64_t extent = x.shape[samples.axis];
  const auto count = static_cast<std::int64_t>(samples.taps.front().index.size());
  std::vector<double> matrix(static_cast<std::size_t>(count * extent), 0);
  for (const Taps& taps : samples.taps) {
    for (std::size_t o = 0; o < taps.index.size(); ++o)
      matrix[o * static_cast<std::size_t>(extent) + static_cast<std::size_t>(taps.index[o])] += taps.weight[o];
  }
  const Term weights = known_term(array_of(x.type, {count, extent}, std::span<const double>(matrix)));
  const Term moved = b.transpose(merged_around(b, x, samples.axis), {0, 2, 1});
  const Term made = b.transpose(b.linear(moved, weights, nullptr), {0, 2, 1});
  tensor::Shape shape = x.shape;
  shape[samples.axis] = count;
  return b.reshape(made, std::move(shape));
}

std::optional<ResizeForm> linear_form(std::span<const std::int64_t> extents,
                                      std::span<const std::vector<double>> positions) {
  ResizeForm form;
  for (std::size_t d = 0; d < 2; ++d) {
    const auto line = line_of(extents[d], positions[d]);
    if (!line) return std::nullopt;
    form.scale.insert(form.scale.end(), {line->scale, line->step});
    form.offset.push_back(line->offset);
    form.border.push_back(border_of(*line, extents[d], static_cast<std::int64_t>(positions[d].size())));
  }
  return form;
}

Term resize(Builder& b, const Term& x, const ResizeForm& form) {
  const auto mode = form.nearest ? tosa::ResizeMode::NearestNeighbor : tosa::ResizeMode::Bilinear;
  const Term of = b.computable(x);
  const tosa::ValueId made = b.add(Op::RESIZE, {b.value(of)},
                                   {{"mode", {static_cast<std::int64_t>(mode)}},
                                    {"scale", form.scale},
                                    {"offset", form.offset},
                                    {"border", form.border}});
  return b.cast(b.term(made, of.type), x.type);
}

}  // namespace slipway::importer
