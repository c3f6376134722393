// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl_programs.hpp"
#include "base/format.hpp"

#include <algorithm>

namespace slipway::bench {
namespace {

constexpr std::string_view kGlslHead = "#version 460\n#extension GL_EXT_samplerless_texture_functions : require\n";

// An option of the uber-shader. Each has a buffer for its parameters and changes functions: those of the material, or
// the entry point. Half of them are on by default.
std::string rpl_detail(std::size_t n) {
  return formatted(R"(
global detail_{0}: flag {1};
conditional (detail_{0}) set_shared uniform_buffer layer_{0} {{ f4 scale; f4 bias; }};
)",
                   n, n % 2 == 0 ? "on" : "off");
}
std::string glsl_detail(std::size_t n) {
  return formatted(R"({1}
#ifdef DETAIL_{0}
layout (set = 3, binding = {0}) uniform Layer_{0} {{ vec4 scale; vec4 bias; }} layer_{0};
#endif
)",
                   n, n % 2 == 0 ? formatted("#define DETAIL_{}", n) : "");
}

// Functions of the material, similar to lighting code.
std::string rpl_function(std::size_t n, std::size_t details) {
  return formatted(R"(
f3 shade_{0} (in f3 normal, in f3 direction, in f1 roughness)
{{
    f3 half_vector = normalize_f3 (direction + normal);
    f1 amount = max_f1 (dot_f3 (normal, half_vector), 0.0);
    f1 power = pow_f1 (amount, 16.0 / (roughness + 0.{1}));
    f3 color = f3 {{0.{1}, 0.2, 0.3}} * view.camera.w;
    for (u1 i = 0u; i < {2}u; i = i + 1u)
    {{
        color = color * power + direction.zyx * f1 {{i}};
        if (amount > 0.5 && color.x < 1.0)
        {{
            color.x = color.x + mix_f1 (0.25, amount, roughness);
        }}
        else
        {{
            color = clamp_f3 (color, f3 {{0.0}}, f3 {{1.{1}}});
        }}
    }}
    conditional (detail_{3}) {{ color = color * layer_{3}.scale.xyz + layer_{3}.bias.xyz; }}
    return color + cross_f3 (normal, direction) * view.sun.xyz;
}}
)",
                   n, n % 9 + 1, n % 4 + 2, n % details);
}
std::string glsl_function(std::size_t n, std::size_t details) {
  return formatted(R"(
vec3 shade_{0} (in vec3 normal, in vec3 direction, in float roughness)
{{
    vec3 half_vector = normalize (direction + normal);
    float amount = max (dot (normal, half_vector), 0.0);
    float power = pow (amount, 16.0 / (roughness + 0.{1}));
    vec3 color = vec3 (0.{1}, 0.2, 0.3) * view.camera.w;
    for (uint i = 0u; i < {2}u; i = i + 1u)
    {{
        color = color * power + direction.zyx * float (i);
        if (amount > 0.5 && color.x < 1.0)
        {{
            color.x = color.x + mix (0.25, amount, roughness);
        }}
        else
        {{
            color = clamp (color, vec3 (0.0), vec3 (1.{1}));
        }}
    }}
#ifdef DETAIL_{3}
    color = color * layer_{3}.scale.xyz + layer_{3}.bias.xyz;
#endif
    return color + cross (normal, direction) * view.sun.xyz;
}}
)",
                   n, n % 9 + 1, n % 4 + 2, n % details);
}

// Everything that one option adds: structs and buffers, a function, and its call (in make_twin).
std::string rpl_declaration(std::size_t n) {
  return formatted(R"(
global enable_{0}: flag off;
constant size_{0} = {1}u * 2u;
conditional (enable_{0}) struct part_{0} {{ meta (hidden, tag_{0}) f4x4[size_{0}] joints; f4 color; }};
conditional (enable_{0}) set_object uniform_buffer object_{0}
{{
    meta (hidden) f4 color_multiplier;
    part_{0} part;
}};
conditional (enable_{0}) f4 tint_{0} (void) {{ return object_{0}.color_multiplier * object_{0}.part.color; }}
)",
                   n, n % 7 + 1);
}
std::string glsl_declaration(std::size_t n) {
  return formatted(R"(
#ifdef ENABLE_{0}
const uint size_{0} = {1}u * 2u;
struct part_{0} {{ mat4 joints[size_{0}]; vec4 color; }};
layout (set = 2, binding = {0}) uniform Object_{0}
{{
    vec4 color_multiplier;
    part_{0} part;
}} object_{0};
vec4 tint_{0} () {{ return object_{0}.color_multiplier * object_{0}.part.color; }}
#endif
)",
                   n, n % 7 + 1);
}

constexpr std::string_view kRplHead = R"(
instance wireframe: flag off;
conditional (wireframe) setting polygon_mode = "wireframe";
setting depth_test = on;
vertex_attribute_container vertex { f3 position; f3 normal; pack (float16) f2 uv; };
set_pass uniform_buffer view { f4x4 projection_view; f4 camera; f4 sun; };
state_container state { f2 uv; f3 normal; };
set_material sampler color_sampler;
set_material image_color_2d color_image;
color_output_container target { f4 color; };
)";
constexpr std::string_view kGlslView =
    "layout (set = 0, binding = 0) uniform View { mat4 projection_view; vec4 camera; vec4 sun; } view;\n";

}  // namespace

TwinProgram make_twin(std::size_t bytes, double code) {
  std::string rpl_functions, glsl_functions, rpl_calls, glsl_calls, rpl_declarations, glsl_declarations;
  const std::size_t details = std::clamp<std::size_t>(bytes / 500, 1, 8);
  for (std::size_t n = 0; n < details; ++n) {
    rpl_declarations += rpl_detail(n);
    glsl_declarations += glsl_detail(n);
    if (n % 2 == 0) continue;
    rpl_calls += formatted("    conditional (detail_{0}) {{ color = color + layer_{0}.bias.xyz; }}\n", n);
    glsl_calls += formatted("#ifdef DETAIL_{0}\n    color = color + layer_{0}.bias.xyz;\n#endif\n", n);
  }
  const auto size = [&] {
    return kRplHead.size() + 450 + rpl_functions.size() + rpl_calls.size() + rpl_declarations.size();
  };
  for (std::size_t f = 0, d = 0; size() < bytes;) {
    const auto written = static_cast<double>(rpl_functions.size());
    if (written <= code * static_cast<double>(size())) {
      rpl_functions += rpl_function(f, details);
      glsl_functions += glsl_function(f, details);
      rpl_calls += formatted("    color = color + shade_{} (state.normal, view.sun.xyz, 0.{});\n", f, f % 9 + 1);
      glsl_calls += formatted("    color = color + shade_{} (state_normal, view.sun.xyz, 0.{});\n", f, f % 9 + 1);
      ++f;
    } else {
      rpl_declarations += rpl_declaration(d);
      glsl_declarations += glsl_declaration(d);
      rpl_calls += formatted("    conditional (enable_{0}) {{ color = color + tint_{0} ().xyz; }}\n", d);
      glsl_calls += formatted("#ifdef ENABLE_{0}\n    color = color + tint_{0} ().xyz;\n#endif\n", d);
      ++d;
    }
  }
  TwinProgram twin;
  twin.rpl = std::string(kRplHead) + rpl_declarations + rpl_functions + R"(
void vertex_main (void)
{
    state.uv = vertex.uv;
    state.normal = vertex.normal;
    vertex_stage_output_position (view.projection_view * f4 {vertex.position, 1.0});
}

void fragment_main (void)
{
    f3 color = f3 {0.0};
)" + rpl_calls +
             R"(
    target.color = sample (color_sampler, color_image, state.uv) * f4 {color, 1.0};
}
)";
  twin.vertex = std::string(kGlslHead) +
                "layout (location = 0) in vec3 position;\nlayout (location = 1) in vec3 normal;\n"
                "layout (location = 2) in vec2 uv;\n" +
                std::string(kGlslView) +
                "layout (location = 0) out vec2 state_uv;\nlayout (location = 1) out vec3 state_normal;\n" +
                glsl_declarations + R"(
void main ()
{
    state_uv = uv;
    state_normal = normal;
    gl_Position = view.projection_view * vec4 (position, 1.0);
}
)";
  twin.fragment = std::string(kGlslHead) +
                  "layout (location = 0) in vec2 state_uv;\nlayout (location = 1) in vec3 state_normal;\n" +
                  std::string(kGlslView) +
                  "layout (set = 1, binding = 0) uniform sampler color_sampler;\n"
                  "layout (set = 1, binding = 1) uniform texture2D color_image;\n"
                  "layout (location = 0) out vec4 target_color;\n" +
                  glsl_declarations + glsl_functions + R"(
void main ()
{
    vec3 color = vec3 (0.0);
)" + glsl_calls + R"(
    target_color = texture (sampler2D (color_image, color_sampler), state_uv) * vec4 (color, 1.0);
}
)";
  return twin;
}

}  // namespace slipway::bench
