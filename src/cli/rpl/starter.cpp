// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/rpl/starter.hpp"

namespace slipway::cli {
namespace {

constexpr StarterFile kFiles[] = {
    {"game.rplproject.json", R"({
  "passes": [
    {
      "name": "forward",
      "sources": ["forward.rpl"],
      "entry_points": {"vertex": "vertex_main", "fragment": "fragment_main"}
    }
  ],
  "materials": [
    {"name": "plain", "sources": ["plain.rpl"]},
    {"name": "textured", "sources": ["textured.rpl"]}
  ]
}
)"},
    {"forward.rpl", R"(// The pass: what a vertex and the camera are, and where colors go.
vertex_attribute_container vertex
{
    f3 position;
    f3 normal;
    pack (float16) f2 uv;
};

set_pass uniform_buffer view { f4x4 projection_view; };
push_constant object { f4x4 model; };
state_container state
{
    f3 normal;
    f2 uv;
};

color_output_container target { f4 color; };

setting depth_test = on;
setting depth_stencil_format = "d32_sfloat";
setting color_output_format block 0 = "r8g8b8a8_unorm";

void vertex_main (void)
{
    state.normal = (object.model * f4 {vertex.normal, 0.0}).xyz;
    state.uv = vertex.uv;
    vertex_stage_output_position (view.projection_view * object.model * f4 {vertex.position, 1.0});
}
)"},
    {"plain.rpl", R"(// A material of one color.
set_material uniform_buffer material { f4 color; };

void fragment_main (void)
{
    target.color = material.color * (0.5 + 0.5 * state.normal.y);
}
)"},
    {"textured.rpl", R"(// A material with an image, and a variant that leaves holes in it.
instance cutout: flag off;

set_material sampler color_sampler;
set_material image_color_2d color_image;

void fragment_main (void)
{
    f4 color = sample (color_sampler, color_image, state.uv);
    conditional (cutout)
    {
        if (color.w < 0.5) { fragment_stage_discard (); }
    }
    target.color = color;
}
)"}};

}  // namespace

std::span<const StarterFile> rpl_starter() { return kFiles; }

}  // namespace slipway::cli
