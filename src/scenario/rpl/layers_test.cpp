// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images with layers whose texels are in files, on a device, under the validation layers. Others are rows of
// conformance runs (tests/corpus/conformance/scenario/images).
#include <gmock/gmock.h>

#include "testing/launch_fixture.hpp"
#include "testing/scenario_case.hpp"
#include "testing/scene.hpp"

namespace slipway::scenario {
namespace {

using testing::scene;

class LayersTest : public launch::LaunchTest {
 protected:
  void run_scene(const std::string& text, const testing::CaseFiles& files) {
    testing::Case made(files);
    const auto& plan = made.plan(text);
    ASSERT_TRUE(plan) << made.messages(true) << text;
    EXPECT_EQ(made.messages(), "");
    const launch::Report report = run_it(*plan);
    EXPECT_FALSE(report.expectations.empty());
    for (const Diagnostic& problem : report.diagnostics) {
      ADD_FAILURE() << problem.message << "\n" << launch::print_expectations(report.expectations) << made.plan_text();
    }
  }
};

// An image of floats; `more` begins with its contents or expectations.
std::string floats(std::string_view uid, std::string_view dims, std::uint32_t layers, std::string_view more,
                   std::string_view access = "readonly") {
  return formatted(R"({{"image": {{"uid": "{}", "dims": [{}], "layers": {}, "format": "VK_FORMAT_R32_SFLOAT", )"
                   R"("shader_access": "{}", {}}}}})",
                   uid, dims, layers, access, more);
}

constexpr std::string_view kLayersShader = R"(#version 460
layout(set = 0, binding = 0) uniform samplerCube sky;
layout(set = 0, binding = 1) uniform sampler2DArray pages;
layout(set = 0, binding = 2) uniform samplerCubeArray skies;
layout(set = 0, binding = 3, r32f) writeonly uniform imageCube faces;
layout(set = 0, binding = 4, r32f) uniform image2DArray slices;
layout(set = 0, binding = 5) buffer Result { float result[]; };
void main() {
  const vec3 to[6] = {vec3(1, 0, 0), vec3(-1, 0, 0), vec3(0, 1, 0), vec3(0, -1, 0), vec3(0, 0, 1), vec3(0, 0, -1)};
  for (int i = 0; i < 6; ++i) {
    result[i] = textureLod(sky, to[i], 0).r;
    result[6 + i] = textureLod(skies, vec4(to[i], 1), 0).r;
    imageStore(faces, ivec3(0, 0, i), vec4(float(i) + 0.5));
  }
  for (int i = 0; i < 3; ++i) result[12 + i] = textureLod(pages, vec3(0.5, 0.5, i), 1).r;
  result[15] = textureSize(pages, 0).z;
  imageStore(slices, ivec3(1, 0, 1), imageLoad(slices, ivec3(0, 0, 1)) * 2);
}
)";

constexpr std::string_view kBindings =
    R"("bindings": [{"set": 0, "id": 0, "resource_ref": "sky"}, {"set": 0, "id": 1, "resource_ref": "pages"},
        {"set": 0, "id": 2, "resource_ref": "skies"}, {"set": 0, "id": 3, "resource_ref": "faces"},
        {"set": 0, "id": 4, "resource_ref": "slices"}, {"set": 0, "id": 5, "resource_ref": "result"}])";

std::string compute_scene(std::string_view pages) {
  return scene({R"({"shader": {"uid": "s", "type": "GLSL", "src": "s.comp"}})",
                floats("sky", "1, 1", 6, R"("data": [10, 11, 12, 13, 14, 15])"),
                floats("pages", "2, 2", 3, formatted(R"("mips": 2, {})", pages)),
                floats("skies", "1, 1", 12, R"("data": [0, 1, 2, 3, 4, 5, 20, 21, 22, 23, 24, 25])"),
                floats("faces", "1, 1", 6, R"("expect": {"data": [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]})", "writeonly"),
                floats("slices", "2, 1", 2, R"("data": [1, 2, 3, 4], "expect": {"data": [1, 2, 3, 6]})", "readwrite"),
                R"({"buffer": {"uid": "result", "size": 64, "shader_access": "writeonly", "expect": {"data": )"
                R"({"type": "f32", "values": [10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 1, 2, 3, 3]}}}})"},
               {formatted(R"({{"dispatch_compute": {{"shader_ref": "s", "rangeND": [1], {}}}}})", kBindings)});
}

// The files of one run are the inputs of another one; the levels of each layer are generated from its texels.
TEST_F(LayersTest, NpyFiles) {
  run_scene(compute_scene(R"("src": "pages.npy", "expect": {"src": "pages.npy"})"),
            {{"s.comp", std::string(kLayersShader)},
             {"pages.npy", "npy '<f4' (3, 2, 2, 1)\nf32 0 1 1 2  1 2 2 3  0 3 3 6\n"}});
  testing::Case made({});
  const auto& plan = made.plan(scene({floats("x", "2, 1", 3, R"("data": [1, 2, 3, 4, 5, 6], "dst": "x.npy")")}, {}));
  ASSERT_TRUE(plan) << made.messages(true);
  run_it(*plan);
  const std::string bytes = testing::must(read_text(made / "x.npy"));
  EXPECT_THAT(bytes, ::testing::HasSubstr("'shape': (3, 1, 2, 1)"));
  EXPECT_EQ(bytes.substr(bytes.size() - 24), slipway::text_of(Bytes(testing::cook("f32 1 2 3 4 5 6\n"))));
}

}  // namespace
}  // namespace slipway::scenario
