// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "networks.hpp"

#include <algorithm>
#include <numbers>

#include "network_builder.hpp"

namespace slipway::bench {
namespace {

using enum Activation;

constexpr double kHalved = std::numbers::sqrt2;  // a rectifier halves the variance

// Sandler and others 2018, table 2: the expansion factor of a block, channels, repetitions, first stride.
struct Stage {
  std::int64_t widening, channels, count, stride;
};
constexpr Stage kMobileStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                   {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

Feature inverted_residual(NetworkBuilder& net, Feature x, const Stage& stage, std::int64_t stride) {
  const std::int64_t channels = net.shape(x)[3];
  Feature y = x;
  if (stage.widening > 1)
    y = net.convolution(y, {.channels = channels * stage.widening, .activation = Relu6, .gain = kHalved});
  y = net.convolution(y, {.kernel = 3, .stride = stride, .depthwise = true, .activation = Relu6, .gain = kHalved});
  y = net.convolution(y, {.channels = stage.channels});
  return stride == 1 && channels == stage.channels ? net.sum(x, y) : y;
}

// He and others 2015, with the stride in the 3x3 convolution.
Feature bottleneck(NetworkBuilder& net, Feature x, std::int64_t channels, std::int64_t stride) {
  constexpr double kSmall = 0.5;  // so that values do not grow with each residual sum
  Feature y = net.convolution(x, {.channels = channels, .activation = Relu, .gain = kHalved});
  y = net.convolution(y, {.channels = channels, .kernel = 3, .stride = stride, .activation = Relu, .gain = kHalved});
  y = net.convolution(y, {.channels = 4 * channels, .gain = kSmall});
  if (net.shape(x) != net.shape(y)) x = net.convolution(x, {.channels = 4 * channels, .stride = stride});
  return net.sum(x, y, Relu);
}

}  // namespace

std::string_view name_of(Precision precision) {
  constexpr std::string_view kNames[] = {"fp32", "fp16", "int8", "bf16"};
  return kNames[static_cast<std::size_t>(precision)];
}

Network mobilenet_v2(Precision precision, std::int64_t batch) {
  NetworkBuilder net(precision);
  Feature x = net.image("image", {batch, 224, 224, 3});
  x = net.convolution(x, {.channels = 32, .kernel = 3, .stride = 2, .activation = Relu6, .gain = kHalved});
  for (const Stage& stage : kMobileStages) {
    for (std::int64_t i = 0; i < stage.count; ++i) x = inverted_residual(net, x, stage, i == 0 ? stage.stride : 1);
  }
  x = net.average(net.convolution(x, {.channels = 1280, .activation = Relu6, .gain = kHalved}));
  return net.finish(net.convolution(x, {.channels = 1000}), "mobilenet_v2");
}

Network resnet_50(Precision precision, std::int64_t batch) {
  NetworkBuilder net(precision);
  Feature x = net.image("image", {batch, 224, 224, 3});
  x = net.convolution(x, {.channels = 64, .kernel = 7, .stride = 2, .activation = Relu, .gain = kHalved});
  x = net.max_pool(x, 3, 2);
  std::int64_t channels = 64;
  for (const std::int64_t count : {3, 4, 6, 3}) {
    for (std::int64_t i = 0; i < count; ++i) x = bottleneck(net, x, channels, i == 0 && channels > 64 ? 2 : 1);
    channels *= 2;
  }
  return net.finish(net.convolution(net.average(x), {.channels = 1000}), "resnet_50");
}

namespace {

Feature block(NetworkBuilder& net, Feature x, std::int64_t heads) {
  const std::int64_t channels = net.shape(x)[2];
  const Feature mixed = net.attention(net.linear(net.layer_norm(x), 3 * channels), heads);
  const Feature y = net.sum(x, net.linear(mixed, channels));
  const Feature wide = net.gelu(net.linear(net.layer_norm(y), 4 * channels));
  return net.sum(y, net.linear(wide, channels));
}

}  // namespace

Network transformer_block(Precision precision, std::int64_t batch) {
  constexpr std::int64_t kLength = 128, kChannels = 256, kHeads = 4;
  NetworkBuilder net(precision);
  return net.finish(block(net, net.sequence("sequence", {batch, kLength, kChannels}), kHeads), "transformer");
}

Network encoder(Precision precision, std::int64_t batch) {
  constexpr std::int64_t kLength = 128, kChannels = 768, kHeads = 12, kBlocks = 12;
  NetworkBuilder net(precision);
  Feature x = net.sequence("sequence", {batch, kLength, kChannels});
  for (std::int64_t i = 0; i < kBlocks; ++i) x = block(net, x, kHeads);
  return net.finish(x, "encoder");
}

}  // namespace slipway::bench
