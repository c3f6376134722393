// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules that our own writer does not make: arrays of tensors, other names of entry points, shapes that are bound.
#include "tosa/read/read_spirv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spirv/testing.hpp"
#include "tosa/check/bind_constants.hpp"
#include "tosa/check/bound_shapes.hpp"
#include "tosa/testing.hpp"
#include "tosa/text.hpp"

namespace slipway::tosa {
namespace {

using ::testing::HasSubstr;

// A module with the graph `main`: `%x` is an array of two tensors at set 0, binding 0, and `%y` one of `outputs`
// tensors at set 1, binding 2. `body` has the tensor type %t, the constants %u0 to %u3 and the set %tosa.
std::string module_with_arrays(const std::string& outputs, const std::string& body) {
  return "OpCapability Shader\nOpCapability VulkanMemoryModel\nOpCapability TensorsARM\nOpCapability GraphARM\n"
         "OpExtension \"SPV_ARM_tensors\"\nOpExtension \"SPV_ARM_graph\"\n%tosa = OpExtInstImport \"TOSA.001000.1\"\n"
         "OpMemoryModel Logical Vulkan\nOpDecorate %x DescriptorSet 0\nOpDecorate %x Binding 0\n"
         "OpDecorate %y DescriptorSet 1\nOpDecorate %y Binding 2\n%float = OpTypeFloat 32\n%uint = OpTypeInt 32 0\n"
         "%u0 = OpConstant %uint 0\n%u1 = OpConstant %uint 1\n%u2 = OpConstant %uint 2\n%u3 = OpConstant %uint 3\n"
         "%dims = OpTypeArray %uint %u1\n%shape = OpConstantComposite %dims %u3\n"
         "%t = OpTypeTensorARM %float %u1 %shape\n%in = OpTypeArray %t %u2\n%out = OpTypeArray %t " +
         outputs +
         "\n%px = OpTypePointer UniformConstant %in\n%py = OpTypePointer UniformConstant %out\n"
         "%x = OpVariable %px UniformConstant\n%y = OpVariable %py UniformConstant\n"
         "%type = OpTypeGraphARM 1 %in %out\nOpGraphEntryPointARM %g \"main\" %x %y\n%g = OpGraphARM %type\n" +
         body + "OpGraphEndARM\n";
}

// The text of the graph, or the diagnostics.
std::string read(const std::string& assembly, std::string_view entry = "main") {
  Diagnostics diagnostics;
  const auto graph = read_graph(spirv::module_of(assembly), entry, diagnostics);
  return spirv::shown(diagnostics.release()) + (graph ? print(*graph) : "");
}

TEST(ReadSpirv, TensorsOfArraysAreInputsAndOutputs) {
  const std::string text = read(module_with_arrays("%u2",
                                                   "%b = OpGraphInputARM %t %u0 %u1\n%a = OpGraphInputARM %t %u0 %u0\n"
                                                   "%d = OpExtInst %t %tosa SUB %a %b\n%n = OpExtInst %t %tosa ABS %d\n"
                                                   "OpGraphSetOutputARM %n %u0 %u1\nOpGraphSetOutputARM %d %u0 %u0\n"));
  EXPECT_EQ(text,
            "graph main {\n  %0 = input f32[3] at 0.0\n  %1 = input f32[3] at 0.0[1]\n  %2 = SUB(%0, %1) f32[3]\n"
            "  %3 = ABS(%2) f32[3]\n  output %2 at 1.2\n  output %3 at 1.2[1]\n}\n");
  Diagnostics diagnostics;
  const auto again = parse(make_source("again", text), diagnostics);
  ASSERT_TRUE(again) << spirv::shown(diagnostics.release());
  EXPECT_EQ(print(*again), text);
}

TEST(ReadSpirv, MistakesWithArraysAreReported) {
  const std::string set = "OpGraphSetOutputARM %a %u0 %u0\n", input = "%a = OpGraphInputARM %t %u0 %u0\n";
  EXPECT_THAT(read(module_with_arrays("%u1", "%a = OpGraphInputARM %t %u0 %u2\n" + set)),
              HasSubstr("element 2 of input 0, which has 2 [index-out-of-range]"));
  EXPECT_THAT(read(module_with_arrays("%u1", input + "OpGraphSetOutputARM %a %u0 %u1\n")),
              HasSubstr("element 1 of output 0, which has 1 [index-out-of-range]"));
  EXPECT_THAT(read(module_with_arrays("%u1", input + "%b = OpGraphInputARM %t %u0 %u0\n" + set)),
              HasSubstr("input 0 is taken twice [duplicate-name]"));
  EXPECT_THAT(read(module_with_arrays("%u1", "%a = OpGraphInputARM %t %u0\n" + set)),
              HasSubstr("input 0 is an array of tensors; an instruction has to name an element [type-mismatch]"));
  EXPECT_THAT(read(module_with_arrays("%u1", input + "OpGraphSetOutputARM %a %u1 %u0\n")),
              HasSubstr("output 1 of 1 [index-out-of-range]"));
  EXPECT_THAT(read(module_with_arrays("%u2", input + set)), HasSubstr("output 1 of graph `main` is not set"));
}

// Other implementations ignore the name.
TEST(ReadSpirv, TheOnlyGraphIsTakenUnderAnyName) {
  const std::string body = "%a = OpGraphInputARM %t %u0 %u0\nOpGraphSetOutputARM %a %u0 %u0\n";
  Diagnostics diagnostics;
  const auto graph = read_graph(spirv::module_of(module_with_arrays("%u1", body)), "other", diagnostics);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->name, "main");
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.warnings(), 1u);
  EXPECT_TRUE(diagnostics.all()[0].is_rule);
  EXPECT_EQ(diagnostics.all()[0].message, "the module has no graph `other`; its only graph, `main`, is taken");
}

// --- shapes that are bound
// ---------------------------------------------------------------------------------------------

Graph parsed(const std::string& lines) {
  Diagnostics diagnostics;
  auto graph = parse(make_source("t.graph", "graph g {\n" + lines + "}\n"), diagnostics);
  EXPECT_TRUE(graph) << spirv::shown(diagnostics.release());
  return graph.value_or(Graph());
}

TEST(BoundShapes, ATensorOfTheSameRankDecides) {
  Diagnostics diagnostics;
  const auto graph =
      with_bound_shapes(parsed("%0 = input f32[2, 2]\n%1 = CONCAT(%0, %0) f32[2, 4] axis=1\noutput %1\n"),
                        std::vector<tensor::Shape>{{3, 5}}, diagnostics);
  ASSERT_TRUE(graph);
  EXPECT_EQ((*graph)[graph->outputs[0]].type.shape, (tensor::Shape{3, 10}));
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_TRUE(diagnostics.all()[0].is_rule);
  EXPECT_EQ(
      diagnostics.all()[0].message,
      "input 0 of graph `g` has the shape [2, 2] in the module, and the tensor that is bound to it [3, 5], which is "
      "taken");
  EXPECT_FALSE(takes_output(*graph, 0, {3, 9}, diagnostics));
  EXPECT_TRUE(takes_output(*graph, 0, {30}, diagnostics));
}

TEST(BoundShapes, AnotherRankNeedsAsManyElements) {
  const Graph graph = parsed("%0 = input f32[2, 3]\n%1 = ABS(%0) f32[2, 3]\noutput %1\n");
  Diagnostics diagnostics;
  const auto taken = with_bound_shapes(graph, std::vector<tensor::Shape>{{6}}, diagnostics);
  ASSERT_TRUE(taken);
  EXPECT_EQ((*taken)[taken->inputs[0]].type.shape, (tensor::Shape{2, 3}));
  EXPECT_EQ(diagnostics.warnings(), 1u);
  EXPECT_FALSE(with_bound_shapes(graph, std::vector<tensor::Shape>{{7}}, diagnostics));
}

TEST(BoundShapes, ConstantsHaveTheShapeOfTheirData) {
  Graph graph = parsed("%0 = input f32[2, 3]\n%1 = ABS(%0) f32[2, 3]\noutput %1\n");
  const ValueId constant = graph.add_graph_constant({DataType::F32, {kDynamic, kDynamic}}, 4);
  const std::vector<std::byte> data(3 * sizeof(float));
  Diagnostics diagnostics;
  bind_constants(
      graph, [&](std::uint32_t) { return std::optional(BoundConstant(data, tensor::Shape{1, 3})); }, diagnostics);
  EXPECT_EQ(spirv::shown(diagnostics.release()), "");
  EXPECT_EQ(graph[constant].type.shape, (tensor::Shape{1, 3}));
  EXPECT_EQ(graph.constants[0].data.size(), data.size());
  // Of another count of bytes.
  bind_constants(
      graph, [&](std::uint32_t) { return std::optional(BoundConstant(data, tensor::Shape{4, 3})); }, diagnostics);
  EXPECT_EQ(spirv::shown(diagnostics.release()),
            "warning: graph constant 4 of `g` has the shape [1, 3] in the module, and the tensor that is bound to it "
            "[4, 3], which is taken [shape-mismatch]\n"
            "error: graph constant 4 of `g` is f32[4, 3] and gets 12 bytes [file-mismatch]\n");
}

}  // namespace
}  // namespace slipway::tosa
