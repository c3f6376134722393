// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in graphics pipelines: vertex and fragment shaders with tensors, attachments that alias tensors.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "base/print_diagnostic.hpp"
#include "layer/dispatch.hpp"
#include "shader/compile.hpp"
#include "testing/layer_fixture.hpp"

namespace slipway::layer {
namespace {

using testing::AppDrawing;
using testing::AppTensor;
using ::testing::Contains;
using testing::contents;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::fill;
using ::testing::HasSubstr;
using testing::LayerTest;
using testing::must;

constexpr std::uint32_t kSide = 4;  // pixels

class LayerDraws : public LayerTest, public ::testing::WithParamInterface<testing::Validation> {
 protected:
  LayerDraws() : LayerTest(GetParam()) {}

  static spirv::Words shader(spirv::Stage stage, std::string_view body) {
    const auto made =
        shader::compile(make_source("t", "#version 460\n#extension GL_ARM_tensors : require\n" + std::string(body)),
                        shader::Language::Glsl, {.stage = stage});
    if (!made) ADD_FAILURE() << format_diagnostics(made.error());
    return made ? made->words : spirv::Words();
  }

  // `also`: what the memory must be good for besides the image.
  VkImage image(VkImageUsageFlags usage, VkDeviceMemory* memory_of = nullptr,
                const VkMemoryRequirements& also = {0, 0, ~0u}) {
    const VkImageCreateInfo create{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                   .imageType = VK_IMAGE_TYPE_2D,
                                   .format = VK_FORMAT_R8G8B8A8_UNORM,
                                   .extent = {kSide, kSide, 1},
                                   .mipLevels = 1,
                                   .arrayLayers = 1,
                                   .samples = VK_SAMPLE_COUNT_1_BIT,
                                   .tiling = VK_IMAGE_TILING_OPTIMAL,
                                   .usage = usage};
    VkImage made = VK_NULL_HANDLE;
    MUST(vk().vkCreateImage(device(), &create, nullptr, &made));
    at_end([=, this] { vk().vkDestroyImage(device(), made, nullptr); });
    VkMemoryRequirements needs{};
    vk().vkGetImageMemoryRequirements(device(), made, &needs);
    needs.size = std::max(needs.size, also.size);
    needs.memoryTypeBits &= also.memoryTypeBits;
    // As allocators do it where a driver prefers dedicated memory for attachments.
    const VkMemoryDedicatedAllocateInfo dedicated{.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
                                                  .image = made};
    VkMemoryAllocateInfo allocate{
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &dedicated, .allocationSize = needs.size};
    while ((needs.memoryTypeBits >> allocate.memoryTypeIndex & 1) == 0) ++allocate.memoryTypeIndex;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    MUST(vk().vkAllocateMemory(device(), &allocate, nullptr, &memory));
    at_end([=, this] { vk().vkFreeMemory(device(), memory, nullptr); });
    MUST(vk().vkBindImageMemory(device(), made, memory, 0));
    if (memory_of != nullptr) *memory_of = memory;
    return made;
  }

  VkImageView view(VkImage image, VkImageUsageFlags usage) {
    const VkImageViewUsageCreateInfo usage_info{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
                                                .usage = usage};
    const VkImageViewCreateInfo create{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       .pNext = &usage_info,
                                       .image = image,
                                       .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                       .format = VK_FORMAT_R8G8B8A8_UNORM,
                                       .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VkImageView made = VK_NULL_HANDLE;
    MUST(vk().vkCreateImageView(device(), &create, nullptr, &made));
    at_end([=, this] { vk().vkDestroyImageView(device(), made, nullptr); });
    return made;
  }

  // A pass that clears its attachment, and leaves it in a layout.
  VkRenderPass render_pass(VkImageLayout last) {
    const VkAttachmentDescription2 attachment{.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
                                              .format = VK_FORMAT_R8G8B8A8_UNORM,
                                              .samples = VK_SAMPLE_COUNT_1_BIT,
                                              .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                              .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                              .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                              .finalLayout = last};
    const VkAttachmentReference2 color{.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
                                       .layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                       .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    const VkSubpassDescription2 subpass{.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
                                        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                        .colorAttachmentCount = 1,
                                        .pColorAttachments = &color};
    const VkSubpassDependency2 after{.sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2,
                                     .srcSubpass = 0,
                                     .dstSubpass = VK_SUBPASS_EXTERNAL,
                                     .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                     .dstStageMask = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                     .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT};
    const VkRenderPassCreateInfo2 create{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
                                         .attachmentCount = 1,
                                         .pAttachments = &attachment,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass,
                                         .dependencyCount = 1,
                                         .pDependencies = &after};
    VkRenderPass made = VK_NULL_HANDLE;
    MUST(vk().vkCreateRenderPass2(device(), &create, nullptr, &made));
    at_end([=, this] { vk().vkDestroyRenderPass(device(), made, nullptr); });
    return made;
  }

  VkFramebuffer framebuffer(VkRenderPass pass, VkImageView attachment) {
    const VkFramebufferCreateInfo create{.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                         .renderPass = pass,
                                         .attachmentCount = 1,
                                         .pAttachments = &attachment,
                                         .width = kSide,
                                         .height = kSide,
                                         .layers = 1};
    VkFramebuffer made = VK_NULL_HANDLE;
    MUST(vk().vkCreateFramebuffer(device(), &create, nullptr, &made));
    at_end([=, this] { vk().vkDestroyFramebuffer(device(), made, nullptr); });
    return made;
  }

  // The modules are in the create-infos of the stages, or handles.
  VkPipeline pipeline(VkRenderPass pass, VkPipelineLayout layout, const spirv::Words& vertex,
                      const spirv::Words& fragment, bool in_chain) {
    const auto code_of = [](const spirv::Words& words) -> VkShaderModuleCreateInfo {
      return {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
              .codeSize = words.size() * sizeof(std::uint32_t),
              .pCode = words.data()};
    };
    const VkShaderModuleCreateInfo codes[] = {code_of(vertex), code_of(fragment)};
    AppDrawing drawing{
        .stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, vertex), stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment)},
        .pass = pass,
        .viewports = {{0, 0, kSide, kSide, 0, 1}},
        .scissors = {{{0, 0}, {kSide, kSide}}}};
    for (std::size_t i = 0; in_chain && i < 2; ++i) {
      drawing.stages[i].module = VK_NULL_HANDLE;
      drawing.stages[i].pNext = &codes[i];
    }
    return graphics_pipeline(drawing, layout);
  }

  void draw(VkCommandBuffer commands, VkRenderPass pass, VkFramebuffer target, VkPipeline pipeline,
            VkPipelineLayout layout, VkDescriptorSet set) {
    const VkClearValue clear{.color = {.float32 = {0, 0, 0, 0}}};
    const VkRenderPassBeginInfo begin{.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                      .renderPass = pass,
                                      .framebuffer = target,
                                      .renderArea = {{0, 0}, {kSide, kSide}},
                                      .clearValueCount = 1,
                                      .pClearValues = &clear};
    vk().vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
    vk().vkCmdDraw(commands, 3, 1, 0, 0);
    vk().vkCmdEndRenderPass(commands);
  }
};
INSTANTIATE_TEST_SUITE_P(Validation, LayerDraws,
                         ::testing::Values(testing::Validation::AboveLayer, testing::Validation::BelowLayer),
                         [](const auto& test) {
                           return test.param == testing::Validation::AboveLayer ? "Above" : "Below";
                         });

// Reads positions, writes what it has seen.
constexpr std::string_view kVertex =
    "layout(set = 0, binding = 0) uniform tensorARM<float, 2> positions;\n"
    "layout(set = 0, binding = 1) uniform tensorARM<int, 1> seen;\n"
    "void main() { uint i = gl_VertexIndex; float x, y;\n"
    "  tensorReadARM(positions, uint[](i, 0u), x); tensorReadARM(positions, uint[](i, 1u), y);\n"
    "  tensorWriteARM(seen, uint[](i), int(10 * i) + int(tensorSizeARM(positions, 0)));\n"
    "  gl_Position = vec4(x, y, 0, 1); }\n";
// Reads the color of each pixel, writes another tensor.
constexpr std::string_view kFragment =
    "layout(set = 0, binding = 2) uniform tensorARM<float, 3> colors;\n"
    "layout(set = 0, binding = 3) uniform tensorARM<int, 2> covered;\n"
    "layout(location = 0) out vec4 color;\n"
    "void main() { uint x = uint(gl_FragCoord.x), y = uint(gl_FragCoord.y); float rgba[4];\n"
    "  tensorReadARM(colors, uint[](y, x, 0u), rgba); color = vec4(rgba[0], rgba[1], rgba[2], rgba[3]);\n"
    "  tensorWriteARM(covered, uint[](y, x), int(100 * y + x)); }\n";

TEST_P(LayerDraws, VertexAndFragmentShadersHaveTensors) {
  VkPhysicalDeviceTensorPropertiesARM properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_PROPERTIES_ARM};
  VkPhysicalDeviceProperties2 all{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &properties};
  instance_functions().vkGetPhysicalDeviceProperties2(physical(), &all);
  const VkShaderStageFlags needed = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  if ((properties.shaderTensorSupportedStages & needed) != needed) GTEST_SKIP() << "no tensors in these stages";
  const AppTensor positions = tensor(VK_FORMAT_R32_SFLOAT, {3, 2}), seen = tensor(VK_FORMAT_R32_SINT, {3}),
                  colors = tensor(VK_FORMAT_R32_SFLOAT, {kSide, kSide, 4}),
                  covered = tensor(VK_FORMAT_R32_SINT, {kSide, kSide});
  fill(positions, std::vector<float>{-1, -1, 3, -1, -1, 3});
  std::vector<float> values(kSide * kSide * 4);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 255.0f;
  fill(colors, values);
  const VkDescriptorSetLayout sets = tensor_layout(4);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkDescriptorSet set = descriptor_set(sets, {&positions, &seen, &colors, &covered});
  const VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const VkImage target = image(usage);
  const VkRenderPass pass = render_pass(VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  const VkFramebuffer frame = framebuffer(pass, view(target, usage));
  const VkBufferCreateInfo buffer_info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                       .size = kSide * kSide * 4,
                                       .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  VkBuffer buffer = VK_NULL_HANDLE;
  MUST(vk().vkCreateBuffer(device(), &buffer_info, nullptr, &buffer));
  at_end([=, this] { vk().vkDestroyBuffer(device(), buffer, nullptr); });
  VkMemoryRequirements needs{};
  vk().vkGetBufferMemoryRequirements(device(), buffer, &needs);
  std::byte* pixels = nullptr;
  MUST(vk().vkBindBufferMemory(device(), buffer, memory(needs, &pixels), 0));
  for (const bool in_chain : {false, true}) {
    fill(seen, std::vector<std::int32_t>(3));
    fill(covered, std::vector<std::int32_t>(kSide * kSide));
    std::memset(pixels, 0, kSide * kSide * 4);
    const VkPipeline drawn = pipeline(pass, layout, shader(spirv::Stage::Vertex, kVertex),
                                      shader(spirv::Stage::Fragment, kFragment), in_chain);
    run([&](VkCommandBuffer commands) {
      draw(commands, pass, frame, drawn, layout, set);
      const VkBufferImageCopy region{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                     .imageExtent = {kSide, kSide, 1}};
      vk().vkCmdCopyImageToBuffer(commands, target, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer, 1, &region);
    });
    EXPECT_THAT(contents<std::int32_t>(seen), ElementsAre(3, 13, 23));
    const std::vector<std::int32_t> found = contents<std::int32_t>(covered);
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(found[i], static_cast<std::int32_t>(100 * (i / kSide) + i % kSide)) << i;
    for (std::size_t i = 0; i < kSide * kSide * 4; ++i) EXPECT_EQ(static_cast<std::size_t>(pixels[i]), i);
  }
}

// A pass draws into an image with dedicated memory, and leaves it in the layout for tensors; a tensor in the same
// memory has the texels.
TEST_P(LayerDraws, AttachmentsAliasTensors) {
  VkFormatProperties3 more{.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
  VkFormatProperties2 format{.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &more};
  instance_functions().vkGetPhysicalDeviceFormatProperties2(physical(), VK_FORMAT_R8G8B8A8_UNORM, &format);
  EXPECT_NE(more.optimalTilingFeatures & VK_FORMAT_FEATURE_2_TENSOR_IMAGE_ALIASING_BIT_ARM, 0u);
  constexpr VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TENSOR_ALIASING_BIT_ARM;
  VkImageFormatProperties limits{};
  if (instance_functions().vkGetPhysicalDeviceImageFormatProperties(physical(), VK_FORMAT_R8G8B8A8_UNORM,
                                                                    VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL, usage, 0,
                                                                    &limits) != VK_SUCCESS)
    GTEST_SKIP() << "no linear attachments";
  const std::int64_t shape[] = {1, kSide, kSide, 4};
  const VkTensorDescriptionARM description{
      .sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
      .tiling = VK_TENSOR_TILING_OPTIMAL_ARM,
      .format = VK_FORMAT_R8_UINT,
      .dimensionCount = 4,
      .pDimensions = shape,
      .usage = VK_TENSOR_USAGE_TRANSFER_SRC_BIT_ARM | VK_TENSOR_USAGE_IMAGE_ALIASING_BIT_ARM};
  const VkTensorCreateInfoARM create{.sType = VK_STRUCTURE_TYPE_TENSOR_CREATE_INFO_ARM, .pDescription = &description};
  const VkDeviceTensorMemoryRequirementsARM of{.sType = VK_STRUCTURE_TYPE_DEVICE_TENSOR_MEMORY_REQUIREMENTS_ARM,
                                               .pCreateInfo = &create};
  VkMemoryRequirements2 needs{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  vk().vkGetDeviceTensorMemoryRequirementsARM(device(), &of, &needs);
  VkDeviceMemory memory = VK_NULL_HANDLE;
  const VkImage target = image(usage, &memory, needs.memoryRequirements);
  VkTensorARM alias = VK_NULL_HANDLE;
  MUST(vk().vkCreateTensorARM(device(), &create, nullptr, &alias));
  at_end([=, this] { vk().vkDestroyTensorARM(device(), alias, nullptr); });
  const VkBindTensorMemoryInfoARM bind{
      .sType = VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM, .tensor = alias, .memory = memory};
  MUST(vk().vkBindTensorMemoryARM(device(), 1, &bind));
  const AppTensor texels = tensor(VK_FORMAT_R8_UINT, {1, kSide, kSide, 4});
  const AppTensor positions = tensor(VK_FORMAT_R32_SFLOAT, {3, 2}), seen = tensor(VK_FORMAT_R32_SINT, {3});
  fill(positions, std::vector<float>{-1, -1, 3, -1, -1, 3});
  const VkDescriptorSetLayout sets = tensor_layout(2);
  const VkPipelineLayout layout = pipeline_layout(sets);
  const VkDescriptorSet set = descriptor_set(sets, {&positions, &seen});
  const VkRenderPass pass = render_pass(VK_IMAGE_LAYOUT_TENSOR_ALIASING_ARM);
  const VkFramebuffer frame = framebuffer(pass, view(target, usage));
  const VkPipeline drawn = pipeline(pass, layout, shader(spirv::Stage::Vertex, kVertex),
                                    shader(spirv::Stage::Fragment,
                                           "layout(location = 0) out vec4 color;\n"
                                           "void main() { color = vec4(gl_FragCoord.xy, 7, 255) / 255; }\n"),
                                    false);
  run([&](VkCommandBuffer commands) {
    draw(commands, pass, frame, drawn, layout, set);
    const VkTensorCopyARM region{.sType = VK_STRUCTURE_TYPE_TENSOR_COPY_ARM};
    const VkCopyTensorInfoARM info{.sType = VK_STRUCTURE_TYPE_COPY_TENSOR_INFO_ARM,
                                   .srcTensor = alias,
                                   .dstTensor = texels.tensor,
                                   .regionCount = 1,
                                   .pRegions = &region};
    vk().vkCmdCopyTensorARM(commands, &info);
  });
  const std::vector<std::uint8_t> found = contents<std::uint8_t>(texels);
  for (std::size_t i = 0; i < kSide * kSide; ++i) {
    // Half a pixel is rounded to even or up.
    const auto column = i % kSide, row = i / kSide;
    EXPECT_NEAR(found[4 * i], static_cast<double>(column) + 0.5, 0.5) << i;
    EXPECT_NEAR(found[4 * i + 1], static_cast<double>(row) + 0.5, 0.5) << i;
    EXPECT_EQ(found[4 * i + 2], 7) << i;
    EXPECT_EQ(found[4 * i + 3], 255) << i;
  }
}

// A draw needs all of the state that is set here: its pixels are the same with a graph in between.
class LayerGraphicsState : public LayerDraws {
 protected:
  static constexpr VkDeviceSize kVertices = 64, kIndices = 256, kUniform = 512, kStorage = 1024, kPixels = 2048;

  void make_buffer() {
    const VkBufferCreateInfo create{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                    .size = 4096,
                                    .usage = VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                                             VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                             VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    MUST(vk().vkCreateBuffer(device(), &create, nullptr, &buffer_));
    at_end([this] { vk().vkDestroyBuffer(device(), buffer_, nullptr); });
    VkMemoryRequirements needs{};
    vk().vkGetBufferMemoryRequirements(device(), buffer_, &needs);
    MUST(vk().vkBindBufferMemory(device(), buffer_, memory(needs, &mapped_), 0));
    const float quad[4][4] = {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}};
    const std::uint16_t indices[] = {0, 1, 2, 3};
    const float color[] = {1, 0.5f, 1, 1}, factor[] = {0.5f, 1, 0.25f, 1};
    std::memcpy(mapped_ + kVertices, quad, sizeof quad);
    std::memcpy(mapped_ + kIndices, indices, sizeof indices);
    std::memcpy(mapped_ + kUniform + 256, color, sizeof color);  // by a dynamic offset
    std::memcpy(mapped_ + kStorage, factor, sizeof factor);
  }

  void make_layout() {
    const VkDescriptorSetLayoutBinding uniform{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1,
                                               VK_SHADER_STAGE_FRAGMENT_BIT, nullptr},
        storage{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr};
    for (int i = 0; i < 2; ++i) {
      const VkDescriptorSetLayoutCreateInfo create{
          .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
          .flags = i == 0 ? 0u : static_cast<std::uint32_t>(VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR),
          .bindingCount = 1,
          .pBindings = i == 0 ? &uniform : &storage};
      MUST(vk().vkCreateDescriptorSetLayout(device(), &create, nullptr, &sets_[i]));
      at_end([this, made = sets_[i]] { vk().vkDestroyDescriptorSetLayout(device(), made, nullptr); });
    }
    const VkPushConstantRange ranges[] = {{VK_SHADER_STAGE_VERTEX_BIT, 0, 8}, {VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16}};
    const VkPipelineLayoutCreateInfo create{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .setLayoutCount = 2,
                                            .pSetLayouts = sets_,
                                            .pushConstantRangeCount = 2,
                                            .pPushConstantRanges = ranges};
    MUST(vk().vkCreatePipelineLayout(device(), &create, nullptr, &layout_));
    at_end([this] { vk().vkDestroyPipelineLayout(device(), layout_, nullptr); });
    set_ = allocate_set(descriptor_pool({{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1}}), sets_[0]);
    const VkDescriptorBufferInfo info{buffer_, kUniform, 16};
    const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .dstSet = set_,
                                     .descriptorCount = 1,
                                     .descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
                                     .pBufferInfo = &info};
    vk().vkUpdateDescriptorSets(device(), 1, &write, 0, nullptr);
    const VkDescriptorUpdateTemplateEntry entry{
        .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .offset = 8};
    const VkDescriptorUpdateTemplateCreateInfo of{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
                                                  .descriptorUpdateEntryCount = 1,
                                                  .pDescriptorUpdateEntries = &entry,
                                                  .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS,
                                                  .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                                  .pipelineLayout = layout_,
                                                  .set = 1};
    MUST(vk().vkCreateDescriptorUpdateTemplate(device(), &of, nullptr, &template_));
    at_end([this] { vk().vkDestroyDescriptorUpdateTemplate(device(), template_, nullptr); });
  }

  void make_pipeline() {
    const spirv::Words codes[] = {shader(spirv::Stage::Vertex,
                                         "layout(location = 0) in vec2 position;\n"
                                         "layout(push_constant) uniform P { layout(offset = 0) vec2 move; };\n"
                                         "void main() { gl_Position = vec4(position + move, 0, 1); }\n"),
                                  shader(spirv::Stage::Fragment,
                                         "layout(set = 0, binding = 0) uniform U { vec4 base; };\n"
                                         "layout(set = 1, binding = 0) readonly buffer B { vec4 factor; };\n"
                                         "layout(push_constant) uniform P { layout(offset = 16) vec4 more; };\n"
                                         "layout(location = 0) out vec4 color;\n"
                                         "void main() { color = base * factor + more; }\n")};
    pipeline_ = graphics_pipeline(
        {.stages = {stage(VK_SHADER_STAGE_VERTEX_BIT, codes[0]), stage(VK_SHADER_STAGE_FRAGMENT_BIT, codes[1])},
         .bindings = {{0, 4, VK_VERTEX_INPUT_RATE_VERTEX}},
         .attributes = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0}},
         .blend = {.blendEnable = VK_TRUE,
                   .srcColorBlendFactor = VK_BLEND_FACTOR_CONSTANT_COLOR,
                   .dstColorBlendFactor = VK_BLEND_FACTOR_ZERO,
                   .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                   .colorWriteMask = AppDrawing().blend.colorWriteMask},
         .dynamic = {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
                     VK_DYNAMIC_STATE_BLEND_CONSTANTS, VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE,
                     VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, VK_DYNAMIC_STATE_CULL_MODE, VK_DYNAMIC_STATE_FRONT_FACE,
                     VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE, VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
                     VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE, VK_DYNAMIC_STATE_DEPTH_BIAS, VK_DYNAMIC_STATE_LINE_WIDTH}},
        layout_);
  }

  void set_state(VkCommandBuffer commands, bool with_template) {
    const VkViewport viewport{1, 0, 3, kSide, 0, 1};
    const VkRect2D scissor{{0, 1}, {kSide, 2}};
    const float constants[] = {1, 0.5f, 1, 1}, move[] = {0, 0}, more[] = {0, 0, 0.25f, 0};
    const VkDeviceSize offset = kVertices, size = 64, stride = 16;
    const std::uint32_t dynamic = 256;
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_);
    vk().vkCmdSetViewportWithCount(commands, 1, &viewport);
    vk().vkCmdSetScissorWithCount(commands, 1, &scissor);
    vk().vkCmdSetBlendConstants(commands, constants);
    vk().vkCmdBindVertexBuffers2(commands, 0, 1, &buffer_, &offset, &size, &stride);
    vk().vkCmdBindIndexBuffer(commands, buffer_, kIndices, VK_INDEX_TYPE_UINT16);
    vk().vkCmdSetPrimitiveTopology(commands, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
    vk().vkCmdSetCullMode(commands, VK_CULL_MODE_BACK_BIT);
    vk().vkCmdSetFrontFace(commands, VK_FRONT_FACE_CLOCKWISE);
    vk().vkCmdSetRasterizerDiscardEnable(commands, VK_FALSE);
    vk().vkCmdSetPrimitiveRestartEnable(commands, VK_FALSE);
    vk().vkCmdSetDepthBiasEnable(commands, VK_TRUE);
    vk().vkCmdSetDepthBias(commands, 1, 0, 1);
    vk().vkCmdSetLineWidth(commands, 1);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set_, 1, &dynamic);
    struct {
      std::uint64_t before = 0;
      VkDescriptorBufferInfo info;
    } const data{.info = {buffer_, kStorage, 16}};
    const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .descriptorCount = 1,
                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                     .pBufferInfo = &data.info};
    if (with_template)
      vk().vkCmdPushDescriptorSetWithTemplateKHR(commands, template_, layout_, 1, &data);
    else
      vk().vkCmdPushDescriptorSetKHR(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 1, 1, &write);
    vk().vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_VERTEX_BIT, 0, 8, move);
    vk().vkCmdPushConstants(commands, layout_, VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16, more);
  }

  void draw_and_read(VkCommandBuffer commands) {
    change_layout(commands, image_, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    const VkRenderingAttachmentInfo target{.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                           .imageView = view_,
                                           .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                           .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                           .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    const VkRenderingInfo rendering{.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                    .renderArea = {{0, 0}, {kSide, kSide}},
                                    .layerCount = 1,
                                    .colorAttachmentCount = 1,
                                    .pColorAttachments = &target};
    vk().vkCmdBeginRendering(commands, &rendering);
    vk().vkCmdDrawIndexed(commands, 4, 1, 0, 0, 0);
    vk().vkCmdEndRendering(commands);
    change_layout(commands, image_, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    const VkBufferImageCopy region{.bufferOffset = kPixels,
                                   .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                   .imageExtent = {kSide, kSide, 1}};
    vk().vkCmdCopyImageToBuffer(commands, image_, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer_, 1, &region);
  }

  std::vector<std::uint8_t> pixels_of(const std::function<void(VkCommandBuffer)>& record, bool in_secondary) {
    std::memset(mapped_ + kPixels, 7, kSide * kSide * 4);
    if (in_secondary) {
      const VkCommandBuffer secondary = command_buffer(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
      begin(secondary);
      record(secondary);
      MUST(vk().vkEndCommandBuffer(secondary));
      run([&](VkCommandBuffer commands) { vk().vkCmdExecuteCommands(commands, 1, &secondary); });
    } else {
      run(record);
    }
    const auto* const at = reinterpret_cast<const std::uint8_t*>(mapped_ + kPixels);
    return {at, at + kSide * kSide * 4};
  }

  VkBuffer buffer_ = VK_NULL_HANDLE;
  std::byte* mapped_ = nullptr;
  VkDescriptorSetLayout sets_[2]{};
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  VkDescriptorUpdateTemplate template_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkImage image_ = VK_NULL_HANDLE;
  VkImageView view_ = VK_NULL_HANDLE;
};
INSTANTIATE_TEST_SUITE_P(Validation, LayerGraphicsState,
                         ::testing::Values(testing::Validation::AboveLayer, testing::Validation::BelowLayer),
                         [](const auto& test) {
                           return test.param == testing::Validation::AboveLayer ? "Above" : "Below";
                         });

TEST_P(LayerGraphicsState, StaysAroundGraphs) {
  make_buffer();
  make_layout();
  make_pipeline();
  const VkImageUsageFlags usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  image_ = image(usage);
  view_ = view(image_, usage);
  const AppTensor x = tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2}), y = tensor(VK_FORMAT_R32_SFLOAT, {1, 2, 2});
  const testing::AppGraph powers = graph(testing::graph_module(testing::matrix_products(6, 2)), "main", {&x, &y});
  const VkDescriptorSet graph_set = descriptor_set(powers.set_layout, {&x, &y});
  fill(x, std::vector<float>{1, 0, 0, 2});
  const std::vector<std::uint8_t> expected = pixels_of(
      [&](VkCommandBuffer commands) {
        set_state(commands, false);
        draw_and_read(commands);
      },
      false);
  // Within the scissor and the viewport, and outside.
  const std::size_t inside = 4 * (1 * kSide + 2), outside = 4 * (1 * kSide + 0);
  EXPECT_NEAR(expected[inside], 128, 1);      // 1 * 0.5 * 1
  EXPECT_NEAR(expected[inside + 1], 64, 1);   // 0.5 * 1 * 0.5
  EXPECT_NEAR(expected[inside + 2], 128, 1);  // (1 * 0.25 + 0.25) * 1
  EXPECT_EQ(expected[outside + 2], 0);
  EXPECT_EQ(expected[4 * 2 + 2], 0);
  // The graph is recorded directly initially, and is one call from the third time on.
  for (int round = 0; round < 5; ++round) {
    for (const bool in_secondary : {false, true}) {
      fill(y, std::vector<float>(4));
      const std::vector<std::uint8_t> found = pixels_of(
          [&](VkCommandBuffer commands) {
            set_state(commands, round % 2 != 0);
            dispatch(commands, powers, graph_set);
            draw_and_read(commands);
          },
          in_secondary);
      EXPECT_EQ(found, expected) << round << in_secondary;
      EXPECT_EQ(contents<float>(y)[3], 18446744073709551616.0f) << round << in_secondary;
    }
  }
}

TEST_P(LayerDraws, OtherStagesAreRefused) {
  if (GetParam() == testing::Validation::AboveLayer) GTEST_SKIP() << "the validation layer reports the stage";
  spirv::Words words = shader(spirv::Stage::Vertex, kVertex);
  for (std::size_t at = spirv::kHeaderWords; at < words.size() && (words[at] >> 16) != 0; at += words[at] >> 16) {
    constexpr std::uint32_t entry_point = 15, kernel = 6;
    if ((words[at] & 0xffff) == entry_point) words[at + 1] = kernel;
  }
  const VkShaderModuleCreateInfo create{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                        .codeSize = words.size() * sizeof(std::uint32_t),
                                        .pCode = words.data()};
  VkShaderModule made = VK_NULL_HANDLE;
  EXPECT_EQ(vk().vkCreateShaderModule(device(), &create, nullptr, &made), VK_ERROR_INVALID_SHADER_NV);
  EXPECT_THAT(take_messages(), Contains(HasSubstr("a shader of execution model 6 uses tensors")));
}

}  // namespace
}  // namespace slipway::layer
