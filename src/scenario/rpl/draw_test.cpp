// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scenario with an RPL shader of several files on a device, under the validation layers. Those of one file are rows
// of conformance runs (tests/corpus/conformance/rpl).
#include "base/format.hpp"
#include "executors/vulkan/executor.hpp"
#include "launch/check/check_device.hpp"
#include "launch/run.hpp"
#include "testing/gpu_fixture.hpp"
#include "testing/scenario_case.hpp"
#include "testing/scene.hpp"

namespace slipway::scenario {
namespace {

using testing::must;

std::string graphics_shader(std::string_view more = "") {
  return formatted(R"({{"shader": {{"uid": "s", "type": "RPL", "src": "s.rpl", {} )"
                   R"("entry_points": {{"vertex": "vertex_main", "fragment": "fragment_main"}}}}}})",
                   more);
}

// An image of floats with its expected contents.
std::string target(std::string_view uid, std::uint32_t width, std::uint32_t height, std::string_view expected,
                   std::string_view more = "") {
  return formatted(
      R"({{"image": {{"uid": "{}", "dims": [{}, {}], "format": "VK_FORMAT_R32G32B32A32_SFLOAT", )"
      R"("shader_access": "readonly", "color_attachment": true{}, "expect": {{"data": {}, "abs": 1e-5}}}}}})",
      uid, width, height, more, expected);
}

std::string buffer(std::string_view uid, std::uint32_t size, std::string_view type, std::string_view values) {
  return formatted(R"({{"buffer": {{"uid": "{}", "size": {}, "shader_access": "readonly", )"
                   R"("data": {{"type": "{}", "values": [{}]}}}}}})",
                   uid, size, type, values);
}

using slipway::testing::scene;

class RplDrawTest : public testing::GpuTest {
 protected:
  void run_scene(const std::string& text, const testing::CaseFiles& files, launch::RunOptions options = {}) {
    testing::Case made(files);
    const auto& plan = made.plan(text);
    ASSERT_TRUE(plan) << made.messages(true) << text;
    const vk::Needs needs = launch::needs_of(*plan);
    const Diagnostics lacks = launch::check_device(*plan, needs, snapshot());
    ASSERT_TRUE(lacks.empty()) << lacks.all()[0].message;
    const launch::Report report =
        must(launch::run(*plan, launch::VulkanExecutor(device(needs)), std::move(options), {}));
    EXPECT_FALSE(report.expectations.empty());
    for (const Diagnostic& problem : report.diagnostics) {
      ADD_FAILURE() << problem.message << "\n" << launch::print_expectations(report.expectations) << made.plan_text();
    }
  }
};

TEST_F(RplDrawTest, ModulesAreLinked) {
  const std::string pass = R"(
vertex_attribute_container vertex { f2 position; };
color_output_container target { f4 color; };
setting depth_test = off;
setting depth_write = off;
setting cull_mode = "none";
setting color_output_format block 0 = "r32g32b32a32_sfloat";
void vertex_main (void) { vertex_stage_output_position (f4 {vertex.position, 0.0, 1.0}); }
void fragment_main (void) { target.color = shade (); }
)";
  const std::string material = "f4 shade (void) { return f4 {0.0, 0.5, 0.0, 1.0}; }\n";
  run_scene(scene({graphics_shader(R"("modules": ["material.rpl"],)"), buffer("v", 24, "f32", "-1, -1, 3, -1, -1, 3"),
                   target("t", 1, 1, "[0, 0.5, 0, 1]")},
                  {R"({"draw": {"shader_ref": "s", "vertices": 3, "attributes": {"vertex": "v"},)"
                   R"( "color_attachments": [{"resource_ref": "t", "clear": [0, 0, 0, 0]}]}})"}),
            {{"s.rpl", pass}, {"material.rpl", material}});
}

}  // namespace
}  // namespace slipway::scenario
