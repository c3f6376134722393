// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers that shaders see as texels, on a device, under the validation layers.
#include "testing/launch_fixture.hpp"
#include "testing/scenario_case.hpp"
#include "testing/scene.hpp"

namespace slipway::scenario {
namespace {

using testing::scene;

class TexelBuffersTest : public launch::LaunchTest {
 protected:
  // Runs the commands, whose buffers have expectations; returns the warnings.
  std::string run_scene(const std::string& text, const testing::CaseFiles& files) {
    testing::Case made(files);
    const auto& plan = made.plan(text);
    EXPECT_TRUE(plan) << made.messages(true) << text;
    if (!plan) return "";
    const launch::Report report = run_it(*plan);
    EXPECT_FALSE(report.expectations.empty());
    for (const Diagnostic& problem : report.diagnostics) {
      ADD_FAILURE() << problem.message << "\n" << launch::print_expectations(report.expectations) << made.plan_text();
    }
    return made.messages();
  }
};

constexpr std::string_view kScale = R"(#version 460
layout(set = 0, binding = 0) uniform samplerBuffer from;
layout(set = 0, binding = 1, rgba32f) uniform imageBuffer to;
void main() {
  const int at = int(gl_GlobalInvocationID.x);
  imageStore(to, at, 2 * texelFetch(from, at) + imageLoad(to, at));
}
)";

std::string scale_scene(std::string_view to) {
  return scene({R"({"shader": {"uid": "s", "type": "GLSL", "src": "scale.comp"}})",
                R"({"buffer": {"uid": "from", "size": 8, "shader_access": "readonly", )"
                R"("texel_format": "VK_FORMAT_R8G8B8A8_UNORM", "data": {"type": "u8", "values": )"
                R"([0, 255, 51, 0, 102, 0, 255, 255]}}})",
                std::string(to)},
               {R"({"dispatch_compute": {"shader_ref": "s", "rangeND": [2], "bindings": [)"
                R"({"set": 0, "id": 0, "resource_ref": "from"}, {"set": 0, "id": 1, "resource_ref": "to"}]}})"});
}

// The view of `from` converts bytes; that of `to` has the format that the shader declares.
TEST_F(TexelBuffersTest, ReadAndWritten) {
  const std::string text = scale_scene(R"({"buffer": {"uid": "to", "size": 32, "shader_access": "readwrite", )"
                                       R"("fill": {"type": "f32", "value": 1}, "expect": {"abs": 1e-6, "data": )"
                                       R"({"type": "f32", "values": [1, 3, 1.4, 1, 1.8, 1, 3, 3]}}}})");
  EXPECT_EQ(run_scene(text, {{"scale.comp", std::string(kScale)}}), "");
}

// The shader is changed to the format of the buffer.
TEST_F(TexelBuffersTest, OfAnotherFormatThanDeclared) {
  const std::string text = scale_scene(R"({"buffer": {"uid": "to", "size": 8, "shader_access": "readwrite", )"
                                       R"("texel_format": "VK_FORMAT_R32_SFLOAT", "expect": {"abs": 1e-6, "data": )"
                                       R"({"type": "f32", "values": [0, 0.8]}}}})");
  const std::string messages = run_scene(text, {{"scale.comp", std::string(kScale)}});
  EXPECT_NE(
      messages.find("warning: shader `s` declares set 0, binding 1 as `to`, a storage texel buffer, of the format "
                    "VK_FORMAT_R32G32B32A32_SFLOAT, but buffer `to` has VK_FORMAT_R32_SFLOAT; the shader is "
                    "changed to the format of the buffer"),
      std::string::npos)
      << messages;
}

// Typed buffers of HLSL: integers, a component each.
TEST_F(TexelBuffersTest, OfHlsl) {
  const std::string text =
      scene({R"({"shader": {"uid": "s", "type": "HLSL", "src": "add.hlsl"}})",
             R"({"buffer": {"uid": "from", "size": 4, "shader_access": "readonly", )"
             R"("texel_format": "VK_FORMAT_R8_UINT", "data": {"type": "u8", "values": [1, 2, 3, 255]}}})",
             R"({"buffer": {"uid": "to", "size": 16, "shader_access": "writeonly", "expect": )"
             R"({"type": "u32", "data": [2, 3, 4, 256]}}})"},
            {R"({"dispatch_compute": {"shader_ref": "s", "rangeND": [4], "bindings": [)"
             R"({"set": 0, "id": 0, "resource_ref": "from"}, {"set": 0, "id": 1, "resource_ref": "to"}]}})"});
  EXPECT_EQ(run_scene(text, {{"add.hlsl", R"(
Buffer<uint> from : register(t0);
RWBuffer<uint> to : register(u1);
[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { to[id.x] = from[id.x] + 1; }
)"}}),
            "");
}

}  // namespace
}  // namespace slipway::scenario
