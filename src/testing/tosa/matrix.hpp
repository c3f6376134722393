// The matrix of TOSA operators: each operator with each of its types, small shapes, attributes and patterns of data
// (layer B of the page on test cases). Data stays where TOSA's results are predictable.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testing/tosa/operator_case.hpp"
#include "testing/tosa/random.hpp"

namespace slipway::testing {

// Edge: the special values of a type, in a cycle. The others are two draws of random values; in the second all tensors
// but the first are constants.
enum class Pattern : std::uint8_t { Edge, Random, Random2 };
inline constexpr Pattern kPatterns[] = {Pattern::Edge, Pattern::Random, Pattern::Random2};

// Values that a tensor is limited to.
struct Limits {
  double low, high;
};

// Special values of a type: extremes, zeros, ones, and for floats halves, subnormals, infinities and NaN.
std::vector<double> edge_values(DataType type);

// Makes the tensors of one case.
class TensorMaker {
 public:
  TensorMaker(std::uint64_t seed, Pattern pattern) : random(seed), pattern_(pattern) {}

  Tensor tensor(DataType type, tensor::Shape shape, std::optional<Limits> limits = {});
  Tensor random_tensor(DataType type, tensor::Shape shape, std::optional<Limits> limits = {});
  Tensor filled(DataType type, tensor::Shape shape, std::function<double(std::size_t)> value);

  bool has_edges() const { return pattern_ == Pattern::Edge; }

  Random random;

 private:
  Pattern pattern_;
};

// A place in the matrix; every pattern of it gives a case, or none does.
struct Configuration {
  tosa::Op op{};
  std::string label;  // `CONV2D/i8`
  std::function<CaseParts(TensorMaker&)> parts;
  bool has_edges = true;  // else two patterns of random values
};

const std::vector<Configuration>& matrix();

// Empty, with what the verifier says, where TOSA refuses the configuration.
std::optional<OperatorCase> case_of(std::size_t configuration, Pattern pattern, Diagnostics& problems);

}  // namespace slipway::testing
