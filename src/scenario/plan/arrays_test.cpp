// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of descriptors, addresses of buffers and 1D images, on a device, under the validation layers
// (docs/spec/scenario.md#arrays-of-descriptors, docs/spec/scenario.md#buffer-addresses).
#include "launch/check/check_device.hpp"
#include "testing/launch_fixture.hpp"
#include "testing/scenario_case.hpp"
#include "testing/scene.hpp"

namespace slipway::scenario {
namespace {

using testing::joined;
using testing::scene;

std::string words(std::string_view uid, const std::vector<int>& values, std::string_view more = "") {
  std::vector<std::string> texts;
  for (const int value : values) texts.push_back(std::to_string(value));
  return formatted(R"({{"buffer": {{"uid": "{}", "size": {}, "shader_access": "readonly", )"
                   R"("data": {{"type": "u32", "values": [{}]}}{}}}}})",
                   uid, 4 * values.size(), joined(texts, ", "), more);
}

// A buffer that must hold these words.
std::string results(std::string_view uid, const std::vector<int>& values) {
  std::vector<std::string> texts;
  for (const int value : values) texts.push_back(std::to_string(value));
  return formatted(R"({{"buffer": {{"uid": "{}", "size": {}, "shader_access": "readwrite", )"
                   R"("expect": {{"data": {{"type": "u32", "values": [{}]}}}}}}}})",
                   uid, 4 * values.size(), joined(texts, ", "));
}

std::string compute(std::string_view code) {
  return formatted(R"({{"shader": {{"uid": "s", "type": "GLSL", "source": ["#version 460", )"
                   R"("#extension GL_EXT_nonuniform_qualifier : require", )"
                   R"("#extension GL_EXT_samplerless_texture_functions : require", )"
                   R"("#extension GL_EXT_shader_explicit_arithmetic_types : require", "{}"]}}}})",
                   code);
}

std::string bound_dispatch(std::string_view bindings, std::string_view more = "", int groups = 1) {
  return formatted(R"({{"dispatch_compute": {{"shader_ref": "s", "rangeND": [{}], "bindings": [{}]{}}}}})", groups,
                   bindings, more);
}

class ArraysTest : public launch::LaunchTest {
 protected:
  // Runs a scenario whose buffers have expectations; returns the warnings.
  std::string run_scene(const std::string& text, const testing::CaseFiles& files = {}) {
    testing::Case made(files);
    const auto& plan = made.plan(text);
    EXPECT_TRUE(plan) << made.messages(true) << text;
    if (!plan) return made.messages();
    const launch::Report report = run_it(*plan);
    EXPECT_FALSE(report.expectations.empty());
    for (const Diagnostic& problem : report.diagnostics) {
      ADD_FAILURE() << problem.message << "\n" << launch::print_expectations(report.expectations) << made.plan_text();
    }
    return made.messages();
  }

  static std::string problems_of(const std::string& text) {
    testing::Case made({});
    EXPECT_FALSE(made.plan(text)) << text;
    return made.messages();
  }
};

constexpr std::string_view kBuffers =
    "layout(set = 0, binding = 0) readonly buffer In { uint x[]; } from[3]; "
    "layout(set = 0, binding = 1) buffer Out { uint y[]; }; "
    "void main() { uint i = gl_GlobalInvocationID.x; y[i] = from[nonuniformEXT(i)].x[0] + 1; }";

TEST_F(ArraysTest, OfBuffers) {
  const std::vector<std::string> resources = {compute(kBuffers), words("a", {10}), words("b", {20}), words("c", {30}),
                                              results("y", {11, 21, 31})};
  EXPECT_EQ(run_scene(scene(resources, {bound_dispatch(R"({"set": 0, "id": 0, "resource_refs": ["a", "b", "c"]}, )"
                                                       R"({"set": 0, "id": 1, "resource_ref": "y"})",
                                                       "", 3)})),
            "");
  // Element by element, in any order.
  EXPECT_EQ(
      run_scene(scene(resources, {bound_dispatch(R"({"set": 0, "id": 0, "element": 1, "resource_refs": ["b", "c"]}, )"
                                                 R"({"set": 0, "id": 1, "resource_ref": "y"}, )"
                                                 R"({"set": 0, "id": 0, "resource_ref": "a"})",
                                                 "", 3)})),
      "");
}

// The shader uses two of three.
TEST_F(ArraysTest, PartlyBound) {
  EXPECT_EQ(run_scene(scene({compute(kBuffers), words("a", {10}), words("b", {20}), results("y", {11, 21})},
                            {bound_dispatch(R"({"set": 0, "id": 0, "resource_refs": ["a", "b"]}, )"
                                            R"({"set": 0, "id": 1, "resource_ref": "y"})",
                                            "", 2)})),
            "");
}

// Without a size, of images with sizes and formats of their own.
TEST_F(ArraysTest, BindlessTextures) {
  const auto image = [](std::string_view uid, int side, std::string_view format, std::string_view fill) {
    return formatted(R"({{"image": {{"uid": "{}", "dims": [{}, {}], "format": "VK_FORMAT_{}", )"
                     R"("shader_access": "readonly", "fill": {}}}}})",
                     uid, side, side, format, fill);
  };
  EXPECT_EQ(run_scene(scene({compute("layout(set = 1, binding = 0) uniform texture2D textures[]; "
                                     "layout(set = 1, binding = 1) uniform sampler filters[2]; "
                                     "layout(set = 0, binding = 0) buffer Out { uint y[]; }; "
                                     "void main() { uint i = gl_GlobalInvocationID.x; vec4 t = textureLod(sampler2D("
                                     "textures[nonuniformEXT(i)], filters[nonuniformEXT(i & 1)]), vec2(0.5), 0); "
                                     "y[i] = uint(t.r * 255 + 0.5) + 1000 * uint(textureSize(textures["
                                     "nonuniformEXT(i)], 0).x); }"),
                             image("a", 2, "R8G8B8A8_UNORM", "[0.2, 0, 0, 1]"), image("b", 4, "R8_UNORM", "0.4"),
                             image("c", 8, "R32_SFLOAT", "1"), results("y", {2051, 4102, 8255, 2051})},
                            {bound_dispatch(R"({"set": 0, "id": 0, "resource_ref": "y"}, )"
                                            R"({"set": 1, "id": 0, "resource_refs": ["a", "b", "c", "a"]}, )"
                                            R"({"set": 1, "id": 1, "resource_refs": ["a", "b"]})",
                                            "", 4)})),
            "");
}

// The format of the array in the shader fits neither image, and becomes Unknown.
TEST_F(ArraysTest, StorageImagesWithTheirOwnFormats) {
  const auto image = [](std::string_view uid, std::string_view format, int value) {
    return formatted(R"({{"image": {{"uid": "{}", "dims": [1, 1], "format": "VK_FORMAT_{}", )"
                     R"("shader_access": "image_read", "expect": {{"fill": {}}}}}}})",
                     uid, format, value);
  };
  const std::string said = run_scene(
      scene({compute("layout(set = 0, binding = 0, r32ui) uniform uimage2D images[2]; void main() { uint i = "
                     "gl_GlobalInvocationID.x; imageStore(images[nonuniformEXT(i)], ivec2(0), uvec4(7 + i)); }"),
             image("a", "R8_UINT", 7), image("b", "R16_UINT", 8)},
            {bound_dispatch(R"({"set": 0, "id": 0, "resource_refs": ["a", "b"]})", "", 2)}));
  EXPECT_NE(said.find("of the format VK_FORMAT_R32_UINT, but image `a` has VK_FORMAT_R8_UINT"), std::string::npos);
  EXPECT_NE(said.find("of the format VK_FORMAT_R32_UINT, but image `b` has VK_FORMAT_R16_UINT"), std::string::npos);
}

TEST_F(ArraysTest, OfTexelBuffers) {
  EXPECT_EQ(
      run_scene(scene({compute("layout(set = 0, binding = 0) uniform usamplerBuffer from[]; "
                               "layout(set = 0, binding = 1) buffer Out { uint y[]; }; "
                               "void main() { uint i = gl_GlobalInvocationID.x; "
                               "y[i] = texelFetch(from[nonuniformEXT(i)], 0).x; }"),
                       words("a", {0x0105}, R"(, "texel_format": "VK_FORMAT_R8_UINT")"),
                       words("b", {0x0106}, R"(, "texel_format": "VK_FORMAT_R32_UINT")"), results("y", {5, 0x106})},
                      {bound_dispatch(R"({"set": 0, "id": 0, "resource_refs": ["a", "b"]}, )"
                                      R"({"set": 0, "id": 1, "resource_ref": "y"})",
                                      "", 2)})),
      "");
}

// Emulated, with shapes of their own; all of an array, and three of four.
TEST_F(ArraysTest, OfTensors) {
  const auto tensor = [](std::string_view uid, std::string_view dims, std::string_view more) {
    return formatted(R"({{"tensor": {{"uid": "{}", "dims": {}, "format": "VK_FORMAT_R32_SINT", )"
                     R"("shader_access": "readwrite", {}}}}})",
                     uid, dims, more);
  };
  for (const std::string_view size : {"3", "4"}) {
    SCOPED_TRACE(size);
    const std::string shader = formatted(
        R"({{"shader": {{"uid": "s", "type": "GLSL", "source": ["#version 460", "#extension GL_ARM_tensors : require", )"
        R"("#extension GL_EXT_nonuniform_qualifier : require", )"
        R"("#extension GL_EXT_shader_explicit_arithmetic_types : require", )"
        R"("layout(set = 0, binding = 0) uniform tensorARM<int32_t, 2> t[{}];", )"
        R"("void main() {{ uint i = gl_GlobalInvocationID.x; uint rows = tensorSizeARM(t[nonuniformEXT(i)], 0); )"
        R"(int v; tensorReadARM(t[nonuniformEXT(i)], uint[](rows - 1, 1), v); )"
        R"(tensorWriteARM(t[nonuniformEXT(i)], uint[](rows - 1, 0), v + int(rows)); }}"]}}}})",
        size);
    EXPECT_EQ(
        run_scene(scene({shader, tensor("a", "[1, 2]", R"("data": [5, 6], "expect": {"data": [7, 6]})"),
                         tensor("b", "[2, 3]", R"("data": [0, 1, 2, 3, 4, 5], "expect": {"data": [0, 1, 2, 6, 4, 5]})"),
                         tensor("c", "[2, 2]", R"("data": [1, 2, 3, 4], "expect": {"data": [1, 2, 6, 4]})")},
                        {bound_dispatch(R"({"set": 0, "id": 0, "resource_refs": ["a", "b", "c"]})", "", 3)}))
            .find("error"),
        std::string::npos);
  }
}

TEST_F(ArraysTest, ProblemsAreReported) {
  const std::vector<std::string> resources = {compute(kBuffers), words("a", {10}), words("b", {20}), words("c", {30}),
                                              results("y", {11, 21, 31})};
  const auto problem = [&](std::string_view bindings) {
    return problems_of(scene(resources, {bound_dispatch(bindings)}));
  };
  EXPECT_NE(
      problem(R"({"set": 0, "id": 0, "resource_refs": ["a", "b", "c", "a"]}, {"set": 0, "id": 1, "resource_ref": "y"})")
          .find("declares set 0, binding 0 as `from`, a storage buffer, an array of 3 descriptors, which has no "
                "element 3 [index-out-of-range]"),
      std::string::npos);
  EXPECT_NE(
      problem(R"({"set": 0, "id": 0, "resource_ref": "a"}, {"set": 0, "id": 1, "element": 1, "resource_ref": "y"})")
          .find("a storage buffer, not an array of descriptors [index-out-of-range]"),
      std::string::npos);
  EXPECT_NE(problem(R"({"set": 0, "id": 0, "resource_refs": ["a", "b"]}, {"set": 0, "id": 0, "element": 1, )"
                    R"("resource_ref": "c"}, {"set": 0, "id": 1, "resource_ref": "y"})")
                .find("two bindings for set 0, id 0, element 1 [duplicate-name]"),
            std::string::npos);
  EXPECT_NE(problem(R"({"set": 0, "id": 1, "resource_ref": "y"})").find("but nothing is bound there"),
            std::string::npos);
}

// --- addresses -------------------------------------------------------------------------------------------------------

constexpr std::string_view kAddresses =
    "#extension GL_EXT_buffer_reference : require\\n"
    "layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; }; "
    "layout(push_constant) uniform P { Words from; uint scale; Words to; }; "
    "void main() { uint i = gl_GlobalInvocationID.x; to.words[i] = from.words[i] * scale; }";

std::string by_address(std::string_view addresses, std::string_view more = "") {
  return bound_dispatch("", formatted(R"(, "push_addresses": [{}]{})", addresses, more), 2);
}

TEST_F(ArraysTest, BufferAddresses) {
  const std::vector<std::string> resources = {
      compute(kAddresses), words("a", {1, 2, 3}), results("y", {0, 20, 30}),
      R"({"raw_data": {"uid": "p", "data": {"type": "u32", "values": [0, 0, 10, 0, 0, 0]}}})"};
  EXPECT_EQ(run_scene(scene(resources, {by_address(R"({"offset": 0, "resource_ref": "a", "resource_offset": 4}, )"
                                                   R"({"offset": 16, "resource_ref": "y", "resource_offset": 4})",
                                                   R"(, "push_data_ref": "p")")})),
            "");
}

TEST_F(ArraysTest, ProblemsOfAddresses) {
  const auto problem = [&](std::string_view addresses) {
    return problems_of(scene({compute(kAddresses), words("a", {1, 2}), results("y", {1})}, {by_address(addresses)}));
  };
  EXPECT_NE(problem(R"({"offset": 20, "resource_ref": "a"})")
                .find("an address of 8 bytes at 20 does not fit in the push constants of shader `s`, which have 24 "
                      "[out-of-range]"),
            std::string::npos);
  EXPECT_NE(problem(R"({"offset": 2, "resource_ref": "a"})")
                .find("an address is at a multiple of 4 bytes, but `offset` is 2 [out-of-range]"),
            std::string::npos);
  EXPECT_NE(problem(R"({"offset": 0, "resource_ref": "a", "resource_offset": 8})")
                .find("byte 8 is past the end of buffer `a`, which has 8 [out-of-range]"),
            std::string::npos);
  EXPECT_NE(problem(R"({"offset": 16, "resource_ref": "a"}, {"offset": 12, "resource_ref": "a"})")
                .find("two addresses in the same bytes [duplicate-name]"),
            std::string::npos);
  EXPECT_NE(problem(R"({"offset": 0, "resource_ref": "s"})").find("[wrong-reference]"), std::string::npos);
  testing::Case made({});
  EXPECT_TRUE(made.plan(
      scene({compute(kAddresses), words("a", {1, 2})}, {by_address(R"({"offset": 4, "resource_ref": "a"})")})));
  EXPECT_NE(made.messages().find("warning: shader `s` declares no push constant of 8 bytes at 4 [binding-mismatch]"),
            std::string::npos);
  EXPECT_NE(made.messages().find("warning: shader `s` takes the address `to` at 16 of its push constants, which is 0; "
                                 "`push_addresses` puts that of a buffer there [binding-mismatch]"),
            std::string::npos);
}

// --- 1D images -------------------------------------------------------------------------------------------------------

constexpr std::string_view kLine =
    "layout(set = 0, binding = 0) uniform usampler1D from; layout(set = 0, binding = 1, r32ui) uniform uimage1D to; "
    "layout(set = 0, binding = 2) uniform usampler1DArray rows; "
    "void main() { int i = int(gl_GlobalInvocationID.x); imageStore(to, i, uvec4(texelFetch(from, i, 0).x + "
    "texelFetch(rows, ivec2(i, 1), 0).x + uint(textureSize(from, 0)))); }";

std::string line(std::string_view uid, std::string_view access, std::string_view more, int width = 4) {
  return formatted(
      R"({{"image": {{"uid": "{}", "dims": [{}], "format": "VK_FORMAT_R32_UINT", "shader_access": "{}"{}}}}})", uid,
      width, access, more);
}

constexpr std::string_view kLines =
    R"({"set": 0, "id": 0, "resource_ref": "from"}, {"set": 0, "id": 1, "resource_ref": "to"}, )"
    R"({"set": 0, "id": 2, "resource_ref": "rows"})";

TEST_F(ArraysTest, LineImages) {
  EXPECT_EQ(run_scene(scene({compute(kLine), line("from", "readonly", R"(, "data": [1, 2, 3, 4])"),
                             line("to", "writeonly", R"(, "expect": {"data": [15, 26, 37, 48]})"),
                             line("rows", "readonly", R"(, "layers": 2, "data": [0, 0, 0, 0, 10, 20, 30, 40])")},
                            {bound_dispatch(kLines, "", 4)})),
            "");
}

// Levels of a line are made from the first one.
TEST_F(ArraysTest, LineImagesWithLevels) {
  const std::string image = R"({"image": {"uid": "from", "dims": [4], "format": "VK_FORMAT_R32_SFLOAT", "mips": 3, )"
                            R"("shader_access": "readonly", "data": [1, 3, 5, 7]}})";
  EXPECT_EQ(run_scene(scene({compute("layout(set = 0, binding = 0) uniform sampler1D from; "
                                     "layout(set = 0, binding = 1) buffer Out { uint y[]; }; "
                                     "void main() { y[0] = uint(texelFetch(from, 1, 1).x); "
                                     "y[1] = uint(texelFetch(from, 0, 2).x); }"),
                             image, results("y", {6, 4})},
                            {bound_dispatch(R"({"set": 0, "id": 0, "resource_ref": "from"}, )"
                                            R"({"set": 0, "id": 1, "resource_ref": "y"})")})),
            "");
}

TEST_F(ArraysTest, LineImagesHaveOneRowAndOneKindOfView) {
  const std::string rows = line("rows", "readonly", R"(, "layers": 2)"), to = line("to", "writeonly", "");
  EXPECT_NE(problems_of(scene({compute(kLine), rows, to,
                               R"({"image": {"uid": "from", "dims": [4, 2], "format": "VK_FORMAT_R32_UINT", )"
                               R"("shader_access": "readonly"}})"},
                              {bound_dispatch(kLines)}))
                .find("of dimension 1d, but image `from` is 2d with one layer and one sample; a 1d image has one row, "
                      "and is not an attachment [binding-mismatch]"),
            std::string::npos);
  EXPECT_NE(problems_of(scene({compute("layout(set = 0, binding = 0) uniform usampler1D a; "
                                       "layout(set = 0, binding = 1) uniform usampler2D b; "
                                       "layout(set = 0, binding = 2) buffer Out { uint y[]; }; "
                                       "void main() { y[0] = texelFetch(a, 0, 0).x + texelFetch(b, ivec2(0), 0).x; }"),
                               line("x", "readonly", ""), results("y", {0})},
                              {bound_dispatch(R"({"set": 0, "id": 0, "resource_ref": "x"}, {"set": 0, "id": 1, )"
                                              R"("resource_ref": "x"}, {"set": 0, "id": 2, "resource_ref": "y"})")}))
                .find("of dimension 2d, but image `x` is bound as 1d too [binding-mismatch]"),
            std::string::npos);
}

}  // namespace
}  // namespace slipway::scenario
