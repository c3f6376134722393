// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operator against the results of TensorFlow Lite's reference kernels in tests/data/tflite/expected.txt: integers
// are equal, floats within a small bound. SLIPWAY_TFLITE_CASES=DIRECTORY writes the models and their inputs there, from
// which tests/data/tflite/README.md makes the file.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "base/format.hpp"
#include "importer/import.hpp"
#include "importer/tflite/cases/operator_case.hpp"
#include "testing/importer_blocks.hpp"
#include "testing/source_directory.hpp"
#include "tosa/check/verify.hpp"

namespace slipway::importer {
namespace {

std::vector<OperatorCase>& all_cases() {
  static OperatorCases cases = [] {
    OperatorCases made;
    add_arithmetic_cases(made);
    add_function_cases(made);
    add_weight_cases(made);
    add_movement_cases(made);
    add_index_cases(made);
    add_reduction_cases(made);
    add_recurrent_cases(made);
    return made;
  }();
  return cases.all();
}

// Numbers of the results of a case. Floats are hexadecimal.
using Expected = std::map<std::string, std::vector<std::vector<double>>>;

const Expected& expected_results() {
  static const Expected expected = [] {
    Expected made;
    std::ifstream file(testing::source_directory() / "tests/data/tflite/expected.txt");
    std::string line;
    std::vector<std::vector<double>>* results = nullptr;
    while (std::getline(file, line)) {
      if (line.starts_with("= ")) {
        results = &made[line.substr(2)];
      } else if (results) {
        std::vector<double> numbers;
        const char* at = line.c_str();
        for (char* end = nullptr;; at = end) {
          const double number = std::strtod(at, &end);
          if (end == at) break;
          numbers.push_back(number);
        }
        results->push_back(std::move(numbers));
      }
    }
    return made;
  }();
  return expected;
}

reference::Tensor tensor_of(const Array& array) {
  const tensor::Shape shape = array.shape.empty() ? tensor::Shape{1} : array.shape;
  const tosa::DataType type = info_of(array.type).graph;
  if (array.type == FileType::I64)
    return reference::Tensor::from_bytes({type, shape}, array_of(FileType::I32, shape, array.integers()).data);
  return reference::Tensor::from_bytes({type, shape}, array.data);
}

// The results of the graph as numbers of the file.
std::vector<std::vector<double>> run_case(const OperatorCase& each) {
  // Variables begin with zeros: with the zero point of int8.
  std::vector<std::int64_t> zeros;
  for (const auto& tensor : each.model.tables.subgraphs.front()->tensors) {
    if (!tensor->is_variable) continue;
    const bool has_zero =
        tensor->type == static_cast<std::int8_t>(info_of(FileType::I8).tflite) && tensor->quantization;
    zeros.push_back(has_zero ? tensor->quantization->zero_point[0] : 0);
  }
  const std::vector<std::byte> bytes = each.model.bytes();
  Diagnostics diagnostics;
  const auto model = ImportedModel::open(bytes, "case.tflite", {}, diagnostics);
  const auto made = model ? model->specialise({}, diagnostics) : std::nullopt;
  EXPECT_EQ(testing::messages(diagnostics), "");
  if (!made) return {};
  Diagnostics problems;
  tosa::Graph graph = made->graph;
  tosa::verify(graph, problems);
  EXPECT_EQ(testing::messages(problems), "");
  std::vector<reference::Tensor> inputs;
  for (const Array& input : each.inputs) inputs.push_back(tensor_of(input));
  for (std::size_t i = inputs.size(), state = 0; i < graph.inputs.size(); ++i, ++state) {
    const tosa::TensorType& type = graph[graph.inputs[i]].type;
    const std::size_t size =
        static_cast<std::size_t>(*tensor::element_count(type.shape)) * tosa::bits_of(type.data) / 8;
    inputs.push_back(reference::Tensor::from_bytes(
        type, std::vector<std::byte>(size, static_cast<std::byte>(state < zeros.size() ? zeros[state] : 0))));
  }
  const auto results = reference::run(graph, inputs);
  EXPECT_TRUE(results.has_value());
  std::vector<std::vector<double>> numbers;
  for (std::size_t i = 0; results && i < results->size(); ++i) {
    FileType type = file_type_of(made->declared_outputs[i].type);
    if (type == FileType::I64) type = FileType::I32;
    const Array array = array_of(type, {}, (*results)[i].to_bytes());
    numbers.push_back(array.reals());
  }
  return numbers;
}

// Floats: the error of the widest bound of an operator.
bool is_close(double actual, double expected, double largest) {
  if (std::isnan(expected) || std::isinf(expected))
    return std::isnan(expected) ? std::isnan(actual) : actual == expected;
  return std::fabs(actual - expected) <= 2e-6 * largest + 2e-6 * std::fabs(expected);
}

std::string difference(const std::vector<double>& actual, const std::vector<double>& expected, bool is_float) {
  if (actual.size() != expected.size()) return formatted("{} numbers instead of {}", actual.size(), expected.size());
  double largest = 0, most = 0;
  for (const double number : expected) largest = std::max(largest, std::isfinite(number) ? std::fabs(number) : 0);
  std::size_t count = 0, first = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (is_float ? is_close(actual[i], expected[i], largest) : actual[i] == expected[i]) continue;
    if (count++ == 0) first = i;
    most = std::max(most, std::fabs(actual[i] - expected[i]));
  }
  if (count == 0) return "";
  return formatted("{} of {} numbers differ, by at most {}; the first is {} instead of {} at {}", count, actual.size(),
                   most, actual[first], expected[first], first);
}

void write_bytes(const std::filesystem::path& path, Bytes bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void write_cases(const std::filesystem::path& directory) {
  std::ofstream list(directory / "cases.txt");
  for (std::size_t i = 0; i < all_cases().size(); ++i) {
    const OperatorCase& each = all_cases()[i];
    list << i << '\t' << each.inputs.size() << '\t' << each.name << '\n';
    write_bytes(directory / formatted("{}.tflite", i), each.model.bytes());
    for (std::size_t k = 0; k < each.inputs.size(); ++k)
      write_bytes(directory / formatted("{}.in{}", i, k), each.inputs[k].data);
  }
}

TEST(TfliteOperators, Results) {
  if (const char* const directory = std::getenv("SLIPWAY_TFLITE_CASES")) return write_cases(directory);
  const char* const filter = std::getenv("SLIPWAY_TFLITE_FILTER");
  std::set<std::string> names;
  for (const OperatorCase& each : all_cases()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name << " occurs twice";
    if (filter && each.name.find(filter) == std::string::npos) continue;
    SCOPED_TRACE(each.name);
    const auto expected = expected_results().find(each.name);
    if (expected == expected_results().end()) {
      ADD_FAILURE() << "no expected results";
      continue;
    }
    const auto actual = run_case(each);
    EXPECT_GE(actual.size(), expected->second.size());  // variables come after the results
    for (std::size_t i = 0; i < std::min(actual.size(), expected->second.size()); ++i) {
      const auto& output =
          each.model.tables.subgraphs[0]->tensors[static_cast<std::size_t>(each.model.tables.subgraphs[0]->outputs[i])];
      EXPECT_EQ(difference(actual[i], expected->second[i], output->type == 0), "");
    }
  }
}

// What the oracle lacks, or whose subgraphs it runs at run time.
std::vector<double> first_result(const std::function<void(CaseBuilder&)>& build) {
  OperatorCases cases;
  cases.add("case", build);
  const auto results = run_case(cases.all().front());
  return results.empty() ? std::vector<double>() : results.front();
}

TEST(TfliteOperators, LogOf8Bits) {
  const auto made = first_result([](CaseBuilder& c) {
    c.op("LOG", {c.given(FileType::I8, {4}, {-128, -127, 0, 127}, {0.05F, -128})}, {{FileType::I8, {0.03F, 10}}});
  });
  // log(0) is the minimum; the others are round(log(0.05 * n) / 0.03) + 10.
  EXPECT_EQ(made, (std::vector<double>{-128, -90, 72, 95}));
}

TEST(TfliteOperators, Dilate) {
  const auto made = first_result([](CaseBuilder& c) {
    c.op("DILATE", {c.given(FileType::F32, {2, 2}, {1, 2, 3, 4}), c.list({2, 3}), c.constant(FileType::F32, {}, {-1})},
         {{}});
  });
  EXPECT_EQ(made, (std::vector<double>{1, -1, -1, 2, -1, -1, -1, -1, 3, -1, -1, 4}));
}

TEST(TfliteOperators, SegmentSum) {
  const auto made = first_result([](CaseBuilder& c) {
    c.op("SEGMENT_SUM", {c.given(FileType::F32, {4, 1}, {1, 2, 3, 4}), c.constant(FileType::I32, {4}, {0, 0, 2, 2})},
         {{}});
  });
  EXPECT_EQ(made, (std::vector<double>{3, 0, 7}));
}

TEST(TfliteOperators, CustomTransposedConvolution) {
  const auto made = first_result([](CaseBuilder& c) {
    const int x = c.given(FileType::F32, {1, 1, 2, 1}, {1, 10});
    const int weights = c.constant(FileType::F32, {1, 1, 2, 1}, {1, 2}), bias = c.constant(FileType::F32, {1}, {0.5});
    const int y = c.model().result({.name = "y"});
    c.model().output(y);
    // SAME, stride_w 2, stride_h 1.
    c.model().add_custom("Convolution2DTransposeBias", {x, weights, bias}, {y}).custom_options = {1, 0, 0, 0, 2, 0,
                                                                                                  0, 0, 1, 0, 0, 0};
  });
  EXPECT_EQ(made, (std::vector<double>{1.5, 2.5, 10.5, 20.5}));
}

// A graph that adds a number to its input, and is called by an operator of the main graph.
std::size_t adding_graph(TfliteModel& model, const std::string& name, double number) {
  const std::size_t index = model.begin_graph(name);
  const int x = model.input({.name = "x", .shape = {2}});
  const int y = model.result({.name = "y", .shape = {2}});
  model.add("ADD", {x, model.constant({.name = "n"}, {number})}, {y}).builtin_options.Set(fb::AddOptionsT());
  model.output(y);
  return index;
}

TEST(TfliteOperators, Branch) {
  for (const bool condition : {false, true}) {
    const auto made = first_result([&](CaseBuilder& c) {
      fb::IfOptionsT options;
      options.then_subgraph_index = 1;
      options.else_subgraph_index = 2;
      c.op_with("IF", {c.constant(FileType::Bool, {}, {condition ? 1.0 : 0.0}), c.given(FileType::F32, {2}, {1, 2})},
                {{}}, options);
      adding_graph(c.model(), "then", 10);
      adding_graph(c.model(), "else", 20);
    });
    EXPECT_EQ(made, (condition ? std::vector<double>{11, 12} : std::vector<double>{21, 22}));
  }
}

TEST(TfliteOperators, Call) {
  const auto made = first_result([&](CaseBuilder& c) {
    fb::CallOptionsT options;
    options.subgraph = 1;
    c.op_with("CALL", {c.given(FileType::F32, {2}, {1, 2})}, {{}}, options);
    adding_graph(c.model(), "called", 10);
  });
  EXPECT_EQ(made, (std::vector<double>{11, 12}));
}

// x doubles while a counter is below 3.
TEST(TfliteOperators, Loop) {
  const auto made = first_result([&](CaseBuilder& c) {
    fb::WhileOptionsT options;
    options.cond_subgraph_index = 1;
    options.body_subgraph_index = 2;
    TfliteModel& model = c.model();
    c.op_with("WHILE", {c.given(FileType::F32, {2}, {1, 2}), c.number(0)}, {{}, {FileType::I32}}, options);
    model.begin_graph("cond");
    model.input({.name = "x", .shape = {2}});
    const int counter = model.input({.name = "i", .type = FileType::I32});
    const int holds = model.result({.name = "holds", .type = FileType::Bool});
    model.add("LESS", {counter, model.constant({.name = "n", .type = FileType::I32}, {3})}, {holds});
    model.output(holds);
    model.begin_graph("body");
    const int x = model.input({.name = "x", .shape = {2}}), i = model.input({.name = "i", .type = FileType::I32});
    const int y = model.result({.name = "y", .shape = {2}}), next = model.result({.name = "j", .type = FileType::I32});
    model.add("ADD", {x, x}, {y}).builtin_options.Set(fb::AddOptionsT());
    model.add("ADD", {i, model.constant({.name = "one", .type = FileType::I32}, {1})}, {next})
        .builtin_options.Set(fb::AddOptionsT());
    model.output(y);
    model.output(next);
  });
  EXPECT_EQ(made, (std::vector<double>{8, 16}));
}

}  // namespace
}  // namespace slipway::importer
