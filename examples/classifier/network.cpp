// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "network.hpp"

#include <cmath>
#include <cstring>

#include "tensor/random.hpp"
#include "tosa/check/shapes.hpp"

namespace classifier {
namespace {

using slipway::tosa::AccType;
using slipway::tosa::Attributes;
using slipway::tosa::DataType;
using slipway::tosa::Graph;
using slipway::tosa::NanMode;
using slipway::tosa::Op;
using slipway::tosa::RoundingMode;
using slipway::tosa::ValueId;
using Shape = slipway::tensor::Shape;

template <class E>
std::int64_t number(E enumerant) {
  return static_cast<std::int64_t>(enumerant);
}

// A real factor in the form of RESCALE: a 32-bit multiplier, then a rounding shift to the right.
struct Factor {
  std::int32_t multiplier;
  std::int8_t shift;

  explicit Factor(double factor) {
    int exponent = 0;
    const double fraction = std::frexp(factor, &exponent);  // 0.5 to 1
    multiplier = static_cast<std::int32_t>(std::lround(std::min(fraction * 0x1p31, 0x1p31 - 1)));
    shift = static_cast<std::int8_t>(31 - exponent);
  }
};

class Builder {
 public:
  explicit Builder(const Settings& settings) : settings_(settings) {}

  Graph build() {
    const std::int64_t width = settings_.channels;
    ValueId x = graph_.add_input({DataType::I8, {1, settings_.size, settings_.size, 3}}, "image");
    x = convolution(x, width, 3, 2, true);
    x = block(x, width, 1, 1);
    x = block(x, width * 3 / 2, 4, 2);
    x = block(x, width * 3 / 2, 4, 1);
    x = block(x, width * 2, 4, 2);
    x = block(x, width * 2, 4, 1);
    x = convolution(x, width * 8, 1, 1, true);
    x = average(x);
    x = convolution(x, settings_.classes, 1, 1, false);
    x = graph_.add(Op::RESHAPE, {x}, {{"shape", {1, settings_.classes}}}, {DataType::I8, {1, settings_.classes}});
    const ValueId best =
        graph_.add(Op::ARGMAX, {x}, {{"axis", {1}}, {"nan_mode", {number(NanMode::Propagate)}}}, {DataType::I32, {1}});
    graph_[x].name = "scores";
    graph_[best].name = "class";
    graph_.outputs = {x, best};
    graph_.name = "classifier";
    return std::move(graph_);
  }

 private:
  const Shape& shape(ValueId value) const { return graph_[value].type.shape; }

  // --- constants -----------------------------------------------------------------------------------------------------

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(slipway::tensor::draw(settings_.seed, drawn_++) %
                                           static_cast<std::uint64_t>(high - low + 1));
  }

  template <class T>
  ValueId constant(DataType type, Shape shape, const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return graph_.add_constant({type, std::move(shape)}, std::move(bytes));
  }

  ValueId weights(const Shape& shape) {
    std::vector<std::int8_t> values(slipway::tensor::element_count(shape).value());
    for (std::int8_t& value : values) value = static_cast<std::int8_t>(between(-127, 127));
    return constant(DataType::I8, shape, values);
  }

  ValueId bias(std::int64_t channels) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(channels));
    for (std::int32_t& value : values) value = static_cast<std::int32_t>(between(-8192, 8191));
    return constant(DataType::I32, {channels}, values);
  }

  // --- layers --------------------------------------------------------------------------------------------------------

  // Converts to another scale and to the element type `to`. Values outside its range saturate.
  ValueId rescale(ValueId x, DataType to, std::span<const Factor> factors) {
    std::vector<std::int32_t> multipliers;
    std::vector<std::int8_t> shifts;
    for (const Factor& factor : factors) {
      multipliers.push_back(factor.multiplier);
      shifts.push_back(factor.shift);
    }
    const auto count = static_cast<std::int64_t>(factors.size());
    return graph_.add(Op::RESCALE,
                      {x, constant(DataType::I32, {count}, multipliers), constant(DataType::I8, {count}, shifts)},
                      {{"scale32", {1}},
                       {"rounding_mode", {number(RoundingMode::SingleRound)}},
                       {"per_channel", {count > 1}},
                       {"input_unsigned", {0}},
                       {"output_unsigned", {0}},
                       {"input_zp", {0}},
                       {"output_zp", {0}}},
                      {to, shape(x)});
  }

  // Converts sums of `terms` products to 8 bits. The factors are chosen so that the results use most of the range, as
  // inputs and weights do. They vary from channel to channel, as in a trained network.
  ValueId narrow(ValueId sums, std::int64_t terms, bool activate) {
    constexpr double kSpread = 74, kWanted = 50;
    std::vector<Factor> factors;
    for (std::int64_t channel = 0; channel < shape(sums).back(); ++channel) {
      const double variation = 0.75 + static_cast<double>(between(0, 1024)) / 2048;
      factors.emplace_back(variation * kWanted / (kSpread * kSpread * std::sqrt(static_cast<double>(terms))));
    }
    ValueId x = rescale(sums, DataType::I8, factors);
    if (!activate) return x;
    return graph_.add(Op::CLAMP, {x},
                      {{"min_val", {0}}, {"max_val", {127}}, {"nan_mode", {number(NanMode::Propagate)}}},
                      graph_[x].type);
  }

  // Padding with which a stride of 1 preserves the size and a stride of 2 halves it.
  static Attributes window(std::int64_t size, std::int64_t stride) {
    const std::int64_t before = stride == 1 ? size / 2 : 0, after = size / 2;
    return {{"pad", {before, after, before, after}},
            {"stride", {stride, stride}},
            {"dilation", {1, 1}},
            {"acc_type", {number(AccType::Int32)}},
            {"local_bound", {0}},
            {"input_zp", {0}},
            {"weight_zp", {0}}};
  }

  ValueId convolution(ValueId x, std::int64_t channels, std::int64_t size, std::int64_t stride, bool activate) {
    const std::int64_t from = shape(x)[3];
    const ValueId sums =
        graph_.add(Op::CONV2D, {x, weights({channels, size, size, from}), bias(channels)}, window(size, stride),
                   {DataType::I32, {1, shape(x)[1] / stride, shape(x)[2] / stride, channels}});
    return narrow(sums, size * size * from, activate);
  }

  ValueId depthwise(ValueId x, std::int64_t stride) {
    const std::int64_t channels = shape(x)[3];
    const ValueId sums =
        graph_.add(Op::DEPTHWISE_CONV2D, {x, weights({3, 3, channels, 1}), bias(channels)}, window(3, stride),
                   {DataType::I32, {1, shape(x)[1] / stride, shape(x)[2] / stride, channels}});
    return narrow(sums, 9, true);
  }

  // Expands the channels, filters each, and projects them. The input is added if it has the shape of the result.
  ValueId block(ValueId x, std::int64_t channels, std::int64_t widening, std::int64_t stride) {
    ValueId y = widening > 1 ? convolution(x, shape(x)[3] * widening, 1, 1, true) : x;
    y = convolution(depthwise(y, stride), channels, 1, 1, false);
    return shape(x) == shape(y) ? sum(x, y) : y;
  }

  // Adds in 32-bit fixed point with 20 fractional bits; the result is the mean of both, so that it fits in 8 bits.
  ValueId sum(ValueId x, ValueId y) {
    const Factor up(0x1p20), down(0x1p-21);
    const ValueId wide_x = rescale(x, DataType::I32, {&up, 1}), wide_y = rescale(y, DataType::I32, {&up, 1});
    return rescale(graph_.add(Op::ADD, {wide_x, wide_y}, {}, graph_[wide_x].type), DataType::I8, {&down, 1});
  }

  ValueId average(ValueId x) {
    const std::int64_t height = shape(x)[1], width = shape(x)[2];
    return graph_.add(Op::AVG_POOL2D, {x},
                      {{"kernel", {height, width}},
                       {"stride", {1, 1}},
                       {"pad", {0, 0, 0, 0}},
                       {"acc_type", {number(AccType::Int32)}},
                       {"input_zp", {0}},
                       {"output_zp", {0}}},
                      {DataType::I8, {1, 1, 1, shape(x)[3]}});
  }

  const Settings& settings_;
  Graph graph_;
  std::uint64_t drawn_ = 0;  // count of random numbers so far
};

}  // namespace

Graph network(const Settings& settings) { return Builder(settings).build(); }

}  // namespace classifier
