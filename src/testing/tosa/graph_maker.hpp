// Builds graphs with the value of every tensor: each operator is run by the interpreter as it is added.
//
// Beside its value each tensor has an error: how far a device that keeps to TOSA's bounds may be off, at most. Integers
// have none, nor have floats whose results every device gives alike; such graphs have one answer, however operators are
// fused.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testing/tosa/operator_case.hpp"
#include "testing/tosa/random.hpp"

namespace slipway::testing {

using tosa::ValueId;

class GraphMaker {
 public:
  ValueId input(Tensor value);
  ValueId constant(Tensor value);
  // Nothing when TOSA does not allow the operator, does not predict its result, or allows any result. An operand that
  // must be constant has to be one already. Attributes that the operator does not have are left out.
  std::optional<std::vector<ValueId>> try_add(tosa::Op op, std::span<const ValueId> operands, tosa::Attributes given,
                                              std::vector<DataType> results = {});
  // The first result; throws std::logic_error when there is none.
  ValueId add(tosa::Op op, std::vector<ValueId> operands, tosa::Attributes attributes = {},
              std::vector<DataType> results = {});

  const tosa::TensorType& type(ValueId value) const { return graph[value].type; }
  const Tensor& value(ValueId id) const { return values[tosa::index(id)]; }
  double error(ValueId id) const { return errors[tosa::index(id)]; }
  // The largest magnitude of a float tensor.
  double size(ValueId id) const;
  double least_size(ValueId id) const;

  std::vector<Tensor> inputs() const;
  // The values of the graph's outputs.
  std::vector<Tensor> outputs() const;
  // Every node with the interpreter's operands.
  std::vector<OperatorCase> operators() const;
  // Why these outputs of the graph are wrong; empty when they are not. `value_of` names the value of each output.
  std::string disagreement(std::span<const Tensor> results, std::span<const ValueId> value_of) const;

  tosa::Graph graph;
  std::vector<Tensor> values;
  std::vector<double> errors;
  // Refuses results with so large a share of error that comparing them says little, and subnormal ones, which may be
  // flushed.
  bool only_comparable = true;
  // Which shapes results may have; empty: all.
  std::function<bool(const tensor::Shape&)> takes_shape;

 private:
  // Empty when nothing is known of the error.
  std::optional<double> error_of(const OperatorCase& made, const reference::NodeResults& results,
                                 std::span<const double> errors_in) const;
};

// The same graph with one value as its only output and nothing that it does not need; for messages.
tosa::Graph cut_down(const tosa::Graph& graph, ValueId value);

}  // namespace slipway::testing
