// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small shaders for tests on a device, for assemble().
#pragma once

#include <string_view>

namespace slipway::testing {

// b[i] = a[i] * factor + add: set 0, binding 0 `a` (read), binding 1 `b` (written), 32-bit unsigned; specialization
// constant 3 `factor` (1), push constant `add`; 16 invocations per workgroup.
inline constexpr std::string_view kMultiplyAdd = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %invocation %b %a %push
               OpExecutionMode %main LocalSize 16 1 1
               OpDecorate %invocation BuiltIn GlobalInvocationId
               OpDecorate %uints ArrayStride 4
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %a DescriptorSet 0
               OpDecorate %a Binding 0
               OpDecorate %a NonWritable
               OpDecorate %b DescriptorSet 0
               OpDecorate %b Binding 1
               OpDecorate %factor SpecId 3
               OpDecorate %push_block Block
               OpMemberDecorate %push_block 0 Offset 0
       %void = OpTypeVoid
  %main_type = OpTypeFunction %void
       %uint = OpTypeInt 32 0
      %uint3 = OpTypeVector %uint 3
  %uint3_in = OpTypePointer Input %uint3
   %uint_in = OpTypePointer Input %uint
 %invocation = OpVariable %uint3_in Input
      %zero = OpConstant %uint 0
     %factor = OpSpecConstant %uint 1
      %uints = OpTypeRuntimeArray %uint
      %block = OpTypeStruct %uints
  %block_ptr = OpTypePointer StorageBuffer %block
   %uint_ptr = OpTypePointer StorageBuffer %uint
          %a = OpVariable %block_ptr StorageBuffer
          %b = OpVariable %block_ptr StorageBuffer
 %push_block = OpTypeStruct %uint
   %push_ptr = OpTypePointer PushConstant %push_block
  %uint_push = OpTypePointer PushConstant %uint
       %push = OpVariable %push_ptr PushConstant
       %main = OpFunction %void None %main_type
      %start = OpLabel
      %i_ptr = OpAccessChain %uint_in %invocation %zero
          %i = OpLoad %uint %i_ptr
      %a_ptr = OpAccessChain %uint_ptr %a %zero %i
      %value = OpLoad %uint %a_ptr
    %product = OpIMul %uint %value %factor
    %add_ptr = OpAccessChain %uint_push %push %zero
        %add = OpLoad %uint %add_ptr
        %sum = OpIAdd %uint %product %add
      %b_ptr = OpAccessChain %uint_ptr %b %zero %i
               OpStore %b_ptr %sum
               OpReturn
               OpFunctionEnd
)";

// result = textureLod(image, at, lod): set 0, binding 0 the combined image sampler (2D, float), binding 1 a buffer of
// one vec4; push constants `vec2 at; float lod`; one invocation.
inline constexpr std::string_view kSample = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %result %source %push
               OpExecutionMode %main LocalSize 1 1 1
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %source DescriptorSet 0
               OpDecorate %source Binding 0
               OpDecorate %result DescriptorSet 0
               OpDecorate %result Binding 1
               OpDecorate %push_block Block
               OpMemberDecorate %push_block 0 Offset 0
               OpMemberDecorate %push_block 1 Offset 8
       %void = OpTypeVoid
  %main_type = OpTypeFunction %void
      %float = OpTypeFloat 32
     %float2 = OpTypeVector %float 2
     %float4 = OpTypeVector %float 4
        %int = OpTypeInt 32 1
      %int_0 = OpConstant %int 0
      %int_1 = OpConstant %int 1
      %block = OpTypeStruct %float4
  %block_ptr = OpTypePointer StorageBuffer %block
 %float4_ptr = OpTypePointer StorageBuffer %float4
     %result = OpVariable %block_ptr StorageBuffer
      %image = OpTypeImage %float 2D 0 0 0 1 Unknown
%source_type = OpTypeSampledImage %image
 %source_ptr = OpTypePointer UniformConstant %source_type
     %source = OpVariable %source_ptr UniformConstant
 %push_block = OpTypeStruct %float2 %float
   %push_ptr = OpTypePointer PushConstant %push_block
%float2_push = OpTypePointer PushConstant %float2
 %float_push = OpTypePointer PushConstant %float
       %push = OpVariable %push_ptr PushConstant
       %main = OpFunction %void None %main_type
      %start = OpLabel
     %loaded = OpLoad %source_type %source
     %at_ptr = OpAccessChain %float2_push %push %int_0
         %at = OpLoad %float2 %at_ptr
    %lod_ptr = OpAccessChain %float_push %push %int_1
        %lod = OpLoad %float %lod_ptr
      %value = OpImageSampleExplicitLod %float4 %loaded %at Lod %lod
 %result_ptr = OpAccessChain %float4_ptr %result %int_0
               OpStore %result_ptr %value
               OpReturn
               OpFunctionEnd
)";

// Three vertices that cover the whole image.
inline constexpr std::string_view kFullScreenVertex = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main" %position %index
               OpDecorate %position BuiltIn Position
               OpDecorate %index BuiltIn VertexIndex
       %void = OpTypeVoid
  %main_type = OpTypeFunction %void
       %bool = OpTypeBool
      %float = OpTypeFloat 32
     %float4 = OpTypeVector %float 4
        %int = OpTypeInt 32 1
 %float4_out = OpTypePointer Output %float4
     %int_in = OpTypePointer Input %int
   %position = OpVariable %float4_out Output
      %index = OpVariable %int_in Input
      %int_1 = OpConstant %int 1
      %int_2 = OpConstant %int 2
         %f3 = OpConstant %float 3
         %m1 = OpConstant %float -1
         %f0 = OpConstant %float 0
         %f1 = OpConstant %float 1
       %main = OpFunction %void None %main_type
      %start = OpLabel
          %i = OpLoad %int %index
    %is_right = OpIEqual %bool %i %int_1
          %x = OpSelect %float %is_right %f3 %m1
   %is_bottom = OpIEqual %bool %i %int_2
          %y = OpSelect %float %is_bottom %f3 %m1
        %xy01 = OpCompositeConstruct %float4 %x %y %f0 %f1
               OpStore %position %xy01
               OpReturn
               OpFunctionEnd
)";

// Colour 0 = (x / 255, y / 255, blue, 1) with whole pixel coordinates; push constant `float blue`.
inline constexpr std::string_view kCoordinatesFragment = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main "main" %color %coordinate %push
               OpExecutionMode %main OriginUpperLeft
               OpDecorate %color Location 0
               OpDecorate %coordinate BuiltIn FragCoord
               OpDecorate %push_block Block
               OpMemberDecorate %push_block 0 Offset 0
       %void = OpTypeVoid
  %main_type = OpTypeFunction %void
      %float = OpTypeFloat 32
     %float4 = OpTypeVector %float 4
        %int = OpTypeInt 32 1
      %int_0 = OpConstant %int 0
 %float4_out = OpTypePointer Output %float4
  %float4_in = OpTypePointer Input %float4
      %color = OpVariable %float4_out Output
 %coordinate = OpVariable %float4_in Input
 %push_block = OpTypeStruct %float
   %push_ptr = OpTypePointer PushConstant %push_block
 %float_push = OpTypePointer PushConstant %float
       %push = OpVariable %push_ptr PushConstant
       %half = OpConstant %float 0.5
      %scale = OpConstant %float 255
        %one = OpConstant %float 1
       %main = OpFunction %void None %main_type
      %start = OpLabel
         %at = OpLoad %float4 %coordinate
         %x0 = OpCompositeExtract %float %at 0
         %y0 = OpCompositeExtract %float %at 1
         %x1 = OpFSub %float %x0 %half
         %y1 = OpFSub %float %y0 %half
        %red = OpFDiv %float %x1 %scale
      %green = OpFDiv %float %y1 %scale
   %blue_ptr = OpAccessChain %float_push %push %int_0
       %blue = OpLoad %float %blue_ptr
      %value = OpCompositeConstruct %float4 %red %green %blue %one
               OpStore %color %value
               OpReturn
               OpFunctionEnd
)";

}  // namespace slipway::testing
