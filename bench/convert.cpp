// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes models to convert: bench_convert weights MEGABYTES FILE | operators COUNT FILE
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/system/files.hpp"
#include "tosa/write/write_tosa.hpp"

namespace {

using namespace slipway;
using tosa::DataType;

// A sequence of convolutions, each with a megabyte of weights.
tosa::Graph weights(std::size_t megabytes) {
  tosa::Graph graph;
  graph.name = "main";
  constexpr std::int64_t kChannels = 1024;
  tosa::ValueId value = graph.add_input({DataType::I8, {1, 1, 1, kChannels}}, "x");
  const auto bias =
      graph.add_constant({DataType::I32, {kChannels}}, std::vector<std::byte>(kChannels * 4, std::byte{1}));
  const auto multiplier = graph.add_constant(
      {DataType::I32, {1}}, std::vector<std::byte>{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0x40}});
  const auto shift = graph.add_constant({DataType::I8, {1}}, std::vector<std::byte>{std::byte{40}});
  for (std::size_t m = 0; m < megabytes; ++m) {
    std::vector<std::byte> data(kChannels * kChannels);
    std::uint32_t state = static_cast<std::uint32_t>(m) + 1;
    for (std::byte& byte : data) byte = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
    const auto weight = graph.add_constant({DataType::I8, {kChannels, 1, 1, kChannels}}, std::move(data));
    value = graph.add(tosa::Op::CONV2D, {value, weight, bias},
                      {{"pad", {0, 0, 0, 0}},
                       {"stride", {1, 1}},
                       {"dilation", {1, 1}},
                       {"acc_type", {1}},
                       {"local_bound", {0}},
                       {"input_zp", {0}},
                       {"weight_zp", {0}}},
                      {DataType::I32, {1, 1, 1, kChannels}});
    value = graph.add(tosa::Op::RESCALE, {value, multiplier, shift},
                      {{"scale32", {1}},
                       {"rounding_mode", {1}},
                       {"per_channel", {0}},
                       {"input_unsigned", {0}},
                       {"output_unsigned", {0}},
                       {"input_zp", {0}},
                       {"output_zp", {0}}},
                      {DataType::I8, {1, 1, 1, kChannels}});
  }
  graph.outputs = {value};
  return graph;
}

// A chain of small operators with branches.
tosa::Graph operators(std::size_t count) {
  tosa::Graph graph;
  graph.name = "main";
  const tosa::TensorType type{DataType::F32, {1, 8}};
  tosa::ValueId before = graph.add_input(type, "x"), value = before;
  for (std::size_t i = 0; i < count; ++i) {
    const tosa::ValueId next =
        i % 3 == 0 ? graph.add(tosa::Op::ADD, {value, before}, {}, type) : graph.add(tosa::Op::TANH, {value}, {}, type);
    before = value;
    value = next;
  }
  graph.outputs = {value};
  return graph;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const auto number = static_cast<std::size_t>(std::strtoull(arguments[2], nullptr, 10));
  tosa::Model model;
  model.graph = std::string_view(arguments[1]) == "weights" ? weights(number) : operators(number);
  const auto bytes = tosa::write_tosa(model);
  return bytes && write_file(arguments[3], Bytes(*bytes)) ? 0 : 1;
}
