// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa_cases/operator_case.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "reference/bounds.hpp"
#include "reference/precision.hpp"
#include "tensor/element.hpp"
#include "tosa/check/shapes.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::tosa_cases {
namespace {

// The types of the results: those of the first form that matches the operands and `acc_type`.
std::vector<DataType> results_for(const tosa::OperatorInfo& info, const CaseParts& parts) {
  const auto fits = [&](const tosa::TypeRow& row) {
    std::size_t next = 0;
    for (const tosa::OperandInfo& operand : info.operands) {
      if (!operand.is_tensor() || next >= parts.tensors.size()) continue;
      const DataType given = parts.tensors[next++].type.data;
      if (const auto variable = info.variable(operand.type); variable && row.types[*variable] != given) return false;
    }
    const auto accumulator = info.variable("acc");
    return !accumulator ||
           row.types[*accumulator] == tosa::data_type_of(parts.attributes.enumerant<tosa::AccType>("acc_type"));
  };
  const auto found = std::ranges::find_if(info.rows, fits);
  const tosa::TypeRow& row = found == info.rows.end() ? info.rows.front() : *found;
  std::vector<DataType> types;
  for (const tosa::OperandInfo& result : info.results) {
    const auto variable = info.variable(result.type);
    types.push_back(variable ? row.types[*variable] : *tosa::data_type_from_name(result.type));
  }
  return types;
}

bool flush(Tensor& tensor) {
  const DataType type = tensor.type.data;
  if (type != DataType::F16 && type != DataType::BF16 && type != DataType::F32) return false;
  const double least = reference::precision_of(type).min_normal;
  bool changed = false;
  for (double& real : tensor.reals) {
    if (real == 0 || !(std::fabs(real) < least)) continue;
    real = std::copysign(0.0, real);
    changed = true;
  }
  return changed;
}

// The largest error in units of its bound, of elements that have one.
double largest_of_bound(std::span<const Tensor> results, const reference::NodeResults& wanted,
                        const std::vector<std::vector<double>>& bounds) {
  double largest = 0;
  for (std::size_t r = 0; r < results.size(); ++r) {
    for (std::size_t i = 0; i < bounds[r].size(); ++i) {
      const double error = std::fabs(results[r].reals[i] - wanted.unrounded[r][i]), bound = bounds[r][i];
      if (bound > 0 && std::isfinite(bound) && error <= bound) largest = std::max(largest, error / bound);
    }
  }
  return largest;
}

Judgement compare(const OperatorCase& made, std::span<const Tensor> operands, std::span<const Tensor> results) {
  std::vector<const Tensor*> pointers;
  for (const Tensor& operand : operands) pointers.push_back(&operand);
  const auto wanted = reference::run_node(made.graph, made.node(), pointers);
  if (!wanted) return {.why = wanted.error()[0].message};
  const auto bounds = reference::bounds(made.graph, made.node(), pointers, *wanted);
  const auto difference = reference::first_difference(results, *wanted, *bounds);
  if (!difference) return {.why = "", .of_bound = largest_of_bound(results, *wanted, *bounds)};
  return {.why = formatted("result {} element {} is {} instead of {} (bound {})", difference->result,
                           difference->element, difference->test, difference->reference, difference->bound)};
}

}  // namespace

std::optional<OperatorCase> make_case(std::string name, tosa::Op op, CaseParts parts, Diagnostics& problems) {
  const tosa::OperatorInfo& info = tosa::info_of(op);
  if (parts.results.empty()) parts.results = results_for(info, parts);
  OperatorCase made{std::move(name), {}, std::move(parts.tensors)};
  std::vector<tosa::ValueId> inputs;
  auto operand = std::ranges::find_if(info.operands, &tosa::OperandInfo::is_tensor);
  for (const Tensor& tensor : made.operands) {
    const bool constant = operand->constant || (parts.constants && !inputs.empty());
    inputs.push_back(constant ? made.graph.add_constant(tensor.type, tensor.to_bytes())
                              : made.graph.add_input(tensor.type));
    if (!operand->variadic)
      operand = std::find_if(operand + 1, info.operands.end(), [](auto& o) { return o.is_tensor(); });
  }
  std::vector<tosa::TensorType> results;
  for (const DataType type : parts.results) results.push_back({type, {}});
  made.graph.outputs = made.graph.add_node(op, std::move(inputs), std::move(parts.attributes), std::move(results));
  const auto shapes = tosa::result_shapes(made.graph, made.graph.nodes[0], problems);
  if (!shapes) return std::nullopt;
  for (std::size_t i = 0; i < shapes->size(); ++i) made.graph[made.graph.outputs[i]].type.shape = (*shapes)[i];
  const std::size_t before = problems.errors();
  tosa::verify(made.graph, problems);
  if (problems.errors() != before) return std::nullopt;
  return made;
}

Judgement judge(const OperatorCase& made, std::span<const Tensor> results) {
  Judgement judged = compare(made, made.operands, results);
  if (judged.why.empty()) return judged;
  std::vector<Tensor> flushed = made.operands;
  std::vector<Tensor> flushed_results(results.begin(), results.end());
  bool changed = false;
  for (Tensor& operand : flushed) changed |= flush(operand);
  // Readers of a subnormal result of such a device read a zero.
  for (Tensor& result : flushed_results) changed |= flush(result);
  if (changed) {
    if (Judgement again = compare(made, flushed, flushed_results); again.why.empty()) return again;
  }
  judged.why = formatted("{}: {}\n{}", made.name, judged.why, text_of(made));
  return judged;
}

std::string disagreement(const OperatorCase& made, std::span<const Tensor> results) { return judge(made, results).why; }

std::string text_of(const OperatorCase& made) {
  std::string text = tosa::print(made.graph);
  for (std::size_t i = 0; i < made.operands.size(); ++i) {
    const Tensor& operand = made.operands[i];
    text += formatted("operand {} {}:", i, tosa::text_of(operand.type));
    constexpr std::size_t kMax = 64;
    for (std::size_t k = 0; k < std::min(operand.size(), kMax); ++k)
      text +=
          operand.is_float() ? " " + tensor::shortest_text(operand.reals[k]) : formatted(" {}", operand.integers[k]);
    text += operand.size() > kMax ? " ...\n" : "\n";
  }
  return text;
}

std::string text_of(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all())
    text += formatted("{} [{}]\n", diagnostic.message, name_of(diagnostic.kind));
  return text;
}

void Batch::add(const OperatorCase& made) {
  const tosa::Node& node = made.node();
  std::vector<tosa::ValueId> operands;
  for (std::size_t i = 0; i < made.operands.size(); ++i) {
    const Tensor& tensor = made.operands[i];
    elements_ += tensor.size();
    if (made.graph.constant(node.inputs[i])) {
      operands.push_back(graph_.add_constant(tensor.type, tensor.to_bytes()));
    } else {
      operands.push_back(graph_.add_input(tensor.type));
      inputs_.push_back(tensor);
    }
  }
  std::vector<tosa::TensorType> types;
  for (const tosa::ValueId output : node.outputs) types.push_back(made.graph[output].type);
  first_output_.push_back(graph_.outputs.size());
  for (const tosa::ValueId output : graph_.add_node(node.op, std::move(operands), node.attributes, std::move(types)))
    graph_.outputs.push_back(output);
  cases_.push_back(&made);
}

std::span<const Tensor> Batch::results_of(std::size_t number, std::span<const Tensor> outputs) const {
  return outputs.subspan(first_output_[number], cases_[number]->node().outputs.size());
}

}  // namespace slipway::tosa_cases
