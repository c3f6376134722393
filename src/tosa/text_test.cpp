// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/text.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tosa/check/verify.hpp"

namespace slipway::tosa {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kConvolution = R"(graph main {
  %0 = input i8[1, 4, 4, 2] "x" at 0.0
  %1 = const i8[3, 3, 3, 2] graph_constant 4
  %2 = const i32[3] [1, -2, 3]
  %3 = const i32[1] splat 1073741824 "multiplier"
  %4 = const i8[1] [30]
  %5 = CONV2D(%0, %1, %2) i32[1, 4, 4, 3] pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=-3 weight_zp=0 "first"
  %6 = RESCALE(%5, %3, %4) i8[1, 4, 4, 3] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=false input_zp=0 output_zp=7
  output %6 at 0.1
}
)";

std::string located_messages(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    const Position at =
        diagnostic.location.source ? diagnostic.location.source->position(diagnostic.location.span.begin) : Position{};
    text += formatted("{}: {} [{}]\n", at.line, diagnostic.message, name_of(diagnostic.kind));
  }
  return text;
}

std::string parse_messages(std::string text, bool verified = true) {
  Diagnostics diagnostics;
  auto graph = parse(make_source("t.graph", std::move(text)), diagnostics);
  if (graph && verified) verify(*graph, diagnostics);
  return located_messages(diagnostics);
}

// A graph of one node between inputs of the given types.
std::string node_messages(std::string_view inputs, std::string_view node) {
  std::string text = "graph t {\n";
  std::size_t count = 0;
  while (!inputs.empty()) {
    const std::size_t end = std::min(inputs.find("; "), inputs.size());
    const std::string_view type = inputs.substr(0, end);
    text += formatted("%{} = {}{}\n", count++, type.starts_with("const") ? "" : "input ", type);
    inputs.remove_prefix(std::min(end + 2, inputs.size()));
  }
  text += formatted("%r = {}\noutput %r\n}}", node);
  std::string all = parse_messages(text);
  // Without the line numbers: there is one node.
  std::string plain;
  while (!all.empty()) {
    const std::size_t end = all.find('\n');
    plain += all.substr(all.find(' ') + 1, end - all.find(' '));
    all.erase(0, end + 1);
  }
  return plain;
}

TEST(Text, PrintingAndParsingAreInverse) {
  Diagnostics diagnostics;
  const auto graph = parse(make_source("t.graph", std::string(kConvolution)), diagnostics);
  ASSERT_TRUE(graph) << located_messages(diagnostics);
  EXPECT_EQ(print(*graph), kConvolution);
  EXPECT_EQ(graph->nodes[0].attributes.list("pad").size(), 4u);
  EXPECT_EQ(graph->nodes[0].attributes.integer("input_zp"), -3);
  EXPECT_EQ(graph->constants[0].graph_constant, 4u);
  EXPECT_EQ(integers_of(*graph, graph->constants[1].value), (std::vector<std::int64_t>{1, -2, 3}));
}

TEST(Text, FloatsTwoResultsCustomAndComments) {
  const std::string text =
      "graph g {\n"
      "  %0 = input f32[1, 4, 4]\n"
      "  %1, %2 = RFFT2D(%0) f32[1, 4, 3], f32[1, 4, 3] local_bound=false\n"
      "  %3 = CLAMP(%1) f32[1, 4, 3] min_val=-0.5 max_val=inf nan_mode=PROPAGATE\n"
      "  %4 = CUSTOM(%3, %2) f32[2] domain=\"d\" name=\"a \\\"b\\\"\" attributes=\"\"\n"
      "  output %4\n"
      "}\n";
  Diagnostics diagnostics;
  const auto graph = parse(make_source("t.graph", "// first\n" + text), diagnostics);
  ASSERT_TRUE(graph) << located_messages(diagnostics);
  EXPECT_EQ(print(*graph), text);
}

TEST(Text, LargeConstantsAreCut) {
  Graph graph;
  const ValueId value = graph.add_constant({DataType::I8, {20}}, std::vector<std::byte>(20));
  graph.outputs = {value};
  EXPECT_THAT(print(graph, {.max_elements = 2}), HasSubstr("const i8[20] [0, 0, ...]"));
}

TEST(Text, EachLineReportsItsError) {
  EXPECT_EQ(parse_messages("graph t {\n"
                           "  %0 = input i7[1]\n"
                           "  %1 = ADDD(%0)\n"
                           "  %2 = ADD(%9, %9) i32[1]\n"
                           "  %3 = const i8[2] [1, 300]\n"
                           "  %4 = const i8[2] [1]\n"
                           "  %4 = const i8[1] [1]\n"
                           "  %4 = const i8[1] [1]\n"
                           "  %5 = CLZ(%4) i32[1] axis=1\n"
                           "  output %4 at 7\n"
                           "}",
                           false),
            "2: `i7` is not an element type [unknown-value]\n"
            "3: no operator `ADDD`; did you mean `ADD`? [unknown-value]\n"
            "4: no earlier line makes `%9` [unknown-reference]\n"
            "5: `300` is out of range for `i8` (-128 to 127) [out-of-range]\n"
            "6: 1 elements are given for i8[2] [shape-mismatch]\n"
            "8: `%4` is made twice [duplicate-name]\n"
            "9: CLZ has no attribute `axis` [unknown-key]\n"
            "10: `SET.BINDING` is expected here [text-syntax]\n");
  EXPECT_EQ(parse_messages("graph t {\n", false), "2: the graph is not closed by `}` [text-syntax]\n");
}

// --- the verifier: one case for each kind of rule; the golden cases of module `reference` cover the operators ---

TEST(Verify, ValidGraph) { EXPECT_EQ(parse_messages(std::string(kConvolution)), ""); }

TEST(Verify, Types) {
  EXPECT_EQ(node_messages("i8[2]; i8[2]", "ADD(%0, %1) i8[2]"),
            "ADD: there is no form for input1 i8, input2 i8, output i8 [type-mismatch]\n");
  EXPECT_EQ(node_messages("i32[2]; f32[2]", "ADD(%0, %1) i32[2]"),
            "ADD: there is no form for input1 i32, input2 f32, output i32 [type-mismatch]\n");
  EXPECT_EQ(node_messages("f32[2]", "CAST(%0) f16[2]"), "");
  EXPECT_EQ(node_messages("f32[2]", "CAST(%0) i48[2]"),
            "CAST: there is no form for input f32, output i48 [type-mismatch]\n");
  EXPECT_EQ(node_messages("i8[4]; i8[256]", "TABLE(%0, %1) i8[4]"), "TABLE: `table` is not constant [type-mismatch]\n");
  EXPECT_EQ(node_messages("i8[4]; const i8[256] splat 0", "TABLE(%0, %1) i8[4]"), "");
}

TEST(Verify, OperandsAndAttributes) {
  EXPECT_EQ(node_messages("i32[2]", "ADD(%0) i32[2]"), "ADD: 1 tensors are given; it takes 2 [file-format]\n");
  EXPECT_EQ(node_messages("i32[2]", "REDUCE_SUM(%0) i32[1]"), "REDUCE_SUM: `axis` is missing [missing-key]\n");
  EXPECT_EQ(node_messages("i32[2]", "REDUCE_SUM(%0) i32[1] axis=1"),
            "REDUCE_SUM: axis 1 is outside the rank 1 [out-of-range]\n");
  EXPECT_EQ(node_messages("i32[2]", "REDUCE_MAX(%0) i32[1] axis=0 nan_mode=7"),
            "REDUCE_MAX: `nan_mode` is 7; it is one of PROPAGATE 1, IGNORE 2 [unknown-value]\n");
  EXPECT_EQ(node_messages("f32[1, 2]", "RFFT2D(%0) f32[1, 2] local_bound=false"),
            "RFFT2D: 1 results instead of 2 [file-format]\n");
}

TEST(Verify, Shapes) {
  EXPECT_EQ(node_messages("i32[2, 3]; i32[2, 1]", "ADD(%0, %1) i32[2, 3]"), "");
  EXPECT_EQ(node_messages("i32[2, 3]; i32[3]", "ADD(%0, %1) i32[2, 3]"),
            "ADD: inputs have the shapes [2, 3] and [3]; ranks are not extended [shape-mismatch]\n");
  EXPECT_EQ(node_messages("i32[2, 3]; i32[2, 2]", "ADD(%0, %1) i32[2, 3]"),
            "ADD: the shapes [2, 3] and [2, 2] cannot be broadcast to one: dimension 1 differs and is not 1 "
            "[shape-mismatch]\n");
  EXPECT_EQ(node_messages("i32[2, 3]; i32[2, 3]", "ADD(%0, %1) i32[2, 4]"),
            "ADD: the result has the shape [2, 4], and the inputs and attributes imply [2, 3] [shape-mismatch]\n");
  EXPECT_EQ(node_messages("f32[2, 3]; f32[1, 3, 4]", "MATMUL(%0, %1) f32[1, 2, 4] A_zp=0 B_zp=0"),
            "MATMUL: `A` has the shape [2, 3]; its rank is 3 [shape-mismatch]\n");
  EXPECT_EQ(node_messages("f32[1, 2, 5]; f32[1, 3, 4]", "MATMUL(%0, %1) f32[1, 2, 4] A_zp=0 B_zp=0"),
            "MATMUL: the number of columns of A and rows of B is 5 and 3; it has to be the same [shape-mismatch]\n");
  EXPECT_EQ(node_messages("f32[6]", "RESHAPE(%0) f32[2, 2] shape=[2, 2]"),
            "RESHAPE: [6] has 6 elements, and the shape [2, 2] does not [shape-mismatch]\n");
  EXPECT_EQ(node_messages("f32[6]", "SLICE(%0) f32[4] start=[3] size=[4]"),
            "SLICE: 4 elements from 3 on are not inside dimension 0 of [6] [out-of-range]\n");
  EXPECT_EQ(node_messages("f32[2, 3]", "TRANSPOSE(%0) f32[3, 2] perms=[1, 1]"),
            "TRANSPOSE: `perms` is [1, 1], which is not an order of 2 dimensions [out-of-range]\n");
  EXPECT_EQ(
      node_messages("i8[1, 5, 5, 1]",
                    "MAX_POOL2D(%0) i8[1, 2, 2, 1] kernel=[2, 2] stride=[2, 2] pad=[0, 0, 0, 0] nan_mode=PROPAGATE"),
      "MAX_POOL2D: steps of 2 do not divide the height: 5 with padding 0 and 0, less the window of 2, is 3 "
      "[shape-mismatch]\n");
}

TEST(Verify, ZeroPoints) {
  EXPECT_EQ(node_messages("i16[2]", "NEGATE(%0) i16[2] input1_zp=1 output_zp=0"),
            "NEGATE: `input1_zp` is 1; only i8 has zero points, and the tensor is i16 [out-of-range]\n");
  const std::string_view rescale =
      "RESCALE(%0, %1, %2) i16[2] scale32=true rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false "
      "output_unsigned=true "
      "input_zp=0 output_zp=";
  const std::string_view inputs = "i8[2]; const i32[1] [1]; const i8[1] [30]";
  EXPECT_EQ(node_messages(inputs, std::string(rescale) + "-32768"), "");
  EXPECT_EQ(node_messages(inputs, std::string(rescale) + "5"),
            "RESCALE: `output_zp` is 5; for an unsigned i16 it is 0 or 32768 [out-of-range]\n");
}

// Of a graph with these lines.
Diagnostics verified(std::string_view lines) {
  Diagnostics diagnostics;
  auto graph = parse(make_source("t.graph", formatted("graph t {{\n{}\n}}", lines)), diagnostics);
  EXPECT_TRUE(graph);
  if (graph) verify(*graph, diagnostics);
  return diagnostics;
}

void expect_rule(const Diagnostics& diagnostics, const std::string& text) {
  EXPECT_EQ(diagnostics.errors(), 0u);
  ASSERT_EQ(diagnostics.warnings(), 1u) << located_messages(diagnostics);
  EXPECT_TRUE(diagnostics.all()[0].is_rule);
  EXPECT_THAT(located_messages(diagnostics), HasSubstr(text));
}

// Other converters accept it: a warning of conversions and runs.
TEST(Verify, RescaleOfUnsignedToUnsignedIsARule) {
  expect_rule(verified("%0 = input i8[2]\n%1 = const i32[1] [1]\n%2 = const i8[1] [30]\n"
                       "%3 = RESCALE(%0, %1, %2) i8[2] scale32=true rounding_mode=SINGLE_ROUND per_channel=false "
                       "input_unsigned=true output_unsigned=true input_zp=0 output_zp=0\noutput %3"),
              "input and output are both unsigned");
}

// Other programs ignore the attribute; the types of the tensors decide the result.
TEST(Verify, AccumulatorsOfOtherFormsAreARule) {
  const auto found = [](std::string_view type, std::string_view accumulator) {
    return verified(
        formatted("%0 = input {0}[1, 1, 1, 1]\n%1 = input {0}[1, 1, 1, 1]\n%2 = input {0}[1]\n"
                  "%3 = CONV2D(%0, %1, %2) {0}[1, 1, 1, 1] pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] "
                  "acc_type={1} local_bound=false input_zp=0 weight_zp=0\noutput %3",
                  type, accumulator));
  };
  EXPECT_TRUE(found("bf16", "FP32").empty());
  expect_rule(found("bf16", "INT32"), "CONV2D: acc_type i32 is not a form for bf16");
  EXPECT_EQ(found("e4m3", "INT32").errors(), 1u);  // results are f16
}

// Other converters accept shifts of 0 and 1, but not negative ones.
TEST(Verify, RescaleByASmallShiftIsARule) {
  const auto found = [](std::string_view shift) {
    return verified(
        formatted("%0 = input i8[2]\n%1 = const i32[1] [1]\n%2 = const i8[1] [{}]\n"
                  "%3 = RESCALE(%0, %1, %2) i8[2] scale32=true rounding_mode=SINGLE_ROUND "
                  "per_channel=false input_unsigned=false output_unsigned=false input_zp=0 output_zp=0\n"
                  "output %3",
                  shift));
  };
  EXPECT_TRUE(found("2").empty());
  for (const std::string_view shift : {"0", "1"}) {
    SCOPED_TRACE(shift);
    expect_rule(found(shift), formatted("a shift is {}; shifts are 2 to 62", shift));
  }
  EXPECT_EQ(found("-1").errors(), 1u);
}

// Kernels compute with -8 as with any other number: a warning of conversions and runs.
TEST(Verify, SmallestI4IsARule) {
  const auto found = [](std::string_view weights) {
    return verified(
        formatted("%0 = input i8[1, 2, 2, 1]\n%1 = const i4[2, 1, 1, 1] {}\n%2 = const i32[1] [0]\n"
                  "%3 = CONV2D(%0, %1, %2) i32[1, 2, 2, 2] pad=[0, 0, 0, 0] stride=[1, 1] "
                  "dilation=[1, 1] acc_type=INT32 local_bound=false input_zp=0 weight_zp=0\noutput %3",
                  weights));
  };
  for (const std::string_view weights : {"[7, -8]", "splat -8"}) {
    SCOPED_TRACE(weights);
    expect_rule(found(weights), "CONV2D: a constant of type i4 has an element that is -8");
  }
  const Diagnostics allowed = found("[7, -7]");
  EXPECT_TRUE(allowed.empty()) << located_messages(allowed);
}

TEST(Verify, DynamicShapesBecomeKnown) {
  Diagnostics diagnostics;
  const auto graph = parse(make_source("t.graph",
                                       "graph t {\n%0 = input f32[-1, 3]\n%1 = EXP(%0) f32[-1, 3]\n"
                                       "%2 = CONCAT(%1, %0) f32[-1, 3] axis=0\noutput %2\n}"),
                           diagnostics);
  ASSERT_TRUE(graph);
  const auto resolved = with_input_shapes(*graph, std::vector<tensor::Shape>{{5, 3}}, diagnostics);
  ASSERT_TRUE(resolved) << located_messages(diagnostics);
  EXPECT_EQ((*resolved)[resolved->outputs[0]].type.shape, (tensor::Shape{10, 3}));
  EXPECT_FALSE(with_input_shapes(*graph, std::vector<tensor::Shape>{{5, 4}}, diagnostics));
  EXPECT_THAT(located_messages(diagnostics),
              HasSubstr("input 0 of graph `t` has the shape [5, 4], and the graph takes [?, 3]"));
}

// Every operator of the table parses, and its rows match its variables.
TEST(Operators, TheTableIsSound) {
  EXPECT_EQ(operators().size(), 75u);
  for (const OperatorInfo& info : operators()) {
    SCOPED_TRACE(info.name);
    EXPECT_FALSE(info.results.empty());
    EXPECT_FALSE(info.rows.empty());
    for (const TypeRow& row : info.rows) EXPECT_EQ(row.types.size(), info.variables.size());
    EXPECT_EQ(find_operator(info.set, info.number), &info);
    for (const OperandInfo& operand : info.operands) {
      if (!operand.is_tensor() || operand.type == "mul") continue;
      EXPECT_TRUE(info.variable(operand.type) || data_type_from_name(operand.type)) << operand.type;
    }
  }
}

}  // namespace
}  // namespace slipway::tosa
