// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/layout/sink_transposes.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "importer/layout/graph_copy.hpp"
#include "tensor/shape.hpp"

namespace slipway::importer {
namespace {

using tosa::Graph;
using tosa::Node;
using tosa::Op;
using tosa::ValueId;

using Permutation = std::vector<std::int64_t>;

// Empty: nothing moves.
Permutation normal(Permutation permutation) {
  if (std::ranges::is_sorted(permutation)) permutation.clear();
  return permutation;
}

Permutation inverse_of(const Permutation& permutation) {
  Permutation inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
  return inverse;
}

// TRANSPOSE(TRANSPOSE(x, first), second).
Permutation composed(const Permutation& first, const Permutation& second) {
  if (first.empty()) return second;
  Permutation both;
  for (const std::int64_t from : second) both.push_back(first[static_cast<std::size_t>(from)]);
  return normal(std::move(both));
}

// The shape of a tensor whose transpose has `shape`.
tensor::Shape shape_before(const tensor::Shape& shape, const Permutation& permutation) {
  tensor::Shape before = shape;
  for (std::size_t i = 0; i < permutation.size(); ++i) before[static_cast<std::size_t>(permutation[i])] = shape[i];
  return before;
}

// Only dimensions of size 1 move.
bool keeps_order(const tensor::Shape& before, const Permutation& permutation) {
  Permutation moved;
  for (const std::int64_t from : permutation) {
    if (before[static_cast<std::size_t>(from)] != 1) moved.push_back(from);
  }
  return std::ranges::is_sorted(moved);
}

// Operators that treat every element alike, whatever the order of the dimensions.
bool is_elementwise(const Node& node) {
  switch (node.op) {
    case Op::CLAMP:
    case Op::ERF:
    case Op::SIGMOID:
    case Op::TANH:
    case Op::ADD:
    case Op::ARITHMETIC_RIGHT_SHIFT:
    case Op::BITWISE_AND:
    case Op::BITWISE_OR:
    case Op::BITWISE_XOR:
    case Op::INTDIV:
    case Op::LOGICAL_AND:
    case Op::LOGICAL_LEFT_SHIFT:
    case Op::LOGICAL_RIGHT_SHIFT:
    case Op::LOGICAL_OR:
    case Op::LOGICAL_XOR:
    case Op::MAXIMUM:
    case Op::MINIMUM:
    case Op::MUL:
    case Op::POW:
    case Op::SUB:
    case Op::ABS:
    case Op::BITWISE_NOT:
    case Op::CEIL:
    case Op::CLZ:
    case Op::COS:
    case Op::EXP:
    case Op::FLOOR:
    case Op::LOG:
    case Op::LOGICAL_NOT:
    case Op::NEGATE:
    case Op::RECIPROCAL:
    case Op::RSQRT:
    case Op::SIN:
    case Op::SELECT:
    case Op::EQUAL:
    case Op::GREATER:
    case Op::GREATER_EQUAL:
    case Op::CAST:
    case Op::TABLE:
      return true;
    case Op::RESCALE:
      return !node.attributes.flag("per_channel");
    default:
      return false;
  }
}

// Operators with one axis or a list by dimensions.
bool has_dimensions(Op op) {
  switch (op) {
    case Op::REDUCE_ALL:
    case Op::REDUCE_ANY:
    case Op::REDUCE_MAX:
    case Op::REDUCE_MIN:
    case Op::REDUCE_PRODUCT:
    case Op::REDUCE_SUM:
    case Op::CONCAT:
    case Op::PAD:
    case Op::REVERSE:
    case Op::SLICE:
    case Op::TILE:
      return true;
    default:
      return false;
  }
}

// The attributes for the tensor before its transpose.
tosa::Attributes permuted(const Node& node, const Permutation& permutation) {
  tosa::Attributes attributes = node.attributes;
  if (attributes.has("axis")) attributes.set("axis", permutation[static_cast<std::size_t>(attributes.integer("axis"))]);
  for (const std::string_view name : {"start", "size", "multiples"}) {
    if (!attributes.has(name)) continue;
    const auto list = node.attributes.list(name);
    attributes.set(name, shape_before({list.begin(), list.end()}, permutation));
  }
  if (node.op == Op::PAD) {
    const auto list = node.attributes.list("padding");
    std::vector<std::int64_t> padding(list.size());
    for (std::size_t i = 0; i < permutation.size(); ++i) {
      const auto to = static_cast<std::size_t>(permutation[i]);
      padding[2 * to] = list[2 * i];
      padding[2 * to + 1] = list[2 * i + 1];
    }
    attributes.set("padding", std::move(padding));
  }
  return attributes;
}

class Sinker {
 public:
  explicit Sinker(const Graph& old) : old_(old), copy_(old), moved_(old.values.size()) {}

  Graph run() {
    for (const Node& node : old_.nodes) {
      if (!move(node)) copy(node);
    }
    std::vector<ValueId> outputs;
    for (const ValueId output : old_.outputs) outputs.push_back(value(output));
    return copy_.finish(outputs);
  }

 private:
  // A value that is the transpose of one of the new graph.
  struct Moved {
    ValueId base;
    Permutation permutation;
  };

  // The value in the new graph, transposed if it has to be.
  ValueId value(ValueId old) {
    if (const ValueId made = copy_.find(old); made != tosa::kNoValue) return made;
    const Moved& moved = *moved_[index(old)];
    copy_.set(old, transpose(moved.base, moved.permutation));
    return copy_.find(old);
  }

  ValueId transpose(ValueId of, const Permutation& permutation) {
    const tosa::TensorType type = copy_.graph()[of].type;
    tensor::Shape shape;
    for (const std::int64_t from : permutation) shape.push_back(type.shape[static_cast<std::size_t>(from)]);
    const bool reshapes = keeps_order(type.shape, permutation);
    tosa::Attributes attributes;
    if (reshapes)
      attributes.set("shape", std::vector(shape));
    else
      attributes.set("perms", permutation);
    return copy_.add(*node_, reshapes ? Op::RESHAPE : Op::TRANSPOSE, {of}, std::move(attributes), {type.data, shape});
  }

  void copy(const Node& node) {
    node_ = &node;
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(value(input));
    copy_.copy(node, std::move(inputs));
  }

  // Whether the node is expressed on tensors before their transposes.
  bool move(const Node& node) {
    node_ = &node;
    if (node.op == Op::TRANSPOSE) return move_transpose(node);
    if (node.op == Op::RESHAPE) return move_reshape(node);
    if (!is_elementwise(node) && !has_dimensions(node.op)) return false;
    // Others are tables and multipliers, whose dimensions are not those of the tensor.
    const bool has_parameters = node.op == Op::TABLE || node.op == Op::RESCALE;
    const std::span<const ValueId> tensors = std::span(node.inputs).first(has_parameters ? 1 : node.inputs.size());
    const Permutation* permutation = nullptr;
    for (const ValueId input : tensors) {
      if (!permutation && moved_[index(input)]) permutation = &moved_[index(input)]->permutation;
    }
    if (!permutation) return false;
    for (const ValueId input : tensors) {
      if (!can_be_before(input, *permutation)) return false;
    }
    const Permutation chosen = *permutation;
    std::vector<ValueId> inputs;
    for (const ValueId input : tensors) inputs.push_back(before(input, chosen));
    for (std::size_t i = tensors.size(); i < node.inputs.size(); ++i) inputs.push_back(value(node.inputs[i]));
    const tosa::TensorType& type = old_[node.outputs[0]].type;
    const ValueId made =
        copy_.add(node, std::move(inputs), has_dimensions(node.op) ? permuted(node, chosen) : node.attributes,
                  {type.data, shape_before(type.shape, chosen)});
    moved_[index(node.outputs[0])] = Moved{made, chosen};
    return true;
  }

  bool move_transpose(const Node& node) {
    const ValueId of = node.inputs[0];
    if (old_.constant(of)) return false;
    const auto list = node.attributes.list("perms");
    const Moved from = moved_[index(of)] ? *moved_[index(of)] : Moved{copy_.find(of), {}};
    Moved made{from.base, composed(from.permutation, normal({list.begin(), list.end()}))};
    if (made.permutation.empty())
      copy_.set(node.outputs[0], made.base);
    else
      moved_[index(node.outputs[0])] = std::move(made);
    return true;
  }

  bool move_reshape(const Node& node) {
    const auto& moved = moved_[index(node.inputs[0])];
    if (!moved || !keeps_order(copy_.graph()[moved->base].type.shape, moved->permutation)) return false;
    copy_.set(node.outputs[0], copy_.add(node, {moved->base}, node.attributes, old_[node.outputs[0]].type));
    return true;
  }

  bool can_be_before(ValueId old, const Permutation& permutation) const {
    if (old_[old].type.shape.size() != permutation.size()) return false;
    if (moved_[index(old)]) return moved_[index(old)]->permutation == permutation;
    return old_.constant(old) || keeps_order(old_[old].type.shape, inverse_of(permutation));
  }

  // The operand as it is before its transpose.
  ValueId before(ValueId old, const Permutation& permutation) {
    if (moved_[index(old)]) return moved_[index(old)]->base;
    const tosa::TensorType& type = old_[old].type;
    const tensor::Shape shape = shape_before(type.shape, permutation);
    if (shape == type.shape && keeps_order(shape, permutation)) return value(old);
    const tosa::Constant* constant = old_.constant(old);
    if (constant && constant->splat) return copy_.graph().add_constant({type.data, shape}, constant->data, true);
    return transpose(value(old), inverse_of(permutation));
  }

  const Graph& old_;
  GraphCopy copy_;
  std::vector<std::optional<Moved>> moved_;  // by value of the old graph
  const Node* node_ = nullptr;               // whose operands are asked for
};

}  // namespace

TransposeCount count_transposes(const Graph& graph) {
  TransposeCount all;
  for (const Node& node : graph.nodes) {
    if (node.op != Op::TRANSPOSE || graph.constant(node.inputs[0])) continue;
    const tosa::TensorType& type = graph[node.outputs[0]].type;
    ++all.count;
    all.bytes += tensor::byte_count(type.shape, tosa::storage_of(type.data)).value_or(0);
  }
  return all;
}

void sink_transposes(Graph& graph) {
  const TransposeCount before = count_transposes(graph);
  if (before.count == 0) return;
  Graph made = Sinker(graph).run();
  if (count_transposes(made).bytes <= before.bytes) graph = std::move(made);
}

}  // namespace slipway::importer
