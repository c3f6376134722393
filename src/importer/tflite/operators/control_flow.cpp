// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subgraphs: branches and loops that parameters decide, calls, and composites by their decomposition.
#include <algorithm>

#include "base/format.hpp"
#include "importer/tflite/operators.hpp"
#include "importer/tflite/operators/common.hpp"

namespace slipway::importer {
namespace {

constexpr std::int64_t kMaxTurns = 4096;

const NetGraph& subgraph_of(const NodeContext& node, std::string_view attribute) {
  const std::int64_t index = node.integer(attribute);
  if (index < 0 || index >= static_cast<std::int64_t>(node.net().graphs.size()))
    throw Refused(formatted("`{}` is {}", attribute, index));
  return *node.net().graphs[static_cast<std::size_t>(index)];
}

std::vector<Term> operands_from(const NodeContext& node, std::size_t first) {
  std::vector<Term> operands;
  for (std::size_t i = first; i < node.inputs(); ++i) operands.push_back(node.in(i));
  return operands;
}

void out_all(NodeContext& node, std::vector<Term> results) {
  if (results.size() < node.outputs()) throw Refused("its subgraph has too few results");
  for (std::size_t i = 0; i < node.outputs(); ++i) node.out(i, std::move(results[i]));
}

bool holds(const Term& condition) {
  if (!condition.known) throw Refused("the number of iterations depends on data");
  if (condition.known->count() != 1) throw Refused("a condition does not have one element");
  return condition.known->integer(0) != 0;
}

}  // namespace

void emit_tflite_IF(NodeContext& node) {
  const Array& condition = node.known(0, "cond");
  if (condition.count() != 1) throw Refused("the condition does not have one element");
  const bool chosen = condition.integer(0) != 0;
  const NetGraph& branch = subgraph_of(node, chosen ? "then_subgraph_index" : "else_subgraph_index");
  out_all(node, node.run(branch, operands_from(node, 1), chosen ? "IF.then" : "IF.else"));
}

void emit_tflite_WHILE(NodeContext& node) {
  const NetGraph& condition = subgraph_of(node, "cond_subgraph_index");
  const NetGraph& body = subgraph_of(node, "body_subgraph_index");
  std::vector<Term> state = operands_from(node, 0);
  for (std::int64_t turn = 0;; ++turn) {
    const std::vector<Term> goes_on = node.run(condition, state, formatted("WHILE.cond[{}]", turn));
    if (goes_on.size() != 1) throw Refused("its condition does not have one result");
    if (!holds(goes_on.front())) break;
    if (turn == kMaxTurns) throw Refused(formatted("more than {} iterations are too many", kMaxTurns));
    state = node.run(body, state, formatted("WHILE[{}]", turn));
  }
  out_all(node, std::move(state));
}

void emit_tflite_CALL(NodeContext& node) {
  out_all(node, node.run(subgraph_of(node, "subgraph"), operands_from(node, 0), "CALL"));
}

void emit_tflite_CALL_ONCE(NodeContext& node) {
  static_cast<void>(node.run(subgraph_of(node, "init_subgraph_index"), {}, "CALL_ONCE"));
}

void emit_tflite_STABLEHLO_COMPOSITE(NodeContext& node) {
  out_all(node, node.run(subgraph_of(node, "decomposition_subgraph_index"), operands_from(node, 0),
                         node.text("name", "composite")));
}

// --- variables: those that only CALL_ONCE assigns are constants
// -------------------------------------------------------

void emit_tflite_VAR_HANDLE(NodeContext& node) {
  const std::string name = node.text("container", "") + "/" + node.text("shared_name", "");
  std::vector<std::byte> bytes(name.size());
  std::ranges::transform(name, bytes.begin(), [](char each) { return static_cast<std::byte>(each); });
  const auto size = static_cast<std::int64_t>(bytes.size());
  node.out(0, known_term(array_of(FileType::Resource, {size}, std::move(bytes))));
}

namespace {

std::string variable_name(const NodeContext& node) {
  const Array& handle = node.known(0, "resource_id");
  return {reinterpret_cast<const char*>(handle.data.data()), handle.data.size()};
}

}  // namespace

void emit_tflite_READ_VARIABLE(NodeContext& node) {
  const auto found = node.variables().find(variable_name(node));
  if (found == node.variables().end()) throw Refused("nothing has assigned the variable before");
  node.out(0, found->second);
}

void emit_tflite_ASSIGN_VARIABLE(NodeContext& node) {
  if (!node.in(1).known) throw Refused("a variable that depends on inputs is not supported");
  node.variables().insert_or_assign(variable_name(node), node.in(1));
}

}  // namespace slipway::importer
