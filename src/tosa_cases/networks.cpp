// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa_cases/networks.hpp"

#include <stdexcept>
#include <utility>

#include "base/format.hpp"
#include "tosa/check/shapes.hpp"
#include "tosa/check/verify.hpp"
#include "tosa_cases/operator_case.hpp"

namespace slipway::tosa_cases {
namespace {

using tensor::Shape;
using tosa::Attributes;
using tosa::Op;
using tosa::ValueId;
using List = std::vector<std::int64_t>;

// Activations have one type; images are [N, H, W, C], sequences [1, T, C].
class Layers {
 public:
  explicit Layers(DataType type) : type_(type) {}

  ValueId input(Shape shape) { return graph_.add_input({type_, std::move(shape)}); }
  Network finish(std::string_view name, ValueId result) {
    graph_.outputs = {result};
    Diagnostics problems;
    tosa::verify(graph_, problems);
    if (problems.has_errors()) throw std::logic_error(text_of(problems));
    return {formatted("{}/{}", name, tosa::name_of(type_)), std::move(graph_)};
  }

  // --- images ---
  ValueId convolution(ValueId x, std::int64_t channels, std::int64_t kernel = 1, std::int64_t stride = 1) {
    return activated(windows(Op::CONV2D, x, {channels, kernel, kernel, shape(x)[3]}, channels, kernel, stride));
  }
  ValueId depthwise(ValueId x, std::int64_t stride) {
    const std::int64_t channels = shape(x)[3];
    return activated(windows(Op::DEPTHWISE_CONV2D, x, {3, 3, channels, 1}, channels, 3, stride));
  }
  ValueId max_pool(ValueId x) {
    return add(Op::MAX_POOL2D, {x}, {{"kernel", {2, 2}}, {"stride", {2, 2}}, {"pad", List(4, 0)}, {"nan_mode", {1}}});
  }
  ValueId average(ValueId x) {
    return add(Op::AVG_POOL2D, {x},
               {{"kernel", {shape(x)[1], shape(x)[2]}},
                {"stride", {1, 1}},
                {"pad", List(4, 0)},
                {"acc_type", {accumulator()}},
                {"input_zp", {zero_point()}},
                {"output_zp", {zero_point()}}});
  }
  ValueId sum(ValueId a, ValueId b) {
    if (!is_integer()) return add(Op::ADD, {a, b});
    const ValueId wide = add(Op::ADD, {rescaled(a, DataType::I32, 1), rescaled(b, DataType::I32, 1)});
    return rescaled(wide, type_, 1);
  }

  // --- sequences of floats ---
  ValueId linear(ValueId x, std::int64_t channels) {
    const ValueId product = matmul(x, constant(type_, {1, shape(x)[2], channels}));
    return add(Op::ADD, {product, constant(type_, {1, 1, channels})});
  }
  ValueId layer_norm(ValueId x) {
    const std::int64_t channels = shape(x)[2];
    const ValueId centred = add(Op::SUB, {x, mul(reduced(Op::REDUCE_SUM, x), constant(type_, {1, 1, 1}))});
    const ValueId variance = mul(reduced(Op::REDUCE_SUM, mul(centred, centred)), constant(type_, {1, 1, 1}));
    const ValueId scale = add(Op::RSQRT, {add(Op::ADD, {variance, constant(type_, {1, 1, 1})})});
    const ValueId scaled = mul(mul(centred, scale), constant(type_, {1, 1, channels}));
    return add(Op::ADD, {scaled, constant(type_, {1, 1, channels})});
  }
  ValueId gelu(ValueId x) {
    const ValueId e = add(Op::ERF, {mul(x, constant(type_, {1, 1, 1}))});
    return mul(x, add(Op::ADD, {e, constant(type_, {1, 1, 1})}));
  }
  ValueId attention(ValueId x, std::int64_t heads) {
    const std::int64_t length = shape(x)[1], each = shape(x)[2] / heads;
    const auto part = [&](List order) {  // [heads, T, C] or transposed
      const ValueId split = reshaped(linear(x, heads * each), {length, heads, each});
      return add(Op::TRANSPOSE, {split}, {{"perms", std::move(order)}});
    };
    const ValueId q = part({1, 0, 2}), k = part({1, 2, 0}), v = part({1, 0, 2});
    const ValueId scores = mul(matmul(q, k), constant(type_, {1, 1, 1}));
    const ValueId e = add(Op::EXP, {add(Op::SUB, {scores, reduced(Op::REDUCE_MAX, scores)})});
    const ValueId weights = mul(e, add(Op::RECIPROCAL, {reduced(Op::REDUCE_SUM, e)}));
    const ValueId mixed = add(Op::TRANSPOSE, {matmul(weights, v)}, {{"perms", {1, 0, 2}}});
    return linear(reshaped(mixed, {1, length, heads * each}), heads * each);
  }

  const Shape& shape(ValueId x) const { return graph_[x].type.shape; }

 private:
  bool is_integer() const { return type_ == DataType::I8; }
  std::int64_t zero_point() const { return is_integer() ? -3 : 0; }
  std::int64_t accumulator() const {
    return static_cast<std::int64_t>(is_integer() ? tosa::AccType::Int32 : tosa::AccType::Fp32);
  }

  ValueId add(Op op, std::vector<ValueId> inputs, const Attributes& attributes = {}, std::optional<DataType> to = {}) {
    const DataType type = to.value_or(graph_[inputs[0]].type.data);
    const ValueId result = graph_.add(op, std::move(inputs), attributes, {type, {}});
    Diagnostics problems;
    const auto shapes = tosa::result_shapes(graph_, graph_.nodes.back(), problems);
    if (!shapes) throw std::logic_error(text_of(problems));
    graph_[result].type.shape = (*shapes)[0];
    return result;
  }
  // Elements differ, so that they are not one number.
  ValueId constant(DataType type, const Shape& shape) {
    Tensor made = Tensor::zeros({type, shape});
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (made.is_float())
        made.reals[i] = 0.25 * static_cast<double>(1 + i % 4);
      else
        made.integers[i] = static_cast<std::int64_t>(i % 100) - 50;
    }
    return graph_.add_constant(made.type, made.to_bytes());
  }
  // A multiplication by 1 / divisor, from and to the zero point of 8-bit numbers.
  ValueId rescaled(ValueId x, DataType to, std::int64_t divisor) {
    const bool per_channel = divisor > 1;
    const std::int64_t count = per_channel ? shape(x).back() : 1;
    Tensor multiplier = Tensor::zeros({DataType::I32, {count}}), shift = Tensor::zeros({DataType::I8, {count}});
    for (std::size_t i = 0; i < multiplier.size(); ++i) {
      multiplier.integers[i] = (std::int64_t{1} << 30) / divisor + static_cast<std::int64_t>(i);
      shift.integers[i] = 30;
    }
    const auto zero = [&](DataType type) { return type == DataType::I8 ? zero_point() : 0; };
    return add(Op::RESCALE,
               {x, graph_.add_constant(multiplier.type, multiplier.to_bytes()),
                graph_.add_constant(shift.type, shift.to_bytes())},
               {{"scale32", {1}},
                {"rounding_mode", {1}},
                {"per_channel", {per_channel}},
                {"input_unsigned", {0}},
                {"output_unsigned", {0}},
                {"input_zp", {zero(graph_[x].type.data)}},
                {"output_zp", {zero(to)}}},
               to);
  }
  ValueId windows(Op op, ValueId x, const Shape& weights, std::int64_t channels, std::int64_t kernel,
                  std::int64_t stride) {
    const std::int64_t before = kernel / 2, after = stride > 1 ? before - 1 : before;
    const DataType to = is_integer() ? DataType::I32 : type_;
    return add(op, {x, constant(type_, weights), constant(to, {channels})},
               {{"pad", {before, after, before, after}},
                {"stride", {stride, stride}},
                {"dilation", {1, 1}},
                {"acc_type", {accumulator()}},
                {"local_bound", {0}},
                {"input_zp", {zero_point()}},
                {"weight_zp", {0}}},
               to);
  }
  ValueId activated(ValueId x) {
    if (is_integer()) return rescaled(x, type_, 300);
    Attributes attributes = {{"nan_mode", {1}}};
    attributes.set_real("min_val", 0);
    attributes.set_real("max_val", 6);
    return add(Op::CLAMP, {x}, attributes);
  }
  ValueId matmul(ValueId a, ValueId b) { return add(Op::MATMUL, {a, b}, {{"A_zp", {0}}, {"B_zp", {0}}}); }
  ValueId mul(ValueId a, ValueId b) { return add(Op::MUL, {a, b}, {{"shift", {0}}}); }
  ValueId reduced(Op op, ValueId x) { return add(op, {x}, {{"axis", {2}}, {"nan_mode", {1}}}); }
  ValueId reshaped(ValueId x, const Shape& to) { return add(Op::RESHAPE, {x}, {{"shape", {to.begin(), to.end()}}}); }

  DataType type_;
  tosa::Graph graph_;
};

Network mobile(DataType type) {
  Layers net(type);
  ValueId x = net.convolution(net.input({1, 64, 64, 3}), 16, 3, 2);
  for (const auto& [channels, stride] : {std::pair{16, 1}, {24, 2}, {24, 1}, {40, 2}}) {
    const ValueId y =
        net.convolution(net.depthwise(net.convolution(x, 6 * net.shape(x)[3]), stride), std::int64_t{channels});
    x = net.shape(x) == net.shape(y) ? net.sum(x, y) : y;
  }
  return net.finish("mobile", net.convolution(net.average(net.convolution(x, 160)), 100));
}

Network residual(DataType type) {
  Layers net(type);
  ValueId x = net.max_pool(net.convolution(net.input({1, 64, 64, 3}), 32, 3, 2));
  for (const std::int64_t channels : {32, 32, 64}) {
    const ValueId y = net.convolution(net.convolution(net.convolution(x, channels), channels, 3), 2 * channels);
    x = net.sum(net.shape(x) == net.shape(y) ? x : net.convolution(x, 2 * channels), y);
  }
  return net.finish("residual", net.convolution(net.average(x), 100));
}

Network transformer(DataType type) {
  constexpr std::int64_t kLength = 64, kChannels = 128, kHeads = 2;
  Layers net(type);
  ValueId x = net.input({1, kLength, kChannels});
  x = net.sum(x, net.attention(net.layer_norm(x), kHeads));
  x = net.sum(x, net.linear(net.gelu(net.linear(net.layer_norm(x), 4 * kChannels)), kChannels));
  return net.finish("transformer", x);
}

}  // namespace

std::vector<Network> small_networks() {
  return {mobile(DataType::I8),    mobile(DataType::F32),      residual(DataType::I8),
          residual(DataType::F16), transformer(DataType::F32), transformer(DataType::F16)};
}

}  // namespace slipway::tosa_cases
