// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches and loops that parameters decide: a branch is inlined, and a loop is unrolled (docs/spec/import.md#folding).
#include <algorithm>

#include "base/format.hpp"
#include "importer/onnx/operators.hpp"
#include "importer/onnx/parameters.hpp"

namespace slipway::importer {
namespace {

constexpr std::int64_t kMaxUnrolled = 4096;

std::shared_ptr<const NetGraph> body_of(const NodeContext& node, std::string_view name) {
  auto body = node.graph(name);
  if (!body) throw Refused(formatted("the attribute `{}` is missing", name));
  return body;
}

// A condition that has to be known: one bool.
bool decided(const Term& term) {
  if (!term.known) throw Refused("the number of iterations depends on data");
  if (term.known->count() != 1) throw Refused("a condition does not have one element");
  return term.known->integer(0) != 0;
}

// What iterations made, along a new axis. `of`: the result of the body, whose declared shape counts after no iteration.
Term stacked(Builder& b, std::vector<Term> parts, std::int64_t axis, const NetValue& of) {
  if (!parts.empty()) {
    for (Term& part : parts) part = b.unsqueeze(part, axis);
    return b.concat(parts, axis);
  }
  if (!of.shape || of.type == FileType::Unknown)
    throw Refused("there are no iterations, and its results have no shape");
  tensor::Shape shape;
  for (const Dimension& dimension : *of.shape) {
    if (dimension.extent < 0) throw Refused("there are no iterations, and the shapes of its results are open");
    shape.push_back(dimension.extent);
  }
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis_of(axis, shape.size() + 1)), 0);
  return b.number(of.type, 0, std::move(shape));
}

}  // namespace

void emit_onnx_If(NodeContext& node) {
  const Array& condition = node.known(0, "cond");
  if (condition.count() != 1) throw Refused("the condition does not have one element");
  const bool chosen = condition.integer(0) != 0;
  const auto branch = body_of(node, chosen ? "then_branch" : "else_branch");
  std::vector<Term> results = node.run(*branch, {}, chosen ? "If.then" : "If.else");
  if (results.size() < node.outputs()) throw Refused("its branch has too few results");
  for (std::size_t i = 0; i < results.size(); ++i) node.out(i, std::move(results[i]));
}

void emit_onnx_Loop(NodeContext& node) {
  const auto body = body_of(node, "body");
  const bool counted = node.has(std::size_t{0}), conditional = node.has(std::size_t{1});
  if (!counted && !conditional) throw Refused("it has no end");
  const std::int64_t count = counted ? integer_operand(node, 0, "M") : kMaxUnrolled + 1;
  if (conditional) static_cast<void>(node.known(1, "cond"));
  bool goes_on = !conditional || decided(node.in(1));
  std::vector<Term> state;
  for (std::size_t i = 2; i < node.inputs(); ++i) state.push_back(node.operand(i));
  const std::size_t carried = state.size();
  if (body->outputs.size() < carried + 1) throw Refused("its body has too few results");
  const std::size_t scans = body->outputs.size() - 1 - carried;
  std::vector<std::vector<Term>> collected(scans);
  for (std::int64_t i = 0; i < count && goes_on; ++i) {
    if (i == kMaxUnrolled) throw Refused(formatted("more than {} iterations are too many", kMaxUnrolled));
    std::vector<Term> operands{node.b.integers(FileType::I64, {}, std::span(&i, 1)), node.b.number(FileType::Bool, 1)};
    operands.insert(operands.end(), state.begin(), state.end());
    std::vector<Term> results = node.run(*body, operands, formatted("Loop[{}]", i));
    if (conditional) goes_on = decided(results[0]);
    for (std::size_t k = 0; k < scans; ++k) collected[k].push_back(std::move(results[1 + carried + k]));
    for (std::size_t k = 0; k < carried; ++k) state[k] = std::move(results[1 + k]);
  }
  for (std::size_t k = 0; k < carried; ++k) node.out(k, state[k]);
  for (std::size_t k = 0; k < scans; ++k) {
    if (!node.wants(carried + k)) continue;
    node.out(carried + k, stacked(node.b, std::move(collected[k]), 0, body->values[body->outputs[1 + carried + k]]));
  }
}

namespace {

// The attributes of Scan.
struct ScanPlan {
  std::shared_ptr<const NetGraph> body;
  std::size_t states = 0, inputs = 0, outputs = 0;
  std::vector<std::int64_t> input_axes, input_directions, output_axes, output_directions;
};

// `first`: the index of the first operand that is a state.
ScanPlan plan_scan(const NodeContext& node, std::size_t first) {
  ScanPlan plan{.body = body_of(node, "body")};
  const std::int64_t inputs = node.integer("num_scan_inputs");
  const std::size_t operands = node.inputs() - std::min(first, node.inputs());
  if (inputs < 1 || static_cast<std::size_t>(inputs) > operands) throw Refused("`num_scan_inputs` is out of range");
  plan.inputs = static_cast<std::size_t>(inputs);
  plan.states = operands - plan.inputs;
  if (plan.body->outputs.size() < plan.states) throw Refused("its body has too few results");
  plan.outputs = plan.body->outputs.size() - plan.states;
  const auto list = [&](std::string_view name, std::size_t count) {
    auto values = node.list(name).value_or(std::vector<std::int64_t>(count, 0));
    if (values.size() != count) throw Refused(formatted("`{}` does not have one element for each tensor", name));
    return values;
  };
  plan.input_axes = list("scan_input_axes", plan.inputs);
  plan.input_directions = list(first == 0 ? "scan_input_directions" : "directions", plan.inputs);
  plan.output_axes = list("scan_output_axes", plan.outputs);
  plan.output_directions = list("scan_output_directions", plan.outputs);
  return plan;
}

// States and scanned tensors in, last states and stacked results out.
std::vector<Term> run_scan(NodeContext& node, const ScanPlan& plan, std::span<const Term> operands,
                           const std::string& path) {
  Builder& b = node.b;
  std::vector<Term> state(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(plan.states));
  const std::span<const Term> scanned = operands.subspan(plan.states);
  const std::int64_t length = scanned.front().extent(plan.input_axes.front());
  for (std::size_t k = 0; k < plan.inputs; ++k) {
    if (scanned[k].extent(plan.input_axes[k]) != length) throw Refused("its inputs have different lengths");
  }
  if (length > kMaxUnrolled) throw Refused(formatted("{} iterations are too many", length));
  std::vector<std::vector<Term>> collected(plan.outputs);
  for (std::int64_t i = 0; i < length; ++i) {
    std::vector<Term> given = state;
    for (std::size_t k = 0; k < plan.inputs; ++k) {
      const std::int64_t at = plan.input_directions[k] == 0 ? i : length - 1 - i;
      given.push_back(b.squeeze(b.slice_axis(scanned[k], plan.input_axes[k], at, 1), plan.input_axes[k]));
    }
    std::vector<Term> results = node.run(*plan.body, given, formatted("{}[{}]", path, i));
    for (std::size_t k = 0; k < plan.states; ++k) state[k] = std::move(results[k]);
    for (std::size_t k = 0; k < plan.outputs; ++k) collected[k].push_back(std::move(results[plan.states + k]));
  }
  for (std::size_t k = 0; k < plan.outputs; ++k) {
    if (plan.output_directions[k] != 0) std::ranges::reverse(collected[k]);
    const NetValue& of = plan.body->values[plan.body->outputs[plan.states + k]];
    state.push_back(stacked(b, std::move(collected[k]), plan.output_axes[k], of));
  }
  return state;
}

// Version 8: every tensor has a batch dimension in front, and the first operand the lengths of the sequences.
void scan_of_batches(NodeContext& node) {
  Builder& b = node.b;
  const ScanPlan plan = plan_scan(node, 1);
  const Term& scanned = node.in(1 + plan.states);
  const std::int64_t batches = scanned.extent(0);
  if (node.has(std::size_t{0})) {
    for (const std::int64_t length : node.integers(0, "sequence_lens")) {
      if (length != scanned.extent(1)) throw Refused("sequences that are shorter than their tensor are not converted");
    }
  }
  std::vector<std::vector<Term>> results(plan.states + plan.outputs);
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    std::vector<Term> operands;
    for (std::size_t i = 1; i < node.inputs(); ++i)
      operands.push_back(b.squeeze(b.slice_axis(node.in(i), 0, batch, 1), 0));
    std::vector<Term> made = run_scan(node, plan, operands, formatted("Scan.{}", batch));
    for (std::size_t k = 0; k < made.size(); ++k) results[k].push_back(b.unsqueeze(made[k], 0));
  }
  for (std::size_t k = 0; k < results.size(); ++k) node.out(k, b.concat(results[k], 0));
}

}  // namespace

void emit_onnx_Scan(NodeContext& node) {
  if (node.version() < 9) return scan_of_batches(node);
  const ScanPlan plan = plan_scan(node, 0);
  std::vector<Term> operands;
  for (std::size_t i = 0; i < node.inputs(); ++i) operands.push_back(node.operand(i));
  std::vector<Term> results = run_scan(node, plan, operands, "Scan");
  for (std::size_t k = 0; k < results.size(); ++k) node.out(k, std::move(results[k]));
}

}  // namespace slipway::importer
