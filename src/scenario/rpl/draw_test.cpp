// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios with RPL shaders on a device, under the validation layers: the results match their `expect`.
#include <gmock/gmock.h>

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

// Draws colours without depth; `vertex` and `fragment` are the entry points.
constexpr std::string_view kFlat = R"(
vertex_attribute_container vertex { f2 position; f4 color; };
state_container state { f4 color; };
color_output_container target { f4 color; };
setting cull_mode = "none";
setting depth_test = off;
setting depth_write = off;
setting color_output_format block 0 = "r32g32b32a32_sfloat";
void vertex_main (void) {
  state.color = vertex.color;
  vertex_stage_output_position (f4 {vertex.position, 0.5, 1.0});
}
void fragment_main (void) { target.color = state.color; }
)";

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

// Two triangles over a part of the target, as numbers of `vertex { f2 position; f4 color; }`.
std::string rectangle(double left, double top, double right, double bottom, std::string_view color) {
  const std::array<std::array<double, 2>, 6> corners = {
      {{left, top}, {right, top}, {left, bottom}, {right, top}, {right, bottom}, {left, bottom}}};
  std::string text;
  for (const auto& [x, y] : corners) text += formatted("{}{}, {}, {}", text.empty() ? "" : ", ", x, y, color);
  return text;
}

constexpr std::string_view kDrawFlat = R"({"draw": {"shader_ref": "s", "vertices": 6, "attributes": {"vertex": "v"},)"
                                       R"( "color_attachments": [{"resource_ref": "t", "clear": [0, 0, 0, 1]}]}})";

TEST_F(RplDrawTest, AttributesByName) {
  run_scene(scene({graphics_shader(), buffer("v", 144, "f32", rectangle(-1, -1, 0, 1, "1, 0.5, 0.25, 1")),
                   target("t", 2, 1, "[1, 0.5, 0.25, 1,  0, 0, 0, 1]")},
                  {std::string(kDrawFlat)}),
            {{"s.rpl", std::string(kFlat)}});
}

TEST_F(RplDrawTest, ContentsStayWithoutClear) {
  const std::string second = R"({"draw": {"shader_ref": "s", "vertices": 6, "attributes": {"vertex": "w"},)"
                             R"( "color_attachments": ["t"]}})";
  run_scene(scene({graphics_shader(), buffer("v", 144, "f32", rectangle(-1, -1, 0, 1, "1, 1, 1, 1")),
                   buffer("w", 144, "f32", rectangle(0, -1, 1, 1, "0, 1, 0, 1")),
                   target("t", 2, 1, "[1, 1, 1, 1,  0, 1, 0, 1]")},
                  {std::string(kDrawFlat), second}),
            {{"s.rpl", std::string(kFlat)}}, {.repeat = 2});
}

TEST_F(RplDrawTest, OptionsDecideSettingsAndCode) {
  const std::string program = "instance shine: flag off;\ninstance amount: float 0.5;\n" + std::string(kFlat) +
                              "conditional (shine) setting color_output_use_blend block 0 = on;\n"
                              "conditional (shine) setting color_output_destination_color_blend_factor block 0 = "
                              "\"one\";\n";
  std::string code = program;
  code.replace(code.find("target.color = state.color"), 26, "target.color = state.color * amount");
  const std::string draw = R"({"draw": {"shader_ref": "s", "vertices": 6, "attributes": {"vertex": "v"},)"
                           R"( "color_attachments": [{"resource_ref": "t", "clear": [0.25, 0, 0, 1]}]}})";
  const std::string vertices = buffer("v", 144, "f32", rectangle(-1, -1, 1, 1, "1, 1, 1, 1"));
  run_scene(scene({graphics_shader(R"("options": {"shine": true, "amount": 0.75},)"), vertices,
                   target("t", 1, 1, "[1, 0.75, 0.75, 0.75]")},
                  {draw}),
            {{"s.rpl", code}});
  run_scene(scene({graphics_shader(), vertices, target("t", 1, 1, "[0.5, 0.5, 0.5, 0.5]")}, {draw}), {{"s.rpl", code}});
}

TEST_F(RplDrawTest, ParametersByName) {
  const std::string program = R"(
struct light { f4 color; f4 direction; };
set_pass uniform_buffer view { f4x4 projection_view; f4[2] shades; light sun; u4 which; };
set_material read_only_storage_buffer table { f1 scale; f3x3 turn; f1... weights; };
vertex_attribute_container vertex { f2 position; };
color_output_container target { f4 color; };
setting depth_test = off;
setting depth_write = off;
setting cull_mode = "none";
setting color_output_format block 0 = "r32g32b32a32_sfloat";
void vertex_main (void) { vertex_stage_output_position (view.projection_view * f4 {vertex.position, 0.0, 1.0}); }
void fragment_main (void) {
  f3 turned = table.turn * f3 {1.0, 2.0, 3.0};
  target.color = f4 {view.shades[view.which.y].x * table.scale, view.sun.direction.w, turned.y,
                     table.weights[tail_length (table) - 1u]};
}
)";
  const std::string draw =
      R"({"draw": {"shader_ref": "s", "vertices": 3, "attributes": {"vertex": "v"},
          "parameters": {
            "view.projection_view": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1],
            "view.shades": [[9, 9, 9, 9], [0.5, 0, 0, 0]],
            "view.which": [0, 1, 0, 4294967295],
            "view.sun.direction": [0, 0, 0, 7],
            "table.scale": 3,
            "table.turn": [0,10,0, 0,100,0, 0,1000,0],
            "table.weights": [1, 2, 42]
          },
          "color_attachments": [{"resource_ref": "t", "clear": [0, 0, 0, 0]}]}})";
  run_scene(scene({graphics_shader(), buffer("v", 24, "f32", "-1, -1, 3, -1, -1, 3"),
                   target("t", 1, 1, "[1.5, 7, 3210, 42]")},
                  {draw}),
            {{"s.rpl", program}});
}

TEST_F(RplDrawTest, InstancesIndicesAndPackedAttributes) {
  const std::string program = R"(
vertex_attribute_container vertex { pack (snorm8) f2 position; pack (uint16) u2 numbers; };
instanced_attribute_container inst { pack (float16) f2 move; pack (unorm8) f4 color; f4x4 spin; };
state_container state { f4 color; u1 number; };
color_output_container target { f4 color; };
setting cull_mode = "none";
setting depth_test = off;
setting depth_write = off;
setting color_output_format block 0 = "r32g32b32a32_sfloat";
void vertex_main (void) {
  state.color = inst.color;
  state.number = vertex.numbers.y;
  vertex_stage_output_position (inst.spin * f4 {vertex.position + inst.move, 0.0, 1.0});
}
void fragment_main (void) { target.color = f4 {state.color.x, state.color.y, f1 {state.number}, 1.0}; }
)";
  // A vertex: two signed bytes, 0 or 1 and -1 or 1, as one number; then two shorts.
  const std::string vertices =
      R"({"buffer": {"uid": "v", "size": 24, "shader_access": "readonly", "data": {"type": "i16", "values": [)"
      R"(-32512, 1, 300,  -32385, 1, 300,  32512, 1, 300,  32639, 1, 300]}}})";
  const std::string instances = R"({"buffer": {"uid": "i", "size": 144, "shader_access": "readonly", "src": "i.npy"}})";
  const std::string npy =
      "npy '|u1' (144,)\nu16 48128 0\nu8 255 0 0 255\nf32 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\n"
      "u16 0 0\nu8 0 255 0 255\nf32 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\n";
  const std::string draw =
      R"({"draw": {"shader_ref": "s", "indices": "x", "index_type": "u16", "instances": 2,
          "attributes": {"inst": "i", "vertex": "v"},
          "color_attachments": [{"output": "target.color", "resource_ref": "t", "clear": [0, 0, 0, 0]}]}})";
  run_scene(scene({graphics_shader(), vertices, instances,
                   R"({"raw_data": {"uid": "x", "data": {"type": "u16", "values": [0, 1, 2, 1, 3, 2]}}})",
                   target("t", 4, 1, "[1, 0, 300, 1,  1, 0, 300, 1,  0, 1, 300, 1,  0, 1, 300, 1]")},
                  {draw}),
            {{"s.rpl", program}, {"i.npy", npy}});
}

TEST_F(RplDrawTest, DepthIsTestedStoredAndSampled) {
  const std::string shadow = R"(
vertex_attribute_container vertex { f3 position; };
void vertex_main (void) { vertex_stage_output_position (f4 {vertex.position, 1.0}); }
setting cull_mode = "none";
)";
  const std::string show = R"(
set_pass sampler linear;
set_pass image_depth_2d depth;
vertex_attribute_container vertex { f2 position; };
state_container state { f2 uv; };
color_output_container target { f4 color; };
setting depth_test = off;
setting depth_write = off;
setting cull_mode = "none";
setting color_output_format block 0 = "r32g32b32a32_sfloat";
void vertex_main (void) {
  state.uv = vertex.position * 0.5 + f2 {0.5};
  vertex_stage_output_position (f4 {vertex.position, 0.0, 1.0});
}
void fragment_main (void) { target.color = f4 {sample (linear, depth, state.uv).x, 0.0, 0.0, 1.0}; }
)";
  run_scene(
      scene(
          {R"({"shader": {"uid": "shadow", "type": "RPL", "src": "shadow.rpl", "entry_points": {"vertex": "vertex_main"}}})",
           graphics_shader(),
           R"({"image": {"uid": "d", "dims": [2, 1], "format": "VK_FORMAT_D32_SFLOAT", "shader_access": "readonly",)"
           R"( "expect": {"data": [0.25, 0.75]}}})",
           buffer("far", 72, "f32", "-1, -1, 0.75, 1, -1, 0.75, -1, 1, 0.75,  1, -1, 0.75, 1, 1, 0.75, -1, 1, 0.75"),
           buffer("near", 72, "f32", "-1, -1, 0.25, 0, -1, 0.25, -1, 1, 0.25,  0, -1, 0.25, 0, 1, 0.25, -1, 1, 0.25"),
           buffer("v", 24, "f32", "-1, -1, 3, -1, -1, 3"), target("t", 2, 1, "[0.25, 0, 0, 1,  0.75, 0, 0, 1]")},
          {R"({"draw": {"shader_ref": "shadow", "vertices": 6, "attributes": {"vertex": "near"},)"
           R"( "depth_attachment": {"resource_ref": "d", "clear": 1}}})",
           R"({"draw": {"shader_ref": "shadow", "vertices": 6, "attributes": {"vertex": "far"}, "depth_attachment": "d"}})",
           R"({"draw": {"shader_ref": "s", "vertices": 3, "attributes": {"vertex": "v"},)"
           R"( "bindings": [{"name": "linear", "resource_ref": "d"}, {"name": "depth", "resource_ref": "d"}],)"
           R"( "color_attachments": [{"resource_ref": "t", "clear": [0, 0, 0, 0]}]}})"}),
      {{"shadow.rpl", shadow}, {"s.rpl", show}});
}

// The references are nearer than, equal to, and farther than the depth in the image, for every operation.
TEST_F(RplDrawTest, DepthIsCompared) {
  const std::string show = R"(
set_pass sampler compare;
set_pass image_depth_2d depth;
vertex_attribute_container vertex { f2 position; };
state_container state { f2 uv; };
color_output_container target { f4 color; };
setting depth_test = off;
setting depth_write = off;
setting cull_mode = "none";
setting color_output_format block 0 = "r32g32b32a32_sfloat";
void vertex_main (void) {
  state.uv = vertex.position * 0.5 + f2 {0.5};
  vertex_stage_output_position (f4 {vertex.position, 0.0, 1.0});
}
void fragment_main (void) {
  target.color.x = sample_dref (compare, depth, state.uv, 0.25);
  target.color.y = sample_dref (compare, depth, state.uv, 0.5);
  target.color.z = sample_dref_lod (compare, depth, state.uv, 0.75, 0.0);
  target.color.w = 1.0;
}
)";
  constexpr struct {
    std::string_view operation, expected;
  } kCases[] = {{"never", "[0, 0, 0, 1]"},     {"less", "[1, 0, 0, 1]"},
                {"equal", "[0, 1, 0, 1]"},     {"greater", "[0, 0, 1, 1]"},
                {"not_equal", "[1, 0, 1, 1]"}, {"less_or_equal", "[1, 1, 0, 1]"},
                {"always", "[1, 1, 1, 1]"},    {"greater_or_equal", "[0, 1, 1, 1]"}};
  for (const auto& [operation, expected] : kCases) {
    SCOPED_TRACE(operation);
    run_scene(
        scene({graphics_shader(),
               formatted(R"({{"image": {{"uid": "d", "dims": [1, 1], "format": "VK_FORMAT_D32_SFLOAT", )"
                         R"("shader_access": "readonly", "compare_operation": "{}", "data": [0.5]}}}})",
                         operation),
               buffer("v", 24, "f32", "-1, -1, 3, -1, -1, 3"), target("t", 1, 1, expected)},
              {R"({"draw": {"shader_ref": "s", "vertices": 3, "attributes": {"vertex": "v"},)"
               R"( "bindings": [{"name": "compare", "resource_ref": "d"}, {"name": "depth", "resource_ref": "d"}],)"
               R"( "color_attachments": [{"resource_ref": "t", "clear": [0, 0, 0, 0]}]}})"}),
        {{"s.rpl", show}});
  }
}

TEST_F(RplDrawTest, StencilLimitsADraw) {
  std::string mark(kFlat), inside(kFlat);
  mark +=
      "setting stencil_test = on;\nsetting stencil_front_compare = \"always\";\n"
      "setting stencil_front_on_pass = \"replace\";\nsetting stencil_front_reference = 3u;\n"
      "setting stencil_front_write_mask = 255u;\n";
  inside +=
      "setting stencil_test = on;\nsetting stencil_front_compare = \"equal\";\n"
      "setting stencil_front_reference = 3u;\nsetting stencil_front_compare_mask = 255u;\n";
  run_scene(
      scene(
          {graphics_shader(),
           R"({"shader": {"uid": "inside", "type": "RPL", "src": "inside.rpl",)"
           R"( "entry_points": {"vertex": "vertex_main", "fragment": "fragment_main"}}})",
           R"({"image": {"uid": "d", "dims": [2, 1], "format": "VK_FORMAT_D32_SFLOAT_S8_UINT", "shader_access": "readonly"}})",
           buffer("v", 144, "f32", rectangle(-1, -1, 0, 1, "1, 0, 0, 1")),
           buffer("w", 144, "f32", rectangle(-1, -1, 1, 1, "0, 1, 0, 1")),
           target("t", 2, 1, "[0, 1, 0, 1,  0, 0, 0, 0]")},
          {R"({"draw": {"shader_ref": "s", "vertices": 6, "attributes": {"vertex": "v"},)"
           R"( "color_attachments": [{"resource_ref": "t", "clear": [0, 0, 0, 0]}],)"
           R"( "depth_attachment": {"resource_ref": "d", "clear": 1, "stencil_clear": 0}}})",
           R"({"draw": {"shader_ref": "inside", "vertices": 6, "attributes": {"vertex": "w"},)"
           R"( "color_attachments": ["t"], "depth_attachment": "d"}})"}),
      {{"s.rpl", mark}, {"inside.rpl", inside}});
}

TEST_F(RplDrawTest, MultisampledDrawsAreResolvedAndContinued) {
  const std::string program = std::string(kFlat) + "setting sample_count = 4u;\n";
  // Both draws cover half of the one pixel that the edge goes through.
  run_scene(
      scene(
          {graphics_shader(), buffer("v", 144, "f32", rectangle(-1, -1, 0, 1, "1, 0, 0, 1")),
           buffer("w", 144, "f32", rectangle(0, -1, 1, 1, "0, 1, 0, 1")), target("t", 1, 1, "[0.5, 0.5, 0, 1]")},
          {std::string(kDrawFlat),
           R"({"draw": {"shader_ref": "s", "vertices": 6, "attributes": {"vertex": "w"}, "color_attachments": ["t"]}})"}),
      {{"s.rpl", program}}, {.repeat = 2});
}

TEST_F(RplDrawTest, ArraysOfImages) {
  const std::string program = R"(
set_pass sampler nearest;
set_pass image_color_2d[2] layers;
set_pass uniform_buffer choice { u4 layer; };
vertex_attribute_container vertex { f2 position; };
color_output_container target { f4 color; };
setting depth_test = off;
setting depth_write = off;
setting cull_mode = "none";
setting color_output_format block 0 = "r32g32b32a32_sfloat";
void vertex_main (void) { vertex_stage_output_position (f4 {vertex.position, 0.0, 1.0}); }
void fragment_main (void) {
  target.color = sample (nearest, layers[choice.layer.x], f2 {0.5}) + sample (nearest, layers[0u], f2 {0.5});
}
)";
  const auto image = [](std::string_view uid, std::string_view value) {
    return formatted(R"({{"image": {{"uid": "{}", "dims": [1, 1], "format": "VK_FORMAT_R32G32B32A32_SFLOAT", )"
                     R"("shader_access": "readonly", "fill": [{}]}}}})",
                     uid, value);
  };
  run_scene(
      scene({graphics_shader(), image("a", "1, 2, 3, 4"), image("b", "10, 20, 30, 40"),
             buffer("v", 24, "f32", "-1, -1, 3, -1, -1, 3"), target("t", 1, 1, "[11, 22, 33, 44]")},
            {R"({"draw": {"shader_ref": "s", "vertices": 3, "attributes": {"vertex": "v"},)"
             R"( "parameters": {"choice.layer": [1, 0, 0, 0]},)"
             R"( "bindings": [{"name": "nearest", "resource_ref": "a"}, {"name": "layers[0]", "resource_ref": "a"},)"
             R"( {"name": "layers[1]", "resource_ref": "b"}],)"
             R"( "color_attachments": [{"resource_ref": "t", "clear": [0, 0, 0, 0]}]}})"}),
      {{"s.rpl", program}});
}

constexpr std::string_view kScale = R"(
instance group: uint 64;
setting workgroup_size_x = group;
set_object uniform_buffer params { f4 scale; };
set_object read_write_storage_buffer data { f1... values; };
workgroup_buffer scratch { f1[group] copy; };
void compute_main (void) {
  u1 i = compute_stage_input_global_id ().x;
  u1 l = compute_stage_input_local_index ();
  f1 v;
  if (i < tail_length (data)) { v = data.values[i]; }
  scratch.copy[l] = v * params.scale.x;
  compute_stage_barrier ();
  v = v + scratch.copy[compute_stage_input_group_size ().x - 1u - l];
  if (i < tail_length (data)) { data.values[i] = v; }
}
)";

TEST_F(RplDrawTest, ComputeByNameAndById) {
  for (const std::string_view bindings :
       {R"([{"name": "data", "resource_ref": "d"}, {"name": "params", "resource_ref": "p"}])",
        R"([{"set": 2, "id": 1, "resource_ref": "d"}, {"set": 2, "id": 0, "resource_ref": "p"}])"}) {
    run_scene(
        scene(
            {R"({"shader": {"uid": "c", "type": "RPL", "src": "c.rpl", "entry": "compute_main", "options": {"group": 4}}})",
             buffer("p", 16, "f32", "10, 0, 0, 0"),
             R"({"buffer": {"uid": "d", "size": 24, "shader_access": "readwrite",)"
             R"( "data": {"type": "f32", "values": [1, 2, 3, 4, 5, 6]},)"
             R"( "expect": {"type": "f32", "data": [41, 32, 23, 14, 5, 6]}}})"},
            {formatted(R"({{"dispatch_compute": {{"shader_ref": "c", "rangeND": [2], "bindings": {}}}}})", bindings)}),
        {{"c.rpl", std::string(kScale)}});
  }
}

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
