// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/lower_to_1_0.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tensor/element.hpp"
#include "tosa/block_formats.hpp"

namespace slipway::tosa {
namespace {

// Makes the graph again. Values keep their order: inputs, constants, then the results of nodes.
class Lowering {
 public:
  explicit Lowering(const Graph& from) : from_(from), values_(from.values.size(), kNoValue) {
    for (const auto* interface : {&from.inputs, &from.outputs}) {
      for (const ValueId value : *interface) keeps_blocks_ |= is_block_scaled(from[value].type.data);
    }
  }

  Graph run() {
    out_.name = from_.name;
    out_.storage = from_.storage;
    out_.input_bindings = from_.input_bindings;
    out_.output_bindings = from_.output_bindings;
    for (const ValueId input : from_.inputs)
      values_[index(input)] = out_.add_input(from_[input].type, from_[input].name);
    for (const Constant& constant : from_.constants) {
      const Value& value = from_[constant.value];
      values_[index(constant.value)] =
          type_of(value) == value.type ? out_.add_constant(value.type, constant.data, constant.splat, value.name)
                                       : out_.add_constant(type_of(value), as_floats(value.type.data, constant.data),
                                                           constant.splat, value.name);
      out_.constants.back().graph_constant = constant.graph_constant;
    }
    for (const Node& node : from_.nodes) lower(node);
    for (const ValueId output : from_.outputs) out_.outputs.push_back(values_[index(output)]);
    return std::move(out_);
  }

 private:
  // Block-scaled types are 32-bit floats of the same values.
  TensorType type_of(const Value& value) const {
    return is_block_scaled(value.type.data) && !keeps_blocks_ ? TensorType{DataType::F32, value.type.shape}
                                                              : value.type;
  }
  static std::vector<std::byte> as_floats(DataType type, Bytes data) {
    std::vector<std::byte> floats(data.size() * sizeof(float));
    for (std::size_t i = 0; i < data.size(); ++i)
      store(&floats[i * sizeof(float)], static_cast<float>(tensor::double_of(storage_of(type), &data[i])));
    return floats;
  }

  void lower(const Node& node) {
    const std::size_t first = out_.nodes.size();
    std::vector<ValueId> results;
    if (is_tosa_1_1(node)) {
      if (node.op == Op::MATMUL_T) results = matmul_t(node);
      if (node.op == Op::ROW_GATHER) results = row_gather(node);
      if (node.op == Op::CAST) results = unsigned_cast(node);
      if (info_of(node.op).set == InstructionSet::BlockScaled && !keeps_blocks_ && has_static_inputs(node))
        results = block_scaled(node);
    }
    if (results.empty()) return copy(node);
    for (std::size_t i = first; i < out_.nodes.size(); ++i) {
      out_.nodes[i].name = node.name;
      out_.nodes[i].location = node.location;
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      out_[results[i]].name = from_[node.outputs[i]].name;
      values_[index(node.outputs[i])] = results[i];
    }
  }
  bool has_static_inputs(const Node& node) const {
    return std::ranges::all_of(node.inputs, [&](ValueId input) { return from_[input].type.is_static(); });
  }

  void copy(const Node& node) {
    std::vector<TensorType> types;
    for (const ValueId output : node.outputs) types.push_back(type_of(from_[output]));
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

  // A constant of rank 3.
  ValueId floats(tensor::Shape shape, std::span<const float> values) {
    const auto bytes = std::as_bytes(values);
    return out_.add_constant({DataType::F32, std::move(shape)}, std::vector(bytes.begin(), bytes.end()));
  }
  ValueId times(ValueId a, ValueId b) {
    return out_.add(Op::MUL, {a, b}, {{"shift", {0}}}, {DataType::F32, type(a).shape});
  }
  ValueId times(ValueId a, double factor) {
    return times(a, one(DataType::F32, type(a).shape.size(), static_cast<float>(factor)));
  }
  ValueId at_least(ValueId a, ValueId b, tensor::Shape shape) {
    return out_.add(Op::GREATER_EQUAL, {a, b}, {}, {DataType::Bool, std::move(shape)});
  }
  ValueId select(ValueId condition, ValueId yes, ValueId no, tensor::Shape shape) {
    return out_.add(Op::SELECT, {condition, yes, no}, {}, {DataType::F32, std::move(shape)});
  }
  ValueId magnitude(ValueId value) { return out_.add(Op::ABS, {value}, {}, type(value)); }

  // --- the operators ---

  using Results = std::vector<ValueId>;

  Results matmul_t(const Node& node) {
    // A batch of B for all batches of A makes a RESHAPE, whose shape is constant.
    const TensorType& result = from_[node.outputs[0]].type;
    if (from_[node.inputs[1]].type.shape[0] == 1 && !result.is_static()) return {};
    return {product(in(node, 0), in(node, 1), attributes_of(node, {"A_zp", "B_zp"}), result)};
  }

  ValueId product(ValueId a, ValueId b, Attributes attributes, const TensorType& result) {
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
    const bool repeated = columns[0] == 1 && rows[0] != 1;
    const bool shared = repeated && sum != DataType::I48;  // which RESHAPE does not take
    b = out_.add(Op::TRANSPOSE, {b}, {{"perms", {0, 2, 1}}}, {type(b).data, {columns[0], columns[2], columns[1]}});
    if (repeated && !shared) {
      b = out_.add(Op::TILE, {b}, {{"multiples", {rows[0], 1, 1}}}, {type(b).data, {rows[0], columns[2], columns[1]}});
    }
    // One batch of B for all of A: the batches of A are rows of one product.
    if (shared) a = reshape(a, {1, rows[0] * rows[1], rows[2]});
    const ValueId made =
        out_.add(Op::MATMUL, {a, b}, std::move(attributes), {sum, {type(a).shape[0], type(a).shape[1], columns[1]}});
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
  Results row_gather(const Node& node) {
    ValueId values = in(node, 0), indices = in(node, 1);
    const std::int64_t count = node.attributes.integer("row_count");
    const TensorType result = from_[node.outputs[0]].type;
    if (count != 1) {
      if (!type(indices).is_static()) return {};
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
    return {cast(out_.add(Op::GATHER, {values, indices}, {}, {type(values).data, result.shape}), result.data)};
  }

  Results unsigned_cast(const Node& node) {
    const ValueId value = in(node, 0);
    const DataType from = type(value).data, to = from_[node.outputs[0]].type.data;
    const ValueId wide = cast(value, DataType::I32);
    if (from != DataType::I32) {
      const auto mask = static_cast<std::int32_t>((std::int64_t{1} << bits_of(from)) - 1);
      return {cast(binary(Op::BITWISE_AND, wide, integer(wide, mask), DataType::I32), to)};
    }
    if (!is_float(to)) return {cast(value, to)};
    // Half of a value of 2^31 or more, whose last bit represents both bits that share it, rounds as the value does.
    const DataType i32 = DataType::I32;
    const ValueId one_bit = integer(value, 1), shifted = binary(Op::LOGICAL_RIGHT_SHIFT, value, one_bit, i32);
    const ValueId last = binary(Op::BITWISE_AND, value, one_bit, i32),
                  half = binary(Op::BITWISE_OR, shifted, last, i32);
    const ValueId doubled = binary_twice(cast(half, to));
    const ValueId is_small = binary(Op::GREATER_EQUAL, value, integer(value, 0), DataType::Bool);
    return {out_.add(Op::SELECT, {is_small, cast(value, to), doubled}, {}, {to, type(value).shape})};
  }
  ValueId binary_twice(ValueId value) { return binary(Op::ADD, value, value, type(value).data); }

  // --- block-scaled tensors ---

  Results block_scaled(const Node& node) {
    const TensorType& result = from_[node.outputs[0]].type;
    switch (node.op) {
      case Op::CAST_FROM_BLOCK_SCALED:
        return {cast(values_of_blocks(in(node, 0), in(node, 1)), result.data)};
      case Op::CAST_TO_BLOCK_SCALED:
        return to_blocks(cast(in(node, 0), DataType::F32), result.data);
      case Op::MATMUL_T_BLOCK_SCALED: {
        const ValueId a = values_of_blocks(in(node, 0), in(node, 1)), b = values_of_blocks(in(node, 2), in(node, 3));
        return {product(a, b, {{"A_zp", {0}}, {"B_zp", {0}}}, result)};
      }
      default: {  // CONV2D_BLOCK_SCALED
        Attributes attributes = attributes_of(node, {"pad", "stride", "dilation"});
        attributes.set("acc_type", static_cast<std::int64_t>(AccType::Fp32));
        for (const std::string_view name : {"local_bound", "input_zp", "weight_zp"})
          attributes.set(name, std::int64_t{0});
        const ValueId input = values_of_blocks(in(node, 0), in(node, 1)),
                      weight = values_of_blocks(in(node, 2), in(node, 3));
        return {out_.add(Op::CONV2D, {input, weight, in(node, 4)}, std::move(attributes), result)};
      }
    }
  }

  // [rows, blocks, elements] of a tensor.
  static tensor::Shape blocked(const tensor::Shape& shape) {
    std::int64_t rows = 1;
    for (std::size_t d = 0; d + 1 < shape.size(); ++d) rows *= shape[d];
    return {rows, shape.back() / kBlockSize, kBlockSize};
  }

  // The products of the elements of blocks with their scales, in f32.
  ValueId values_of_blocks(ValueId data, ValueId scale) {
    const tensor::Shape shape = type(data).shape, blocks = blocked(shape);
    const ValueId elements = reshape(cast(data, DataType::F32), blocks);
    return reshape(times(elements, reshape(scale, {blocks[0], blocks[1], 1})), shape);
  }

  // The exponent of the largest magnitude of a block is found by counting the powers of two up to it; two tables have
  // the scale that follows from it and the reciprocal.
  Results to_blocks(ValueId value, DataType to) {
    const tensor::Shape shape = type(value).shape, blocks = blocked(shape), one_each = {blocks[0], blocks[1], 1};
    tensor::Shape scale_shape = shape;
    scale_shape.back() /= kBlockSize;
    const BlockFormat format = block_format(to);
    value = reshape(value, blocks);
    const ValueId largest =
        out_.add(Op::REDUCE_MAX, {magnitude(value)}, {{"axis", {2}}, {"nan_mode", {1}}}, {DataType::F32, one_each});
    constexpr int kExponents = 254;
    std::vector<float> powers, scales, reciprocals;
    for (int i = 0; i <= kExponents; ++i) {
      if (i < kExponents) powers.push_back(std::ldexp(1.0F, kMinExponent + i));
      const int exponent = std::max(kMinExponent - 1 + i - format.max_exponent, kMinScaleExponent);
      scales.push_back(std::ldexp(1.0F, exponent));
      reciprocals.push_back(std::ldexp(1.0F, -exponent));
    }
    const ValueId reached =
        at_least(largest, floats({1, 1, kExponents}, powers), {blocks[0], blocks[1], std::int64_t{kExponents}});
    const ValueId counted =
        out_.add(Op::REDUCE_SUM, {cast(reached, DataType::I32)}, {{"axis", {2}}}, {DataType::I32, one_each});
    const std::int64_t count = blocks[0] * blocks[1];
    const ValueId indices = reshape(counted, {1, count});
    const auto from_table = [&](std::span<const float> table) {
      const ValueId found =
          out_.add(Op::GATHER, {floats({1, kExponents + 1, 1}, table), indices}, {}, {DataType::F32, {1, count, 1}});
      return reshape(found, one_each);
    };
    const ValueId found_scale = from_table(scales), reciprocal = from_table(reciprocals);
    // A block with an infinity or a NaN has the scale NaN.
    const ValueId finite = at_least(one(DataType::F32, 3, std::numeric_limits<float>::max()), largest, one_each);
    const ValueId scale =
        select(finite, found_scale, one(DataType::F32, 3, std::numeric_limits<float>::quiet_NaN()), one_each);
    const ValueId finite_value = select(finite, value, one(DataType::F32, 3, 0.0F), blocks);
    const ValueId data = reshape(rounded(times(finite_value, reciprocal), to, format), shape);
    return {data, reshape(scale, scale_shape)};
  }

  // Values in the range of the format become numbers of it, as the type or in f32.
  ValueId rounded(ValueId value, DataType to, const BlockFormat& format) {
    Attributes limits = {{"nan_mode", {1}}};
    limits.set_real("min_val", -format.max);
    limits.set_real("max_val", format.max);
    value = out_.add(Op::CLAMP, {value}, std::move(limits), type(value));
    if (!is_block_scaled(to)) return cast(value, to);
    // A fixed point in each binade; numbers below the first are spaced as in it.
    const auto in_steps_of = [&](int exponent) {
      const ValueId whole = cast(times(value, std::ldexp(1.0, -exponent)), DataType::I32);
      return times(cast(whole, DataType::F32), std::ldexp(1.0, exponent));
    };
    ValueId result = in_steps_of(format.min_exponent - format.mantissa_bits);
    for (int e = format.min_exponent + 1; e <= format.max_exponent; ++e) {
      const ValueId reached = at_least(magnitude(value), one(DataType::F32, 3, std::ldexp(1.0F, e)), type(value).shape);
      result = select(reached, in_steps_of(e - format.mantissa_bits), result, type(value).shape);
    }
    return result;
  }

  const Graph& from_;
  bool keeps_blocks_ = false;  // inputs or outputs are block-scaled
  Graph out_;
  std::vector<ValueId> values_;  // of the new graph, by old value
};

}  // namespace

bool is_tosa_1_1(const Node& node) {
  if (node.op == Op::CUSTOM) return false;
  const OperatorInfo& info = info_of(node.op);
  return info.set == InstructionSet::Tosa11 || info.set == InstructionSet::BlockScaled ||
         std::ranges::any_of(info.operands, [&](const OperandInfo& operand) {
           return operand.optional && node.attributes.flag(operand.name);
         });
}

void lower_to_1_0(Graph& graph) {
  if (std::ranges::any_of(graph.nodes, is_tosa_1_1)) graph = Lowering(graph).run();
}

}  // namespace slipway::tosa
