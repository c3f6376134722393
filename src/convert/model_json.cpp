// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/model_json.hpp"

#include <algorithm>

#include "json/record.hpp"
#include "tensor/element.hpp"
#include "tosa/cost.hpp"

namespace slipway::convert {
namespace {

using json::Integer, json::List, json::Nested, json::Record, json::Text;

constexpr Integer kExtent{.min = -1};

const Record<tosa::TensorType>& type_record() {
  using T = tosa::TensorType;
  static const auto record =
      Record<T>("tensor", "the type of a tensor")
          .required(
              "type", [](const T& from) { return name_of(from.data); }, Text{}, "of its elements")
          .required(
              "shape", [](const T& from) { return std::span(from.shape); }, List{kExtent}, "its extents; -1: dynamic");
  return record;
}

// A value that may have a name.
struct NamedType {
  std::optional<std::string> name;
  tosa::TensorType type;
};

const Record<NamedType>& named_type_record() {
  static const auto record = Record<NamedType>("value", "an input or output of the model")
                                 .optional("name", &NamedType::name, Text{}, "as the model names it")
                                 .part(&NamedType::type, type_record());
  return record;
}

std::vector<NamedType> values_of(const tosa::Graph& graph, std::span<const tosa::ValueId> values,
                                 const std::vector<std::string>& names) {
  std::vector<NamedType> types;
  for (std::size_t i = 0; i < values.size(); ++i) {
    types.push_back({i < names.size() ? std::optional(names[i]) : std::nullopt, graph[values[i]].type});
  }
  return types;
}

struct OperatorOfGraph {
  const tosa::Graph* graph;
  const tosa::Node* node;
};

const Record<OperatorOfGraph>& operator_record() {
  using O = OperatorOfGraph;
  static const auto record =
      Record<O>("operator", "an operator")
          .required(
              "operator", [](const O& from) { return name_of(from.node->op); }, Text{}, "which one")
          .required(
              "name", [](const O& from) { return &from.node->name; }, Text{}, "as the model names it")
          .required(
              "results",
              [](const O& from) {
                std::vector<tosa::TensorType> types;
                for (const tosa::ValueId value : from.node->outputs) types.push_back((*from.graph)[value].type);
                return types;
              },
              List{Nested(type_record())}, "the types of its results")
          .required(
              "multiply_adds", [](const O& from) { return tosa::cost_of(*from.graph, *from.node).multiply_adds; },
              Integer{}, "its cost");
  return record;
}

struct ConstantOfGraph {
  std::string name;
  tosa::TensorType type;
  Statistics statistics;
};

const Record<ConstantOfGraph>& constant_record() {
  using C = ConstantOfGraph;
  static const auto record =
      Record<C>("constant", "a constant of the model")
          .required("name", &C::name, Text{}, "as the model names it")
          .part(&C::type, type_record())
          .required(
              "least", [](const C& from) { return from.statistics.min; }, json::OrNull{json::Real{}},
              "the smallest element; null: not a number")
          .required(
              "greatest", [](const C& from) { return from.statistics.max; }, json::OrNull{json::Real{}},
              "the largest element; null: not a number")
          .required("zeros", [](const C& from) { return from.statistics.zeros; }, Integer{}, "elements that are 0");
  return record;
}

std::vector<OperatorOfGraph> operators_of(const tosa::Model& model) {
  std::vector<OperatorOfGraph> operators;
  for (const tosa::Node& node : model.graph.nodes) operators.push_back({&model.graph, &node});
  return operators;
}

std::vector<ConstantOfGraph> constants_of(const tosa::Model& model) {
  std::vector<ConstantOfGraph> constants;
  for (const tosa::Constant& constant : model.graph.constants) {
    const tosa::Value& value = model.graph[constant.value];
    constants.push_back({std::string(value.name), value.type, statistics_of(model.graph, constant)});
  }
  return constants;
}

}  // namespace

const Record<tosa::Model>& model_record() {
  using M = tosa::Model;
  static const auto record =
      Record<M>("model", "a model of TOSA operators")
          .required(
              "inputs", [](const M& from) { return values_of(from.graph, from.graph.inputs, from.input_names); },
              List{Nested(named_type_record())}, "in order")
          .required(
              "outputs", [](const M& from) { return values_of(from.graph, from.graph.outputs, from.output_names); },
              List{Nested(named_type_record())}, "in order")
          .required("operators", operators_of, List{Nested(operator_record())}, "in order of execution")
          .required("constants", constants_of, List{Nested(constant_record())}, "in the order of the file")
          .required(
              "parameters", [](const M& from) { return tosa::parameters_of(from.graph).elements; }, Integer{},
              "elements of all constants")
          .required(
              "parameter_bytes", [](const M& from) { return tosa::parameters_of(from.graph).bytes; }, Integer{},
              "bytes of all constants")
          .required(
              "multiply_adds", [](const M& from) { return tosa::cost_of(from.graph).multiply_adds; }, Integer{},
              "the cost of all operators");
  return record;
}

Statistics statistics_of(const tosa::Graph& graph, const tosa::Constant& constant) {
  Statistics made;
  const tensor::ElementType type = storage_of(graph[constant.value].type.data);
  const std::size_t size = tensor::size_of(type);
  for (std::size_t at = 0; at + size <= constant.data.size(); at += size) {
    const double value = tensor::double_of(type, constant.data.data() + at);
    if (made.count++ == 0) made.min = made.max = value;
    made.min = std::min(made.min, value);
    made.max = std::max(made.max, value);
    made.zeros += value == 0;
  }
  return made;
}

std::string model_json(const tosa::Model& model) { return json::object_text(model_record(), model); }

std::string model_schema() {
  return json::schema_text("what `slipway inspect --json` prints for a model of TOSA operators", "",
                           {&model_record().table()});
}

}  // namespace slipway::convert
