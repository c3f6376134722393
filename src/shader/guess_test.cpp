// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/guess.hpp"

#include <gtest/gtest.h>

#include "base/format.hpp"

namespace slipway::shader {
namespace {

std::string guessed(const Path& path, std::string_view text) {
  const auto found = guess(path, bytes_of(text));
  return found ? formatted("{} {} {}", name_of(found->language), spirv::name_of(found->stage), found->entry) : "none";
}

TEST(Guess, ByName) {
  EXPECT_EQ(guessed("a.comp", ""), "GLSL compute main");
  EXPECT_EQ(guessed("a.vert", ""), "GLSL vertex main");
  EXPECT_EQ(guessed("a.frag.glsl", ""), "GLSL fragment main");
  EXPECT_EQ(guessed("a.vs.hlsl", ""), "HLSL vertex main");
  EXPECT_EQ(guessed("a.spvasm", ""), "SPIR-V-ASM compute main");
  EXPECT_EQ(guessed("a.txt", "hello"), "none");
  EXPECT_EQ(guessed("a.slang", "[shader(\"compute\")] [numthreads(1, 1, 1)] void main() {}"), "none");
  EXPECT_EQ(guessed("a.spv", "not SPIR-V"), "none");
  EXPECT_EQ(guessed("a.comp", std::string_view("a\0b", 3)), "none");
}

TEST(Guess, ByText) {
  EXPECT_EQ(guessed("a", "// a\n#version 450\nlayout(local_size_x = 8) in;"), "GLSL compute main");
  EXPECT_EQ(guessed("a.glsl", "void main() { gl_Position = vec4(0); }"), "GLSL vertex main");
  EXPECT_EQ(guessed("a.glsl", "layout(location = 0) out vec4 c; // gl_Position\nvoid main() {}"), "GLSL fragment main");
  EXPECT_EQ(guessed("a", "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"), "SPIR-V-ASM compute main");
  EXPECT_EQ(guessed("a", std::string_view("\x03\x02\x23\x07\0", 5)), "SPIR-V compute main");
  EXPECT_EQ(guessed("a", "{\"text\": \"[numthreads(1)] OpCapability OpMemoryModel \"}"), "none");
}

TEST(Guess, EntryPointsOfHlsl) {
  EXPECT_EQ(guessed("a", "[numthreads(8, 1, 1)]\nvoid Blur (uint3 id : SV_DispatchThreadID) {}"), "HLSL compute Blur");
  EXPECT_EQ(guessed("a.hlsl", "float4 shade(float2 p, float q) : SV_Target { return 0; }"), "HLSL fragment shade");
  EXPECT_EQ(guessed("a.hlsl", "float4 place(uint i : SV_VertexID) : SV_Position { return 0; }"), "HLSL vertex place");
  EXPECT_EQ(guessed("a.hlsl", "/* numthreads"), "HLSL compute main");
}

}  // namespace
}  // namespace slipway::shader
