// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases for operators with expected values (format `tosa-cases-1`), as graphs of one node.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "json/document.hpp"
#include "reference/tensor.hpp"
#include "tosa/check/shapes.hpp"

namespace slipway::testing {

using reference::DataType;
using reference::Tensor;
using reference::TensorType;

inline std::optional<DataType> type_from(std::string_view name) {
  static constexpr std::pair<std::string_view, DataType> kNames[] = {{"fp16", DataType::F16},
                                                                     {"bf16", DataType::BF16},
                                                                     {"fp32", DataType::F32},
                                                                     {"fp8e4m3", DataType::F8E4M3},
                                                                     {"fp8e5m2", DataType::F8E5M2}};
  for (const auto& [text, type] : kNames) {
    if (text == name) return type;
  }
  return tosa::data_type_from_name(name);
}

inline double number(const json::Value& value) {
  if (value.is(json::Type::String)) {
    const std::string_view text = value.string();
    return text == "nan" ? NAN : text == "inf" ? HUGE_VAL : -HUGE_VAL;
  }
  if (value.is(json::Type::Bool)) return value.boolean();
  return value.number();
}

inline std::int64_t integer(const json::Value& value) {
  if (value.is(json::Type::Bool)) return value.boolean();
  return value.integer().value_or(0);
}

inline tensor::Shape shape_of(const json::Value& value) {
  tensor::Shape shape;
  for (const json::Value& extent : value["shape"]) shape.push_back(integer(extent));
  return shape;
}

inline Tensor tensor_of(const json::Value& value, DataType type) {
  Tensor tensor = Tensor::zeros({type, shape_of(value)});
  std::size_t i = 0;
  for (const json::Value& element : value["data"]) {
    if (tensor.is_float())
      tensor.reals[i++] = number(element);
    else
      tensor.integers[i++] = integer(element);
  }
  return tensor;
}

struct GoldenCase {
  tosa::Graph graph;
  std::vector<Tensor> inputs;  // of the node
};

// A graph of one node, whose tensors are constants where the operator requires that and inputs otherwise.
inline std::optional<GoldenCase> build(const json::Value& from, const tosa::OperatorInfo& info) {
  GoldenCase made;
  std::vector<tosa::ValueId> operands;
  tosa::Attributes attributes;
  const auto input = [&](std::string_view name) -> std::optional<json::Value> {
    for (const json::Value& each : from["inputs"]) {
      if (each["name"].string() == name) return each;
    }
    return std::nullopt;
  };
  const auto set = [&](std::string_view name, const json::Value& value) {
    if (value.is(json::Type::Array)) {
      std::vector<std::int64_t> list;
      for (const json::Value& each : value) list.push_back(integer(each));
      attributes.set(name, std::move(list));
    } else if (value.is(json::Type::String)) {
      for (const tosa::EnumerantName& each : tosa::enumerants(info.operand(name)->kind)) {
        if (each.name.starts_with(value.string())) attributes.set(name, std::int64_t{each.value});
      }
      if (!attributes.has(name)) attributes.set_real(name, number(value));
    } else if (value.is(json::Type::Bool) || (value.is(json::Type::Number) && value.integer())) {
      attributes.set(name, integer(value));
    } else {
      attributes.set_real(name, number(value));
    }
  };
  for (const tosa::OperandInfo& operand : info.operands) {
    if (!operand.is_tensor()) {
      if (const auto given = input(operand.name)) {
        const json::Value data = (*given)["data"];
        if (operand.kind == tosa::OperandKind::List) {
          set(operand.name, data);
        } else {
          for (const json::Value& each : data) set(operand.name, each);
        }
      } else if (const json::Value attribute = from["attrs"][operand.name]; attribute) {
        set(operand.name, attribute);
      } else if (operand.optional) {
        continue;
      } else if (operand.kind == tosa::OperandKind::NanMode) {
        attributes.set(operand.name, std::int64_t{1});  // PROPAGATE is the default
      } else {
        return std::nullopt;
      }
    }
  }
  // Tensors are in the operator's order; some cases use other names.
  for (const json::Value& each : from["inputs"]) {
    const tosa::OperandInfo* named = info.operand(each["name"].string());
    if (named && !named->is_tensor()) continue;
    const auto type = type_from(each["type"].string());
    if (!type) return std::nullopt;
    made.inputs.push_back(tensor_of(each, *type));
    operands.push_back(named && named->constant
                           ? made.graph.add_constant(made.inputs.back().type, made.inputs.back().to_bytes())
                           : made.graph.add_input(made.inputs.back().type));
  }
  std::vector<TensorType> results;
  for (const json::Value& each : from["outputs"]) {
    const auto type = type_from(each["type"].string());
    if (!type) return std::nullopt;
    results.push_back({*type, shape_of(each)});
  }
  if (!results.empty()) {
    made.graph.outputs = made.graph.add_node(info.op, operands, attributes, results);
    return made;
  }
  // A case that must be rejected has no results: they get the types of the first matching row, and the inferred shapes.
  for (const tosa::TypeRow& row : info.rows) {
    std::size_t next = 0;
    const bool fits = std::ranges::all_of(info.operands, [&](const tosa::OperandInfo& operand) {
      if (!operand.is_tensor() || next >= made.inputs.size()) return true;
      const auto variable = info.variable(operand.type);
      return !variable || row.types[*variable] == made.inputs[next++].type.data;
    });
    if (!fits && &row != &info.rows.back()) continue;
    for (const tosa::OperandInfo& result : info.results) {
      const auto variable = info.variable(result.type);
      results.push_back({variable ? row.types[*variable] : *tosa::data_type_from_name(result.type), {}});
    }
    break;
  }
  made.graph.outputs = made.graph.add_node(info.op, operands, attributes, results);
  std::size_t tensors = 0;
  for (const tosa::OperandInfo& operand : info.operands) {
    if (!operand.is_tensor()) continue;
    const std::size_t rank = tensors < made.inputs.size() ? made.inputs[tensors++].type.shape.size() : SIZE_MAX;
    if (rank < operand.min_rank || rank > operand.max_rank) return made;  // the error that the case tests
  }
  Diagnostics ignored;
  if (const auto shapes = tosa::result_shapes(made.graph, made.graph.nodes[0], ignored)) {
    for (std::size_t i = 0; i < shapes->size(); ++i) made.graph[made.graph.outputs[i]].type.shape = (*shapes)[i];
  }
  return made;
}

}  // namespace slipway::testing
