// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR. Positions are those of the kernels: float32 for floats, and 1/1024 for
// integers.
#include "importer/emit/network/resize.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "importer/emit/unsigned.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {
namespace {

struct ResizePlan {
  std::int64_t from[2], to[2];
  bool align_corners, half_pixel;
};

ResizePlan plan_of(const NodeContext& node) {
  const Term& x = node.in(0);
  const std::vector<std::int64_t> size = node.integers(1, "size");
  if (x.rank() != 4 || size.size() != 2) throw Refused("the operands have to have rank 4 and two elements");
  if (size[0] < 1 || size[1] < 1) throw Refused("the size is below 1");
  constexpr std::int64_t kTaps = 4;
  for (const std::int64_t extent : size) node.b.will_make({extent, kTaps});
  return {.from = {x.shape[1], x.shape[2]},
          .to = {size[0], size[1]},
          .align_corners = node.flag("align_corners"),
          .half_pixel = node.flag("half_pixel_centers")};
}

float scale_of(const ResizePlan& plan, std::size_t d) {
  if (plan.align_corners && plan.to[d] > 1)
    return static_cast<float>(plan.from[d] - 1) / static_cast<float>(plan.to[d] - 1);
  return static_cast<float>(plan.from[d]) / static_cast<float>(plan.to[d]);
}

std::vector<double> real_positions(const ResizePlan& plan, std::size_t d) {
  const float scale = scale_of(plan, d);
  std::vector<double> positions;
  for (std::int64_t i = 0; i < plan.to[d]; ++i) {
    const auto at = static_cast<float>(i);
    positions.push_back(static_cast<double>(plan.half_pixel ? (at + 0.5F) * scale - 0.5F : at * scale));
  }
  return positions;
}

// The weight of the second element is position - first: below the first element it is negative, and both are the same.
Samples real_samples(const ResizePlan& plan, std::size_t d) {
  return linear_samples(1 + d, plan.from[d], real_positions(plan, d));
}

Term resized(Builder& b, const Term& x, const ResizePlan& plan) {
  const std::vector<double> positions[2] = {real_positions(plan, 0), real_positions(plan, 1)};
  if (const auto form = linear_form(plan.from, positions)) return resize(b, x, *form);
  return resample(b, resample(b, x, real_samples(plan, 0)), real_samples(plan, 1));
}

// First and second elements, and the weight of the second in 1/1024.
struct FixedSamples {
  std::vector<std::int64_t> low, high, weight;
};

FixedSamples fixed_samples(const ResizePlan& plan, std::size_t d) {
  constexpr std::int64_t kOne = 1 << 10;
  std::int64_t scale = (kOne * plan.from[d] + plan.to[d] / 2) / plan.to[d];
  if (plan.align_corners && plan.to[d] > 1)
    scale = (kOne * (plan.from[d] - 1) + (plan.to[d] - 1) / 2) / (plan.to[d] - 1);
  FixedSamples made;
  for (std::int64_t i = 0; i < plan.to[d]; ++i) {
    const std::int64_t at = i * scale + (plan.half_pixel ? scale / 2 - kOne / 2 : 0);
    made.low.push_back(std::max<std::int64_t>(at / kOne, 0));
    made.high.push_back(std::min((at + kOne - 1) / kOne, plan.from[d] - 1));
    made.weight.push_back(at - kOne * made.low.back());
  }
  return made;
}

// low * (1024 - weight) + high * weight along a dimension of int32.
Term mixed(Builder& b, const Term& x, std::size_t axis, const FixedSamples& samples) {
  const auto count = static_cast<std::int64_t>(samples.low.size());
  const auto line = [&](const std::vector<std::int64_t>& values) {
    tensor::Shape shape(x.rank(), 1);
    shape[axis] = count;
    return b.integers(FileType::I32, shape, values);
  };
  const auto taken = [&](const std::vector<std::int64_t>& at) {
    return b.take(x, static_cast<std::int64_t>(axis), b.integers(FileType::I32, {count}, at), true);
  };
  std::vector<std::int64_t> rest;
  for (const std::int64_t weight : samples.weight) rest.push_back((1 << 10) - weight);
  return b.add(b.mul(taken(samples.low), line(rest)), b.mul(taken(samples.high), line(samples.weight)));
}

// sum / 2^20, halves away from 0. Sums of int16 need more than 32 bits: the high and the low bytes of the numbers are
// summed apart.
Term resized_integers(Builder& b, const Term& x, const ResizePlan& plan) {
  const FixedSamples rows = fixed_samples(plan, 0), columns = fixed_samples(plan, 1);
  const auto sum = [&](const Term& of) { return mixed(b, mixed(b, of, 1, rows), 2, columns); };
  const Term wide = b.widen(x);
  if (x.type != FileType::I16) {
    // Halves go away from 0 by the sign of the sum.
    const Term total = sum(wide);
    return b.narrow(divide_by_power(b, total, 20), x.type);
  }
  constexpr int kLow = 6;
  const Term high = b.binary(Binary::ShiftRight, wide, kLow);
  const Term low = b.sub(wide, b.binary(Binary::ShiftLeft, high, kLow));
  // sum = high * 2^6 + low; what is below 2^6 decides about halves only together with its sign.
  const Term of_low = sum(low), carried = b.binary(Binary::ShiftRight, of_low, kLow);
  const Term rest = b.sub(of_low, b.binary(Binary::ShiftLeft, carried, kLow));
  const Term upper = b.add(sum(high), carried);  // floor(sum / 2^6)
  // floor(sum / 2^20), and what remains of it in units of 2^6 and of 1.
  constexpr int kRest = 20 - kLow;
  const Term quotient = b.binary(Binary::ShiftRight, upper, kRest);
  const Term part = b.sub(upper, b.binary(Binary::ShiftLeft, quotient, kRest));
  const double half = 1 << (kRest - 1);
  const Term is_half = b.logical(Binary::BitAnd, b.binary(Binary::Equal, part, half), b.binary(Binary::Equal, rest, 0));
  const Term is_negative = b.binary(Binary::Less, quotient, 0);
  const Term rounds_up = b.logical(Binary::BitAnd, b.binary(Binary::GreaterEqual, part, half),
                                   b.unary(Unary::Not, b.logical(Binary::BitAnd, is_half, is_negative)));
  return b.narrow(b.add(quotient, b.cast(rounds_up, FileType::I32)), x.type);
}

// uint8: weights of float32, and halves up.
Term resized_bytes(Builder& b, const Term& x, const ResizePlan& plan) {
  const Term real = b.cast(x, FileType::F32);
  const Term made = resample(b, resample(b, real, real_samples(plan, 0)), real_samples(plan, 1));
  return b.cast(b.binary(Binary::Add, made, 0.5), x.type);
}

}  // namespace

void emit_tflite_RESIZE_BILINEAR(NodeContext& node) {
  Builder& b = node.b;
  const Term& x = node.in(0);
  const ResizePlan plan = plan_of(node);
  if (is_real(x.type)) return node.out(0, resized(b, x, plan));
  if (x.type == FileType::U8) return node.out(0, resized_bytes(b, x, plan));
  if (x.type != FileType::I8 && x.type != FileType::I16)
    throw Refused(formatted("interpolation of {} is not supported", name_of(x.type)));
  node.out(0, resized_integers(b, x, plan));
}

void emit_tflite_RESIZE_NEAREST_NEIGHBOR(NodeContext& node) {
  Builder& b = node.b;
  const ResizePlan plan = plan_of(node);
  Term x = node.in(0);
  for (std::size_t d = 0; d < 2; ++d) {
    const float scale = scale_of(plan, d), offset = plan.half_pixel ? 0.5F : 0.0F;
    std::vector<std::int64_t> indices;
    for (std::int64_t i = 0; i < plan.to[d]; ++i) {
      const float at = (static_cast<float>(i) + offset) * scale;
      indices.push_back(static_cast<std::int64_t>(plan.align_corners ? std::round(at) : std::floor(at)));
    }
    x = resample(b, x, nearest_samples(1 + d, plan.from[d], indices));
  }
  node.out(0, std::move(x));
}

}  // namespace slipway::importer
