// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/starter/starter.hpp"

#include <gmock/gmock.h>

#include "base/print_diagnostic.hpp"
#include "scenario/load.hpp"
#include "testing/scratch_directory.hpp"
#include "testing/source_directory.hpp"

namespace slipway::scenario {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The scenario for a shader with this text, which must load without a diagnostic; or the diagnostics.
std::string started(const std::string& name, const std::string& text, const std::string& entry = "",
                    const std::vector<model::NamedShape>& shapes = {}) {
  const testing::ScratchDirectory scratch;
  Diagnostics diagnostics;
  diagnostics.take(write_file(scratch / name, text).transform([] { return true; }));
  const auto scenario = shader_starter(
      {.file = scratch / name, .directory = scratch.path(), .entry = entry, .shapes = shapes}, diagnostics);
  if (!scenario) return format_diagnostics(diagnostics.all(), {.sources = false});
  const Loaded loaded = load(make_source("new.json", *scenario), scratch.path(), {.checking = true}, diagnostics);
  EXPECT_TRUE(loaded.plan);
  EXPECT_EQ(format_diagnostics(diagnostics.all(), {}), "") << *scenario;
  return *scenario;
}

TEST(ShaderStarter, Glsl) {
  const std::string text = started("add.comp", R"(#version 460
layout(local_size_x = 16) in;
layout(constant_id = 3) const float scale = 0.5;
layout(constant_id = 4) const bool twice = true;
layout(push_constant) uniform Push { uint count; float bias; ivec2 place; } push;
layout(set = 1, binding = 2) readonly buffer A { float a[]; };
layout(set = 0, binding = 0) buffer B { uint b[]; };
layout(set = 0, binding = 1) writeonly buffer C { vec4 first; float c[]; };
layout(set = 0, binding = 7) buffer Unused { int unused[]; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < push.count) { b[i] += uint(a[i] * scale); c[i] = twice ? push.bias : push.place.x; } }
)");
  EXPECT_THAT(text, HasSubstr(R"("rangeND": [
          4,
          1,
          1
        ])"));
  EXPECT_THAT(text, HasSubstr(R"("uid": "A",
        "size": 256,
        "shader_access": "readonly",
        "random": {
          "type": "f32",
          "seed": 3
        })"));
  EXPECT_THAT(text, HasSubstr(R"("uid": "C",
        "size": 272,
        "shader_access": "writeonly",
        "fill": 0,
        "dst": "C.npy")"));
  EXPECT_THAT(text, HasSubstr(R"("id": 3,
            "value": 0.5)"));
  EXPECT_THAT(text, HasSubstr(R"("id": 4,
            "value": true)"));
  EXPECT_THAT(text, HasSubstr("\"type\": \"u32\""));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("Unused")));
}

TEST(ShaderStarter, Images) {
  const std::string text = started("image.comp", R"(#version 460
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform sampler2D from;
layout(set = 0, binding = 1, rgba16f) writeonly uniform image2D to;
layout(set = 0, binding = 2) uniform usampler3D volume;
void main() { ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  imageStore(to, at, texelFetch(from, at, 0) + vec4(texelFetch(volume, ivec3(at, 0), 0))); }
)");
  EXPECT_THAT(text, HasSubstr("\"format\": \"VK_FORMAT_R16G16B16A16_SFLOAT\""));
  EXPECT_THAT(text, HasSubstr("\"format\": \"VK_FORMAT_R32_UINT\""));
  EXPECT_THAT(text, HasSubstr(R"("rangeND": [
          8,
          8,
          1
        ])"));
}

TEST(ShaderStarter, ImagesWithLayers) {
  const std::string text = started("look.comp", R"(#version 460
layout(set = 0, binding = 0) uniform samplerCube sky;
layout(set = 0, binding = 1) uniform sampler2DArray pages;
layout(set = 0, binding = 2) uniform samplerCubeArray skies;
layout(set = 0, binding = 3, r32f) writeonly uniform imageCube to;
void main() { ivec3 at = ivec3(gl_GlobalInvocationID);
  imageStore(to, at, textureLod(sky, vec3(at), 0) + textureLod(pages, vec3(at), 0) + textureLod(skies, vec4(at, 1), 0)); }
)");
  EXPECT_THAT(text,
              HasSubstr("\"uid\": \"sky\",\n        \"dims\": [\n          64,\n          64\n        ],\n        "
                        "\"layers\": 6"));
  EXPECT_THAT(text, HasSubstr("\"layers\": 2"));
  EXPECT_THAT(text, HasSubstr("\"layers\": 12"));
  EXPECT_THAT(text, HasSubstr(R"("rangeND": [
          64,
          64,
          6
        ])"));
}

TEST(ShaderStarter, TexelBuffers) {
  const std::string text = started("scale.comp", R"(#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform isamplerBuffer from;
layout(set = 0, binding = 1, rgba32f) writeonly uniform imageBuffer to;
void main() { int at = int(gl_GlobalInvocationID.x); imageStore(to, at, vec4(texelFetch(from, at))); }
)");
  EXPECT_THAT(text, HasSubstr(R"("uid": "from",
        "size": 256,
        "shader_access": "readonly",
        "texel_format": "VK_FORMAT_R32_SINT",
        "random": {)"));
  EXPECT_THAT(text, HasSubstr(R"("uid": "to",
        "size": 1024,
        "shader_access": "writeonly",
        "texel_format": "VK_FORMAT_R32G32B32A32_SFLOAT",
        "fill": 0,
        "dst": "to.npy")"));
}

TEST(ShaderStarter, HlslFindsItsEntryPoint) {
  const std::string text = started("add.hlsl", R"(
StructuredBuffer<float> from : register(t0);
RWStructuredBuffer<float> to : register(u1);
[numthreads(32, 1, 1)]
void Add(uint3 id : SV_DispatchThreadID) { to[id.x] = from[id.x] + 1; }
)");
  EXPECT_THAT(text, HasSubstr("\"entry\": \"Add\""));
  EXPECT_THAT(text, HasSubstr("\"type\": \"HLSL\""));
}

TEST(ShaderStarter, SeparateSamplersAreThoseOfImages) {
  const std::string text = started("sample.comp", R"(#version 460
layout(set = 0, binding = 0) uniform texture2D from;
layout(set = 0, binding = 1) uniform sampler how;
layout(set = 0, binding = 2) buffer B { vec4 b; };
void main() { b = textureLod(sampler2D(from, how), vec2(0.5), 0); }
)");
  EXPECT_THAT(text, HasSubstr(R"("id": 1,
            "resource_ref": "from")"));
}

TEST(ShaderStarter, Drawing) {
  const std::string fragment = started("shade.frag", R"(#version 460
layout(location = 0) in vec2 uv;
layout(location = 1) flat in int which;
layout(location = 0) out vec4 colour;
layout(location = 1) out uint id;
void main() { colour = vec4(uv, 0, 1); id = which; }
)");
  EXPECT_THAT(fragment, HasSubstr("layout(location = 0) out vec2 input_0;"));
  EXPECT_THAT(fragment, HasSubstr("\"dispatch_fragment\""));
  EXPECT_THAT(fragment, HasSubstr("VK_FORMAT_R32G32B32A32_UINT"));
  const std::string vertex =
      started("place.vert", "#version 460\nvoid main() { gl_Position = vec4(gl_VertexIndex); }\n");
  EXPECT_THAT(vertex, HasSubstr("\"vertex_shader_ref\": \"place\""));
}

// A graph of a product of two tensors, the second of the shape [1, 3, 4] or of an open one.
std::string product_graph(bool is_open) {
  return std::string(R"(OpCapability Shader
OpCapability VulkanMemoryModel
OpCapability TensorsARM
OpCapability GraphARM
OpExtension "SPV_ARM_tensors"
OpExtension "SPV_ARM_graph"
%tosa = OpExtInstImport "TOSA.001000.1"
OpMemoryModel Logical Vulkan
OpName %a "a"
OpName %b "b"
OpName %y "y"
OpDecorate %a Binding 0
OpDecorate %a DescriptorSet 0
OpDecorate %b Binding 1
OpDecorate %b DescriptorSet 0
OpDecorate %y Binding 2
OpDecorate %y DescriptorSet 0
%f32 = OpTypeFloat 32
%u32 = OpTypeInt 32 0
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c3 = OpConstant %u32 3
%c4 = OpConstant %u32 4
%dims1 = OpTypeArray %u32 %c1
%dims3 = OpTypeArray %u32 %c3
%shape1 = OpConstantComposite %dims1 %c1
%shape3 = OpConstantComposite %dims3 %c1 %c3 %c4
%zero_type = OpTypeTensorARM %f32 %c1 %shape1
%zero = OpConstantNull %zero_type
%open = OpTypeTensorARM %f32 %c3
%fixed = OpTypeTensorARM %f32 %c3 %shape3
%open_pointer = OpTypePointer UniformConstant %open
%fixed_pointer = OpTypePointer UniformConstant %fixed
%a = OpVariable %open_pointer UniformConstant
%b = OpVariable %)") +
         (is_open ? "open" : "fixed") + "_pointer UniformConstant\n%y = OpVariable %open_pointer UniformConstant\n" +
         "%graph = OpTypeGraphARM 2 %open %" + (is_open ? "open" : "fixed") +
         " %open\nOpGraphEntryPointARM %main \"main\" %a %b %y\n%main = OpGraphARM %graph\n"
         "%first = OpGraphInputARM %open %c0\n%second = OpGraphInputARM %" +
         (is_open ? "open" : "fixed") +
         " %c1\n%out = OpExtInst %open %tosa MATMUL %first %second %zero %zero\nOpGraphSetOutputARM %out %c0\n"
         "OpGraphEndARM\n";
}

TEST(ShaderStarter, OpenShapesOfGraphs) {
  const auto dims = [](const std::string& text, const std::string& uid) {
    const std::size_t begin = text.find('[', text.find("\"dims\"", text.find("\"uid\": \"" + uid + "\"")));
    std::string found;
    for (const char c : text.substr(begin, text.find(']', begin) + 1 - begin)) {
      if (c != ' ' && c != '\n') found += c;
    }
    return found;
  };
  const std::string open = started("product.spvasm", product_graph(true));
  EXPECT_EQ(dims(open, "a") + dims(open, "b") + dims(open, "y"), "[1,1,1][1,1,1][1,1,1]");
  const std::string given = started("product.spvasm", product_graph(false), "", {{"a", {1, 5, 3}}});
  EXPECT_EQ(dims(given, "a") + dims(given, "b") + dims(given, "y"), "[1,5,3][1,3,4][1,5,4]");
  EXPECT_THAT(started("product.spvasm", product_graph(false)),
              HasSubstr("; `--shape NAME=1x2x3` gives the shape of an input [shape-mismatch]"));
  EXPECT_THAT(started("product.spvasm", product_graph(true), "", {{"c", {1}}}),
              HasSubstr("error: the shader has no tensor `c` [unknown-reference]"));
}

// A block of settings that holds zeros would make most shaders do nothing.
TEST(ShaderStarter, UniformBlocks) {
  const std::string text = started("blur.comp", R"(#version 460
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) writeonly uniform image2D to;
layout(set = 0, binding = 1) uniform Params { float weight; ivec2 size; } params;
void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy);
  if (all(lessThan(p, params.size))) imageStore(to, p, vec4(params.weight)); }
)");
  std::string tight;
  for (const char c : text) {
    if (c != ' ' && c != '\n') tight += c;
  }
  EXPECT_THAT(tight, HasSubstr(R"("uid":"params","size":16,"shader_access":"readonly","data":{"values":[)"
                               R"({"type":"f32","values":[1]},{"type":"u8","values":[0,0,0,0]},)"
                               R"({"type":"i32","values":[64,64]}]})"));
}

// A separate image and the sampler at its binding are one descriptor, and have one image.
TEST(ShaderStarter, ImageAndSamplerAtOneBinding) {
  const std::string text = started("two.comp", R"(#version 460
#extension GL_EXT_samplerless_texture_functions : require
layout(set = 0, binding = 0) uniform texture2D first;
layout(set = 0, binding = 1) uniform texture2D second;
layout(set = 0, binding = 1) uniform sampler how;
layout(set = 0, binding = 2) writeonly buffer Y { vec4 y; };
void main() { y = textureLod(sampler2D(second, how), vec2(0), 0) + texelFetch(first, ivec2(0), 0); }
)");
  EXPECT_THAT(text, HasSubstr(R"("id": 1,
            "resource_ref": "second")"));
}

TEST(ShaderStarter, ArraysLinesAndAddresses) {
  const std::string text = started("a.comp", R"(#version 460
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430) buffer Words { uint w[]; };
layout(push_constant) uniform Push { Words from; uint scale; Words to[2]; } push;
layout(set = 0, binding = 0) uniform sampler1D line;
layout(set = 0, binding = 1) uniform texture2D many[];
layout(set = 0, binding = 2) uniform sampler filters[3];
layout(set = 0, binding = 3) buffer Long { uint x[]; } longs[100];
void main() { uint i = gl_GlobalInvocationID.x;
  push.to[1].w[i] = push.from.w[i] * push.scale + uint(textureLod(line, 0.5, 0).x);
  longs[nonuniformEXT(i)].x[0] = uint(textureLod(sampler2D(many[nonuniformEXT(i)], filters[i & 1]), vec2(0), 0).x); }
)");
  EXPECT_THAT(text, HasSubstr(R"("dims": [
          64
        ])"));
  EXPECT_THAT(text, HasSubstr(R"("resource_refs": [
              "many",
              "many_2"
            ])"));
  EXPECT_THAT(text, HasSubstr(R"("push_addresses": [
          {
            "offset": 0,
            "resource_ref": "from"
          },
          {
            "offset": 16,
            "resource_ref": "to"
          },
          {
            "offset": 24,
            "resource_ref": "to_2"
          }
        ])"));
  // The first ones of a long array.
  EXPECT_THAT(text, HasSubstr(R"("longs_8")"));
  EXPECT_THAT(text, Not(HasSubstr(R"("longs_9")")));
}

TEST(ShaderStarter, SaysWhatItCannotStart) {
  EXPECT_THAT(started("a.vert", "#version 460\nlayout(location = 0) in vec4 p;\nvoid main() { gl_Position = p; }\n"),
              HasSubstr("error: the vertex shader reads vertex attributes, which only pipelines in RPL have in "
                        "scenarios; docs/scenarios.md#drawing-with-rpl describes them [unsupported]"));
  EXPECT_THAT(started("a.comp",
                      "#version 460\nlayout(binding = 0) uniform sampler2DMS c;\nlayout(binding = 1) buffer B "
                      "{ vec4 b; };\nvoid main() { b = texelFetch(c, ivec2(0), 0); }\n"),
              HasSubstr("error: `c` (set 0, binding 0) is a combined image sampler that is not 1d, 2d, 3d or cube, or "
                        "has several samples"));
  EXPECT_THAT(started("a.comp", "#version 460\nvoid main() { x(); }\n"), HasSubstr("[shader-compile]"));
  EXPECT_THAT(started("a.spvasm",
                      "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %f \"f\"\n"
                      "OpExecutionMode %f LocalSize 1 1 1\n%v = OpTypeVoid\n%t = OpTypeFunction %v\n"
                      "%f = OpFunction %v None %t\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n",
                      "other"),
              HasSubstr("error: the shader has no entry point `other`; it has compute `f` [unknown-reference]"));
  EXPECT_THAT(started("a.txt", "hello"), HasSubstr("error: the file is not a shader in a known language; languages are "
                                                   "GLSL, HLSL, SPIR-V and SPIR-V assembly [not-recognised]"));
}

// The shaders and models of the repository that need nothing else; the transcripts run those of the examples.
TEST(Starter, TheCorpusLoads) {
  const testing::ScratchDirectory scratch;
  const Path top = testing::source_directory();
  for (const char* name : {"tests/fuzz/corpus/spirv_fuzz/compute.spv", "tests/fuzz/corpus/spirv_fuzz/fragment.spv",
                           "tests/fuzz/corpus/graph_spirv_fuzz/convolution.spv", "tests/data/xrt/add_one.comp",
                           "tests/corpus/recipe/files/add.comp", "tests/data/models/conv2d_rescale_unsigned.vgf",
                           "tests/data/models/mobilenet_v2_int8.vgf"}) {
    Diagnostics diagnostics;
    const StarterOptions options{.file = top / name, .directory = scratch.path()};
    const auto text =
        options.file.extension() == ".vgf" ? model_starter(options, diagnostics) : shader_starter(options, diagnostics);
    ASSERT_TRUE(text) << name << format_diagnostics(diagnostics.all(), {});
    EXPECT_TRUE(load(make_source("new.json", *text), scratch.path(), {.checking = true}, diagnostics).plan) << name;
    EXPECT_EQ(format_diagnostics(diagnostics.all(), {}), "") << name;
  }
}

// Names become uids: unique, and without characters that paths do not have.
TEST(ShaderStarter, NamesAreUnique) {
  const std::string text = started("B.comp", R"(#version 460
layout(set = 0, binding = 0) buffer B { float x[]; };
void main() { x[0] = 1; }
)");
  EXPECT_THAT(text, HasSubstr("\"uid\": \"B_2\""));
}

}  // namespace
}  // namespace slipway::scenario
