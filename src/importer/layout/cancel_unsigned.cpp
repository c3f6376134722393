// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/layout/cancel_unsigned.hpp"

#include <algorithm>
#include <optional>

#include "importer/layout/graph_copy.hpp"

namespace slipway::importer {
namespace {

using tosa::DataType;
using tosa::Node;
using tosa::Op;
using tosa::ValueId;

// What changes the meaning of the top bit of 8 or 16 bits (importer/emit/unsigned.cpp).
enum class Turn : std::uint8_t { None, ToSigned, ToUnsigned };

Turn turn_of(const tosa::Graph& graph, const Node& node) {
  if (node.op != Op::RESCALE || node.attributes.flag("per_channel") || !node.attributes.flag("scale32"))
    return Turn::None;
  const bool from = node.attributes.flag("input_unsigned"), to = node.attributes.flag("output_unsigned");
  const DataType type = graph[node.inputs[0]].type.data;
  if (from == to || graph[node.outputs[0]].type.data != type) return Turn::None;
  const std::int64_t half = type == DataType::I8 ? 128 : type == DataType::I16 ? 32768 : 0;
  const bool moves = node.attributes.integer(from ? "input_zp" : "output_zp") == half &&
                     node.attributes.integer(from ? "output_zp" : "input_zp") == 0;
  const std::vector<std::int64_t> multiplier = integers_of(graph, node.inputs[1]),
                                  shift = integers_of(graph, node.inputs[2]);
  const bool is_one = multiplier == std::vector<std::int64_t>{1 << 30} && shift == std::vector<std::int64_t>{30};
  if (half == 0 || !moves || !is_one) return Turn::None;
  return from ? Turn::ToSigned : Turn::ToUnsigned;
}

// Operators that move the bits of their tensors, and how many of their operands are tensors. 0: others.
std::size_t moved_operands(const Node& node) {
  switch (node.op) {
    case Op::CONCAT:
      return node.inputs.size();
    case Op::PAD:
    case Op::RESHAPE:
    case Op::REVERSE:
    case Op::SLICE:
    case Op::TILE:
    case Op::TRANSPOSE:
    case Op::GATHER:
      return 1;
    default:
      return 0;
  }
}

std::int64_t without_top(std::int64_t value, DataType type) {
  const std::int64_t half = type == DataType::I8 ? 128 : 32768;
  return value < 0 ? value + half : value - half;
}

class Canceller {
 public:
  explicit Canceller(const tosa::Graph& old) : old_(old), copy_(old), turned_(old.values.size()) {}

  tosa::Graph run() {
    for (const Node& node : old_.nodes) {
      if (!turn(node) && !move(node)) copy(node);
    }
    std::vector<ValueId> outputs;
    for (const ValueId output : old_.outputs) outputs.push_back(value(output));
    return copy_.finish(outputs);
  }

 private:
  // A value that a RESCALE makes of one of the new graph.
  struct Turned {
    ValueId base;
    const Node* by;
    Turn turn;
  };

  ValueId value(ValueId old) {
    if (const ValueId made = copy_.find(old); made != tosa::kNoValue) return made;
    const Turned& from = *turned_[index(old)];
    const std::vector<ValueId> inputs{from.base, copy_.find(from.by->inputs[1]), copy_.find(from.by->inputs[2])};
    copy_.set(old, copy_.add(*from.by, inputs, from.by->attributes, old_[old].type));
    return copy_.find(old);
  }

  void copy(const Node& node) {
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(value(input));
    copy_.copy(node, std::move(inputs));
  }

  bool turn(const Node& node) {
    const Turn turn = turn_of(old_, node);
    if (turn == Turn::None) return false;
    const auto& before = turned_[index(node.inputs[0])];
    if (before && before->turn != turn)
      copy_.set(node.outputs[0], before->base);
    else
      turned_[index(node.outputs[0])] = Turned{value(node.inputs[0]), &node, turn};
    return true;
  }

  // Moves the bits before the RESCALE of each operand instead.
  bool move(const Node& node) {
    const std::size_t count = moved_operands(node);
    if (count == 0) return false;
    const std::span<const ValueId> tensors = std::span(node.inputs).first(count);
    if (!turned_[index(tensors[0])] ||
        !std::ranges::all_of(tensors, [&](ValueId each) { return turned_[index(each)].has_value(); }))
      return false;
    const Turned from = *turned_[index(tensors[0])];
    std::vector<ValueId> inputs;
    for (const ValueId each : tensors) {
      if (turned_[index(each)]->turn != from.turn) return false;
      inputs.push_back(turned_[index(each)]->base);
    }
    for (std::size_t i = count; i < node.inputs.size(); ++i) inputs.push_back(value(node.inputs[i]));
    tosa::Attributes attributes = node.attributes;
    const tosa::TensorType& type = old_[node.outputs[0]].type;
    if (node.op == Op::PAD) attributes.set("pad_const", without_top(attributes.integer("pad_const"), type.data));
    turned_[index(node.outputs[0])] =
        Turned{copy_.add(node, std::move(inputs), std::move(attributes), type), from.by, from.turn};
    return true;
  }

  const tosa::Graph& old_;
  GraphCopy copy_;
  std::vector<std::optional<Turned>> turned_;  // by value of the old graph
};

}  // namespace

void cancel_unsigned(tosa::Graph& graph) {
  const auto turns = [&](const Node& node) { return turn_of(graph, node) != Turn::None; };
  if (std::ranges::count_if(graph.nodes, turns) > 1) graph = Canceller(graph).run();
}

}  // namespace slipway::importer
