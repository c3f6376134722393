// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which 8-bit values, and which 16-bit floats, are stored as 32-bit floats, and which 8-bit values as 16-bit integers.
//
// CPUs whose drivers have no products of bytes compute with floats, which hold the sums exactly, and the CPU engine
// with pairs of 16-bit integers. A value that convolutions read is then better stored as they read it, without the zero
// point that they subtract. The same holds for floats of fewer bits where conversions between vectors cost more than
// memory does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lower/device_facts.hpp"
#include "tosa/graph.hpp"

namespace slipway::lower {

// How a value is stored: as floats or 16-bit integers, after the zero point is subtracted.
struct Widened {
  std::int64_t zero = 0;
  tensor::ElementType type = tensor::ElementType::F32;
};
using Widening = std::vector<std::optional<Widened>>;  // by value; empty for those that are stored as they are
inline constexpr std::uint32_t kWidenedBits = 8;       // of magnitude, after the zero point is subtracted: -255 to 255

// `stored` is the result of plan_fusion. Inputs, constants and outputs keep their type.
Widening plan_widening(const tosa::Graph& graph, const std::vector<bool>& stored, const DeviceFacts& device);

// For people, a line for each widened value: `%5 as f32, minus zero point -3`.
std::string print_widening(const tosa::Graph& graph, const Widening& widened);

}  // namespace slipway::lower
