// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reproducible random contents (docs/spec/scenario.md#inline-contents): the same numbers on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "base/bytes.hpp"
#include "tensor/element.hpp"
#include "tensor/format.hpp"

namespace slipway::tensor {

// The default bounds are 0 and 1 for floats and normalized components, and the full range for integers. For integers
// both bounds are inclusive.
struct UniformDistribution {
  std::optional<Number> min;
  std::optional<Number> max;
};

// For floats and normalized components.
struct NormalDistribution {
  double mean = 0;
  double stddev = 1;
};

struct RandomContents {
  std::uint64_t seed = 0;
  std::variant<UniformDistribution, NormalDistribution> distribution;
};

// The random number `index` of a seed (splitmix64).
std::uint64_t draw(std::uint64_t seed, std::uint64_t index);

// Fills `to`, whole elements in row-major order. Refused: bounds that the type cannot represent or that are in the
// wrong order, and a normal distribution of integers. Bool is an integer of one bit.
[[nodiscard]] Stored fill_random(ElementType type, const RandomContents& contents, MutableBytes to);
// The same for texels in the device layout: element i is component i of the plain layout. Normalized results outside
// the range are clamped.
[[nodiscard]] Stored fill_random(const FormatInfo& format, const RandomContents& contents, MutableBytes texels);

}  // namespace slipway::tensor
