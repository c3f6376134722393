// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Networks with random weights, for measurements. Their results have no meaning, but the work of the device is that of
// trained networks.
//
// Each exists in three precisions. All use the same weights: 8-bit numbers with a scale per channel. Other runtimes
// read them and the list of layers (JSON) from files, and build the same network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tosa/graph.hpp"

namespace slipway::bench {

// The type of activations: 32-bit floats, 16-bit floats of both forms, or 8-bit signed integers, each tensor with a
// scale and a zero point. The 8-bit transformer uses floats between its matrix products, as is usual.
enum class Precision : std::uint8_t { F32, F16, I8, BF16 };
std::string_view name_of(Precision precision);

struct Network {
  tosa::Graph graph;
  std::string layers;              // JSON
  std::vector<std::byte> weights;  // 8-bit numbers and 32-bit floats, to which `layers` refers by byte offset
};

Network mobilenet_v2(Precision precision, std::int64_t batch = 1);
Network resnet_50(Precision precision, std::int64_t batch = 1);
Network transformer_block(Precision precision, std::int64_t batch = 1);
// Twelve transformer blocks of 768 channels and 12 heads, for 128 tokens.
Network encoder(Precision precision, std::int64_t batch = 1);

}  // namespace slipway::bench
