// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small graph of one node for every operator and every legal row of its types.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "tosa/check/shapes.hpp"
#include "tosa/graph.hpp"

namespace slipway::testing {

namespace operator_graphs {

using tosa::Op;
using List = std::vector<std::int64_t>;

// Shapes of the tensors of operators that do not take [2, 3].
inline std::vector<tensor::Shape> shapes_of(const tosa::OperatorInfo& info, const tosa::TypeRow& row) {
  switch (info.op) {
    case Op::AVG_POOL2D:
    case Op::MAX_POOL2D:
      return {{1, 4, 4, 3}};
    case Op::RESIZE:
      return {{1, 3, 3, 2}};
    case Op::CONV2D:
    case Op::TRANSPOSE_CONV2D:
      return {{1, 4, 4, 2}, {3, 2, 2, 2}, {3}};
    case Op::CONV3D:
      return {{1, 3, 4, 4, 2}, {3, 2, 2, 2, 2}, {3}};
    case Op::DEPTHWISE_CONV2D:
      return {{1, 4, 4, 2}, {2, 2, 2, 3}, {6}};
    case Op::FFT2D:
    case Op::RFFT2D:
      return {{1, 4, 4}, {1, 4, 4}};
    case Op::MATMUL:
      return {{2, 3, 4}, {2, 4, 5}};
    case Op::MATMUL_T:
      return {{2, 3, 4}, {2, 5, 4}};
    case Op::MATMUL_T_BLOCK_SCALED:
      return {{2, 3, 32}, {2, 3, 1}, {1, 5, 32}, {1, 5, 1}};
    case Op::CONV2D_BLOCK_SCALED:
      return {{1, 3, 3, 64}, {1, 3, 3, 2}, {2, 2, 2, 64}, {2, 2, 2, 2}, {2}};
    case Op::CAST_FROM_BLOCK_SCALED:
      return {{2, 64}, {2, 2}};
    case Op::CAST_TO_BLOCK_SCALED:
      return {{2, 64}};
    case Op::TABLE:
      return {{2, 3}, {row.types[0] == tosa::DataType::I8 ? 256 : 513}};
    case Op::RESCALE:
      return {{2, 3}, {1}, {1}};
    case Op::GATHER:
    case Op::ROW_GATHER:
      return {{2, 5, 3}, {2, 4}};
    case Op::SCATTER:
      return {{2, 5, 3}, {2, 4}, {2, 4, 3}};
    case Op::MIN_SAD:
    case Op::MIN_SAD_COST:
    case Op::RAW_SAD:
      return {{1, 1, 4, 4}, {1, 1, 4, 4}};
    default:
      return {};
  }
}

inline List list_of(Op op, std::string_view name) {
  if (op == Op::RESIZE && name == "scale") return {2, 1, 2, 1};
  if (op == Op::PAD) return {1, 0, 2, 1};
  static const std::map<std::string_view, List> kLists = {
      {"shape", {3, 2}},          {"size", {1, 2}},         {"start", {1, 0}},
      {"multiples", {2, 1}},      {"perms", {1, 0}},        {"offset", {0, 0}},
      {"border", {0, 0}},         {"kernel_sizes", {3, 3}}, {"search_window_sizes", {3, 3}},
      {"window_offsets", {1, 1}},
  };
  const auto known = kLists.find(name);
  if (known != kLists.end()) return known->second;
  const bool three = op == Op::CONV3D, motion = op == Op::MIN_SAD || op == Op::MIN_SAD_COST || op == Op::RAW_SAD;
  if (name.contains("pad")) return List(three ? 6 : motion ? 2 : 4, 0);
  return List(three ? 3 : 2, name == "kernel" ? 2 : 1);
}

inline void set_attribute(tosa::Attributes& attributes, const tosa::OperatorInfo& info, const tosa::TypeRow& row,
                          const tosa::OperandInfo& operand) {
  using enum tosa::OperandKind;
  const auto real = [&] {
    const auto variable = info.variable(operand.type);
    return variable && tosa::is_float(row.types[*variable]);
  };
  switch (operand.kind) {
    case List:
      return attributes.set(operand.name, list_of(info.op, operand.name));
    case AccType: {
      const tosa::DataType type = row.types[*info.variable("acc")];
      for (const tosa::EnumerantName& each : tosa::enumerants(AccType)) {
        if (tosa::data_type_of(static_cast<tosa::AccType>(each.value)) == type)
          attributes.set(operand.name, std::int64_t{each.value});
      }
      return;
    }
    case ResizeMode:
      return attributes.set(operand.name,
                            std::int64_t{row.types[0] == row.types[1] && !tosa::is_float(row.types[0]) ? 1 : 2});
    case BlockSize:
      return attributes.set(operand.name, tosa::kBlockSize);
    case NanMode:
    case RoundingMode:
      return attributes.set(operand.name, std::int64_t{1});
    case Value:
      if (real()) return attributes.set_real(operand.name, operand.name == "max_val" ? 1.5 : -0.5);
      return attributes.set(operand.name, std::int64_t{operand.name == "max_val" ? 20 : -3});
    case One:
    case ZeroPoint:
      if (operand.name == "row_count") return attributes.set(operand.name, std::int64_t{2});
      if (real()) return attributes.set_real(operand.name, 0);
      return attributes.set(operand.name, std::int64_t{0});
    default:
      return attributes.set(operand.name, std::int64_t{info.op == Op::RESCALE && operand.name == "scale32" &&
                                                       row.types[0] != tosa::DataType::I48});
  }
}

}  // namespace operator_graphs

// The graph has inputs for tensors that may vary and constants where the operator requires them. Shapes of results are
// inferred; errors are reported to `problems`.
inline tosa::Graph operator_graph(const tosa::OperatorInfo& info, const tosa::TypeRow& row, Diagnostics& problems) {
  tosa::Graph graph;
  graph.name = "main";
  std::vector<tosa::ValueId> inputs;
  tosa::Attributes attributes;
  const std::vector<tensor::Shape> shapes = operator_graphs::shapes_of(info, row);
  const auto type_of = [&](const tosa::OperandInfo& operand) {
    if (const auto variable = info.variable(operand.type)) return row.types[*variable];
    return tosa::data_type_from_name(operand.type)
        .value_or(row.types[0] == tosa::DataType::I48 ? tosa::DataType::I16 : tosa::DataType::I32);
  };
  for (const tosa::OperandInfo& operand : info.operands) {
    if (operand.optional) continue;
    if (!operand.is_tensor()) {
      operator_graphs::set_attribute(attributes, info, row, operand);
      continue;
    }
    const tosa::TensorType type{type_of(operand),
                                inputs.size() < shapes.size() ? shapes[inputs.size()] : tensor::Shape{2, 3}};
    if (!operand.constant) {
      inputs.push_back(graph.add_input(type));
      if (operand.variadic) inputs.push_back(graph.add_input(type));
      continue;
    }
    std::vector<std::byte> data(tensor::byte_count(type.shape, tosa::storage_of(type.data)).value());
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(1 + i % 5 * (i % 4 == 0));
    if (operand.name == "multiplier") data[data.size() - 1] = std::byte{0x40};
    if (operand.name == "shift") data[0] = std::byte{14};
    inputs.push_back(graph.add_constant(type, std::move(data)));
  }
  std::vector<tosa::TensorType> results;
  for (const tosa::OperandInfo& result : info.results) results.push_back({type_of(result), {}});
  graph.outputs = graph.add_node(info.op, inputs, attributes, results);
  if (const auto worked_out = tosa::result_shapes(graph, graph.nodes[0], problems)) {
    for (std::size_t i = 0; i < worked_out->size(); ++i) graph[graph.outputs[i]].type.shape = (*worked_out)[i];
  }
  return graph;
}

// Calls `use(info, row, graph)` for each operator and row.
template <class F>
void for_each_operator_graph(F&& use) {
  for (const tosa::OperatorInfo& info : tosa::operators()) {
    for (const tosa::TypeRow& row : info.rows) {
      Diagnostics problems;
      use(info, row, operator_graph(info, row, problems));
    }
  }
}

}  // namespace slipway::testing
