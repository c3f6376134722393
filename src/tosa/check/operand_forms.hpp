// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How files store the operands of an operator. `.tosa` and MLIR agree on which are inputs, as tensors or shapes, and
// which are attributes (docs/spec/converter.md#tosa-flatbuffers-schema, docs/spec/converter.md#mlir-input).
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "tensor/element.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

// Lists that are shapes are inputs; all others are attributes. `adaptive`: of an operator of TOSA 1.1 whose window is
// three shapes, after its tensors.
inline bool is_file_input(const OperandInfo& operand, bool adaptive = false) {
  using enum OperandKind;
  if (operand.kind == List && adaptive) return true;
  if (operand.kind != List) return operand.kind == Tensor || operand.kind == One || operand.kind == ZeroPoint;
  static constexpr std::string_view kShapes[] = {"padding",   "shape", "start",  "size",
                                                 "multiples", "scale", "offset", "border"};
  return std::ranges::contains(kShapes, operand.name);
}

// The operands in the order of a file: shapes follow tensors.
inline std::vector<const OperandInfo*> file_operands(const OperatorInfo& info, bool adaptive) {
  std::vector<const OperandInfo*> operands;
  for (const OperandInfo& operand : info.operands) operands.push_back(&operand);
  if (adaptive) {
    std::ranges::stable_partition(operands,
                                  [](const OperandInfo* operand) { return operand->kind != OperandKind::List; });
  }
  return operands;
}

// The type of an operand with one element: a type, or a type variable that tensors of the node decide.
inline DataType element_type(const Graph& graph, const Node& node, const OperatorInfo& info,
                             const OperandInfo& operand) {
  if (const auto type = data_type_from_name(operand.type)) return *type;
  std::size_t next = 0;
  for (const OperandInfo& each : info.operands) {
    if (!each.is_tensor()) continue;
    if (each.type == operand.type) return graph[node.inputs[next]].type.data;
    ++next;
  }
  return graph[node.outputs[0]].type.data;
}

// The value of an attribute as an element, in the storage of its type.
inline std::array<std::byte, 8> element_bytes(const Attributes& attributes, std::string_view name, DataType type) {
  std::array<std::byte, 8> bytes{};
  if (is_float(type)) {
    tensor::store_rounded(storage_of(type), attributes.real(name), bytes.data());
  } else {
    const std::int64_t value = attributes.integer(name);
    std::memcpy(bytes.data(), &value, tensor::size_of(storage_of(type)));
  }
  return bytes;
}

}  // namespace slipway::tosa
