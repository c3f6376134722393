// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conformance/case_runner.hpp"

#include "tosa/text.hpp"

namespace slipway::conformance {
namespace {

using reference::Tensor;
using tosa_cases::Batch;
using tosa_cases::OperatorCase;

std::string whole_text(const tosa::Graph& graph) { return tosa::print(graph, {.max_elements = UINT64_MAX}); }

std::vector<Tensor> inputs_of(const OperatorCase& made) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < made.operands.size(); ++i) {
    if (!made.graph.constant(made.node().inputs[i])) inputs.push_back(made.operands[i]);
  }
  return inputs;
}

}  // namespace

Result<CaseRunner::Outputs> CaseRunner::run(const std::string& name, const tosa::Graph& graph,
                                            std::span<const Tensor> inputs, std::size_t cases) {
  auto results = device_.run(std::make_shared<const tosa::Graph>(graph), inputs);
  if (results) return Outputs(std::move(*results));
  if (cases > 0) {
    SLIPWAY_TRY_VOID(outcome_.refuse(
        std::move(results.error()),
        {.name = name, .why = {}, .graph = whole_text(graph), .inputs = {inputs.begin(), inputs.end()}, .scenario = {}},
        cases));
  } else if (ends_the_run(results.error())) {
    return fail(std::move(results.error()));
  }
  return Outputs();
}

void CaseRunner::count(const Pending& one, std::span<const Tensor> results) {
  const tosa_cases::Judgement judged = one.judge(one.made, results);
  if (judged.why.empty()) {
    ++outcome_.passed;
    if (judged.of_bound > outcome_.of_bound) {
      outcome_.of_bound = judged.of_bound;
      outcome_.nearest = one.made.name;
    }
    return;
  }
  outcome_.fail({.name = one.made.name,
                 .why = judged.why.substr(0, judged.why.find('\n')),
                 .graph = whole_text(one.made.graph),
                 .inputs = inputs_of(one.made),
                 .scenario = {}});
}

Result<> CaseRunner::run_alone(const Pending& one) {
  SLIPWAY_TRY(const Outputs outputs, run(one.made.name, one.made.graph, inputs_of(one.made), 1));
  if (outputs) count(one, *outputs);
  return {};
}

bool CaseRunner::fails(const OperatorCase& made) {
  const auto outputs = run(made.name, made.graph, inputs_of(made), 0);
  return outputs && *outputs && !tosa_cases::judge(made, **outputs).why.empty();
}

void CaseRunner::describe(const OperatorCase& smaller) {
  outcome_.first->graph = whole_text(smaller.graph);
  outcome_.first->inputs = inputs_of(smaller);
}

Result<> CaseRunner::add(OperatorCase made, Judge judge) {
  constexpr std::size_t kMaxCases = 100, kMaxElements = 1u << 19;
  for (const Tensor& operand : made.operands) elements_ += operand.size();
  pending_.push_back({std::move(made), std::move(judge)});
  if (!together_ || pending_.size() >= kMaxCases || elements_ >= kMaxElements) return finish();
  return {};
}

Result<> CaseRunner::add(const std::string& name, const tosa::Graph& graph, const std::vector<Tensor>& inputs,
                         const std::function<std::string(std::span<const Tensor>)>& judge) {
  SLIPWAY_TRY(const Outputs outputs, run(name, graph, inputs, 1));
  if (!outputs) return {};
  std::string why = judge(*outputs);
  if (why.empty()) {
    ++outcome_.passed;
    return {};
  }
  outcome_.fail({.name = name,
                 .why = why.substr(0, why.find('\n')),
                 .graph = whole_text(graph),
                 .inputs = inputs,
                 .scenario = {}});
  return {};
}

Result<> CaseRunner::finish() {
  const std::deque<Pending> cases = std::exchange(pending_, {});
  elements_ = 0;
  if (cases.size() > 1) {
    Batch batch;
    for (const Pending& one : cases) batch.add(one.made);
    SLIPWAY_TRY(const Outputs outputs, run(cases.front().made.name, batch.graph(), batch.inputs(), 0));
    if (outputs) {
      for (std::size_t i = 0; i < cases.size(); ++i) count(cases[i], batch.results_of(i, *outputs));
      return {};
    }
  }
  // Also where one of the cases does not run.
  for (const Pending& one : cases) SLIPWAY_TRY_VOID(run_alone(one));
  return {};
}

}  // namespace slipway::conformance
