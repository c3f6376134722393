// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing models as MLIR text, which MLIR reads again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "testing/operator_graphs.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/read/mlir/read_mlir.hpp"
#include "tosa/testing.hpp"
#include "tosa/text.hpp"
#include "tosa/write/write_mlir.hpp"

namespace slipway::tosa {
namespace {

using ::testing::HasSubstr;

// Without names; constants of one element keep their form, splat or not.
std::string plain_mlir(Graph graph) {
  for (Value& value : graph.values) value.name.clear();
  for (Node& node : graph.nodes) node.name.clear();
  for (Constant& constant : graph.constants)
    constant.splat |= tensor::element_count(graph[constant.value].type.shape) == 1;
  graph.name = "main";
  return print(graph, {.max_elements = 10000});
}

std::string written(const Graph& graph) {
  Model model;
  model.graph = graph;
  const auto text = write_mlir(model);
  EXPECT_TRUE(text) << (text ? "" : format_diagnostics(text.error()));
  return text.value_or("");
}

TEST(WriteMlir, EveryOperatorAndTypeIsReadAgain) {
  int count = 0;
  slipway::testing::for_each_operator_graph([&](const OperatorInfo& info, const TypeRow&, const Graph& graph) {
    if (info.set != InstructionSet::Tosa && info.set != InstructionSet::BlockScaled) return;
    const std::string text = written(graph);
    SCOPED_TRACE(text);
    Diagnostics problems;
    auto model = read_mlir(bytes_of(text), "m.mlir", {}, problems);
    ASSERT_TRUE(model) << messages(problems);
    verify(model->graph, problems);
    EXPECT_EQ(messages(problems), "");
    EXPECT_EQ(plain_mlir(model->graph), plain_mlir(graph));
    ++count;
  });
  EXPECT_GT(count, 200);
}

TEST(WriteMlir, ConstantsOfEveryTypeAreReadAgain) {
  std::string text = "graph main {\n  %0 = input f32[2, -1]\n";
  std::string outputs;
  int next = 1;
  const auto constant = [&](std::string_view type, std::string_view values) {
    text += formatted("  %{} = const {} {}\n", next, type, values);
    outputs += formatted("  output %{}\n", next++);
  };
  constant("bool[2, 2]", "[true, false, false, true]");
  constant("i4[3]", "[-8, 7, 1]");
  constant("i8[]", "splat -128");
  constant("i16[2]", "[-32768, 32767]");
  constant("i32[1, 2, 1]", "[-2147483648, 2147483647]");
  constant("i48[2]", "[-5, 140737488355327]");
  constant("f16[4]", "[0.1, -0, inf, nan]");
  constant("bf16[3]", "[1e+30, -2.5, -inf]");
  constant("f32[5]", "[0.1, 1e-45, 3.4e+38, -0, 100000000]");
  constant("e4m3[3]", "[448, nan, 0.001953125]");
  constant("e5m2[2]", "[57344, inf]");
  constant("f32[3, 3]", "splat 0.25");
  // More elements are digits.
  for (const std::string_view type : {"i4", "i8", "i16", "i32", "i48", "bool", "f16", "f32", "bf16", "e4m3", "e5m2"}) {
    std::string values;
    for (int i = 0; i < 70; ++i) {
      const std::string value = type == "bool" ? (i % 3 ? "true" : "false") : formatted("{}", i % 15 - 7);
      values += formatted("{}{}", i ? ", " : "[", value);
    }
    constant(formatted("{}[7, 10]", type), values + "]");
  }
  const Graph graph = graph_of(text + outputs + "}\n");
  const std::string mlir = written(graph);
  EXPECT_THAT(mlir, HasSubstr("dense<[0.0999755859375, -0.0, 0x7C00, 0x7E00]> : tensor<4xf16>"));
  EXPECT_THAT(mlir, HasSubstr("dense<\"0x"));
  Diagnostics problems;
  const auto again = read_mlir(bytes_of(mlir), "m.mlir", {}, problems);
  ASSERT_TRUE(again) << messages(problems);
  EXPECT_EQ(plain_mlir(again->graph), plain_mlir(graph));
}

TEST(WriteMlir, NamesAndCustomOperatorsAreKept) {
  Model model;
  model.graph = graph_of(
      "graph main {\n%0 = input f32[2] \"x\"\n%1 = ABS(%0) f32[2] \"conv \\\"3\\\"\"\n"
      "%2, %3 = CUSTOM(%1, %0) f32[2], i8[1] domain=\"d\" name=\"n\" attributes=\"{\\\"a\\\": \\\"\\\\n\\\"}\"\n"
      "output %2\noutput %3\noutput %0\n}");
  model.input_names = {"x"};
  model.output_names = {"a", "b", "c"};
  const auto text = write_mlir(model);
  ASSERT_TRUE(text);
  EXPECT_EQ(
      *text,
      R"mlir(func.func @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>, tensor<1xi8>, tensor<2xf32>) attributes {tf.entry_function = {inputs = "x", outputs = "a,b,c"}} {
  %0 = tosa.abs %arg0 : (tensor<2xf32>) -> tensor<2xf32> loc("conv \223\22")
  %1:2 = tosa.custom %0, %arg0 {operator_name = "n", domain_name = "d", implementation_attrs = "{\22a\22: \22\5Cn\22}"} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<1xi8>)
  return %1#0, %1#1, %arg0 : tensor<2xf32>, tensor<1xi8>, tensor<2xf32>
}
)mlir");
  Diagnostics problems;
  const auto again = read_mlir(bytes_of(*text), "m.mlir", {}, problems);
  ASSERT_TRUE(again) << messages(problems);
  EXPECT_EQ(again->input_names, model.input_names);
  EXPECT_EQ(again->output_names, model.output_names);
  EXPECT_EQ(again->graph.nodes[0].name, "conv \"3\"");
  EXPECT_EQ(again->graph.nodes[1].custom->attributes, model.graph.nodes[1].custom->attributes);
}

TEST(WriteMlir, OmittedAndRefused) {
  Model model;
  model.graph = graph_of("graph main {\n%0 = const f32[3] [1, 2, 3]\noutput %0\n}");
  EXPECT_THAT(write_mlir(model, {.max_elements = 2}).value_or(""),
              HasSubstr("{values = dense_resource<__elided__> : tensor<3xf32>}"));
  model.graph.constants[0].data = {};
  const auto without = write_mlir(model);
  ASSERT_FALSE(without);
  EXPECT_THAT(format_diagnostics(without.error()), HasSubstr("error: constant `` has no data [missing-key]"));
}

// --- literals that are removed before MLIR parses ---

// `count` floats, element i being i.
std::string digits_of(std::size_t count) {
  std::string digits;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(i);
    for (const std::byte byte : std::as_bytes(std::span(&value, 1)))
      digits += formatted("{:02x}", std::to_integer<int>(byte));
  }
  return digits;
}

std::string with_literals(std::string_view dense, std::string_view resource, std::string_view behind = "") {
  return formatted(R"mlir(// "0x not a literal"
func.func @main(%x: tensor<20000xf32>) -> tensor<20000xf32> {{
  %w = "tosa.const"() <{{values = dense<"0x{}"> : tensor<20000xf32>}}> : () -> tensor<20000xf32> {}
  %r = "tosa.const"() <{{values = dense_resource<blob> : tensor<20000xf32>}}> : () -> tensor<20000xf32>
  %0 = tosa.add %x, %w : (tensor<20000xf32>, tensor<20000xf32>) -> tensor<20000xf32>
  %1 = tosa.add %0, %r : (tensor<20000xf32>, tensor<20000xf32>) -> tensor<20000xf32>
  return %1 : tensor<20000xf32>
}}
{{-# dialect_resources: {{ builtin: {{ blob: "0x08000000{}" }} }} #-}}
)mlir",
                   dense, behind, resource);
}

TEST(LongLiterals, AreDecodedFromTheFile) {
  const std::string digits = digits_of(20000), text = with_literals(digits, digits);
  std::size_t done = 0;
  Diagnostics problems;
  const auto model = read_mlir(bytes_of(text), "m.mlir",
                               {.entry = "", .done_with = [&](Bytes part) { done += part.size(); }}, problems);
  ASSERT_TRUE(model) << messages(problems);
  ASSERT_EQ(model->graph.constants.size(), 2u);
  for (const Constant& constant : model->graph.constants) {
    ASSERT_EQ(constant.data.size(), 80000u);
    EXPECT_EQ(load<float>(constant.data.data() + 4 * 12345), 12345.0f);
  }
  EXPECT_EQ(done, 2 * 2 * digits.size());  // scanned and decoded
}

std::string messages_of(const std::string& text) {
  Diagnostics problems;
  EXPECT_FALSE(read_mlir(bytes_of(text), "m.mlir", {}, problems));
  return messages(problems);
}

TEST(LongLiterals, ErrorsHaveTheirLocationInTheFile) {
  const std::string digits = digits_of(20000);
  std::string wrong = digits;
  wrong[100000] = 'g';
  EXPECT_EQ(messages_of(with_literals(wrong, digits)),
            "m.mlir:3:100043: error: this is not a hexadecimal digit [text-syntax]\n");
  EXPECT_EQ(messages_of(with_literals(digits + "0", digits)),
            "m.mlir:3:160044: error: the number of hexadecimal digits is odd [text-syntax]\n");
  EXPECT_EQ(messages_of(with_literals(digits, digits + "00")),
            "m.mlir:4:8: error: `tosa.const`: the data has 80001 bytes; 20000 elements need 80000 [file-mismatch]\n");
  // Positions after a literal in its line, and in other lines.
  EXPECT_THAT(messages_of(with_literals(digits, digits, "oops")), HasSubstr("m.mlir:3:160094: error: "));
  std::string text = with_literals(digits, digits);
  text.replace(text.find("%1 = tosa.add"), 13, "%1 = tosa.odd");
  EXPECT_THAT(messages_of(text), HasSubstr("m.mlir:6:8: error: "));
  // A literal without an end.
  EXPECT_THAT(messages_of("func.func @main() { %w = \"tosa.const\"() <{values = dense<\"0x" + digits),
              HasSubstr("m.mlir:1:"));
}

// --- branches and loops ---

std::string read_back(std::string_view text) {
  Diagnostics problems;
  const auto model = read_mlir(bytes_of(text), "m.mlir", {}, problems);
  return model ? print(model->graph) : messages(problems);
}

// Loops while `limit` is greater than the counter.
std::string loop(std::string_view limit, std::string_view step = "1") {
  return formatted(R"mlir(
func.func @main(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {{
  %i0 = "tosa.const"() <{{values = dense<0> : tensor<i32>}}> : () -> tensor<i32>
  %k = "tosa.const"() <{{values = dense<3> : tensor<i32>}}> : () -> tensor<i32>
  %step = "tosa.const"() <{{values = dense<{1}> : tensor<i32>}}> : () -> tensor<i32>
  %1:2 = tosa.while_loop (%i = %i0, %a = %x) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {{
    %c = tosa.greater {0}, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %c : tensor<i1>
  }} do {{
  ^bb0(%i: tensor<i32>, %a: tensor<2xf32>):
    %j = tosa.add %i, %step : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %b = tosa.tanh %a : (tensor<2xf32>) -> tensor<2xf32>
    tosa.yield %j, %b : tensor<i32>, tensor<2xf32>
  }}
  return %1#1 : tensor<2xf32>
}}
)mlir",
                   limit, step);
}

TEST(Mlir, LoopsWithKnownConditionsAreWrittenOut) {
  const std::string text = read_back(loop("%k"));
  std::size_t count = 0;
  for (std::size_t at = text.find("TANH"); at != text.npos; at = text.find("TANH", at + 1)) ++count;
  EXPECT_EQ(count, 3u) << text;
  EXPECT_EQ(read_back(loop("%n")),
            "m.mlir:6:10: error: `tosa.while_loop`: how often it runs is known only when the model runs; loops are not "
            "representable in TOSA.001000.1 [unsupported]\n");
  EXPECT_THAT(read_back(loop("%k", "0")),
              HasSubstr("`tosa.while_loop`: branches and loops expand to more than 1048576 operations"));
}

std::string branch(std::string_view condition) {
  return formatted(R"mlir(
func.func @main(%x: tensor<2xf32>, %n: tensor<i1>) -> tensor<2xf32> {{
  %yes = "tosa.const"() <{{values = dense<true> : tensor<i1>}}> : () -> tensor<i1>
  %no = tosa.logical_not %yes : (tensor<i1>) -> tensor<i1>
  %0 = tosa.cond_if {} (%a = %x) : tensor<i1> (tensor<2xf32>) -> tensor<2xf32> {{
  ^bb0(%a: tensor<2xf32>):
    %1 = tosa.exp %a : (tensor<2xf32>) -> tensor<2xf32>
    tosa.yield %1 : tensor<2xf32>
  }} else {{
  ^bb0(%a: tensor<2xf32>):
    %1 = tosa.log %x : (tensor<2xf32>) -> tensor<2xf32>
    tosa.yield %1 : tensor<2xf32>
  }}
  return %0 : tensor<2xf32>
}}
)mlir",
                   condition);
}

TEST(Mlir, BranchesWithKnownConditionsAreTaken) {
  EXPECT_THAT(read_back(branch("%yes")), HasSubstr("= EXP(%0) f32[2]\n"));
  EXPECT_THAT(read_back(branch("%no")), HasSubstr("= LOG(%0) f32[2]\n"));
  EXPECT_EQ(read_back(branch("%n")),
            "m.mlir:5:8: error: `tosa.cond_if`: its condition is not constant; branches are not representable in "
            "TOSA.001000.1 [unsupported]\n");
}

}  // namespace
}  // namespace slipway::tosa
