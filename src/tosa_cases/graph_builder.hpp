// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds graphs with the value of every tensor: each operator is run by the interpreter as it is added.
//
// Besides its value each tensor has an error: the largest deviation of a device that observes TOSA's bounds. Integers
// have none, nor have floats whose results are the same on every device; such graphs have one result, however operators
// are fused.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tosa_cases/operator_case.hpp"
#include "tosa_cases/random.hpp"

namespace slipway::tosa_cases {

using tosa::ValueId;

class GraphBuilder {
 public:
  ValueId input(Tensor value);
  ValueId constant(Tensor value);
  // Empty when TOSA does not allow the operator, or its result is unpredictable or arbitrary. An operand that must be
  // constant has to be one already. Attributes that the operator does not have are ignored.
  std::optional<std::vector<ValueId>> try_add(tosa::Op op, std::span<const ValueId> operands, tosa::Attributes given,
                                              std::vector<DataType> results = {});
  // The first result; throws std::logic_error where try_add returns nothing.
  ValueId add(tosa::Op op, std::vector<ValueId> operands, tosa::Attributes attributes = {},
              std::vector<DataType> results = {});

  const tosa::TensorType& type(ValueId value) const { return graph[value].type; }
  const Tensor& value(ValueId id) const { return values[tosa::index(id)]; }
  double error(ValueId id) const { return errors[tosa::index(id)]; }
  // The largest magnitude of a float tensor.
  double size(ValueId id) const;
  double min_size(ValueId id) const;

  std::vector<Tensor> inputs() const;
  // The values of the graph's outputs.
  std::vector<Tensor> outputs() const;
  // Every node as a case, with the operands of the interpreter.
  std::vector<OperatorCase> operators() const;
  // Why these outputs of the graph are wrong; empty when they are not. `value_of` names the value of each output.
  std::string disagreement(std::span<const Tensor> results, std::span<const ValueId> value_of) const;

  tosa::Graph graph;
  std::vector<Tensor> values;
  std::vector<double> errors;
  // Refuses results whose relative error is too large for a useful comparison, and subnormal results, which may be
  // flushed.
  bool only_comparable = true;
  // The permitted shapes of results; empty: all.
  std::function<bool(const tensor::Shape&)> takes_shape;

 private:
  // Empty when the error is unknown.
  std::optional<double> error_of(const OperatorCase& made, const reference::NodeResults& results,
                                 std::span<const double> errors_in) const;
};

}  // namespace slipway::tosa_cases
