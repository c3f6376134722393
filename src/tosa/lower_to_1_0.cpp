// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/lower_to_1_0.hpp"

#include <algorithm>
#include <numeric>

#include "tensor/element.hpp"

namespace slipway::tosa {
namespace {

// Makes the graph again. Values keep their order: inputs, constants, then the results of nodes.
class Lowering {
 public:
  explicit Lowering(const Graph& from) : from_(from), values_(from.values.size(), kNoValue) {}

  Graph run() {
    out_.name = from_.name;
    out_.storage = from_.storage;
    out_.input_bindings = from_.input_bindings;
    out_.output_bindings = from_.output_bindings;
    for (const ValueId input : from_.inputs)
      values_[index(input)] = out_.add_input(from_[input].type, from_[input].name);
    for (const Constant& constant : from_.constants) {
      values_[index(constant.value)] =
          out_.add_constant(from_[constant.value].type, constant.data, constant.splat, from_[constant.value].name);
      out_.constants.back().graph_constant = constant.graph_constant;
    }
    for (const Node& node : from_.nodes) lower(node);
    for (const ValueId output : from_.outputs) out_.outputs.push_back(values_[index(output)]);
    return std::move(out_);
  }

 private:
  void lower(const Node& node) {
    const std::size_t first = out_.nodes.size();
    ValueId result = kNoValue;
    if (is_tosa_1_1(node)) {
      if (node.op == Op::MATMUL_T) result = matmul_t(node);
      if (node.op == Op::ROW_GATHER) result = row_gather(node);
      if (node.op == Op::CAST) result = unsigned_cast(node);
    }
    if (result == kNoValue) return copy(node);
    for (std::size_t i = first; i < out_.nodes.size(); ++i) {
      out_.nodes[i].name = node.name;
      out_.nodes[i].location = node.location;
    }
    out_[result].name = from_[node.outputs[0]].name;
    values_[index(node.outputs[0])] = result;
  }

  void copy(const Node& node) {
    std::vector<TensorType> types;
    for (const ValueId output : node.outputs) types.push_back(from_[output].type);
    Node made = node;
    for (ValueId& input : made.inputs) input = values_[index(input)];
    made.outputs = out_.add_node(node.op, made.inputs, node.attributes, std::move(types));
    for (std::size_t i = 0; i < made.outputs.size(); ++i) {
      values_[index(node.outputs[i])] = made.outputs[i];
      out_[made.outputs[i]].name = from_[node.outputs[i]].name;
    }
    out_.nodes.back() = std::move(made);
  }

  ValueId in(const Node& node, std::size_t i) const { return values_[index(node.inputs[i])]; }
  const TensorType& type(ValueId value) const { return out_[value].type; }

  ValueId cast(ValueId value, DataType to) {
    return type(value).data == to ? value : out_.add(Op::CAST, {value}, {}, {to, type(value).shape});
  }
  ValueId reshape(ValueId value, tensor::Shape shape) {
    const std::vector<std::int64_t> list(shape.begin(), shape.end());
    return out_.add(Op::RESHAPE, {value}, {{"shape", list}}, {type(value).data, std::move(shape)});
  }
  ValueId binary(Op op, ValueId a, ValueId b, DataType result) {
    return out_.add(op, {a, b}, {}, {result, type(a).shape});
  }
  // A constant that broadcasts to a tensor of `rank`.
  template <class T>
  ValueId one(DataType type, std::size_t rank, T value) {
    std::vector<std::byte> bytes(sizeof value);
    store(bytes.data(), value);
    return out_.add_constant({type, tensor::Shape(rank, 1)}, std::move(bytes));
  }
  ValueId integer(ValueId like, std::int32_t value) { return one(DataType::I32, type(like).shape.size(), value); }

  // --- the operators ---

  ValueId matmul_t(const Node& node) {
    ValueId a = in(node, 0), b = in(node, 1);
    // A batch of B for all batches of A makes a RESHAPE, whose shape is constant.
    if (type(b).shape[0] == 1 && !from_[node.outputs[0]].type.is_static()) return kNoValue;
    const TensorType result = from_[node.outputs[0]].type;
    DataType sum = result.data;
    if (is_float(sum)) {
      // MATMUL has forms for two tensors of equal types of 16 bits, but not for all results.
      const bool is_form = type(a).data == type(b).data && bits_of(type(a).data) != 8;
      const bool half = is_form && type(a).data == DataType::F16 && sum == DataType::F16;
      sum = half ? DataType::F16 : DataType::F32;
      if (!is_form) {
        a = cast(a, DataType::F32);
        b = cast(b, DataType::F32);
      }
    }
    const tensor::Shape rows = type(a).shape, columns = type(b).shape;
    const bool shared = columns[0] == 1 && rows[0] != 1;
    b = out_.add(Op::TRANSPOSE, {b}, {{"perms", {0, 2, 1}}}, {type(b).data, {columns[0], columns[2], columns[1]}});
    // One batch of B for all of A: the batches of A are rows of one product.
    if (shared) a = reshape(a, {1, rows[0] * rows[1], rows[2]});
    const ValueId made = out_.add(Op::MATMUL, {a, b}, attributes_of(node, {"A_zp", "B_zp"}),
                                  {sum, {type(a).shape[0], type(a).shape[1], columns[1]}});
    return cast(shared ? reshape(made, result.shape) : made, result.data);
  }

  static Attributes attributes_of(const Node& node, std::initializer_list<std::string_view> names) {
    Attributes attributes;
    for (const std::string_view name : names) {
      const Attributes::Entry& entry = *node.attributes.find(name);
      entry.integers.empty() ? attributes.set_real(entry.name, entry.real) : attributes.set(entry.name, entry.integers);
    }
    return attributes;
  }

  // Index i becomes i, i + 1, ...
  ValueId row_gather(const Node& node) {
    ValueId values = in(node, 0), indices = in(node, 1);
    const std::int64_t count = node.attributes.integer("row_count");
    const TensorType result = from_[node.outputs[0]].type;
    if (count != 1) {
      if (!type(indices).is_static()) return kNoValue;
      const tensor::Shape shape = type(indices).shape;
      std::vector<std::int32_t> steps(static_cast<std::size_t>(count));
      std::iota(steps.begin(), steps.end(), 0);
      const auto bytes = std::as_bytes(std::span(steps));
      const ValueId offsets =
          out_.add_constant({DataType::I32, {1, 1, count}}, std::vector(bytes.begin(), bytes.end()));
      indices = out_.add(Op::ADD, {reshape(indices, {shape[0], shape[1], 1}), offsets}, {},
                         {DataType::I32, {shape[0], shape[1], count}});
      indices = reshape(indices, {shape[0], shape[1] * count});
    }
    if (result.data == DataType::Bool) values = cast(values, DataType::I8);
    return cast(out_.add(Op::GATHER, {values, indices}, {}, {type(values).data, result.shape}), result.data);
  }

  ValueId unsigned_cast(const Node& node) {
    const ValueId value = in(node, 0);
    const DataType from = type(value).data, to = from_[node.outputs[0]].type.data;
    const ValueId wide = cast(value, DataType::I32);
    if (from != DataType::I32) {
      const auto mask = static_cast<std::int32_t>((std::int64_t{1} << bits_of(from)) - 1);
      return cast(binary(Op::BITWISE_AND, wide, integer(wide, mask), DataType::I32), to);
    }
    if (!is_float(to)) return cast(value, to);
    // Half of a value of 2^31 or more, whose last bit represents both bits that share it, rounds as the value does.
    const DataType i32 = DataType::I32;
    const ValueId half = binary(Op::BITWISE_OR, binary(Op::LOGICAL_RIGHT_SHIFT, value, integer(value, 1), i32),
                                binary(Op::BITWISE_AND, value, integer(value, 1), i32), i32);
    const ValueId doubled = binary_twice(cast(half, to));
    const ValueId is_small = binary(Op::GREATER_EQUAL, value, integer(value, 0), DataType::Bool);
    return out_.add(Op::SELECT, {is_small, cast(value, to), doubled}, {}, {to, type(value).shape});
  }
  ValueId binary_twice(ValueId value) { return binary(Op::ADD, value, value, type(value).data); }

  const Graph& from_;
  Graph out_;
  std::vector<ValueId> values_;  // of the new graph, by old value
};

}  // namespace

bool is_tosa_1_1(const Node& node) {
  if (node.op == Op::CUSTOM) return false;
  const OperatorInfo& info = info_of(node.op);
  return info.set == InstructionSet::Tosa11 || std::ranges::any_of(info.operands, [&](const OperandInfo& operand) {
           return operand.optional && node.attributes.flag(operand.name);
         });
}

void lower_to_1_0(Graph& graph) {
  if (std::ranges::any_of(graph.nodes, is_tosa_1_1)) graph = Lowering(graph).run();
}

}  // namespace slipway::tosa
