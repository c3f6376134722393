// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/layout/sink_transposes.hpp"

#include <algorithm>
#include <map>
#include <optional>

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
      return true;
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
  explicit Sinker(const Graph& old)
      : old_(old), moved_(old.values.size()), made_ids_(old.values.size(), tosa::kNoValue) {}

  Graph run() {
    made_.name = old_.name;
    made_.storage = old_.storage;
    for (const ValueId input : old_.inputs)
      made_ids_[index(input)] = made_.add_input(old_[input].type, old_[input].name);
    for (const Node& node : old_.nodes) {
      if (!move(node)) copy(node);
    }
    for (const ValueId output : old_.outputs) made_.outputs.push_back(value(output));
    made_.input_bindings = old_.input_bindings;
    made_.output_bindings = old_.output_bindings;
    return std::move(made_);
  }

 private:
  // A value that is the transpose of one of the new graph.
  struct Moved {
    ValueId base;
    Permutation permutation;
  };

  // The value in the new graph, transposed if it has to be.
  ValueId value(ValueId old) {
    ValueId& made = made_ids_[index(old)];
    if (made != tosa::kNoValue) return made;
    if (const tosa::Constant* constant = old_.constant(old)) {
      made = made_.add_constant(old_[old].type, constant->data, constant->splat, old_[old].name);
      return made;
    }
    const Moved& moved = *moved_[index(old)];
    made = transpose(moved.base, moved.permutation, old_[old].name);
    return made;
  }

  ValueId transpose(ValueId of, const Permutation& permutation, std::string name) {
    const tosa::TensorType type = made_[of].type;
    tensor::Shape shape;
    for (const std::int64_t from : permutation) shape.push_back(type.shape[static_cast<std::size_t>(from)]);
    const bool reshapes = keeps_order(type.shape, permutation);
    tosa::Attributes attributes;
    if (reshapes)
      attributes.set("shape", std::vector(shape));
    else
      attributes.set("perms", permutation);
    const ValueId made =
        made_.add(reshapes ? Op::RESHAPE : Op::TRANSPOSE, {of}, std::move(attributes), {type.data, shape});
    made_[made].name = std::move(name);
    describe(*node_);
    return made;
  }

  void describe(const Node& from) {
    made_.nodes.back().name = from.name;
    made_.nodes.back().location = from.location;
    made_.nodes.back().custom = from.custom;
  }

  void copy(const Node& node) {
    node_ = &node;
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(value(input));
    std::vector<tosa::TensorType> types;
    for (const ValueId output : node.outputs) types.push_back(old_[output].type);
    const std::vector<ValueId> outputs = made_.add_node(node.op, std::move(inputs), node.attributes, std::move(types));
    describe(node);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      made_ids_[index(node.outputs[i])] = outputs[i];
      made_[outputs[i]].name = old_[node.outputs[i]].name;
    }
  }

  // Whether the node is expressed on tensors before their transposes.
  bool move(const Node& node) {
    node_ = &node;
    if (node.op == Op::TRANSPOSE) return move_transpose(node);
    if (node.op == Op::RESHAPE) return move_reshape(node);
    if (!is_elementwise(node) && !has_dimensions(node.op)) return false;
    const Permutation* permutation = nullptr;
    for (const ValueId input : node.inputs) {
      if (!permutation && moved_[index(input)]) permutation = &moved_[index(input)]->permutation;
    }
    if (!permutation) return false;
    for (const ValueId input : node.inputs) {
      if (!can_be_before(input, *permutation)) return false;
    }
    const Permutation chosen = *permutation;
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(before(input, chosen));
    const tosa::TensorType& type = old_[node.outputs[0]].type;
    const ValueId made =
        made_.add(node.op, std::move(inputs), has_dimensions(node.op) ? permuted(node, chosen) : node.attributes,
                  {type.data, shape_before(type.shape, chosen)});
    describe(node);
    moved_[index(node.outputs[0])] = Moved{made, chosen};
    return true;
  }

  bool move_transpose(const Node& node) {
    const ValueId of = node.inputs[0];
    if (old_.constant(of)) return false;
    const auto list = node.attributes.list("perms");
    const Moved from = moved_[index(of)].value_or(Moved{made_ids_[index(of)], {}});
    Moved made{from.base, composed(from.permutation, normal({list.begin(), list.end()}))};
    if (made.permutation.empty()) {
      made_ids_[index(node.outputs[0])] = made.base;
      if (made_[made.base].name.empty()) made_[made.base].name = old_[node.outputs[0]].name;
      return true;
    }
    moved_[index(node.outputs[0])] = std::move(made);
    return true;
  }

  bool move_reshape(const Node& node) {
    const auto& moved = moved_[index(node.inputs[0])];
    if (!moved || !keeps_order(made_[moved->base].type.shape, moved->permutation)) return false;
    const tosa::TensorType& type = old_[node.outputs[0]].type;
    const ValueId made = made_.add(Op::RESHAPE, {moved->base}, node.attributes, type);
    describe(node);
    made_ids_[index(node.outputs[0])] = made;
    made_[made].name = old_[node.outputs[0]].name;
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
    const tosa::Constant* constant = old_.constant(old);
    if (constant && constant->splat) {
      const tosa::TensorType& type = old_[old].type;
      return made_.add_constant({type.data, shape_before(type.shape, permutation)}, constant->data, true);
    }
    return transpose(value(old), inverse_of(permutation), {});
  }

  const Graph& old_;
  Graph made_;
  std::vector<std::optional<Moved>> moved_;  // by value of the old graph
  std::vector<ValueId> made_ids_;
  const Node* node_ = nullptr;  // whose operands are asked for
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
