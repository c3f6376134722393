// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: an application that uses the layer through Vulkan alone.
#pragma once

#include "conformance/vulkan/application.hpp"
#include "conformance/vulkan/flow.hpp"

#include <gtest/gtest.h>

#include <string>

#include "testing/layer.hpp"

namespace slipway::testing {

using conformance::AppConstant;
using conformance::AppGraph;
using conformance::AppImage;
using conformance::AppTensor;
using conformance::contents;
using conformance::fill;
using conformance::for_each_element;
using conformance::must;
using LayerApp = conformance::Application;

// What a graphics pipeline draws, and how: triangles without vertex buffers into one colour attachment. Tests change
// what they need.
struct AppDrawing {
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  VkRenderPass pass = VK_NULL_HANDLE;  // null: dynamic rendering into attachments of `format`
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  std::vector<VkVertexInputBindingDescription> bindings;
  std::vector<VkVertexInputAttributeDescription> attributes;
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  std::vector<VkViewport> viewports;  // empty: dynamic
  std::vector<VkRect2D> scissors;
  bool rasterizes = true;  // false: it has no attachments either
  VkPipelineColorBlendAttachmentState blend{.colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                                                              VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT};
  std::vector<VkDynamicState> dynamic;
};

// A test with an application. Messages of the validation layer, and of the layer, fail it.
class LayerTest : public ::testing::Test, protected LayerApp {
 protected:
  explicit LayerTest(Validation validation = Validation::AboveLayer) : layer_(validation) {}
  void SetUp() override;
  void TearDown() override;

  VkPipeline graphics_pipeline(const AppDrawing& drawing, VkPipelineLayout layout);

 private:
  UseLayer layer_;
};

using conformance::graph_module;
// A verified graph from the lines of its text.
tosa::Graph graph_of(const std::string& lines);
// The lines of a chain of `count` matrix products of its input, `size` by `size`, each with itself: they do not fuse.
std::string matrix_products(int count, int size);

}  // namespace slipway::testing
