// The interpreter and the verifier against cases with expected values, when they are there: 500 cases for all operators
// (format `tosa-cases-1`). The project's own cases are in tests/corpus/tosa.
#include <gtest/gtest.h>

#include <format>

#include "base/files.hpp"
#include "json/document.hpp"
#include "reference/bounds.hpp"
#include "testing/source_folder.hpp"
#include "tosa/shapes.hpp"
#include "tosa/text.hpp"
#include "tosa/verify.hpp"

namespace slipway::reference {
namespace {

std::optional<DataType> type_from(std::string_view name) {
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

double number(const json::Value& value) {
  if (value.is(json::Type::String)) {
    const std::string_view text = value.string();
    return text == "nan" ? NAN : text == "inf" ? HUGE_VAL : -HUGE_VAL;
  }
  if (value.is(json::Type::Bool)) return value.boolean();
  return value.number();
}

std::int64_t integer(const json::Value& value) {
  if (value.is(json::Type::Bool)) return value.boolean();
  return value.integer().value_or(0);
}

tensor::Shape shape_of(const json::Value& value) {
  tensor::Shape shape;
  for (const json::Value& extent : value["shape"]) shape.push_back(integer(extent));
  return shape;
}

Tensor tensor_of(const json::Value& value, DataType type) {
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

struct Case {
  tosa::Graph graph;
  std::vector<Tensor> inputs;  // of the node
};

// A graph of one node, whose tensors are constants where the operator wants that and inputs otherwise.
std::optional<Case> build(const json::Value& from, const tosa::OperatorInfo& info) {
  Case made;
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
      } else if (operand.kind == tosa::OperandKind::NanMode) {
        attributes.set(operand.name, std::int64_t{1});  // PROPAGATE is the default
      } else {
        return std::nullopt;
      }
    }
  }
  // Tensors stand in the operator's order; some cases name them otherwise.
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
  // A case that has to be refused has no results: they get the types of the first row that fits, and the shapes that
  // follow.
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
    if (rank < operand.least_rank || rank > operand.most_rank) return made;  // which is what is wrong with it
  }
  Diagnostics ignored;
  if (const auto shapes = tosa::result_shapes(made.graph, made.graph.nodes[0], ignored)) {
    for (std::size_t i = 0; i < shapes->size(); ++i) made.graph[made.graph.outputs[i]].type.shape = (*shapes)[i];
  }
  return made;
}

std::string messages(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) text += diagnostic.message + "\n";
  return text;
}

void expect_values(const Case& made, const json::Value& from) {
  std::vector<const Tensor*> inputs;
  for (const Tensor& input : made.inputs) inputs.push_back(&input);
  const auto results = run_node(made.graph, made.graph.nodes[0], inputs);
  ASSERT_TRUE(results);
  const auto allowed = bounds(made.graph, made.graph.nodes[0], inputs, *results);
  std::size_t r = 0;
  for (const json::Value& each : from["outputs"]) {
    const Tensor& value = results->values[r];
    const Tensor wanted = tensor_of(each, value.type.data);
    const std::string_view check = each["check"].string();
    for (std::size_t i = 0; i < value.integers.size(); ++i)
      ASSERT_EQ(value.integers[i], wanted.integers[i]) << "element " << i;
    std::vector<double> ref, bound;
    for (const json::Value& number_of : each["ref64"]) ref.push_back(number(number_of));
    for (const json::Value& number_of : each["bound"]) bound.push_back(number(number_of));
    for (std::size_t i = 0; i < value.reals.size(); ++i) {
      const bool exact = check == "exact" || check == "fp_exact";
      EXPECT_TRUE(accepts(value.type.data, value.reals[i], exact ? wanted.reals[i] : ref[i], exact ? 0 : bound[i]))
          << "element " << i << " is " << value.reals[i] << " instead of " << wanted.reals[i];
      // Our own bounds are those of the cases.
      if (!exact && std::isfinite(bound[i]) && bound[i] > 0)
        EXPECT_NEAR(allowed[r][i], bound[i], bound[i] * 0.5) << "the bound of element " << i;
    }
    ++r;
  }
}

TEST(Golden, AllCases) {
  const std::filesystem::path file = slipway::testing::source_folder() / "../shared/data/tosa_cases.json";
  if (!std::filesystem::is_regular_file(file)) GTEST_SKIP() << "no golden cases here";
  const auto document = json::parse(read_source(file).value());
  ASSERT_TRUE(document);
  std::size_t valid = 0, errors = 0, other = 0;
  for (const json::Value& each : (*document)->root()["cases"]) {
    SCOPED_TRACE(std::string(each["id"].string()));
    const auto op = tosa::op_from_name(each["op"].string());
    if (!op || *op == tosa::Op::CUSTOM || !each["inputs"] || each["graph"]) {
      ++other;
      continue;
    }
    auto made = build(each, tosa::info_of(*op));
    const std::string_view expect = each["expect"].string();
    if (!made) {
      EXPECT_NE(expect, "valid") << "the case could not be built";
      ++other;
      continue;
    }
    Diagnostics problems;
    tosa::verify(made->graph, problems);
    if (expect == "valid" && each["legal_1_0"].boolean()) {
      EXPECT_FALSE(problems.has_errors()) << messages(problems);
      ++valid;
      expect_values(*made, each);
    } else if (expect == "error") {
      EXPECT_TRUE(problems.has_errors()) << print(made->graph);
      ++errors;
    } else {
      ++other;
    }
  }
  RecordProperty("valid", static_cast<int>(valid));
  EXPECT_GT(valid, 380u);
  EXPECT_GT(errors, 20u);
  EXPECT_LT(other, 90u);
}

}  // namespace
}  // namespace slipway::reference
