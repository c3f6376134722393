// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors with special or random values of their type.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tosa_cases/operator_case.hpp"
#include "tosa_cases/random.hpp"

namespace slipway::tosa_cases {

// Edge: the special values of a type, cyclically. The others are two sets of random values; in the second one all
// tensors except the first are constants.
enum class Pattern : std::uint8_t { Edge, Random, Random2 };
inline constexpr Pattern kPatterns[] = {Pattern::Edge, Pattern::Random, Pattern::Random2};

// The range of values of a tensor.
struct ValueRange {
  double low, high;
};

// Special values of a type: extremes, zeros, ones, and for floats halves, subnormals, infinities and NaN.
std::vector<double> edge_values(DataType type);

// Builds the tensors of one case.
class TensorBuilder {
 public:
  TensorBuilder(std::uint64_t seed, Pattern pattern) : random(seed), pattern_(pattern) {}

  Tensor tensor(DataType type, tensor::Shape shape, std::optional<ValueRange> limits = {});
  Tensor random_tensor(DataType type, tensor::Shape shape, std::optional<ValueRange> limits = {});
  Tensor filled(DataType type, tensor::Shape shape, std::function<double(std::size_t)> value);

  bool has_edges() const { return pattern_ == Pattern::Edge; }

  Random random;

 private:
  Pattern pattern_;
};

}  // namespace slipway::tosa_cases
