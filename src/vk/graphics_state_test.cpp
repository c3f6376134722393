// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/graphics_state.hpp"

#include <gmock/gmock.h>

namespace slipway::vk {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const AttachmentFormats kColor = {.colors = {Format::R8G8B8A8_UNORM}};

// Vulkan's least, and formats for colours, depth and vertices.
Snapshot least() {
  Snapshot snapshot;
  snapshot.formats[Format::R8G8B8A8_UNORM] = {.optimal = format_feature::kColorAttachment |
                                                         format_feature::kColorAttachmentBlend};
  snapshot.formats[Format::R32_UINT] = {.optimal = format_feature::kColorAttachment};
  snapshot.formats[Format::D16_UNORM] = {.optimal = format_feature::kDepthAttachment};
  snapshot.formats[Format::R32_SFLOAT] = {.buffer = format_feature::kVertexBuffer};
  return snapshot;
}

std::vector<std::string> missing(const GraphicsState& state, const AttachmentFormats& formats = kColor) {
  const Snapshot snapshot = least();
  return missing_for_state(snapshot, snapshot.features, state, formats);
}

TEST(GraphicsState, ThePlainStateNeedsNothing) {
  EXPECT_THAT(missing({}), IsEmpty());
  EXPECT_THAT(missing({}, {}), IsEmpty());
  EXPECT_EQ(print_graphics_state({}, "  "), "");
}

TEST(GraphicsState, FeaturesThatStatesNeed) {
  EXPECT_THAT(features_of({.polygon_mode = PolygonMode::Wireframe}, 1), ElementsAre("fillModeNonSolid"));
  EXPECT_THAT(features_of({.line_width = 2}, 1), ElementsAre("wideLines"));
  EXPECT_THAT(features_of({.depth_clamp = true}, 1), ElementsAre("depthClamp"));
  EXPECT_THAT(features_of({.depth_bias_clamp = 1}, 1), IsEmpty());
  EXPECT_THAT(features_of({.depth_bias = true}, 1), IsEmpty());
  EXPECT_THAT(features_of({.depth_bias = true, .depth_bias_clamp = 1}, 1), ElementsAre("depthBiasClamp"));
  EXPECT_THAT(features_of({.depth_bounds_test = true}, 1), ElementsAre("depthBounds"));
  EXPECT_THAT(features_of({.blends = {{}, {.write_mask = 1}}}, 2), ElementsAre("independentBlend"));
  EXPECT_THAT(features_of({.blends = {{.write_mask = 1}}}, 2), ElementsAre("independentBlend"));
  EXPECT_THAT(features_of({.blends = {{.write_mask = 1}}}, 1), IsEmpty());
}

TEST(GraphicsState, WhatADeviceLacksIsSaid) {
  EXPECT_THAT(missing({.depth_clamp = true}), ElementsAre("it needs the device feature `depthClamp`"));
  EXPECT_THAT(missing({.vertex_bindings = {{.binding = 16, .stride = 2049}}}),
              ElementsAre("it has vertex binding 17, but the device allows 16 (`maxVertexInputBindings`)",
                          "vertex binding 16 has a stride of 2049, but the device allows 2048 "
                          "(`maxVertexInputBindingStride`)"));
  EXPECT_THAT(missing({.vertex_attributes = {{.location = 16, .format = Format::R32_SFLOAT, .offset = 2048}}}),
              ElementsAre("it counts vertex attribute locations up to 17, but the device allows 16 "
                          "(`maxVertexInputAttributes`)",
                          "vertex attribute at location 16 has an offset of 2048, but the device allows 2047 "
                          "(`maxVertexInputAttributeOffset`)"));
  EXPECT_THAT(missing({.vertex_attributes = {{.format = Format::R8G8B8_SNORM, .name = "n"}}}),
              ElementsAre("vertex attribute `n` needs vertex buffers of `VK_FORMAT_R8G8B8_SNORM`"));
  EXPECT_THAT(missing({}, {.colors = {Format::R16_SFLOAT}}),
              ElementsAre("colour attachment 0 needs attachments of `VK_FORMAT_R16_SFLOAT`"));
  EXPECT_THAT(missing({.blends = {{.enabled = true}}}, {.colors = {Format::R32_UINT}}),
              ElementsAre("colour attachment 0 needs blending in `VK_FORMAT_R32_UINT`"));
  EXPECT_THAT(missing({}, {.depth_stencil = Format::S8_UINT}),
              ElementsAre("the depth attachment needs attachments of `VK_FORMAT_S8_UINT`"));
  EXPECT_THAT(missing({.samples = 4}), IsEmpty());
  EXPECT_THAT(missing({.samples = 8}), ElementsAre("it needs 8 samples a pixel (`framebufferColorSampleCounts`)"));
  EXPECT_THAT(missing({.samples = 2}, {.depth_stencil = Format::D16_UNORM}),
              ElementsAre("it needs 2 samples a pixel (`framebufferDepthSampleCounts`)"));
  EXPECT_THAT(missing({.line_width = 3}), ElementsAre("it needs the device feature `wideLines`",
                                                      "line width 3 is outside of 1 to 1 (`lineWidthRange`)"));
}

// Different texts for different states: they distinguish pipelines.
TEST(GraphicsState, EveryMemberIsPrinted) {
  const StencilFace face{.on_fail = StencilOperation::Zero,
                         .on_depth_fail = StencilOperation::Invert,
                         .on_pass = StencilOperation::Replace,
                         .compare = CompareOperation::Equal,
                         .compare_mask = 255,
                         .write_mask = 15,
                         .reference = 7};
  const GraphicsState state{
      .vertex_bindings = {{.binding = 1, .stride = 8, .rate = VertexRate::Instance}},
      .vertex_attributes = {{.location = 2, .binding = 1, .format = Format::R32_SFLOAT}},
      .topology = Topology::LineStrip,
      .primitive_restart = true,
      .polygon_mode = PolygonMode::Wireframe,
      .cull_mode = CullMode::Front,
      .front_face = FrontFace::Clockwise,
      .line_width = 2.5,
      .depth_clamp = true,
      .depth_bias = true,
      .depth_bias_constant = 1,
      .depth_bias_slope = 2,
      .depth_bias_clamp = 3,
      .samples = 4,
      .alpha_to_coverage = true,
      .depth_test = true,
      .depth_write = true,
      .depth_bounds_test = true,
      .depth_bounds_min = 0.25,
      .stencil_test = true,
      .stencil_front = face,
      .blends = {{}, {.enabled = true, .source_color = BlendFactor::SourceAlpha, .write_mask = 9}},
      .blend_constants = {1, 2, 3, 4}};
  EXPECT_EQ(print_graphics_state(state, "  "),
            "  vertex binding 1: 8 bytes per instance\n"
            "  location 2: VK_FORMAT_R32_SFLOAT at 0 of binding 1\n"
            "  topology: line_strip\n"
            "  primitive restart\n"
            "  polygon mode: wireframe\n"
            "  cull: front\n"
            "  front face: clockwise\n"
            "  line width: 2.5\n"
            "  depth clamp\n"
            "  depth bias: constant 1, slope 2, clamp 3\n"
            "  samples: 4\n"
            "  alpha to coverage\n"
            "  depth: passes when less, written\n"
            "  depth bounds: 0.25 to 1\n"
            "  stencil of front faces: equal against 7 under 0xff; on fail zero, on depth fail invert, on pass replace "
            "under 0xf\n"
            "  stencil of back faces: never against 0 under 0x0; on fail keep, on depth fail keep, on pass keep under "
            "0x0\n"
            "  colour attachment 1 writes ra, blends colour source_alpha * source add zero * destination, alpha one * "
            "source add zero * destination\n"
            "  blend constants: 1 2 3 4\n");
}

}  // namespace
}  // namespace slipway::vk
