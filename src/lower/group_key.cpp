// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/group_key.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "lower/operators/operation.hpp"
#include "lower/operators/value_range.hpp"

namespace slipway::lower {
namespace {

using tosa::ValueId;

class Describer {
 public:
  Describer(const tosa::Graph& graph, const std::vector<bool>& stored) : graph_(graph), stored_(stored) {}

  void result(ValueId value) {
    key_.values.push_back(value);
    // Outputs are stored with the canonical NaN.
    if (std::ranges::contains(graph_.outputs, value)) key_.text += "output ";
    computed(value);
  }

  // Described by other means.
  void known(ValueId value) { key_.values.push_back(value); }

  void operand(ValueId value) {
    const auto known = std::ranges::find(key_.values, value);
    const bool is_new = known == key_.values.end();
    key_.text += formatted("#{} ", known - key_.values.begin());
    if (!is_new) return;
    key_.values.push_back(value);
    if (!stored_[index(value)]) return computed(value);
    type(value);
    const tosa::Constant* constant = graph_.constant(value);
    if (constant) key_.text += constant->splat ? formatted("all {} ", text_of(constant->data)) : "constant ";
  }

  GroupKey release() { return std::move(key_); }

 private:
  void computed(ValueId value) {
    const tosa::Node& node = *graph_.producer(value);
    type(value);
    key_.text += formatted("{} {} {}{}(", static_cast<int>(node.op),
                           std::ranges::find(node.outputs, value) - node.outputs.begin(),
                           shifts_far(graph_, node) ? "far " : "", bits_of_cast(graph_, node));
    for (const tosa::Attributes::Entry& entry : node.attributes.entries()) {
      key_.text += formatted("{}={:a}", entry.name, entry.real);
      for (const std::int64_t number : entry.integers) key_.text += formatted(",{}", number);
      key_.text += ' ';
    }
    for (const ValueId input : node.inputs) operand(input);
    key_.text += ")";
  }

  void type(ValueId value) {
    key_.text += formatted("{}[", static_cast<int>(graph_[value].type.data));
    for (const std::int64_t extent : graph_[value].type.shape) key_.text += formatted("{} ", extent);
    key_.text += "] ";
  }

  const tosa::Graph& graph_;
  const std::vector<bool>& stored_;
  GroupKey key_;
};

}  // namespace

GroupKey key_of_group(const tosa::Graph& graph, const std::vector<bool>& stored, ValueId result,
                      std::string_view strategy) {
  Describer describer(graph, stored);
  describer.result(result);
  GroupKey key = describer.release();
  key.text += strategy;
  return key;
}

GroupKey key_of_operands(const tosa::Graph& graph, const std::vector<bool>& stored, ValueId result,
                         std::span<const ValueId> operands) {
  Describer describer(graph, stored);
  describer.known(result);
  for (const ValueId operand : operands) describer.operand(operand);
  return describer.release();
}

GroupKey key_of_operand(const tosa::Graph& graph, const std::vector<bool>& stored, ValueId operand) {
  Describer describer(graph, stored);
  describer.operand(operand);
  return describer.release();
}

}  // namespace slipway::lower
