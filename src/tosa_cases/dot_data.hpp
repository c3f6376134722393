// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conformance data of dot products and the statistics that results must satisfy
// (docs/spec/tosa.md#dot-product-check, docs/spec/tosa.md#conformance-data, docs/spec/tosa_testgen.md#layer-d).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tosa_cases/operator_case.hpp"

namespace slipway::tosa_cases {

// Element `i` of a sequence between -1 and 1, in 32-bit floats.
double set_data(std::uint32_t sequence, std::uint64_t i);

inline constexpr int kDotSets = 6;

// An operator with shapes for at least 1000 results.
struct DotSetup {
  std::string name;
  tosa::Op op{};
  tosa::Attributes attributes;
  std::vector<tosa::TensorType> tensors;
  DataType result{};
};
// The 61 setups of docs/spec/tosa.md#conformance-data, and those with `local_bound` again with the stricter bound.
std::vector<DotSetup> dot_setups();

// A setup with the data of a set, 0 to 5.
OperatorCase dot_case(const DotSetup& setup, int set);

// Why results of the case are not conformant; empty when they are. There are bounds for each element, for the sum of
// all errors and for the sum of their squares.
std::string dot_failure(const OperatorCase& made, int set, std::span<const Tensor> results);

}  // namespace slipway::tosa_cases
