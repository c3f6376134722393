// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/write/write_spirv.hpp"
#include "base/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spirv/testing.hpp"
#include "testing/operator_graphs.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/read/read_spirv.hpp"
#include "tosa/testing.hpp"
#include "tosa/text.hpp"

namespace slipway::tosa {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string messages_with_kinds(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all())
    text += formatted("{} [{}]\n", diagnostic.message, name_of(diagnostic.kind));
  return text;
}

// Writes, validates and reads again.
std::optional<Graph> written_and_read(const Graph& graph, const SpirvOptions& options = {}) {
  const auto words = write_graph_module(graph, options);
  if (!words) {
    ADD_FAILURE() << spirv::shown(words.error());
    return std::nullopt;
  }
  const Result<> valid = spirv::validate(*words, "t.spv");
  EXPECT_TRUE(valid) << spirv::shown(valid.error()) << *spirv::disassemble(*words, "t.spv");
  const auto module = spirv::read_module(*words, "t.spv");
  if (!module) {
    ADD_FAILURE() << spirv::shown(module.error());
    return std::nullopt;
  }
  Diagnostics problems;
  auto again = read_graph(*module, graph.name, problems);
  if (again) verify(*again, problems);
  EXPECT_EQ(messages_with_kinds(problems), "");
  return again;
}

std::string assembly_of(const Graph& graph, const SpirvOptions& options = {}) {
  const auto words = write_graph_module(graph, options);
  return words ? *spirv::disassemble(*words, "t.spv") : spirv::shown(words.error());
}

// The text of a graph with i8 instead of i4, which SPIR-V does not have.
std::string text_with_bytes(const Graph& graph) {
  Graph copy = graph;
  for (Value& value : copy.values) {
    if (value.type.data == DataType::I4) value.type.data = DataType::I8;
  }
  return print(copy, {.max_elements = 1000});
}

TEST(WriteSpirv, EveryOperatorAndTypeIsReadAgain) {
  int count = 0;
  slipway::testing::for_each_operator_graph([&](const OperatorInfo& info, const TypeRow&, Graph graph) {
    if (info.set == InstructionSet::Tosa11 || info.set == InstructionSet::BlockScaled) return;
    SCOPED_TRACE(formatted("{} {}", info.name, text_of(graph.values[0].type)));
    Diagnostics problems;
    verify(graph, problems);
    EXPECT_EQ(messages_with_kinds(problems), "");
    for (std::uint32_t i = 0; i < graph.inputs.size(); ++i) graph.input_bindings.push_back({1, 2 * i});
    for (std::uint32_t i = 0; i < graph.outputs.size(); ++i) graph.output_bindings.push_back({0, 7 + i});
    for (const bool replicate : {true, false}) {
      const auto again = written_and_read(graph, {.replicate = replicate});
      ASSERT_TRUE(again);
      EXPECT_EQ(print(*again, {.max_elements = 1000}), text_with_bytes(graph));
      ++count;
    }
  });
  EXPECT_GT(count, 400);
}

TEST(WriteSpirv, ConstantsOfEveryForm) {
  const Graph graph = graph_of(R"(graph main {
  %0 = input i32[2, 2, 3] at 0.0
  %1 = input bool[2, 2] at 0.1
  %2 = const i32[2, 2, 3] [1, 2, 3, 4, 5, 6, -7, 8, 9, 10, 11, 12]
  %3 = const i32[1, 1, 1] [5]
  %4 = const i32[2, 2, 3] splat 9
  %5 = const i32[1, 2, 3] splat 0
  %6 = const i32[2, 2, 3] graph_constant 3
  %7 = const bool[2, 2] [true, false, false, true]
  %8 = ADD(%0, %2) i32[2, 2, 3]
  %9 = ADD(%8, %3) i32[2, 2, 3]
  %10 = ADD(%9, %4) i32[2, 2, 3]
  %11 = ADD(%10, %5) i32[2, 2, 3]
  %12 = ADD(%11, %6) i32[2, 2, 3]
  %13 = LOGICAL_AND(%1, %7) bool[2, 2]
  output %12 at 0.2
  output %13 at 0.3
  output %0 at 0.4
  output %2 at 0.5
}
)");
  for (const bool replicate : {true, false}) {
    const auto again = written_and_read(graph, {.replicate = replicate});
    ASSERT_TRUE(again);
    ASSERT_EQ(again->constants.size(), graph.constants.size());
    for (std::size_t i = 0; i < graph.constants.size(); ++i) {
      EXPECT_EQ((*again)[again->constants[i].value].type, graph[graph.constants[i].value].type);
      EXPECT_EQ(again->constants[i].graph_constant, graph.constants[i].graph_constant);
    }
    EXPECT_EQ(integers_of(*again, again->constants[2].value), std::vector<std::int64_t>(12, 9));
    EXPECT_EQ(integers_of(*again, again->constants[0].value),
              (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, -7, 8, 9, 10, 11, 12}));
  }
  // Only large constants of equal elements need the extension.
  EXPECT_THAT(assembly_of(graph), Not(HasSubstr("eplicate")));
  const Graph large =
      graph_of("graph main {\n  %0 = const i32[5, 13] splat 9\n  %1 = ABS(%0) i32[5, 13]\n  output %1 at 0.1\n}\n");
  EXPECT_THAT(assembly_of(large), HasSubstr("OpConstantCompositeReplicateEXT"));
  EXPECT_THAT(assembly_of(large, {.replicate = false}), Not(HasSubstr("eplicate")));
}

TEST(WriteSpirv, DynamicShapesHaveOnlyARank) {
  const Graph graph =
      graph_of("graph main {\n  %0 = input f32[-1, 4] at 0.0\n  %1 = ABS(%0) f32[-1, 4]\n  output %1 at 0.1\n}\n");
  const auto again = written_and_read(graph);
  ASSERT_TRUE(again);
  EXPECT_EQ(text_of((*again)[again->inputs[0]].type), "f32[-1, -1]");
}

TEST(WriteSpirv, RankZeroIsOneElement) {
  const Graph graph = graph_of(
      "graph main {\n%0 = input f32[1, 1]\n%1 = RESHAPE(%0) f32[] shape=[]\n%2 = ABS(%1) f32[]\noutput %2\n}\n");
  const auto again = written_and_read(graph);
  ASSERT_TRUE(again);
  EXPECT_EQ(print(*again),
            "graph main {\n  %0 = input f32[1, 1] at 0.0\n  %1 = RESHAPE(%0) f32[1] shape=[1]\n  %2 = ABS(%1) f32[1]\n"
            "  output %2 at 0.1\n}\n");
}

TEST(WriteSpirv, CustomOperatorsNeedAnOpcode) {
  const Graph graph = graph_of(
      "graph main {\n  %0 = input f32[2] at 0.0\n  %1 = CUSTOM(%0) f32[2] domain=\"com.arm.bespoke\" name=\"n\" "
      "attributes=\"\"\n  output %1 at 0.1\n}\n");
  EXPECT_THAT(assembly_of(graph), HasSubstr("failed to legalize operation 'tosa.custom'"));
  const auto again = written_and_read(graph, {.custom_opcodes = {{"com.arm.bespoke", 0}}});
  ASSERT_TRUE(again);
  EXPECT_EQ(print(*again), print(graph));
}

TEST(WriteSpirv, NamesAreKeptAsDebugInformation) {
  Graph graph =
      graph_of("graph main {\n  %0 = input f32[2] at 0.0\n  %1 = ABS(%0) f32[2] \"op\"\n  output %1 at 0.1\n}\n");
  graph[graph.inputs[0]].name = "x";
  const auto again = written_and_read(graph, {.debug_info = true});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->nodes[0].name, "op");
  EXPECT_EQ((*again)[again->inputs[0]].name, "x");
  EXPECT_THAT(assembly_of(graph), Not(HasSubstr("OpString")));
}

// The instruction has a word for itself, its id and each input and output.
TEST(WriteSpirv, GraphsThatNeedTooLongAnInstructionAreRefused) {
  Graph graph;
  graph.name = "main";
  for (int i = 0; i < 65'500; ++i) graph.add_input({DataType::I8, {1}});
  graph.outputs = {graph.inputs[0]};
  EXPECT_TRUE(write_graph_module(graph));
  for (int i = 0; i < 100; ++i) graph.add_input({DataType::I8, {1}});
  EXPECT_THAT(assembly_of(graph), HasSubstr("of which it may have 65535: the graph has too many inputs and outputs"));
}

TEST(WriteSpirv, GraphsThatAModuleCannotRepresentAreRefused) {
  Graph graph;
  graph.name = "g";
  graph.outputs = {graph.add_input({DataType::F32, {1, 1, 1, 1, 1, 1, 1}}, "x"),
                   graph.add_input({DataType::F32, {2, 0}}), graph.add_graph_constant({DataType::F32, {2}}, 0)};
  graph.constants[0].graph_constant.reset();
  graph.input_bindings = {{0, 0, 0}, {0, 0, 1}};
  EXPECT_EQ(assembly_of(graph),
            "error: tensor `x` has the type f32[1, 1, 1, 1, 1, 1, 1]; a graph module has ranks up to 6 [unsupported]\n"
            "error: tensor has the type f32[2, 0]; no dimension can be 0 [out-of-range]\n"
            "error: constant has no data [missing-key]\n"
            "error: set 0, binding 0[1]: arrays of tensors cannot be written [unsupported]\n");
}

}  // namespace
}  // namespace slipway::tosa
