// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrix of TOSA operators: each operator with each of its types, small shapes, attributes and patterns of data
// (docs/spec/tosa_testgen.md#layer-b). Data is limited to values with predictable results.
#pragma once

#include <functional>
#include <optional>
#include <span>
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
struct Limits {
  double low, high;
};

// Special values of a type: extremes, zeros, ones, and for floats halves, subnormals, infinities and NaN.
std::vector<double> edge_values(DataType type);

// Builds the tensors of one case.
class TensorBuilder {
 public:
  TensorBuilder(std::uint64_t seed, Pattern pattern) : random(seed), pattern_(pattern) {}

  Tensor tensor(DataType type, tensor::Shape shape, std::optional<Limits> limits = {});
  Tensor random_tensor(DataType type, tensor::Shape shape, std::optional<Limits> limits = {});
  Tensor filled(DataType type, tensor::Shape shape, std::function<double(std::size_t)> value);

  bool has_edges() const { return pattern_ == Pattern::Edge; }

  Random random;

 private:
  Pattern pattern_;
};

// An entry of the matrix. Either every pattern of it is a case, or none is.
struct Configuration {
  tosa::Op op{};
  std::string label;  // `CONV2D/i8`
  std::function<CaseParts(TensorBuilder&)> parts;
  bool has_edges = true;  // otherwise two patterns of random values
};

const std::vector<Configuration>& matrix();

// Empty, with the diagnostics of the verifier, where TOSA refuses the configuration.
std::optional<OperatorCase> case_of(std::size_t configuration, Pattern pattern, Diagnostics& problems);

}  // namespace slipway::tosa_cases
