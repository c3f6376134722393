// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite `tensors`: VK_ARM_tensors as programs use it.
#include <algorithm>
#include <numeric>

#include "base/format.hpp"
#include "conformance/vulkan/api_cases.hpp"
#include "conformance/vulkan/case_shaders.hpp"

namespace slipway::conformance {
namespace {

struct ShaderFormat {
  VkFormat format;
  std::string_view name, type;  // in GLSL; empty: shaders do not have it
  std::size_t size;
};
constexpr ShaderFormat kShaderFormats[] = {
    {VK_FORMAT_R8_SINT, "R8_SINT", "int8_t", 1},
    {VK_FORMAT_R8_UINT, "R8_UINT", "uint8_t", 1},
    {VK_FORMAT_R16_SINT, "R16_SINT", "int16_t", 2},
    {VK_FORMAT_R16_UINT, "R16_UINT", "uint16_t", 2},
    {VK_FORMAT_R32_SINT, "R32_SINT", "int", 4},
    {VK_FORMAT_R32_UINT, "R32_UINT", "uint", 4},
    {VK_FORMAT_R64_SINT, "R64_SINT", "int64_t", 8},
    {VK_FORMAT_R64_UINT, "R64_UINT", "uint64_t", 8},
    {VK_FORMAT_R16_SFLOAT, "R16_SFLOAT", "float16_t", 2},
    {VK_FORMAT_R32_SFLOAT, "R32_SFLOAT", "float", 4},
    {VK_FORMAT_R64_SFLOAT, "R64_SFLOAT", "double", 8},
    {VK_FORMAT_R8_BOOL_ARM, "R8_BOOL_ARM", "bool", 1},
    {VK_FORMAT_R16_SFLOAT_FPENCODING_BFLOAT16_ARM, "R16_SFLOAT_FPENCODING_BFLOAT16_ARM", "", 2},
    {VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM, "R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM", "", 1},
    {VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM, "R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM", "", 1}};

void require_format(Application& app, const ShaderFormat& of) {
  VkTensorFormatPropertiesARM tensors{.sType = VK_STRUCTURE_TYPE_TENSOR_FORMAT_PROPERTIES_ARM};
  VkFormatProperties2 properties{.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &tensors};
  app.instance_functions().vkGetPhysicalDeviceFormatProperties2(app.physical(), of.format, &properties);
  const VkFormatFeatureFlags2 wanted = VK_FORMAT_FEATURE_2_TENSOR_SHADER_BIT_ARM |
                                       VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT;
  if ((tensors.linearTilingTensorFeatures & wanted) != wanted)
    throw Lacking(formatted("the device lacks tensors of VK_FORMAT_{}", of.name));
}

std::size_t max_rank(Application& app) {
  VkPhysicalDeviceTensorPropertiesARM limits{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_PROPERTIES_ARM};
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &limits};
  app.instance_functions().vkGetPhysicalDeviceProperties2(app.physical(), &properties);
  return std::min(limits.maxTensorDimensionCount, 6u);
}

void tensors_have_the_shapes_of_the_limits(Application& app, Checks& checks) {
  app.graphs_ = false;
  VkPhysicalDeviceTensorPropertiesARM limits{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_PROPERTIES_ARM};
  VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &limits};
  app.instance_functions().vkGetPhysicalDeviceProperties2(app.physical(), &properties);
  checks.expect(limits.maxTensorDimensionCount >= 4, "maxTensorDimensionCount is less than 4");
  checks.expect(limits.maxDescriptorSetStorageTensors >= 16, "maxDescriptorSetStorageTensors is less than 16");
  app.tensor(VK_FORMAT_R8_SINT, std::vector<std::int64_t>(limits.maxTensorDimensionCount, 2));
  // As many descriptors of tensors as there may be.
  const std::uint32_t most =
      std::min(limits.maxDescriptorSetStorageTensors, limits.maxPerStageDescriptorSetStorageTensors);
  app.pipeline_layout(app.tensor_layout(most));
}

void copies_tensors_with_gaps(Application& app, Checks& checks) {
  app.graphs_ = false;
  const AppTensor from = app.tensor(VK_FORMAT_R32_SINT, {3, 4, 5}, {400, 64, 4}),
                  to = app.tensor(VK_FORMAT_R32_SINT, {3, 4, 5});
  fill(from, counted(60));
  app.run([&](VkCommandBuffer commands) { copy_tensor(app, commands, from, to); });
  checks.equal(contents<std::int32_t>(to), counted(60), "to");
}

void one_pipeline_serves_all_shapes_and_strides(Application& app, Checks& checks) {
  app.graphs_ = false;
  const VkDescriptorSetLayout sets = app.tensor_layout(2);
  const VkPipelineLayout layout = app.pipeline_layout(sets, 4);
  const VkPipeline pipeline = app.compute_pipeline(compute_module(kIncrementShader), layout);
  for (const bool gaps : {false, true}) {
    const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {5, gaps ? 3 : 7},
                                   gaps ? std::vector<std::int64_t>{20, 4} : std::vector<std::int64_t>{});
    const AppTensor y = app.tensor(VK_FORMAT_R32_SINT, x.shape);
    const auto count = static_cast<std::size_t>(x.shape[0] * x.shape[1]);
    fill(x, counted(count));
    const VkDescriptorSet set = app.descriptor_set(sets, {&x, &y});
    app.run([&](VkCommandBuffer commands) {
      const std::int32_t by = 10;
      app.vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      app.vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      app.vk().vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &by);
      app.vk().vkCmdDispatch(commands, 1, 1, 1);
    });
    checks.equal(contents<std::int32_t>(y), counted(count, 10), "y");
  }
}

void pushed_descriptors_and_templates_have_tensors(Application& app, Checks& checks) {
  app.graphs_ = false;
  const VkDescriptorSetLayout sets = app.tensor_layout(2, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  const VkPipelineLayout layout = app.pipeline_layout(sets, 4);
  const VkPipeline pipeline = app.compute_pipeline(compute_module(kIncrementShader), layout);
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {2, 2}), y = app.tensor(VK_FORMAT_R32_SINT, {2, 2}),
                  z = app.tensor(VK_FORMAT_R32_SINT, {2, 2});
  const VkDescriptorUpdateTemplateEntry entry{0, 0, 1, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 0, 8};
  const VkDescriptorUpdateTemplateEntry entries[] = {entry, {1, 0, 1, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 8, 8}};
  const VkDescriptorUpdateTemplateCreateInfo create{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
      .descriptorUpdateEntryCount = 2,
      .pDescriptorUpdateEntries = entries,
      .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
      .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE,
      .pipelineLayout = layout};
  VkDescriptorUpdateTemplate made = VK_NULL_HANDLE;
  MUST(app.vk().vkCreateDescriptorUpdateTemplate(app.device(), &create, nullptr, &made));
  app.at_end([=, &app] { app.vk().vkDestroyDescriptorUpdateTemplate(app.device(), made, nullptr); });
  fill(x, counted(4));
  app.run([&](VkCommandBuffer commands) {
    const std::int32_t by = 1;
    app.vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    app.vk().vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &by);
    std::vector<VkWriteDescriptorSetTensorARM> views(
        2, {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM, .tensorViewCount = 1});
    views[0].pTensorViews = &x.view;
    views[1].pTensorViews = &y.view;
    std::vector<VkWriteDescriptorSet> writes(2, {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                 .descriptorCount = 1,
                                                 .descriptorType = VK_DESCRIPTOR_TYPE_TENSOR_ARM});
    for (std::uint32_t i = 0; i < 2; ++i) {
      writes[i].pNext = &views[i];
      writes[i].dstBinding = i;
    }
    app.vk().vkCmdPushDescriptorSetKHR(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 2, writes.data());
    app.vk().vkCmdDispatch(commands, 1, 1, 1);
    app.full_barrier(commands);
    const VkTensorViewARM data[] = {y.view, z.view};
    app.vk().vkCmdPushDescriptorSetWithTemplateKHR(commands, made, layout, 0, data);
    app.vk().vkCmdDispatch(commands, 1, 1, 1);
  });
  checks.equal(contents<std::int32_t>(z), {2, 3, 4, 5}, "z");
}

void images_alias_tensors(Application& app, Checks& checks) {
  app.graphs_ = false;
  // 5 texels a row, so that rows have gaps.
  const std::vector<std::int64_t> shape = {3, 5, 4};
  const VkTensorDescriptionARM description{
      .sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
      .tiling = VK_TENSOR_TILING_OPTIMAL_ARM,
      .format = VK_FORMAT_R8_UINT,
      .dimensionCount = 3,
      .pDimensions = shape.data(),
      .usage = VK_TENSOR_USAGE_TRANSFER_SRC_BIT_ARM | VK_TENSOR_USAGE_IMAGE_ALIASING_BIT_ARM};
  const VkTensorCreateInfoARM tensor_info{.sType = VK_STRUCTURE_TYPE_TENSOR_CREATE_INFO_ARM,
                                          .pDescription = &description};
  VkTensorARM alias = VK_NULL_HANDLE;
  MUST(app.vk().vkCreateTensorARM(app.device(), &tensor_info, nullptr, &alias));
  app.at_end([=, &app] { app.vk().vkDestroyTensorARM(app.device(), alias, nullptr); });
  const VkImageCreateInfo image_info{.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                     .imageType = VK_IMAGE_TYPE_2D,
                                     .format = VK_FORMAT_R8G8B8A8_UINT,
                                     .extent = {5, 3, 1},
                                     .mipLevels = 1,
                                     .arrayLayers = 1,
                                     .samples = VK_SAMPLE_COUNT_1_BIT,
                                     .tiling = VK_IMAGE_TILING_OPTIMAL,
                                     .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TENSOR_ALIASING_BIT_ARM};
  VkImage image = VK_NULL_HANDLE;
  MUST(app.vk().vkCreateImage(app.device(), &image_info, nullptr, &image));
  app.at_end([=, &app] { app.vk().vkDestroyImage(app.device(), image, nullptr); });
  const VkTensorMemoryRequirementsInfoARM of{.sType = VK_STRUCTURE_TYPE_TENSOR_MEMORY_REQUIREMENTS_INFO_ARM,
                                             .tensor = alias};
  VkMemoryRequirements2 needs{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  app.vk().vkGetTensorMemoryRequirementsARM(app.device(), &of, &needs);
  VkMemoryRequirements image_needs{};
  app.vk().vkGetImageMemoryRequirements(app.device(), image, &image_needs);
  image_needs.size = std::max(image_needs.size, needs.memoryRequirements.size);
  image_needs.memoryTypeBits &= needs.memoryRequirements.memoryTypeBits;
  const VkDeviceMemory shared = app.memory(image_needs);
  MUST(app.vk().vkBindImageMemory(app.device(), image, shared, 0));
  const VkBindTensorMemoryInfoARM bind{
      .sType = VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM, .tensor = alias, .memory = shared};
  MUST(app.vk().vkBindTensorMemoryARM(app.device(), 1, &bind));
  const AppTensor result = app.tensor(VK_FORMAT_R8_UINT, shape);
  app.run([&](VkCommandBuffer commands) {
    const VkImageSubresourceRange whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    app.change_layout(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    const VkClearColorValue color{.uint32 = {10, 20, 30, 40}};
    app.vk().vkCmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &whole);
    app.change_layout(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TENSOR_ALIASING_ARM);
    const VkTensorCopyARM region{.sType = VK_STRUCTURE_TYPE_TENSOR_COPY_ARM};
    const VkCopyTensorInfoARM info{.sType = VK_STRUCTURE_TYPE_COPY_TENSOR_INFO_ARM,
                                   .srcTensor = alias,
                                   .dstTensor = result.tensor,
                                   .regionCount = 1,
                                   .pRegions = &region};
    app.vk().vkCmdCopyTensorARM(commands, &info);
  });
  const std::vector<std::uint8_t> texels = contents<std::uint8_t>(result);
  for (std::size_t i = 0; i < texels.size(); ++i)
    checks.equal(+texels[i], static_cast<int>(10 * (i % 4 + 1)), formatted("component {}", i));
}

// Two tensors in one allocation, bound in one call; another one in dedicated memory.
// Long, because each structure of Vulkan has its own lines.
void tensors_share_memory_or_have_their_own(Application& app, Checks& checks) {
  app.graphs_ = false;
  const std::int64_t shape[] = {6};
  const VkTensorDescriptionARM description{
      .sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
      .tiling = VK_TENSOR_TILING_LINEAR_ARM,
      .format = VK_FORMAT_R32_SINT,
      .dimensionCount = 1,
      .pDimensions = shape,
      .usage = VK_TENSOR_USAGE_TRANSFER_SRC_BIT_ARM | VK_TENSOR_USAGE_TRANSFER_DST_BIT_ARM};
  const VkTensorCreateInfoARM create{.sType = VK_STRUCTURE_TYPE_TENSOR_CREATE_INFO_ARM, .pDescription = &description};
  std::vector<VkTensorARM> tensors(3);
  for (VkTensorARM& one : tensors) {
    MUST(app.vk().vkCreateTensorARM(app.device(), &create, nullptr, &one));
    app.at_end([=, &app] { app.vk().vkDestroyTensorARM(app.device(), one, nullptr); });
  }
  const VkTensorMemoryRequirementsInfoARM of{.sType = VK_STRUCTURE_TYPE_TENSOR_MEMORY_REQUIREMENTS_INFO_ARM,
                                             .tensor = tensors[0]};
  VkMemoryDedicatedRequirements dedicated{.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
  VkMemoryRequirements2 needs{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, .pNext = &dedicated};
  app.vk().vkGetTensorMemoryRequirementsARM(app.device(), &of, &needs);
  const VkDeviceTensorMemoryRequirementsARM without{.sType = VK_STRUCTURE_TYPE_DEVICE_TENSOR_MEMORY_REQUIREMENTS_ARM,
                                                    .pCreateInfo = &create};
  VkMemoryRequirements2 again{.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  app.vk().vkGetDeviceTensorMemoryRequirementsARM(app.device(), &without, &again);
  checks.equal(again.memoryRequirements.size, needs.memoryRequirements.size,
               "size of vkGetDeviceTensorMemoryRequirementsARM");
  checks.equal(again.memoryRequirements.alignment, needs.memoryRequirements.alignment,
               "alignment of vkGetDeviceTensorMemoryRequirementsARM");
  checks.equal(again.memoryRequirements.memoryTypeBits, needs.memoryRequirements.memoryTypeBits,
               "memoryTypeBits of vkGetDeviceTensorMemoryRequirementsARM");

  const VkDeviceSize alignment = needs.memoryRequirements.alignment;
  const VkDeviceSize second = (needs.memoryRequirements.size + alignment - 1) / alignment * alignment;
  VkMemoryRequirements both = needs.memoryRequirements;
  both.size += second;
  std::byte* mapped = nullptr;
  const VkDeviceMemory shared = app.memory(both, &mapped);
  const VkBindTensorMemoryInfoARM binds[] = {
      {.sType = VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM, .tensor = tensors[0], .memory = shared},
      {.sType = VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM,
       .tensor = tensors[1],
       .memory = shared,
       .memoryOffset = second}};
  MUST(app.vk().vkBindTensorMemoryARM(app.device(), 2, binds));
  const VkMemoryDedicatedAllocateInfoTensorARM alone{
      .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO_TENSOR_ARM, .tensor = tensors[2]};
  VkMemoryAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                .pNext = &alone,
                                .allocationSize = needs.memoryRequirements.size};
  while ((needs.memoryRequirements.memoryTypeBits >> allocate.memoryTypeIndex & 1) == 0) ++allocate.memoryTypeIndex;
  VkDeviceMemory own = VK_NULL_HANDLE;
  MUST(app.vk().vkAllocateMemory(app.device(), &allocate, nullptr, &own));
  app.at_end([=, &app] { app.vk().vkFreeMemory(app.device(), own, nullptr); });
  const VkBindTensorMemoryInfoARM bind{
      .sType = VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM, .tensor = tensors[2], .memory = own};
  MUST(app.vk().vkBindTensorMemoryARM(app.device(), 1, &bind));

  const std::vector<std::int32_t> values = counted(6, 40);
  std::memcpy(mapped, values.data(), 24);
  app.run([&](VkCommandBuffer commands) {
    for (const auto& [from, to] : {std::pair(0, 2), std::pair(2, 1)}) {
      // Offsets and extents may be given, if they are those of the whole tensor.
      const std::uint64_t zero[] = {0}, extent[] = {6};
      const VkTensorCopyARM region{.sType = VK_STRUCTURE_TYPE_TENSOR_COPY_ARM,
                                   .dimensionCount = 1,
                                   .pSrcOffset = zero,
                                   .pDstOffset = zero,
                                   .pExtent = extent};
      const VkCopyTensorInfoARM info{.sType = VK_STRUCTURE_TYPE_COPY_TENSOR_INFO_ARM,
                                     .srcTensor = tensors[static_cast<std::size_t>(from)],
                                     .dstTensor = tensors[static_cast<std::size_t>(to)],
                                     .regionCount = 1,
                                     .pRegions = &region};
      app.vk().vkCmdCopyTensorARM(commands, &info);
      app.full_barrier(commands);
    }
  });
  checks.expect(std::memcmp(mapped + second, values.data(), 24) == 0, "the second tensor has not the copied elements");
}

// Reads, writes and sizes in a tensor of each rank. The elements are copied in reverse order.
void reverse_in_shader(const ShaderFormat& of, Application& app, Checks& checks) {
  app.graphs_ = false;
  app.start();
  VkPhysicalDeviceFeatures2 available{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  app.instance_functions().vkGetPhysicalDeviceFeatures2(app.physical(), &available);
  if (of.type == "double" && available.features.shaderFloat64 == VK_FALSE)
    throw Lacking("the device lacks shaderFloat64");
  require_format(app, of);
  for (std::size_t rank = 1; rank <= max_rank(app); ++rank) {
    std::string at, reversed, body;
    for (std::size_t d = 0; d < rank; ++d) {
      body += formatted("for (uint i{0} = 0; i{0} < tensorSizeARM(x, {0}); ++i{0}) ", d);
      at += formatted("{}i{}", d == 0 ? "" : ", ", d);
      reversed += formatted("{0}tensorSizeARM(x, {1}) - 1 - i{1}", d == 0 ? "" : ", ", d);
    }
    const std::string type = formatted("tensorARM<{}, {}>", of.type, rank);
    const spirv::Words words = compute_module(formatted(
        "layout(set = 0, binding = 0) uniform {0} x;\nlayout(set = 0, binding = 1) uniform {0} y;\n"
        "void main() {{ {1} {{ {2} v; tensorReadARM(x, uint[]({3}), v); tensorWriteARM(y, uint[]({4}), v); }} }}\n",
        type, body, of.type, at, reversed));
    std::vector<std::int64_t> shape(rank, 1);
    shape[rank - 1] = 3;
    if (rank > 1) shape[0] = 2;
    const VkTensorUsageFlagsARM usage = VK_TENSOR_USAGE_SHADER_BIT_ARM;
    const AppTensor x = app.tensor(of.format, shape, {}, usage), y = app.tensor(of.format, shape, {}, usage);
    const std::size_t count = rank > 1 ? 6 : 3;
    const VkDescriptorSetLayout sets = app.tensor_layout(2);
    const VkPipelineLayout layout = app.pipeline_layout(sets);
    std::vector<std::byte> values(count * of.size);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::byte>(of.type == "bool" ? i % 2 : i % of.size == of.size - 1 ? 0x3c : i + 1);
    std::memcpy(x.mapped, values.data(), values.size());
    run_one_group(app, app.compute_pipeline(words, layout), layout, app.descriptor_set(sets, {&x, &y}));
    for (std::size_t i = 0; i < count; ++i)
      checks.expect(std::memcmp(y.mapped + (count - 1 - i) * of.size, values.data() + i * of.size, of.size) == 0,
                    formatted("element {} of rank {} is another one", i, rank));
  }
}

// A tensor of each rank is copied by the device, from and to memory with gaps.
void copy_format(const ShaderFormat& of, Application& app, Checks& checks) {
  app.graphs_ = false;
  app.start();
  require_format(app, of);
  const auto size = static_cast<std::int64_t>(of.size);
  for (std::size_t rank = 1; rank <= max_rank(app); ++rank) {
    std::vector<std::int64_t> shape(rank, 2), strides(rank, size);
    shape[rank - 1] = 3;
    for (std::size_t d = rank - 1; d-- > 0;) strides[d] = strides[d + 1] * shape[d + 1] + 4 * size;
    const bool has_gaps = rank > 1;
    const AppTensor from = app.tensor(of.format, shape, strides), to = app.tensor(of.format, shape);
    std::size_t count = 0;
    for_each_element(from, of.size, [&](std::size_t i, std::byte* at) {
      std::memset(at, static_cast<int>(i % 120), of.size);
      ++count;
    });
    app.run([&](VkCommandBuffer commands) { copy_tensor(app, commands, from, to); });
    std::size_t right = 0;
    for_each_element(to, of.size, [&](std::size_t i, std::byte* at) {
      right += std::all_of(at, at + of.size, [i](std::byte b) { return b == static_cast<std::byte>(i % 120); }) ? 1 : 0;
    });
    checks.equal(right, count,
                 formatted("the number of right elements of rank {}{}", rank, has_gaps ? " with gaps" : ""));
  }
}

// Arrays of descriptors: indexed, updated after they are bound, null, of a variable number.
// Long, because each structure of Vulkan has its own lines.
void arrays_of_tensors_are_indexed(Application& app, Checks& checks) {
  app.graphs_ = false;
  constexpr std::uint32_t slots = 8, used = 5;
  const VkDescriptorSetLayoutBinding bindings[] = {
      {0, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
      {1, VK_DESCRIPTOR_TYPE_TENSOR_ARM, slots, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}};
  const VkDescriptorBindingFlags flags[] = {VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT,
                                            VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT |
                                                VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT |
                                                VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT};
  const VkDescriptorSetLayoutBindingFlagsCreateInfo binding_flags{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
      .bindingCount = 2,
      .pBindingFlags = flags};
  const VkDescriptorSetLayoutCreateInfo layout_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                    .pNext = &binding_flags,
                                                    .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
                                                    .bindingCount = 2,
                                                    .pBindings = bindings};
  VkDescriptorSetVariableDescriptorCountLayoutSupport variable{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT};
  VkDescriptorSetLayoutSupport support{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT, .pNext = &variable};
  app.vk().vkGetDescriptorSetLayoutSupport(app.device(), &layout_info, &support);
  if (support.supported == VK_FALSE || variable.maxVariableDescriptorCount < slots)
    throw Lacking("the device lacks arrays of tensors that are updated after they are bound");
  VkDescriptorSetLayout sets = VK_NULL_HANDLE;
  MUST(app.vk().vkCreateDescriptorSetLayout(app.device(), &layout_info, nullptr, &sets));
  app.at_end([=, &app] { app.vk().vkDestroyDescriptorSetLayout(app.device(), sets, nullptr); });
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_TENSOR_ARM, 2 * (slots + 1)}};
  const VkDescriptorPoolCreateInfo pool_info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .flags = VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT,
                                             .maxSets = 2,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = sizes};
  VkDescriptorPool pool = VK_NULL_HANDLE;
  MUST(app.vk().vkCreateDescriptorPool(app.device(), &pool_info, nullptr, &pool));
  app.at_end([=, &app] { app.vk().vkDestroyDescriptorPool(app.device(), pool, nullptr); });
  const VkDescriptorSetVariableDescriptorCountAllocateInfo counts{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
      .descriptorSetCount = 1,
      .pDescriptorCounts = &used};
  const VkDescriptorSetAllocateInfo allocate{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             .pNext = &counts,
                                             .descriptorPool = pool,
                                             .descriptorSetCount = 1,
                                             .pSetLayouts = &sets};
  VkDescriptorSet set = VK_NULL_HANDLE;
  MUST(app.vk().vkAllocateDescriptorSets(app.device(), &allocate, &set));

  const AppTensor result = app.tensor(VK_FORMAT_R32_SINT, {used});
  std::vector<AppTensor> all;
  for (std::uint32_t i = 0; i < used; ++i) {
    all.push_back(app.tensor(VK_FORMAT_R32_SINT, {i + 1}));
    fill(all.back(), counted(i + 1, static_cast<std::int32_t>(10 * i)));
  }
  const VkPipelineLayout layout = app.pipeline_layout(sets);
  // The sum of each tensor's elements; the index differs between invocations.
  const VkPipeline pipeline =
      app.compute_pipeline(compute_module("layout(local_size_x = 5) in;\n"
                                          "layout(set = 0, binding = 0) uniform tensorARM<int, 1> y;\n"
                                          "layout(set = 0, binding = 1) uniform tensorARM<int, 1> x[8];\n"
                                          "void main() { uint t = gl_LocalInvocationID.x; int sum = 0;\n"
                                          "  for (uint i = 0; i < tensorSizeARM(x[nonuniformEXT(t)], 0); ++i) {\n"
                                          "    int v; tensorReadARM(x[nonuniformEXT(t)], uint[](i), v); sum += v; }\n"
                                          "  tensorWriteARM(y, uint[](t), sum); }\n"),
                           layout);
  const VkCommandBuffer commands = app.command_buffer();
  app.begin(commands);
  app.vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  app.vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  app.vk().vkCmdDispatch(commands, 1, 1, 1);
  MUST(app.vk().vkEndCommandBuffer(commands));
  // After binding.
  app.write(set, 0, result);
  std::vector<VkTensorViewARM> views;
  for (const AppTensor& one : all) views.push_back(one.view);
  const VkWriteDescriptorSetTensorARM tensors{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM,
                                              .tensorViewCount = used,
                                              .pTensorViews = views.data()};
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .pNext = &tensors,
                                   .dstSet = set,
                                   .dstBinding = 1,
                                   .descriptorCount = used,
                                   .descriptorType = VK_DESCRIPTOR_TYPE_TENSOR_ARM};
  app.vk().vkUpdateDescriptorSets(app.device(), 1, &write, 0, nullptr);
  app.submit({commands});
  checks.equal(contents<std::int32_t>(result), {0, 21, 63, 126, 210}, "result");
}

void null_descriptors_are_tensors_without_elements(Application& app, Checks& checks) {
  app.graphs_ = false;
  VkPhysicalDeviceRobustness2FeaturesEXT robustness{.sType =
                                                        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
  app.restart_with(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, reinterpret_cast<VkBaseOutStructure*>(&robustness));
  if (robustness.nullDescriptor == VK_FALSE) throw Lacking("the device lacks nullDescriptor");
  const AppTensor y = app.tensor(VK_FORMAT_R32_SINT, {1});
  AppTensor none;
  const VkDescriptorSetLayout sets = app.tensor_layout(2);
  const VkPipelineLayout layout = app.pipeline_layout(sets);
  const VkDescriptorSet set = app.descriptor_set(sets, {&none, &y});
  const VkPipeline pipeline =
      app.compute_pipeline(compute_module("layout(set = 0, binding = 0) uniform tensorARM<int, 1> x;\n"
                                          "layout(set = 0, binding = 1) uniform tensorARM<int, 1> y;\n"
                                          "void main() { int v; tensorReadARM(x, uint[](0), v);\n"
                                          "  tensorWriteARM(y, uint[](0), v + 5 + int(tensorSizeARM(x, 0))); }\n"),
                           layout);
  run_one_group(app, pipeline, layout, set);
  checks.equal(contents<std::int32_t>(y), {5}, "y");
}

// Coordinates far outside: reads have the value for it, writes do nothing.
void accesses_far_outside_are_harmless(Application& app, Checks& checks) {
  app.graphs_ = false;
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {4, 4}), y = app.tensor(VK_FORMAT_R32_SINT, {4});
  fill(x, counted(16, 1));
  fill(y, counted(4, 50));
  const VkDescriptorSetLayout sets = app.tensor_layout(2);
  const VkPipelineLayout layout = app.pipeline_layout(sets);
  const VkDescriptorSet set = app.descriptor_set(sets, {&x, &y});
  const VkPipeline pipeline = app.compute_pipeline(
      compute_module("layout(set = 0, binding = 0) uniform tensorARM<int, 2> x;\n"
                     "layout(set = 0, binding = 1) uniform tensorARM<int, 1> y;\n"
                     "void main() { int v; tensorReadARM(x, uint[](1000000000u, 2000000000u), v, "
                     "gl_TensorOperandsOutOfBoundsValueARM, 7);\n"
                     "  tensorWriteARM(y, uint[](0u), v); int w[3]; tensorReadARM(x, uint[](3u, 2u), w);\n"
                     "  tensorWriteARM(y, uint[](1u), w[1] * 100 + w[2]);\n"
                     "  tensorWriteARM(y, uint[](3000000000u), 9); tensorWriteARM(y, uint[](3u), w); }\n"),
      layout);
  run_one_group(app, pipeline, layout, set);
  checks.equal(contents<std::int32_t>(y), {7, 1600, 52, 15}, "y");
}

// The module in the chain of the stage, a specialization, and feedback about the creation.
void shaders_are_in_the_create_info_of_a_pipeline(Application& app, Checks& checks) {
  app.graphs_ = false;
  const AppTensor x = app.tensor(VK_FORMAT_R32_SINT, {3}), y = app.tensor(VK_FORMAT_R32_SINT, {3});
  const VkDescriptorSetLayout sets = app.tensor_layout(2);
  const VkPipelineLayout layout = app.pipeline_layout(sets);
  const VkDescriptorSet set = app.descriptor_set(sets, {&x, &y});
  const spirv::Words words = compute_module(kAddOneShader);
  const VkShaderModuleCreateInfo code{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                      .codeSize = words.size() * sizeof(std::uint32_t),
                                      .pCode = words.data()};
  const std::int32_t by = 100;
  const VkSpecializationMapEntry entry{7, 0, sizeof by};
  const VkSpecializationInfo specialization{1, &entry, sizeof by, &by};
  VkPipelineCreationFeedback whole{}, stage{};
  const VkPipelineCreationFeedbackCreateInfo feedback{.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
                                                      .pPipelineCreationFeedback = &whole,
                                                      .pipelineStageCreationFeedbackCount = 1,
                                                      .pPipelineStageCreationFeedbacks = &stage};
  const VkComputePipelineCreateInfo create{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                           .pNext = &feedback,
                                           .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                     .pNext = &code,
                                                     .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                     .pName = "main",
                                                     .pSpecializationInfo = &specialization},
                                           .layout = layout};
  VkPipeline pipeline = VK_NULL_HANDLE;
  MUST(app.vk().vkCreateComputePipelines(app.device(), VK_NULL_HANDLE, 1, &create, nullptr, &pipeline));
  app.at_end([=, &app] { app.vk().vkDestroyPipeline(app.device(), pipeline, nullptr); });
  fill(x, counted(3));
  run_one_group(app, pipeline, layout, set);
  checks.equal(contents<std::int32_t>(y), {100, 101, 102}, "y");
}

}  // namespace

std::vector<std::int32_t> counted(std::size_t count, std::int32_t first) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

std::vector<ApiCase> tensor_api_cases() {
  std::vector<ApiCase> cases = {{"queries/limits", tensors_have_the_shapes_of_the_limits},
                                {"copies/gaps", copies_tensors_with_gaps},
                                {"strides/one_pipeline", one_pipeline_serves_all_shapes_and_strides},
                                {"memory/shared_and_dedicated", tensors_share_memory_or_have_their_own},
                                {"aliasing/image", images_alias_tensors},
                                {"descriptors/pushed", pushed_descriptors_and_templates_have_tensors},
                                {"descriptors/arrays", arrays_of_tensors_are_indexed},
                                {"descriptors/null", null_descriptors_are_tensors_without_elements},
                                {"shaders/outside", accesses_far_outside_are_harmless},
                                {"shaders/specialized", shaders_are_in_the_create_info_of_a_pipeline}};
  for (const ShaderFormat& of : kShaderFormats) {
    cases.push_back(
        {formatted("copies/{}", of.name), [&of](Application& app, Checks& checks) { copy_format(of, app, checks); }});
    if (of.type.empty()) continue;
    cases.push_back({formatted("shaders/{}", of.name),
                     [&of](Application& app, Checks& checks) { reverse_in_shader(of, app, checks); }});
  }
  return cases;
}

}  // namespace slipway::conformance
