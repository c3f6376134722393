// One operator with the tensors that it works on: what the suites of TOSA operators are made of.
//
// Its expected results are those of the interpreter, within TOSA's own bounds.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "reference/run.hpp"
#include "reference/tensor.hpp"
#include "tosa/graph.hpp"

namespace slipway::testing {

using reference::Tensor;
using tosa::DataType;

// What an operator is given, in the order of operators.def.
struct CaseParts {
  std::vector<Tensor> tensors;
  tosa::Attributes attributes;
  std::vector<DataType> results;  // empty: those of the first form that takes the tensors
  bool constants = false;         // all tensors but the first are constants
};

struct OperatorCase {
  std::string name;              // `CONV2D/i8 i8 i32/17/edge`
  tosa::Graph graph;             // one node; constants are what the operator wants constant
  std::vector<Tensor> operands;  // of the node

  const tosa::Node& node() const { return graph.nodes[0]; }
};

// The shapes of the results follow from the rest. Empty, with what the verifier says, when TOSA does not allow it.
std::optional<OperatorCase> make_case(std::string name, tosa::Op op, CaseParts parts, Diagnostics& problems);

// Why these results are not what the operator gives; empty when they are. A device that flushes subnormal inputs is
// right when it does so everywhere (TOSA page 3.4).
std::string disagreement(const OperatorCase& made, std::span<const Tensor> results);

// The case as people read it: the graph and its operands.
std::string text_of(const OperatorCase& made);

// Messages, one a line, with their kinds.
std::string text_of(const Diagnostics& diagnostics);

// Cases as one graph, so that one run of a device computes them all. The cases must live while the graph does.
class Batch {
 public:
  void add(const OperatorCase& made);

  bool empty() const { return cases_.empty(); }
  std::size_t size() const { return cases_.size(); }
  std::size_t elements() const { return elements_; }
  const tosa::Graph& graph() const { return graph_; }
  std::span<const Tensor> inputs() const { return inputs_; }
  std::span<const OperatorCase* const> cases() const { return cases_; }
  // Those of one case, of the outputs of the whole.
  std::span<const Tensor> results_of(std::size_t number, std::span<const Tensor> outputs) const;

 private:
  tosa::Graph graph_;
  std::vector<Tensor> inputs_;
  std::vector<const OperatorCase*> cases_;
  std::vector<std::size_t> first_output_;
  std::size_t elements_ = 0;
};

}  // namespace slipway::testing
