// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One operator with its operands: a case of the suites of TOSA operators.
//
// The expected results are those of the interpreter, within TOSA's error bounds.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "reference/run.hpp"
#include "reference/tensor.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa_cases {

using reference::Tensor;
using tosa::DataType;

// Operands and attributes of a case, in the order of operators.def.
struct CaseParts {
  std::vector<Tensor> tensors;
  tosa::Attributes attributes;
  std::vector<DataType> results;  // empty: those of the first row of legal types that has these operand types
  bool constants = false;         // all tensors but the first are constants
};

struct OperatorCase {
  std::string name;              // `CONV2D/i8 i8 i32/17/edge`
  tosa::Graph graph;             // one node; operands that must be constant are constants
  std::vector<Tensor> operands;  // of the node

  const tosa::Node& node() const { return graph.nodes[0]; }
};

// The shapes of the results are inferred. Empty, with the diagnostics of the verifier, when TOSA does not allow it.
std::optional<OperatorCase> make_case(std::string name, tosa::Op op, CaseParts parts, Diagnostics& problems);

struct Judgement {
  std::string why;      // they are wrong; empty when they are right
  double of_bound = 0;  // the largest error of right results in units of its bound
};
// A device that flushes subnormal inputs is right if it does so everywhere (docs/spec/tosa.md#error-bounds).
Judgement judge(const OperatorCase& made, std::span<const Tensor> results);
// Why these results are wrong; empty when they are right.
std::string disagreement(const OperatorCase& made, std::span<const Tensor> results);

// The case as text for people: the graph and its operands.
std::string text_of(const OperatorCase& made);

// Messages, one for each line, with their kinds.
std::string text_of(const Diagnostics& diagnostics);

// Cases as one graph, so that one run of a device computes all of them. The cases must outlive the graph.
class Batch {
 public:
  void add(const OperatorCase& made);

  bool empty() const { return cases_.empty(); }
  std::size_t size() const { return cases_.size(); }
  std::size_t elements() const { return elements_; }
  const tosa::Graph& graph() const { return graph_; }
  std::span<const Tensor> inputs() const { return inputs_; }
  std::span<const OperatorCase* const> cases() const { return cases_; }
  // The outputs of one case among the outputs of the whole graph.
  std::span<const Tensor> results_of(std::size_t number, std::span<const Tensor> outputs) const;

 private:
  tosa::Graph graph_;
  std::vector<Tensor> inputs_;
  std::vector<const OperatorCase*> cases_;
  std::vector<std::size_t> first_output_;
  std::size_t elements_ = 0;
};

}  // namespace slipway::tosa_cases
