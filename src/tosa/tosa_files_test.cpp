// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing TOSA FlatBuffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "testing/operator_graphs.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/read/read_tosa.hpp"
#include "tosa/testing.hpp"
#include "tosa/text.hpp"
#include "tosa/write/write_tosa.hpp"
#include "tosa_generated.h"

namespace slipway::tosa {
namespace {

using ::testing::HasSubstr;

std::vector<std::byte> file_of(Graph graph) {
  Model model;
  model.graph = std::move(graph);
  const auto bytes = write_tosa(model);
  EXPECT_TRUE(bytes) << format_diagnostics(bytes.error());
  return bytes.value_or(std::vector<std::byte>());
}

std::string read_messages(Bytes bytes) {
  Diagnostics problems;
  const auto model = read_tosa(bytes, "m.tosa", problems);
  EXPECT_EQ(model.has_value(), !problems.has_errors());
  return messages(problems);
}

// Without the names that a file requires.
std::string plain_text(Graph graph) {
  for (Value& value : graph.values) value.name.clear();
  for (Node& node : graph.nodes) node.name.clear();
  graph.name = "main";
  return print(graph, {.max_elements = 10000});
}

TEST(TosaFiles, EveryOperatorAndTypeIsReadAgain) {
  int count = 0;
  slipway::testing::for_each_operator_graph([&](const OperatorInfo& info, const TypeRow&, const Graph& graph) {
    if (info.set != InstructionSet::Tosa && info.set != InstructionSet::BlockScaled) return;
    SCOPED_TRACE(formatted("{} {}", info.name, text_of(graph.values[0].type)));
    const std::vector<std::byte> bytes = file_of(graph);
    Diagnostics problems;
    auto model = read_tosa(bytes, "m.tosa", problems);
    ASSERT_TRUE(model) << messages(problems);
    verify(model->graph, problems);
    EXPECT_EQ(messages(problems), "");
    EXPECT_EQ(plain_text(model->graph), plain_text(graph));
    EXPECT_EQ(file_of(graph), bytes);
    ++count;
  });
  EXPECT_GT(count, 200);
}

TEST(TosaFiles, ConstantsAndNamesAreKept) {
  const Graph graph = graph_of(R"(graph main {
  %0 = input f32[-1, 3] "x"
  %1 = const f32[1, 3] [1, 2, 3] "w"
  %2 = const f32[2, 3] splat 0.5
  %3 = const i48[2] [-5, 140737488355327]
  %4 = const i4[3] [-8, 7, 1]
  %5 = const bool[3] [true, false, true]
  %6 = ADD(%0, %1) f32[-1, 3] "first"
  %7 = CUSTOM(%6, %3) f32[4] domain="d" name="n" attributes="{\"a\": 1}"
  output %7
  output %2
  output %4
  output %5
  output %0
}
)");
  const std::vector<std::byte> bytes = file_of(graph);
  Diagnostics problems;
  const auto model = read_tosa(bytes, "m.tosa", problems);
  ASSERT_TRUE(model) << messages(problems);
  std::string expected = plain_text(graph);
  expected.replace(expected.find("splat 0.5"), 9, "[0.5, 0.5, 0.5, 0.5, 0.5, 0.5]");
  EXPECT_EQ(plain_text(model->graph), expected);
  EXPECT_EQ(model->input_names, (std::vector<std::string>{"x"}));
  EXPECT_EQ(model->output_names.size(), 5u);
  EXPECT_EQ(model->graph.nodes[0].name, "first");
  EXPECT_EQ(model->graph[model->graph.constants[0].value].name, "w");
  // Data is aligned.
  const Constant& weights = model->graph.constants[0];
  EXPECT_EQ((weights.data.data() - bytes.data()) % 8, 0);
}

TEST(TosaFiles, BlockScaledConstants) {
  const Graph graph = graph_of(R"(graph main {
  %0 = const e2m1[1, 3] [0.5, -6, 1.5]
  %1 = const e3m2[1, 2] [28, -0.0625]
  %2 = const e8m0[2] [0.5, 4]
  %3 = const mxint8[2] [1.5, -0.015625]
  output %0
  output %1
  output %2
  output %3
}
)");
  const std::vector<std::byte> bytes = file_of(graph);
  Diagnostics problems;
  const auto model = read_tosa(bytes, "m.tosa", problems);
  ASSERT_TRUE(model) << messages(problems);
  EXPECT_EQ(plain_text(model->graph), plain_text(graph));
}

TEST(TosaFiles, JsonHasTheNamesOfTheSchema) {
  const auto json = tosa_json(file_of(graph_of(
      "graph main {\n%0 = input f32[2]\n%1 = CLAMP(%0) f32[2] min_val=0 max_val=1 nan_mode=IGNORE\noutput %1\n}")));
  ASSERT_TRUE(json) << format_diagnostics(json.error());
  EXPECT_THAT(*json, HasSubstr("\"op\": \"CLAMP\""));
  EXPECT_THAT(*json, HasSubstr("\"nan_mode\": \"IGNORE\""));
  EXPECT_THAT(*json, HasSubstr("\"_major\": 1"));
}

// --- files made by hand ---

// A file with one block, built from values of the tables.
class Recipe {
 public:
  Recipe() {
    graph_.version = std::make_unique<fb::VersionT>();
    graph_.version->_major = 1;
    graph_.version->_minor = 0;
    graph_.version->_patch = 0;
    region("main");
  }
  Recipe& region(const std::string& name) {
    auto region = std::make_unique<fb::TosaRegionT>();
    region->name = name;
    region->blocks.push_back(std::make_unique<fb::TosaBasicBlockT>());
    region->blocks[0]->name = name;
    graph_.regions.push_back(std::move(region));
    return *this;
  }
  fb::TosaGraphT& graph() { return graph_; }
  fb::TosaBasicBlockT& block() { return *graph_.regions.back()->blocks[0]; }

  fb::TosaTensorT& tensor(const std::string& name, fb::DType type, std::vector<std::int32_t> shape,
                          std::vector<std::uint8_t> data = {}) {
    auto tensor = std::make_unique<fb::TosaTensorT>();
    tensor->name = name;
    tensor->type = type;
    tensor->shape = std::move(shape);
    tensor->data = std::move(data);
    block().tensors.push_back(std::move(tensor));
    return *block().tensors.back();
  }
  Recipe& shape(const std::string& name, const std::vector<std::int64_t>& values) {
    auto shape = std::make_unique<fb::TosaShapeT>();
    shape->name = name;
    shape->rank = static_cast<std::uint32_t>(values.size());
    shape->data.resize(values.size() * 8);
    if (!values.empty()) std::memcpy(shape->data.data(), values.data(), shape->data.size());
    block().shapes.push_back(std::move(shape));
    return *this;
  }
  fb::TosaOperatorT& operation(fb::Op op, std::vector<std::string> inputs, std::vector<std::string> outputs) {
    auto made = std::make_unique<fb::TosaOperatorT>();
    made->op = op;
    made->inputs = std::move(inputs);
    made->outputs = std::move(outputs);
    block().operators.push_back(std::move(made));
    return *block().operators.back();
  }
  Recipe& interface(std::vector<std::string> inputs, std::vector<std::string> outputs) {
    block().inputs = std::move(inputs);
    block().outputs = std::move(outputs);
    return *this;
  }
  std::vector<std::byte> bytes() const {
    flatbuffers::FlatBufferBuilder builder;
    fb::FinishTosaGraphBuffer(builder, fb::CreateTosaGraph(builder, &graph_));
    const auto all = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
    return {all.begin(), all.end()};
  }

 private:
  fb::TosaGraphT graph_;
};

// y = ABS(x).
Recipe simple() {
  Recipe recipe;
  recipe.tensor("x", fb::DType::FP32, {2, 3});
  recipe.tensor("y", fb::DType::FP32, {2, 3});
  recipe.operation(fb::Op::ABS, {"x"}, {"y"});
  recipe.interface({"x"}, {"y"});
  return recipe;
}

std::string text_of_file(const Recipe& recipe) {
  Diagnostics problems;
  const std::vector<std::byte> bytes = recipe.bytes();
  const auto model = read_tosa(bytes, "m.tosa", problems);
  return model ? plain_text(model->graph) : messages(problems);
}

// After inference.
std::string text_after_verifying(const Recipe& recipe) {
  Diagnostics problems;
  const std::vector<std::byte> bytes = recipe.bytes();
  auto model = read_tosa(bytes, "m.tosa", problems);
  if (model) verify(model->graph, problems);
  return model ? messages(problems) + plain_text(model->graph) : messages(problems);
}

TEST(TosaFiles, ResultsWithoutARankAreInferred) {
  Recipe recipe = simple();
  recipe.block().tensors[1]->is_unranked = true;
  recipe.block().tensors[1]->shape.clear();
  EXPECT_EQ(text_after_verifying(recipe),
            "graph main {\n  %0 = input f32[2, 3]\n  %1 = ABS(%0) f32[2, 3]\n  output %1\n}\n");
}

TEST(TosaFiles, AdaptivePoolsAndUnsignedCasts) {
  Recipe recipe;
  recipe.graph().version->_minor = 1;
  recipe.tensor("x", fb::DType::INT8, {1, 4, 6, 2});
  recipe.tensor("z", fb::DType::INT8, {1}, {3});
  recipe.tensor("mean", fb::DType::INT8, {1, 2, 3, 2});
  recipe.tensor("top", fb::DType::INT8, {1, 1, 3, 2});
  recipe.tensor("y", fb::DType::FP32, {1, 1, 3, 2});
  recipe.shape("k", {2, 2}).shape("k1", {2, 1}).shape("s", {2, 2}).shape("s1", {1, 1}).shape("p", {0, 0, 0, 0});
  for (const char* shape : {"k", "k1", "s", "s1", "p"}) recipe.operation(fb::Op::CONST_SHAPE, {}, {shape});
  recipe.operation(fb::Op::CONST, {}, {"z"});
  fb::AvgPool2dAdaptiveAttributeT mean;
  mean.acc_type = fb::DType::INT32;
  recipe.operation(fb::Op::AVG_POOL2D_ADAPTIVE, {"x", "z", "z", "k", "s", "p"}, {"mean"}).attribute.Set(mean);
  fb::MaxPool2dAdaptiveAttributeT top;
  top.nan_mode = fb::NanPropagationMode::PROPAGATE;
  recipe.operation(fb::Op::MAX_POOL2D_ADAPTIVE, {"mean", "k1", "s1", "p"}, {"top"}).attribute.Set(top);
  fb::CastAttributeT cast;
  cast.input_unsigned = true;
  recipe.operation(fb::Op::CAST, {"top"}, {"y"}).attribute.Set(cast);
  recipe.interface({"x"}, {"y"});
  EXPECT_EQ(text_after_verifying(recipe),
            "graph main {\n  %0 = input i8[1, 4, 6, 2]\n"
            "  %1 = AVG_POOL2D(%0) i8[1, 2, 3, 2] kernel=[2, 2] stride=[2, 2] pad=[0, 0, 0, 0] acc_type=INT32 "
            "input_zp=3 output_zp=3\n"
            "  %2 = MAX_POOL2D(%1) i8[1, 1, 3, 2] kernel=[2, 1] stride=[1, 1] pad=[0, 0, 0, 0] nan_mode=PROPAGATE\n"
            "  %3 = CAST(%2) f32[1, 1, 3, 2] input_unsigned=true\n  output %3\n}\n");
}

std::string first_message(const Recipe& recipe) {
  const std::string all = read_messages(recipe.bytes());
  const std::size_t begin = all.find("error: ");
  return begin == all.npos ? all : all.substr(begin + 7, all.find('\n') - begin - 7);
}

TEST(TosaFiles, OperatorsInAnyOrderAreSorted) {
  Recipe recipe = simple();
  recipe.tensor("z", fb::DType::FP32, {2, 3});
  recipe.operation(fb::Op::EXP, {"w"}, {"z"});
  recipe.tensor("w", fb::DType::FP32, {2, 3});
  recipe.operation(fb::Op::LOG, {"y"}, {"w"});
  recipe.interface({"x"}, {"z"});
  EXPECT_EQ(text_of_file(recipe),
            "graph main {\n  %0 = input f32[2, 3]\n  %1 = ABS(%0) f32[2, 3]\n  %2 = LOG(%1) f32[2, 3]\n"
            "  %3 = EXP(%2) f32[2, 3]\n  output %3\n}\n");
}

TEST(TosaFiles, ConstantsHaveIdsInTheSpecifiedOrder) {
  // c0, c1, op, c2, c3, op, c4 is read as c4, c3, c2, c0, c1.
  Recipe recipe;
  recipe.tensor("x", fb::DType::INT8, {1});
  std::vector<std::string> outputs;
  const auto constant = [&](std::uint8_t value) {
    const std::string name = formatted("c{}", value);
    recipe.tensor(name, fb::DType::INT8, {1}, {value});
    recipe.operation(fb::Op::CONST, {}, {name});
    outputs.push_back(name);
  };
  const auto operation = [&](const std::string& name) {
    recipe.tensor(name, fb::DType::INT8, {1});
    recipe.operation(fb::Op::BITWISE_NOT, {"x"}, {name});
  };
  constant(0);
  constant(1);
  operation("a");
  constant(2);
  constant(3);
  operation("b");
  constant(4);
  recipe.interface({"x"}, outputs);
  Diagnostics problems;
  const auto bytes = recipe.bytes();
  const auto model = read_tosa(bytes, "m.tosa", problems);
  ASSERT_TRUE(model) << messages(problems);
  std::string order;
  for (const Constant& each : model->graph.constants) order += model->graph[each.value].name + " ";
  EXPECT_EQ(order, "c4 c3 c2 c0 c1 ");
}

TEST(TosaFiles, IdentitiesBranchesAndShapesAreEvaluated) {
  Recipe recipe = simple();
  recipe.tensor("c", fb::DType::BOOL, {1}, {1});
  recipe.tensor("i", fb::DType::FP32, {2, 3});
  recipe.tensor("b", fb::DType::FP32, {2, 3});
  recipe.tensor("r", fb::DType::FP32, {3, 2});
  recipe.operation(fb::Op::IDENTITY, {"y"}, {"i"});
  recipe.operation(fb::Op::CONST, {}, {"c"});
  fb::CondIfAttributeT branches;
  branches.then_graph = "then";
  branches.else_graph = "else";
  recipe.operation(fb::Op::COND_IF, {"c", "i"}, {"b"}).attribute.Set(branches);
  recipe.shape("s", {1, 1}).shape("t", {2, 1}).shape("u", {0, 0});
  recipe.operation(fb::Op::CONST_SHAPE, {}, {"s"});
  recipe.operation(fb::Op::CONST_SHAPE, {}, {"t"});
  recipe.operation(fb::Op::ADD_SHAPE, {"s", "t"}, {"u"});
  recipe.operation(fb::Op::RESHAPE, {"b", "u"}, {"r"});
  recipe.interface({"x"}, {"r"});
  recipe.region("then");
  recipe.tensor("in", fb::DType::FP32, {2, 3});
  recipe.tensor("out", fb::DType::FP32, {2, 3});
  recipe.operation(fb::Op::EXP, {"in"}, {"out"});
  recipe.interface({"in"}, {"out"});
  EXPECT_EQ(text_of_file(recipe),
            "graph main {\n  %0 = input f32[2, 3]\n  %1 = ABS(%0) f32[2, 3]\n  %2 = EXP(%1) f32[2, 3]\n"
            "  %3 = RESHAPE(%2) f32[3, 2] shape=[3, 2]\n  output %3\n}\n");
}

// x = TANH(x) while `limit` is greater than a counter that `step` is added to.
Recipe loop(bool known_limit, std::uint8_t step) {
  Recipe recipe;
  recipe.tensor("x", fb::DType::FP32, {2});
  recipe.tensor("i", fb::DType::INT32, {1}, {0, 0, 0, 0});
  recipe.operation(fb::Op::CONST, {}, {"i"});
  recipe.tensor("n", fb::DType::INT32, {1},
                known_limit ? std::vector<std::uint8_t>{3, 0, 0, 0} : std::vector<std::uint8_t>());
  if (known_limit) recipe.operation(fb::Op::CONST, {}, {"n"});
  recipe.tensor("count", fb::DType::INT32, {1});
  recipe.tensor("limit", fb::DType::INT32, {1});
  recipe.tensor("y", fb::DType::FP32, {2});
  fb::WhileLoopAttributeT attribute;
  attribute.cond_graph = "test";
  attribute.body_graph = "turn";
  recipe.operation(fb::Op::WHILE_LOOP, {"i", "n", "x"}, {"count", "limit", "y"}).attribute.Set(attribute);
  if (known_limit)
    recipe.interface({"x"}, {"y"});
  else
    recipe.interface({"x", "n"}, {"y"});
  for (const char* name : {"test", "turn"}) {
    recipe.region(name);
    recipe.tensor("i", fb::DType::INT32, {1});
    recipe.tensor("n", fb::DType::INT32, {1});
    recipe.tensor("x", fb::DType::FP32, {2});
    recipe.tensor("r", std::string_view(name) == "test" ? fb::DType::BOOL : fb::DType::INT32, {1});
    recipe.tensor("step", fb::DType::INT32, {1}, {step, 0, 0, 0});
    recipe.tensor("z", fb::DType::FP32, {2});
    if (std::string_view(name) == "test") {
      recipe.operation(fb::Op::GREATER, {"n", "i"}, {"r"});
      recipe.interface({"i", "n", "x"}, {"r"});
    } else {
      recipe.operation(fb::Op::ADD, {"i", "step"}, {"r"});
      recipe.operation(fb::Op::TANH, {"x"}, {"z"});
      recipe.interface({"i", "n", "x"}, {"r", "n", "z"});
    }
  }
  return recipe;
}

TEST(TosaFiles, LoopsWithKnownConditionsAreUnrolled) {
  const std::string text = text_of_file(loop(true, 1));
  std::size_t count = 0;
  for (std::size_t at = text.find("TANH"); at != text.npos; at = text.find("TANH", at + 1)) ++count;
  EXPECT_EQ(count, 3u) << text;
  EXPECT_EQ(first_message(loop(false, 1)),
            "operator 1 WHILE_LOOP `count`: how often it runs is known only when the model runs; loops are not "
            "representable in TOSA.001000.1 [unsupported]");
  EXPECT_THAT(first_message(loop(true, 0)), HasSubstr("branches and loops expand to more than 1048576 operators"));
  const auto broken = [](auto&& change) {
    Recipe recipe = loop(true, 1);
    change(*recipe.graph().regions[0]->blocks[0]->operators.back(), *recipe.graph().regions[0]->blocks[0]);
    return first_message(recipe);
  };
  EXPECT_EQ(broken([](auto& op, auto&) { op.attribute.AsWhileLoopAttribute()->cond_graph = "nowhere"; }),
            "operator 2 WHILE_LOOP `count`: there is no region `nowhere` [unknown-reference]");
  EXPECT_EQ(broken([](auto& op, auto&) { op.attribute.AsWhileLoopAttribute()->cond_graph = "turn"; }),
            "operator 2 WHILE_LOOP `count`: region `turn` has another number of inputs or outputs [file-format]");
  EXPECT_EQ(broken([](auto& op, auto& block) {
              op.outputs.pop_back();
              block.outputs = {"count"};
            }),
            "operator 2 WHILE_LOOP `count`: it has another number of results than of inputs [file-format]");
  // A loop that is its own condition ends.
  Recipe endless = loop(true, 1);
  fb::WhileLoopAttributeT attribute;
  attribute.cond_graph = "test";
  attribute.body_graph = "turn";
  fb::TosaBasicBlockT& test = *endless.graph().regions[1]->blocks[0];
  auto inner = std::make_unique<fb::TosaOperatorT>();
  inner->op = fb::Op::WHILE_LOOP;
  inner->inputs = {"i", "n", "x"};
  inner->outputs = {"a", "b", "z"};
  inner->attribute.Set(attribute);
  test.operators.push_back(std::move(inner));
  EXPECT_THAT(first_message(endless), HasSubstr("loops are within loops more than 64 deep"));
}

TEST(TosaFiles, WideIntegersAreNarrowed) {
  Recipe recipe;
  recipe.tensor("x", fb::DType::INT64, {1});
  recipe.tensor("c", fb::DType::INT64, {1}, {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
  recipe.tensor("y", fb::DType::INT64, {1});
  recipe.operation(fb::Op::ADD, {"x", "c"}, {"y"});
  recipe.interface({"x"}, {"y"});
  EXPECT_EQ(text_of_file(recipe),
            "graph main {\n  %0 = input i32[1]\n  %1 = const i32[1] [-2]\n  %2 = ADD(%0, %1) i32[1]\n  output %2\n}\n");
  recipe.block().tensors[1]->data[5] = 1;
  EXPECT_THAT(first_message(recipe), HasSubstr("which 32 bits do not hold [file-format]"));
}

TEST(TosaFiles, DataAfterTheTablesIsRead) {
  Recipe recipe = simple();
  fb::TosaTensorT& constant = recipe.tensor("c", fb::DType::FP32, {2, 3});
  recipe.operation(fb::Op::CONST, {}, {"c"});
  constant.offset = 1 << 16;
  constant.size = 24;
  recipe.interface({"x"}, {"y", "c"});
  std::vector<std::byte> bytes = recipe.bytes();
  EXPECT_THAT(read_messages(bytes), HasSubstr("its data is at 0x10000, 24 bytes, and the file has "));
  bytes.resize((1 << 16) + 24);
  store(&bytes[1 << 16], 1.5f);
  Diagnostics problems;
  const auto model = read_tosa(bytes, "m.tosa", problems);
  ASSERT_TRUE(model) << messages(problems);
  EXPECT_EQ(model->graph.constants[0].data.data(), &bytes[1 << 16]);
  constant.data = {1, 2, 3};
  EXPECT_THAT(first_message(recipe), HasSubstr("both inside and after"));
}

// Violates each rule once; the message names the operator.
TEST(TosaFiles, ErrorsAreReported) {
  const auto broken = [](auto&& change) {
    Recipe recipe = simple();
    change(recipe);
    return first_message(recipe);
  };
  EXPECT_EQ(broken([](Recipe& r) { r.graph().version->_major = 0; }),
            "TOSA 0.x numbers its data types differently; export with TOSA 1.0 [unsupported]");
  EXPECT_EQ(broken([](Recipe& r) { r.graph().version->_major = -1; }),
            "the file does not say its version of TOSA [unsupported]");
  EXPECT_EQ(broken([](Recipe& r) { r.graph().version->_minor = 7; }),
            "the file has TOSA 1.7; supported are 1.0 and 1.1 [unsupported]");
  EXPECT_EQ(broken([](Recipe& r) { r.graph().regions.clear(); }), "the file has no region with a block [file-format]");
  EXPECT_EQ(broken([](Recipe& r) { r.interface({"x"}, {}); }), "model has no outputs [file-format]");
  EXPECT_EQ(broken([](Recipe& r) { r.interface({"x"}, {"q"}); }), "the output `q` has no producer [unknown-reference]");
  EXPECT_EQ(broken([](Recipe& r) { r.interface({"q"}, {"y"}); }), "the input `q` is not a tensor [unknown-reference]");
  EXPECT_EQ(broken([](Recipe& r) { r.tensor("x", fb::DType::FP32, {2}); }),
            "two tensors are called `x` [duplicate-name]");
  EXPECT_EQ(broken([](Recipe& r) { r.operation(fb::Op::EXP, {"x"}, {"y"}); }),
            "operator 1 EXP `y`: its result `y` is one of ABS too [duplicate-name]");
  EXPECT_EQ(broken([](Recipe& r) { r.operation(fb::Op::EXP, {"x"}, {"x"}); }),
            "operator 1 EXP `x`: its result `x` is an input [duplicate-name]");
  EXPECT_EQ(broken([](Recipe& r) { r.block().operators[0]->inputs = {"q"}; }),
            "operator 0 ABS `y`: its input `q` is not defined [unknown-reference]");
  EXPECT_EQ(broken([](Recipe& r) { r.block().operators[0]->inputs = {"y"}; }),
            "operator 0 ABS `y`: it needs its own result, through other operators [file-format]");
  EXPECT_EQ(broken([](Recipe& r) { r.block().operators[0]->inputs = {"x", "x"}; }),
            "operator 0 ABS `y`: it has 2 inputs instead of 1 [file-format]");
  EXPECT_EQ(broken([](Recipe& r) { r.block().operators[0]->op = fb::Op::WHILE_LOOP; }),
            "operator 0 WHILE_LOOP `y`: the attributes are missing [missing-key]");
  EXPECT_EQ(broken([](Recipe& r) { r.block().operators[0]->op = fb::Op::VARIABLE_READ; }),
            "operator 0 VARIABLE_READ `y`: variables are not representable in TOSA.001000.1 [unsupported]");
  EXPECT_EQ(broken([](Recipe& r) { r.block().operators[0]->op = fb::Op::COND_IF; }),
            "operator 0 COND_IF `y`: its condition is not constant; branches are not representable in TOSA.001000.1 "
            "[unsupported]");
  EXPECT_EQ(
      broken([](Recipe& r) { r.block().operators[0]->op = fb::Op::CAST_TO_BLOCK_SCALED; }),
      "operator 0 CAST_TO_BLOCK_SCALED `y`: the attributes are missing, and with them `block_size` [missing-key]");
  EXPECT_EQ(broken([](Recipe& r) { r.block().operators[0]->op = static_cast<fb::Op>(500); }),
            "operator 0 number 500 `y`: TOSA 1.1 is not representable in TOSA.001000.1 [unsupported]");
  EXPECT_EQ(broken([](Recipe& r) { r.block().operators[0]->op = fb::Op::UNKNOWN; }),
            "operator 0 UNKNOWN `y`: the operator has the number 0 (UNKNOWN) [unknown-value]");
  EXPECT_EQ(broken([](Recipe& r) { r.block().operators[0]->op = fb::Op::REVERSE; }),
            "operator 0 REVERSE `y`: the attributes are missing, and with them `axis` [missing-key]");
  EXPECT_EQ(broken([](Recipe& r) { r.block().operators[0]->op = fb::Op::CUSTOM; }),
            "operator 0 CUSTOM `y`: the attributes are missing [missing-key]");
  EXPECT_EQ(broken([](Recipe& r) {
              r.block().operators[0]->op = fb::Op::CLAMP;
              r.block().operators[0]->attribute.Set(fb::ClampAttributeT());
            }),
            "operator 0 CLAMP `y`: `min_val` has 0 bytes; an element of f32 has 4 [missing-key]");
  EXPECT_EQ(broken([](Recipe& r) {
              r.block().operators[0]->op = fb::Op::RESIZE;
              r.block().operators[0]->attribute.Set(fb::ResizeAttributeT());
              r.shape("s", {1}).block().operators[0]->inputs = {"x", "s", "s", "s"};
            }),
            "operator 0 RESIZE `y`: `mode` has the unknown value 0 [missing-key]");
  EXPECT_EQ(broken([](Recipe& r) {
              r.block().operators[0]->op = fb::Op::NEGATE;
              r.block().operators[0]->inputs = {"x", "x", "x"};
            }),
            "operator 0 NEGATE `y`: `input1_zp` has not one element [type-mismatch]");
  EXPECT_EQ(broken([](Recipe& r) {
              r.block().operators[0]->op = fb::Op::RESHAPE;
              r.block().operators[0]->inputs = {"x", "x"};
            }),
            "operator 0 RESHAPE `y`: its input `x` is a tensor instead of a shape [type-mismatch]");
  EXPECT_EQ(broken([](Recipe& r) { r.block().tensors[0]->type = static_cast<fb::DType>(99); }),
            "tensor `x` has the type 99 [type-mismatch]");
  EXPECT_EQ(broken([](Recipe& r) { r.block().tensors[0]->type = fb::DType::SHAPE; }),
            "tensor `x` has the type SHAPE [type-mismatch]");
  EXPECT_EQ(broken([](Recipe& r) { r.block().tensors[0]->is_unranked = true; }),
            "tensor `x` has no rank [unsupported]");
  EXPECT_EQ(broken([](Recipe& r) {
              r.tensor("c", fb::DType::INT8, {4}, {1, 2});
              r.operation(fb::Op::CONST, {}, {"c"});
              r.interface({"x"}, {"y", "c"});
            }),
            "operator 1 CONST `c`: constant `c`: its data has 2 bytes; 4 elements need 4 [file-format]");
  EXPECT_EQ(broken([](Recipe& r) {
              r.tensor("c", fb::DType::INT8, {4});
              r.operation(fb::Op::CONST, {}, {"c"});
            }),
            "operator 1 CONST `c`: its result has no data [file-format]");
  EXPECT_EQ(broken([](Recipe& r) {
              r.tensor("c", fb::DType::INT8, {0, 4}, {1});
              r.operation(fb::Op::CONST, {}, {"c"});
              r.interface({"x"}, {"y", "c"});
            }),
            "operator 1 CONST `c`: constant `c`: a constant has a dimension of 0 [file-format]");
  EXPECT_EQ(broken([](Recipe& r) {
              r.shape("a", {3}).shape("b", {0}).shape("c", {0});
              r.operation(fb::Op::DIV_FLOOR_SHAPE, {"a", "b"}, {"c"});
            }),
            "operator 1 DIV_FLOOR_SHAPE `c`: 3 cannot be divided by 0 [out-of-range]");
  EXPECT_THAT(read_messages(bytes_of("not a model at all")), HasSubstr("identifier `TOSA`"));
  EXPECT_THAT(read_messages(bytes_of("\xff\xff\xff\xff"
                                     "TOSA")),
              HasSubstr("invalid or truncated [file-format]"));
}

TEST(TosaFiles, DimensionsOfZeroAreUnknown) {
  Recipe recipe = simple();
  recipe.block().tensors[0]->shape = {0, 3};
  const std::vector<std::byte> bytes = recipe.bytes();
  Diagnostics problems;
  const auto model = read_tosa(bytes, "m.tosa", problems);
  ASSERT_TRUE(model);
  EXPECT_THAT(messages(problems), HasSubstr("warning: tensor `x` has a dimension of 0, which is taken as unknown"));
  EXPECT_EQ(text_of(model->graph[model->graph.inputs[0]].type), "f32[-1, 3]");
}

// Truncated anywhere or with any byte changed, a file is refused or read, without a crash.
TEST(TosaFiles, DamageIsSurvived) {
  const std::vector<std::byte> bytes = file_of(
      graph_of("graph main {\n%0 = input i8[1, 4, 4, 2]\n%1 = const i8[3, 1, 1, 2] [1, 2, 3, 4, 5, 6]\n%2 = const "
               "i32[3] [1, 2, 3]\n"
               "%3 = CONV2D(%0, %1, %2) i32[1, 4, 4, 3] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT32 "
               "local_bound=false input_zp=1 weight_zp=0\noutput %3\n}"));
  for (std::size_t size = 0; size < bytes.size(); size += 3) {
    Diagnostics problems;
    EXPECT_FALSE(read_tosa(Bytes(bytes).first(size), "m.tosa", problems)) << size;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const std::byte with : {std::byte{0}, std::byte{0xff}, bytes[i] ^ std::byte{1}}) {
      std::vector<std::byte> damaged = bytes;
      damaged[i] = with;
      Diagnostics problems;
      auto model = read_tosa(damaged, "m.tosa", problems);
      if (model) verify(model->graph, problems);
    }
  }
}

}  // namespace
}  // namespace slipway::tosa
