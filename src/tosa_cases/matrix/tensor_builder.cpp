// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa_cases/matrix/tensor_builder.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "reference/precision.hpp"

namespace slipway::tosa_cases {
namespace {

double min_value(DataType type) {
  if (type == DataType::Bool) return 0;
  if (type == DataType::I4) return -7;  // -8 is not a value of the type
  return static_cast<double>(reference::min_integer(type));
}
double max_value(DataType type) {
  return type == DataType::Bool ? 1 : static_cast<double>(reference::max_integer(type));
}

void store(Tensor& tensor, std::size_t i, double value) {
  if (tensor.is_float())
    tensor.reals[i] = reference::round_to(tensor.type.data, value);
  else
    tensor.integers[i] = static_cast<std::int64_t>(value);
}

}  // namespace

std::vector<double> edge_values(DataType type) {
  if (type == DataType::Bool) return {0, 1};
  if (!tosa::is_float(type)) {
    const double min = min_value(type), max = max_value(type);
    return {min, max, -1, 0, 1, min + 1, max - 1, 2, -2};
  }
  const reference::Precision precision = reference::precision_of(type);
  const double normal = precision.min_normal, subnormal = precision.min_subnormal(), max = precision.max;
  std::vector<double> values = {0.0,
                                -0.0,
                                1.0,
                                -1.0,
                                normal,
                                -normal,
                                subnormal,
                                normal - subnormal,
                                max,
                                -max,
                                0.5,
                                1.5,
                                2.5,
                                -2.5,
                                1 + std::ldexp(1.0, -precision.fraction_bits),
                                std::numeric_limits<double>::quiet_NaN()};
  if (type != DataType::F8E4M3) {
    values.push_back(HUGE_VAL);
    values.push_back(-HUGE_VAL);
  }
  return values;
}

Tensor TensorBuilder::filled(DataType type, tensor::Shape shape, std::function<double(std::size_t)> value) {
  Tensor made = Tensor::zeros({type, std::move(shape)});
  for (std::size_t i = 0; i < made.size(); ++i) store(made, i, value(i));
  return made;
}

Tensor TensorBuilder::random_tensor(DataType type, tensor::Shape shape, std::optional<ValueRange> limits) {
  if (tosa::is_float(type)) {
    const ValueRange within = limits.value_or(ValueRange{-4, 4});
    return filled(type, std::move(shape), [&](std::size_t) { return random.real(within.low, within.high); });
  }
  const auto low = static_cast<std::int64_t>(limits ? limits->low : min_value(type)),
             high = static_cast<std::int64_t>(limits ? limits->high : max_value(type));
  return filled(type, std::move(shape), [&](std::size_t) { return static_cast<double>(random.between(low, high)); });
}

Tensor TensorBuilder::tensor(DataType type, tensor::Shape shape, std::optional<ValueRange> limits) {
  if (pattern_ != Pattern::Edge) return random_tensor(type, std::move(shape), limits);
  std::vector<double> values = edge_values(type);
  if (limits) {
    std::erase_if(values, [&](double value) { return !(value >= limits->low && value <= limits->high); });
    if (values.empty()) values.push_back(limits->low);
  }
  const auto first = static_cast<std::size_t>(random.between(0, std::ssize(values) - 1));
  return filled(type, std::move(shape), [&](std::size_t i) { return values[(first + i) % values.size()]; });
}

}  // namespace slipway::tosa_cases
