// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators whose zero points, shifts, multipliers or padding values are known only when the model runs.
//
// TOSA requires these operands to be constant, and the graph has them as attributes. Other converters accept any tensor
// (docs/spec/converter.md#operands-that-are-not-constant). Such an operator is replaced by operators that compute the
// same: with `z` an open zero point of `x`, a product of (x - z) and w is that of x and w, less z times that of ones
// and w.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "tosa/graph.hpp"

namespace slipway::tosa {

struct OpenParameter {
  std::string_view name;  // of operators.def
  ValueId value{};        // a tensor of one element
};

// An operator of a file with one result. The attributes have 0 for open parameters.
struct OpenOperator {
  Op op{};
  std::vector<ValueId> inputs;
  Attributes attributes;
  TensorType result;
  std::vector<OpenParameter> open;
};

// Whether the operator has open parameters; the multiplier and the shift of a RESCALE are inputs.
bool is_open(const Graph& graph, const OpenOperator& of);

struct ClosedOperator {
  ValueId result{};
  std::vector<std::string> warnings;  // clauses, one for each open parameter
};
// Adds the operators that replace it. Zero points of types that have none are taken as 0. The error is a clause.
std::expected<ClosedOperator, std::string> close_operator(Graph& graph, const OpenOperator& of);

}  // namespace slipway::tosa
