// The conformance data of dot products and the statistics that results have to meet (TOSA page 3.5, 11; layer D of the
// page on test cases).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "testing/tosa/operator_case.hpp"

namespace slipway::testing {

// Number `i` of a sequence between -1 and 1, in 32-bit floats.
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
// The 61 of the page, and those with `local_bound` once more with the stricter bound.
std::vector<DotSetup> dot_setups();

// A setup with the data of a set, 0 to 5.
OperatorCase dot_case(const DotSetup& setup, int set);

// Why results of the case are not conformant; empty when they are. Each element has its bound, and so have the sums of
// all errors and of their squares.
std::string dot_failure(const OperatorCase& made, int set, std::span<const Tensor> results);

}  // namespace slipway::testing
