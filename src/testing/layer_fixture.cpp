// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "testing/layer_fixture.hpp"

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/text.hpp"

namespace slipway::testing {

void LayerTest::SetUp() {
  if (!UseLayer::is_here()) GTEST_SKIP() << "no layer here";
}

void LayerTest::TearDown() {
  stop();
  for (const std::string& message : take_messages()) ADD_FAILURE() << message;
}

VkPipeline LayerTest::graphics_pipeline(const AppDrawing& drawing, VkPipelineLayout layout) {
  const auto count = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  const VkPipelineVertexInputStateCreateInfo input{.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                                                   .vertexBindingDescriptionCount = count(drawing.bindings),
                                                   .pVertexBindingDescriptions = drawing.bindings.data(),
                                                   .vertexAttributeDescriptionCount = count(drawing.attributes),
                                                   .pVertexAttributeDescriptions = drawing.attributes.data()};
  const VkPipelineInputAssemblyStateCreateInfo assembly{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = drawing.topology};
  const VkPipelineViewportStateCreateInfo views{.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                .viewportCount = count(drawing.viewports),
                                                .pViewports = drawing.viewports.data(),
                                                .scissorCount = count(drawing.scissors),
                                                .pScissors = drawing.scissors.data()};
  const VkPipelineRasterizationStateCreateInfo rasterization{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
      .rasterizerDiscardEnable = drawing.rasterizes ? VK_FALSE : VK_TRUE,
      .lineWidth = 1};
  const VkPipelineMultisampleStateCreateInfo samples{.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                     .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
  const VkPipelineColorBlendStateCreateInfo blends{.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                   .attachmentCount = 1,
                                                   .pAttachments = &drawing.blend};
  const VkPipelineDynamicStateCreateInfo state{.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                               .dynamicStateCount = count(drawing.dynamic),
                                               .pDynamicStates = drawing.dynamic.data()};
  const VkPipelineRenderingCreateInfo rendering{.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                .colorAttachmentCount = drawing.rasterizes ? 1u : 0u,
                                                .pColorAttachmentFormats = &drawing.format};
  const VkGraphicsPipelineCreateInfo create{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                            .pNext = drawing.pass == VK_NULL_HANDLE ? &rendering : nullptr,
                                            .stageCount = count(drawing.stages),
                                            .pStages = drawing.stages.data(),
                                            .pVertexInputState = &input,
                                            .pInputAssemblyState = &assembly,
                                            .pViewportState = drawing.rasterizes ? &views : nullptr,
                                            .pRasterizationState = &rasterization,
                                            .pMultisampleState = drawing.rasterizes ? &samples : nullptr,
                                            .pColorBlendState = drawing.rasterizes ? &blends : nullptr,
                                            .pDynamicState = drawing.dynamic.empty() ? nullptr : &state,
                                            .layout = layout,
                                            .renderPass = drawing.pass};
  VkPipeline made = VK_NULL_HANDLE;
  MUST(vk().vkCreateGraphicsPipelines(device(), VK_NULL_HANDLE, 1, &create, nullptr, &made));
  at_end([this, made] { vk().vkDestroyPipeline(device(), made, nullptr); });
  return made;
}

tosa::Graph graph_of(const std::string& lines) {
  Diagnostics diagnostics;
  auto graph = tosa::parse(make_source("t.graph", "graph main {\n" + lines + "}\n"), diagnostics);
  if (graph) tosa::verify(*graph, diagnostics);
  EXPECT_EQ(format_diagnostics(diagnostics.all(), {.sources = false}), "");
  return graph.value_or(tosa::Graph());
}

std::string matrix_products(int count, int size) {
  const std::string type = formatted("f32[1, {}, {}]", size, size);
  std::string lines = formatted("%0 = input {} at 0.0\n", type);
  for (int i = 1; i <= count; ++i)
    lines += formatted("%{} = MATMUL(%{}, %{}) {} A_zp=0 B_zp=0\n", i, i - 1, i - 1, type);
  return lines + formatted("output %{} at 0.1\n", count);
}

}  // namespace slipway::testing
