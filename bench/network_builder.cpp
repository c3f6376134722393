// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "network_builder.hpp"

#include <cmath>
#include <cstring>

#include "tensor/element.hpp"
#include "tensor/random.hpp"

namespace slipway::bench {
namespace {

using tensor::Shape;
using tosa::Attributes;
using tosa::DataType;
using tosa::Op;
using tosa::ValueId;

constexpr std::uint64_t kSeed = 1;

// The scales of 8-bit activations: 0 to 6 after a rectifier, -10 to 10 after other layers.
constexpr double kActivatedScale = 6 / 255.0, kSignedScale = 10 / 127.0;
constexpr std::int64_t kActivatedZero = -128;

template <class E>
std::int64_t number_of(E enumerant) {
  return static_cast<std::int64_t>(enumerant);
}

void set_quantization(Feature& x, Activation activation) {
  x.scale = activation == Activation::None ? kSignedScale : kActivatedScale;
  x.zero = activation == Activation::None ? 0 : kActivatedZero;
}

std::string_view name_of(Activation activation) {
  constexpr std::string_view kNames[] = {"none", "relu", "relu6"};
  return kNames[static_cast<std::size_t>(activation)];
}

void write_list(json::Writer& out, std::string_view name, std::span<const std::int64_t> numbers) {
  out.key(name).array([&] {
    for (const std::int64_t number : numbers) out.value(number);
  });
}

// The padding before and after a dimension with which windows of `kernel` elements, `stride` apart, end exactly at the
// edge, as TOSA requires. With stride 1 and an odd kernel the result has the same size.
std::pair<std::int64_t, std::int64_t> padding(std::int64_t size, std::int64_t kernel, std::int64_t stride) {
  const std::int64_t before = kernel / 2;
  std::int64_t after = kernel / 2;
  while (after > 0 && (size + before + after - kernel) % stride != 0) --after;
  return {before, after};
}

}  // namespace

DataType NetworkBuilder::activations() const { return is_integer() ? DataType::I8 : floats(); }
DataType NetworkBuilder::floats() const {
  return precision_ == Precision::F16 ? DataType::F16 : precision_ == Precision::BF16 ? DataType::BF16 : DataType::F32;
}

// --- constants ---

std::int64_t NetworkBuilder::draw(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(tensor::draw(kSeed, drawn_++) % static_cast<std::uint64_t>(high - low + 1));
}

// Weights whose standard deviation is chosen so that a layer preserves the standard deviation of its input. Scales
// vary from channel to channel.
NetworkBuilder::Weights NetworkBuilder::draw_weights(std::int64_t channels, std::int64_t terms, double gain) {
  constexpr double kSpread = 73;  // standard deviation of uniform numbers from -127 to 127
  Weights weights;
  for (std::int64_t i = 0; i < channels * terms; ++i)
    weights.numbers.push_back(static_cast<std::int8_t>(draw(-127, 127)));
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    const double variation = 0.75 + static_cast<double>(draw(0, 1024)) / 2048;
    weights.scales.push_back(static_cast<float>(variation * gain / (kSpread * std::sqrt(static_cast<double>(terms)))));
    weights.bias.push_back(static_cast<float>(draw(-1024, 1024)) / 8192);
  }
  return weights;
}

template <class T>
std::uint64_t NetworkBuilder::keep(std::span<const T> values) {
  const std::uint64_t at = (weights_.size() + 3) / 4 * 4;
  weights_.resize(at + values.size_bytes());
  std::memcpy(&weights_[at], values.data(), values.size_bytes());
  return at;
}

ValueId NetworkBuilder::constant(DataType type, Shape shape, std::span<const double> values) {
  const tensor::ElementType storage = tosa::storage_of(type);
  const std::size_t size = tensor::size_of(storage);
  std::vector<std::byte> bytes(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (tosa::is_float(type))
      tensor::store_rounded(storage, values[i], &bytes[i * size]);
    else
      (void)tensor::store_number(storage, std::llrint(values[i]), &bytes[i * size]);
  }
  return graph_.add_constant({type, std::move(shape)}, std::move(bytes));
}

ValueId NetworkBuilder::weights_of(const Weights& weights, const Shape& shape, bool channel_is_last) {
  const std::size_t channels = weights.scales.size(), each = weights.numbers.size() / channels;
  std::vector<double> values;
  for (std::size_t i = 0; i < weights.numbers.size(); ++i) {
    const float scale = weights.scales[channel_is_last ? i % channels : i / each];
    const auto whole = static_cast<float>(weights.numbers[i]);
    values.push_back(is_integer() ? whole : whole * scale);
  }
  return constant(activations(), shape, values);
}

ValueId NetworkBuilder::number(double value, std::size_t rank) {
  return constant(floats(), Shape(rank, 1), std::span(&value, 1));
}

// --- operators ---

// Converts to another scale, per channel if there are several factors. Values outside the range of the type saturate.
ValueId NetworkBuilder::rescaled(ValueId x, DataType to, std::span<const double> factors, std::int64_t in_zero,
                                 std::int64_t out_zero) {
  std::vector<double> multipliers, shifts;
  for (const double factor : factors) {
    int exponent = 0;
    const double fraction = std::frexp(factor, &exponent);  // 0.5 to 1
    multipliers.push_back(std::min(std::round(fraction * 0x1p31), 0x1p31 - 1));
    shifts.push_back(31 - exponent);
  }
  const auto count = static_cast<std::int64_t>(factors.size());
  return graph_.add(Op::RESCALE,
                    {x, constant(DataType::I32, {count}, multipliers), constant(DataType::I8, {count}, shifts)},
                    {{"scale32", {1}},
                     {"rounding_mode", {number_of(tosa::RoundingMode::SingleRound)}},
                     {"per_channel", {count > 1}},
                     {"input_unsigned", {0}},
                     {"output_unsigned", {0}},
                     {"input_zp", {in_zero}},
                     {"output_zp", {out_zero}}},
                    {to, graph_[x].type.shape});
}

ValueId NetworkBuilder::activated(ValueId x, Activation activation) {
  // The range of 8-bit activations is already the range of the activation function.
  if (activation == Activation::None || is_integer()) return x;
  Attributes attributes = {{"nan_mode", {number_of(tosa::NanMode::Propagate)}}};
  attributes.set_real("min_val", 0);
  // TOSA's CLAMP needs an upper limit: the maximum finite number limits nothing.
  attributes.set_real("max_val", activation == Activation::Relu6 ? 6
                                 : floats() == DataType::F16     ? 65504
                                 : floats() == DataType::BF16    ? 0x1.fep127
                                                                 : 0x1.fffffep127);
  return graph_.add(Op::CLAMP, {x}, attributes, graph_[x].type);
}

ValueId NetworkBuilder::pointwise(Op op, ValueId a, ValueId b) {
  const Attributes attributes = op == Op::MUL ? Attributes{{"shift", {0}}} : Attributes{};
  return graph_.add(op, {a, b}, attributes, graph_[a].type);
}

ValueId NetworkBuilder::unary(Op op, ValueId a) { return graph_.add(op, {a}, {}, graph_[a].type); }

ValueId NetworkBuilder::reduced(Op op, ValueId x) {
  tosa::TensorType type = graph_[x].type;
  Attributes attributes = {{"axis", {static_cast<std::int64_t>(type.shape.size()) - 1}}};
  if (op == Op::REDUCE_MAX) attributes.set("nan_mode", number_of(tosa::NanMode::Propagate));
  type.shape.back() = 1;
  return graph_.add(op, {x}, attributes, type);
}

ValueId NetworkBuilder::arranged(ValueId x, Shape shape, std::vector<std::int64_t> order) {
  const DataType type = graph_[x].type.data;
  x = graph_.add(Op::RESHAPE, {x}, {{"shape", {shape.begin(), shape.end()}}}, {type, shape});
  Shape result;
  for (const std::int64_t d : order) result.push_back(shape[static_cast<std::size_t>(d)]);
  return graph_.add(Op::TRANSPOSE, {x}, {{"perms", order}}, {type, result});
}

ValueId NetworkBuilder::product(ValueId a, ValueId b) {
  const Shape &left = graph_[a].type.shape, &right = graph_[b].type.shape;
  const DataType type = graph_[a].type.data;
  return graph_.add(Op::MATMUL, {a, b}, {{"A_zp", {0}}, {"B_zp", {0}}},
                    {type == DataType::I8 ? DataType::I32 : type, {left[0], left[1], right[2]}});
}

// --- layers ---

Feature NetworkBuilder::record(std::string_view kind, std::initializer_list<Feature> inputs, Feature result,
                               const Members& rest) {
  json::Writer out(0);
  out.object([&] {
    out.member("kind", kind);
    out.key("inputs").array([&] {
      for (const Feature& input : inputs) out.value(input.layer);
    });
    write_list(out, "shape", shape(result));
    if (graph_[result.value].type.data == DataType::I8) out.member("scale", result.scale).member("zero", result.zero);
    rest(out);
  });
  result.layer = layers_.size();
  layers_.push_back(out.text());
  return result;
}

void NetworkBuilder::record_weights(json::Writer& out, const Weights& weights, const Shape& shape) {
  write_list(out, "weights_shape", shape);
  out.member("weights", keep(std::span(weights.numbers)));
  out.member("scales", keep(std::span(weights.scales)));
  out.member("bias", keep(std::span(weights.bias)));
}

Feature NetworkBuilder::image(std::string_view name, Shape shape) {
  return input(name, {activations(), std::move(shape)}, 2 / 127.0);
}

Feature NetworkBuilder::sequence(std::string_view name, Shape shape) {
  return input(name, {floats(), std::move(shape)}, 1);
}

Feature NetworkBuilder::input(std::string_view name, tosa::TensorType type, double scale) {
  const Feature x{.value = graph_.add_input(std::move(type), std::string(name)), .scale = scale};
  return record("input", {}, x, [&](json::Writer& out) { out.member("name", name); });
}

Feature NetworkBuilder::convolution(Feature x, const ConvolutionSettings& s) {
  const Shape from = shape(x);
  const std::int64_t terms = s.kernel * s.kernel * (s.depthwise ? 1 : from[3]);
  const std::int64_t channels = s.depthwise ? from[3] : s.channels;
  const Shape weights_shape =
      s.depthwise ? Shape{s.kernel, s.kernel, channels, 1} : Shape{channels, s.kernel, s.kernel, from[3]};
  const Weights weights = draw_weights(channels, terms, s.gain);
  const ValueId kernel = weights_of(weights, weights_shape, s.depthwise);

  Feature y;
  set_quantization(y, s.activation);
  std::vector<double> bias, factors;
  for (std::size_t c = 0; c < weights.bias.size(); ++c) {
    bias.push_back(is_integer() ? std::round(weights.bias[c] / (x.scale * weights.scales[c])) : weights.bias[c]);
    factors.push_back(x.scale * weights.scales[c] / y.scale);
  }
  const DataType sum = is_integer() ? DataType::I32 : activations();
  const auto [top, bottom] = padding(from[1], s.kernel, s.stride);
  const auto [left, right] = padding(from[2], s.kernel, s.stride);
  // With a 1x1 kernel and a stride, the last rows and columns are in no window, which TOSA does not allow: remove them.
  ValueId image = x.value;
  Shape reached = from;
  for (const std::size_t d : {1, 2}) reached[d] -= s.kernel == 1 ? (from[d] - 1) % s.stride : 0;
  if (reached != from)
    image = graph_.add(Op::SLICE, {image}, {{"start", {0, 0, 0, 0}}, {"size", {reached.begin(), reached.end()}}},
                       {activations(), reached});
  const auto extent = [&](std::size_t d, std::int64_t pads) { return (reached[d] + pads - s.kernel) / s.stride + 1; };
  y.value =
      graph_.add(s.depthwise ? Op::DEPTHWISE_CONV2D : Op::CONV2D, {image, kernel, constant(sum, {channels}, bias)},
                 {{"pad", {top, bottom, left, right}},
                  {"stride", {s.stride, s.stride}},
                  {"dilation", {1, 1}},
                  {"acc_type", {number_of(is_integer() ? tosa::AccType::Int32 : tosa::AccType::Fp32)}},
                  {"local_bound", {0}},
                  {"input_zp", {is_integer() ? x.zero : 0}},
                  {"weight_zp", {0}}},
                 {sum, {from[0], extent(1, top + bottom), extent(2, left + right), channels}});
  y.value = is_integer() ? rescaled(y.value, DataType::I8, factors, 0, y.zero) : activated(y.value, s.activation);
  return record("convolution", {x}, y, [&](json::Writer& out) {
    out.member("kernel", s.kernel).member("stride", s.stride).member("depthwise", s.depthwise);
    out.member("activation", name_of(s.activation));
    write_list(out, "pads", std::array{top, left, bottom, right});
    record_weights(out, weights, weights_shape);
  });
}

Feature NetworkBuilder::sum(Feature a, Feature b, Activation activation) {
  Feature y;
  set_quantization(y, activation);
  if (graph_[a.value].type.data == DataType::I8) {
    // Adds in 32-bit fixed point with 20 fractional bits.
    const double up_a = 0x1p20 * a.scale, up_b = 0x1p20 * b.scale, down = 0x1p-20 / y.scale;
    y.value = pointwise(Op::ADD, rescaled(a.value, DataType::I32, {&up_a, 1}, a.zero, 0),
                        rescaled(b.value, DataType::I32, {&up_b, 1}, b.zero, 0));
    y.value = rescaled(y.value, DataType::I8, {&down, 1}, 0, y.zero);
  } else {
    y.value = activated(pointwise(Op::ADD, a.value, b.value), activation);
  }
  return record("sum", {a, b}, y, [&](json::Writer& out) { out.member("activation", name_of(activation)); });
}

Feature NetworkBuilder::max_pool(Feature x, std::int64_t kernel, std::int64_t stride) {
  const Shape from = shape(x);
  const auto [top, bottom] = padding(from[1], kernel, stride);
  const auto [left, right] = padding(from[2], kernel, stride);
  Feature y{.scale = x.scale, .zero = x.zero};
  y.value = graph_.add(Op::MAX_POOL2D, {x.value},
                       {{"kernel", {kernel, kernel}},
                        {"stride", {stride, stride}},
                        {"pad", {top, bottom, left, right}},
                        {"nan_mode", {number_of(tosa::NanMode::Propagate)}}},
                       {activations(),
                        {from[0], (from[1] + top + bottom - kernel) / stride + 1,
                         (from[2] + left + right - kernel) / stride + 1, from[3]}});
  return record("max_pool", {x}, y, [&](json::Writer& out) {
    out.member("kernel", kernel).member("stride", stride);
    write_list(out, "pads", std::array{top, left, bottom, right});
  });
}

Feature NetworkBuilder::average(Feature x) {
  const Shape from = shape(x);
  Feature y{.scale = x.scale, .zero = x.zero};
  y.value = graph_.add(Op::AVG_POOL2D, {x.value},
                       {{"kernel", {from[1], from[2]}},
                        {"stride", {1, 1}},
                        {"pad", {0, 0, 0, 0}},
                        {"acc_type", {number_of(is_integer() ? tosa::AccType::Int32 : tosa::AccType::Fp32)}},
                        {"input_zp", {is_integer() ? x.zero : 0}},
                        {"output_zp", {is_integer() ? y.zero : 0}}},
                       {activations(), {from[0], 1, 1, from[3]}});
  return record("average", {x}, y);
}

// In 8-bit networks, floats are converted to 8 bits for the product only. All layers use the same scale, because their
// inputs are normalized or bounded.
Feature NetworkBuilder::linear(Feature x, std::int64_t channels) {
  const Shape from = shape(x);
  const std::int64_t terms = from.back();
  const Weights weights = draw_weights(channels, terms, 1);
  const ValueId matrix = weights_of(weights, {1, terms, channels}, true);
  const std::vector<double> bias(weights.bias.begin(), weights.bias.end());
  // One matrix product for all rows of all sequences.
  const Shape rows = {1, from[0] * from[1], terms}, result = {from[0], from[1], channels};
  const auto reshaped = [&](ValueId value, const Shape& shape) {
    if (graph_[value].type.shape == shape) return value;
    return graph_.add(Op::RESHAPE, {value}, {{"shape", {shape.begin(), shape.end()}}},
                      {graph_[value].type.data, shape});
  };
  ValueId a = reshaped(x.value, rows);
  if (is_integer())
    a = graph_.add(Op::CAST, {pointwise(Op::MUL, a, number(1 / kSignedScale, 3))}, {}, {DataType::I8, rows});
  ValueId sums = reshaped(product(a, matrix), result);
  if (is_integer()) {
    std::vector<double> factors;
    for (const float scale : weights.scales) factors.push_back(static_cast<float>(kSignedScale) * scale);
    sums = graph_.add(Op::CAST, {sums}, {}, {floats(), result});
    sums = pointwise(Op::MUL, sums, constant(floats(), {1, 1, channels}, factors));
  }
  const Feature y{.value = pointwise(Op::ADD, sums, constant(floats(), {1, 1, channels}, bias))};
  return record("linear", {x}, y, [&](json::Writer& out) {
    out.member("input_scale", kSignedScale);
    record_weights(out, weights, {terms, channels});
  });
}

Feature NetworkBuilder::layer_norm(Feature x) {
  const auto channels = static_cast<double>(shape(x).back());
  const ValueId share = number(1 / channels, 3);
  const ValueId middle = pointwise(Op::MUL, reduced(Op::REDUCE_SUM, x.value), share);
  const ValueId rest = pointwise(Op::SUB, x.value, middle);
  const ValueId variance = pointwise(Op::MUL, reduced(Op::REDUCE_SUM, pointwise(Op::MUL, rest, rest)), share);
  const ValueId factor = unary(Op::RSQRT, pointwise(Op::ADD, variance, number(1e-5, 3)));
  return record("layer_norm", {x}, {.value = pointwise(Op::MUL, rest, factor)});
}

Feature NetworkBuilder::gelu(Feature x) {
  const ValueId erf = unary(Op::ERF, pointwise(Op::MUL, x.value, number(std::sqrt(0.5), 3)));
  const ValueId half = pointwise(Op::MUL, x.value, number(0.5, 3));
  return record("gelu", {x}, {.value = pointwise(Op::MUL, half, pointwise(Op::ADD, erf, number(1, 3)))});
}

Feature NetworkBuilder::attention(Feature qkv, std::int64_t heads) {
  const Shape from = shape(qkv);
  const std::int64_t batch = from[0], length = from[1], channels = from[2] / 3, width = channels / heads;
  const auto part = [&](std::int64_t i, std::vector<std::int64_t> order) {
    const ValueId slice =
        graph_.add(Op::SLICE, {qkv.value}, {{"start", {0, 0, i * channels}}, {"size", {batch, length, channels}}},
                   {floats(), {batch, length, channels}});
    const ValueId apart = arranged(slice, {batch, length, heads, width}, std::move(order));
    const Shape four = graph_[apart].type.shape, three = {batch * heads, four[2], four[3]};
    return graph_.add(Op::RESHAPE, {apart}, {{"shape", {three.begin(), three.end()}}}, {floats(), three});
  };
  const ValueId q = part(0, {0, 2, 1, 3}), k = part(1, {0, 2, 3, 1}), v = part(2, {0, 2, 1, 3});
  const ValueId scores = pointwise(Op::MUL, product(q, k), number(1 / std::sqrt(static_cast<double>(width)), 3));
  const ValueId powers = unary(Op::EXP, pointwise(Op::SUB, scores, reduced(Op::REDUCE_MAX, scores)));
  const ValueId shares = pointwise(Op::MUL, powers, unary(Op::RECIPROCAL, reduced(Op::REDUCE_SUM, powers)));
  const ValueId together = arranged(product(shares, v), {batch, heads, length, width}, {0, 2, 1, 3});
  const Shape result = {batch, length, channels};
  const Feature y{
      .value = graph_.add(Op::RESHAPE, {together}, {{"shape", {result.begin(), result.end()}}}, {floats(), result})};
  return record("attention", {qkv}, y, [&](json::Writer& out) { out.member("heads", heads); });
}

Network NetworkBuilder::finish(Feature result, std::string_view name) {
  graph_[result.value].name = "result";
  graph_.outputs = {result.value};
  graph_.name = std::string(name);
  json::Writer out;
  out.object([&] {
    out.member("name", name).member("precision", bench::name_of(precision_));
    out.key("layers").array([&] {
      for (const std::string& layer : layers_) out.raw(layer);
    });
  });
  return {std::move(graph_), out.text(), std::move(weights_)};
}

}  // namespace slipway::bench
