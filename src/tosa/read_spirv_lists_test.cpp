// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graph modules that other programs write and write_spirv.cpp does not.
#include "tosa/read/read_spirv.hpp"

#include <gmock/gmock.h>

#include "spirv/testing.hpp"
#include "tosa/testing.hpp"

namespace slipway::tosa {
namespace {

// A RESHAPE of [2, 3] to [6] with `shape` as its operand.
std::string read_reshape(std::string_view shape) {
  const spirv::Module module = spirv::module_of(R"(OpCapability Shader
OpCapability TensorsARM
OpCapability GraphARM
OpExtension "SPV_ARM_tensors"
OpExtension "SPV_ARM_graph"
%tosa = OpExtInstImport "TOSA.001000.1"
OpMemoryModel Logical GLSL450
OpDecorate %in_v DescriptorSet 0
OpDecorate %in_v Binding 0
OpDecorate %out_v DescriptorSet 0
OpDecorate %out_v Binding 1
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c6 = OpConstant %uint 6
%half = OpConstant %float 0.5
%a1 = OpTypeArray %uint %c1
%a2 = OpTypeArray %uint %c2
%af = OpTypeArray %float %c1
%s6 = OpConstantComposite %a1 %c6
%s23 = OpConstantComposite %a2 %c2 %c3
%sf = OpConstantComposite %af %half
%t6 = OpTypeTensorARM %float %c1 %s6
%t23 = OpTypeTensorARM %float %c2 %s23
%p6 = OpTypePointer UniformConstant %t6
%p23 = OpTypePointer UniformConstant %t23
%in_v = OpVariable %p23 UniformConstant
%out_v = OpVariable %p6 UniformConstant
%gt = OpTypeGraphARM 1 %t23 %t6
OpGraphEntryPointARM %g "flat" %in_v %out_v
%g = OpGraphARM %gt
%in = OpGraphInputARM %t23 %c0
%r = OpExtInst %t6 %tosa RESHAPE %in )" + std::string(shape) +
                                                "\nOpGraphSetOutputARM %r %c0\nOpGraphEndARM\n");
  Diagnostics problems;
  const auto graph = read_graph(module, "flat", problems);
  return messages(problems) + (graph ? print(*graph) : "");
}

TEST(ReadSpirv, ListsMayBeArrays) {
  EXPECT_EQ(
      read_reshape("%s6"),
      "graph flat {\n  %0 = input f32[2, 3] at 0.0\n  %1 = RESHAPE(%0) f32[6] shape=[6]\n  output %1 at 0.1\n}\n");
}

// The cause alone is reported.
TEST(ReadSpirv, OutputsOfInvalidOperatorsAreNotMissing) {
  const std::string text = read_reshape("%sf");
  EXPECT_THAT(text, ::testing::HasSubstr("is not a 32-bit integer constant"));
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("is not set")));
}

}  // namespace
}  // namespace slipway::tosa
