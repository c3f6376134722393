// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs cases on a device, and counts what comes out.
#pragma once

#include <deque>
#include <functional>
#include <memory>

#include "conformance/outcome.hpp"
#include "model/standalone/graph_device.hpp"
#include "tosa_cases/operator_case.hpp"

namespace slipway::conformance {

class CaseRunner {
 public:
  CaseRunner(model::GraphDevice& device, bool together, RowOutcome& outcome)
      : device_(device), together_(together), outcome_(outcome) {}

  using Judge =
      std::function<tosa_cases::Judgement(const tosa_cases::OperatorCase&, std::span<const reference::Tensor>)>;
  // A case of one operator. Cases run when there are enough of them, and at the end.
  Result<> add(tosa_cases::OperatorCase made, Judge judge = tosa_cases::judge);
  // A graph at once. `judge` returns why its outputs are wrong.
  Result<> add(const std::string& name, const tosa::Graph& graph, const std::vector<reference::Tensor>& inputs,
               const std::function<std::string(std::span<const reference::Tensor>)>& judge);
  Result<> finish();

  // Whether a case computes a wrong result; false if it does not run.
  bool fails(const tosa_cases::OperatorCase& made);
  // Replaces the first case that failed by a smaller one.
  void describe(const tosa_cases::OperatorCase& smaller);

  RowOutcome& outcome() { return outcome_; }

 private:
  using Outputs = std::optional<std::vector<reference::Tensor>>;
  struct Pending {
    tosa_cases::OperatorCase made;
    Judge judge;
  };

  // Empty if the graph did not run, which is counted as `cases` cases unless that is 0.
  Result<Outputs> run(const std::string& name, const tosa::Graph& graph, std::span<const reference::Tensor> inputs,
                      std::size_t cases);
  Result<> run_alone(const Pending& one);
  void count(const Pending& one, std::span<const reference::Tensor> results);

  model::GraphDevice& device_;
  bool together_;
  RowOutcome& outcome_;
  std::deque<Pending> pending_;
  std::size_t elements_ = 0;
};

}  // namespace slipway::conformance
