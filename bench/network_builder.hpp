// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds layers to a graph, and to the list of layers from which other runtimes build the same network.
#pragma once

#include <functional>
#include <span>

#include "json/writer.hpp"
#include "networks.hpp"

namespace slipway::bench {

enum class Activation : std::uint8_t { None, Relu, Relu6 };

// The result of a layer. An 8-bit number x represents (x - zero) * scale.
struct Feature {
  tosa::ValueId value{};
  std::size_t layer = 0;  // 0: the network's input
  double scale = 1;
  std::int64_t zero = 0;
};

struct ConvolutionSettings {
  std::int64_t channels = 0, kernel = 1, stride = 1;
  bool depthwise = false;
  Activation activation = Activation::None;
  double gain = 1;  // factor of the standard deviation
};

class NetworkBuilder {
 public:
  explicit NetworkBuilder(Precision precision) : precision_(precision) {}

  const tensor::Shape& shape(Feature x) const { return graph_[x.value].type.shape; }

  Feature image(std::string_view name, tensor::Shape shape);     // 8-bit integers in 8-bit networks
  Feature sequence(std::string_view name, tensor::Shape shape);  // floats
  // --- images [N, H, W, C] ---
  Feature convolution(Feature x, const ConvolutionSettings& settings);
  Feature sum(Feature a, Feature b, Activation activation = Activation::None);
  Feature max_pool(Feature x, std::int64_t kernel, std::int64_t stride);
  Feature average(Feature x);  // over all pixels
  // --- sequences [N, T, C]; floats between the layers ---
  Feature linear(Feature x, std::int64_t channels);
  Feature layer_norm(Feature x);
  Feature gelu(Feature x);
  Feature attention(Feature qkv, std::int64_t heads);  // `qkv` is [N, T, 3 C]

  Network finish(Feature result, std::string_view name);

 private:
  struct Weights {
    std::vector<std::int8_t> numbers;
    std::vector<float> scales, bias;  // by channel
  };

  bool is_integer() const { return precision_ == Precision::I8; }
  tosa::DataType activations() const;
  // The float type of the network; 32 bits if activations are integers.
  tosa::DataType floats() const;
  // Each channel of a result is a sum of `terms` products.
  Weights draw_weights(std::int64_t channels, std::int64_t terms, double gain);
  std::int64_t draw(std::int64_t low, std::int64_t high);
  template <class T>
  std::uint64_t keep(std::span<const T> values);

  tosa::ValueId constant(tosa::DataType type, tensor::Shape shape, std::span<const double> values);
  tosa::ValueId weights_of(const Weights& weights, const tensor::Shape& shape, bool channel_is_last);
  tosa::ValueId rescaled(tosa::ValueId x, tosa::DataType to, std::span<const double> factors, std::int64_t in_zero,
                         std::int64_t out_zero);
  tosa::ValueId activated(tosa::ValueId x, Activation activation);
  tosa::ValueId pointwise(tosa::Op op, tosa::ValueId a, tosa::ValueId b);
  tosa::ValueId unary(tosa::Op op, tosa::ValueId a);
  tosa::ValueId number(double value, std::size_t rank);
  tosa::ValueId reduced(tosa::Op op, tosa::ValueId x);  // over the last dimension
  tosa::ValueId arranged(tosa::ValueId x, tensor::Shape shape, std::vector<std::int64_t> order);
  tosa::ValueId product(tosa::ValueId a, tosa::ValueId b);

  Feature input(std::string_view name, tosa::TensorType type, double scale);
  // Adds a layer to the list; `rest` writes the members of this kind of layer.
  using Members = std::function<void(json::Writer&)>;
  Feature record(
      std::string_view kind, std::initializer_list<Feature> inputs, Feature result,
      const Members& rest = [](json::Writer&) {});
  void record_weights(json::Writer& out, const Weights& weights, const tensor::Shape& shape);

  Precision precision_;
  tosa::Graph graph_;
  std::vector<std::string> layers_;  // a JSON text for each
  std::vector<std::byte> weights_;
  std::uint64_t drawn_ = 0;  // count of random numbers so far
};

}  // namespace slipway::bench
