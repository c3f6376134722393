// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/read/known_elements.hpp"

#include <algorithm>
#include <array>

#include "tensor/element.hpp"

namespace slipway::tosa {
namespace {

bool is_one_element(const TensorType& type) {
  return !is_float(type.data) && std::ranges::all_of(type.shape, [](std::int64_t extent) { return extent == 1; });
}

// Operators that count and compare in loops, on 32-bit values. Empty where the result is unpredictable in TOSA.
std::optional<std::int64_t> result_of(const Node& node, const std::array<std::int64_t, 3>& x) {
  using enum Op;
  switch (node.op) {
    case ADD:
      return x[0] + x[1];
    case SUB:
      return x[0] - x[1];
    case MUL:
      return node.attributes.integer("shift") == 0 ? std::optional(x[0] * x[1]) : std::nullopt;
    case INTDIV:
      return x[1] != 0 ? std::optional(x[0] / x[1]) : std::nullopt;
    case MAXIMUM:
      return std::max(x[0], x[1]);
    case MINIMUM:
      return std::min(x[0], x[1]);
    case ABS:
      return x[0] < 0 ? -x[0] : x[0];
    case EQUAL:
      return x[0] == x[1];
    case GREATER:
      return x[0] > x[1];
    case GREATER_EQUAL:
      return x[0] >= x[1];
    case LOGICAL_AND:
      return x[0] & x[1];
    case LOGICAL_OR:
      return x[0] | x[1];
    case LOGICAL_XOR:
      return x[0] ^ x[1];
    case LOGICAL_NOT:
      return x[0] == 0;
    case SELECT:
      return x[0] != 0 ? x[1] : x[2];
    case REDUCE_ALL:
    case REDUCE_ANY:
    case RESHAPE:
      return x[0];
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::int64_t> KnownElements::find(const Graph& graph, ValueId value) const {
  if (const Constant* constant = graph.constant(value)) {
    const TensorType& type = graph[value].type;
    if (!is_one_element(type) || constant->data.size() != tensor::size_of(storage_of(type.data))) return std::nullopt;
    const tensor::Number number = tensor::number_of(storage_of(type.data), constant->data.data());
    return std::visit([](auto x) { return static_cast<std::int64_t>(x); }, number);
  }
  const auto known = results_.find(index(value));
  return known == results_.end() ? std::nullopt : std::optional(known->second);
}

void KnownElements::see(const Graph& graph, const Node& node) {
  std::array<std::int64_t, 3> operands{};
  if (node.outputs.size() != 1 || node.inputs.empty() || node.inputs.size() > operands.size() ||
      !is_one_element(graph[node.outputs[0]].type))
    return;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const auto known = find(graph, node.inputs[i]);
    if (!known || *known != static_cast<std::int32_t>(*known)) return;
    operands[i] = *known;
  }
  const auto result = result_of(node, operands);
  // Beyond 32 bits the result is unpredictable in TOSA.
  if (result && *result == static_cast<std::int32_t>(*result)) results_[index(node.outputs[0])] = *result;
}

}  // namespace slipway::tosa
