// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small engine that compiles its pipelines with Slipway: rpl_engine tint.rpl
//
// It draws one frame of 16x16 pixels without a window, edits the source as a person would, notices the change, draws
// the next frame with the new pipeline, and checks the colours of all frames. C++17; needs Vulkan 1.3.
#include <slipway/rpl_json.h>
#include <slipway/rpl.hpp>
#include <slipway/rpl_vulkan.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "dimmed.rpl.h"

namespace {

constexpr std::uint32_t kSize = 16;
using Color = std::array<std::uint8_t, 4>;

void require(VkResult result, const char* what) {
  if (result != VK_SUCCESS) throw std::runtime_error(std::string(what) + ": VkResult " + std::to_string(result));
}

// A device with one queue, and an image that the host can read.
class Renderer {
 public:
  Renderer() {
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo instance_info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    instance_info.pApplicationInfo = &application;
    require(vkCreateInstance(&instance_info, nullptr, &instance_), "vkCreateInstance");
    std::uint32_t count = 1;
    const VkResult listed = vkEnumeratePhysicalDevices(instance_, &count, &physical_);
    if (count == 0 || listed < 0) throw std::runtime_error("there is no Vulkan device");

    const float priority = 1;
    VkDeviceQueueCreateInfo queue_info{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue_info.queueCount = 1;
    queue_info.pQueuePriorities = &priority;
    VkPhysicalDeviceVulkan13Features features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    features.dynamicRendering = VK_TRUE;
    features.synchronization2 = VK_TRUE;
    VkDeviceCreateInfo device_info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    device_info.pNext = &features;
    device_info.queueCreateInfoCount = 1;
    device_info.pQueueCreateInfos = &queue_info;
    require(vkCreateDevice(physical_, &device_info, nullptr, &device_), "vkCreateDevice");
    vkGetDeviceQueue(device_, 0, 0, &queue_);

    VkCommandPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    require(vkCreateCommandPool(device_, &pool_info, nullptr, &pool_), "vkCreateCommandPool");
    make_image();
    make_buffer();
  }
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;
  ~Renderer() {
    vkDestroyImageView(device_, view_, nullptr);
    vkDestroyImage(device_, image_, nullptr);
    vkDestroyBuffer(device_, buffer_, nullptr);
    for (const VkDeviceMemory memory : memories_) vkFreeMemory(device_, memory, nullptr);
    vkDestroyCommandPool(device_, pool_, nullptr);
    vkDestroyDevice(device_, nullptr);
    vkDestroyInstance(instance_, nullptr);
  }

  // Draws a frame and returns its colour; all pixels must have it.
  Color draw(const slipway::RplPipeline& pipeline, const std::array<float, 4>& tint) {
    const VkPipelineLayout layout = make_layout(pipeline.metadata);
    std::vector<VkShaderModule> modules;
    for (const rpl_module& module : pipeline.modules) modules.push_back(make_module(module));
    const slipway::RplGraphicsPipelineInfo info(pipeline, modules, layout);
    VkPipeline handle = VK_NULL_HANDLE;
    require(vkCreateGraphicsPipelines(device_, VK_NULL_HANDLE, 1, &info.create_info, nullptr, &handle),
            "vkCreateGraphicsPipelines");
    record_and_wait(handle, layout, slipway::rpl_push_constants(pipeline.metadata), tint);
    vkDestroyPipeline(device_, handle, nullptr);
    for (const VkShaderModule module : modules) vkDestroyShaderModule(device_, module, nullptr);
    vkDestroyPipelineLayout(device_, layout, nullptr);
    for (const VkDescriptorSetLayout set : sets_) vkDestroyDescriptorSetLayout(device_, set, nullptr);
    return color();
  }

 private:
  VkDeviceMemory allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags flags) {
    VkPhysicalDeviceMemoryProperties properties;
    vkGetPhysicalDeviceMemoryProperties(physical_, &properties);
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    info.allocationSize = needs.size;
    while (info.memoryTypeIndex < properties.memoryTypeCount &&
           ((needs.memoryTypeBits >> info.memoryTypeIndex & 1) == 0 ||
            (properties.memoryTypes[info.memoryTypeIndex].propertyFlags & flags) != flags)) {
      ++info.memoryTypeIndex;
    }
    VkDeviceMemory memory = VK_NULL_HANDLE;
    require(vkAllocateMemory(device_, &info, nullptr, &memory), "vkAllocateMemory");
    memories_.push_back(memory);
    return memory;
  }

  void make_image() {
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent = {kSize, kSize, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    require(vkCreateImage(device_, &info, nullptr, &image_), "vkCreateImage");
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device_, image_, &needs);
    require(vkBindImageMemory(device_, image_, allocate(needs, 0), 0), "vkBindImageMemory");
    VkImageViewCreateInfo view_info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view_info.image = image_;
    view_info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view_info.format = info.format;
    view_info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    require(vkCreateImageView(device_, &view_info, nullptr, &view_), "vkCreateImageView");
  }

  void make_buffer() {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = sizeof(Color) * kSize * kSize;
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    require(vkCreateBuffer(device_, &info, nullptr, &buffer_), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device_, buffer_, &needs);
    const VkDeviceMemory memory =
        allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    require(vkBindBufferMemory(device_, buffer_, memory, 0), "vkBindBufferMemory");
    require(vkMapMemory(device_, memory, 0, VK_WHOLE_SIZE, 0, &pixels_), "vkMapMemory");
  }

  VkPipelineLayout make_layout(const slipway::RplMetadata& metadata) {
    for (std::uint32_t set = 0; set < sets_.size(); ++set) {
      const std::vector<VkDescriptorSetLayoutBinding> bindings = slipway::rpl_set_bindings(metadata, set);
      VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
      info.bindingCount = static_cast<std::uint32_t>(bindings.size());
      info.pBindings = bindings.data();
      require(vkCreateDescriptorSetLayout(device_, &info, nullptr, &sets_[set]), "vkCreateDescriptorSetLayout");
    }
    const VkPushConstantRange push_constants = slipway::rpl_push_constants(metadata);
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = static_cast<std::uint32_t>(sets_.size());
    info.pSetLayouts = sets_.data();
    info.pushConstantRangeCount = push_constants.size != 0 ? 1 : 0;
    info.pPushConstantRanges = &push_constants;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    require(vkCreatePipelineLayout(device_, &info, nullptr, &layout), "vkCreatePipelineLayout");
    return layout;
  }

  VkShaderModule make_module(const rpl_module& module) {
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = module.words.size() * sizeof(std::uint32_t);
    info.pCode = module.words.data();
    VkShaderModule made = VK_NULL_HANDLE;
    require(vkCreateShaderModule(device_, &info, nullptr, &made), "vkCreateShaderModule");
    return made;
  }

  void change_layout(VkCommandBuffer commands, VkImageLayout from, VkImageLayout to) {
    VkImageMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
    barrier.srcStageMask = barrier.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    barrier.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
    barrier.oldLayout = from;
    barrier.newLayout = to;
    barrier.image = image_;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    dependency.imageMemoryBarrierCount = 1;
    dependency.pImageMemoryBarriers = &barrier;
    vkCmdPipelineBarrier2(commands, &dependency);
  }

  void record_and_wait(VkPipeline pipeline, VkPipelineLayout layout, const VkPushConstantRange& push_constants,
                       const std::array<float, 4>& tint) {
    VkCommandBufferAllocateInfo allocate_info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate_info.commandPool = pool_;
    allocate_info.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    require(vkAllocateCommandBuffers(device_, &allocate_info, &commands), "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    require(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    change_layout(commands, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    VkRenderingAttachmentInfo attachment{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    attachment.imageView = view_;
    attachment.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
    rendering.renderArea = {{0, 0}, {kSize, kSize}};
    rendering.layerCount = 1;
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachments = &attachment;
    vkCmdBeginRendering(commands, &rendering);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    const VkViewport viewport{0, 0, kSize, kSize, 0, 1};
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &rendering.renderArea);
    vkCmdPushConstants(commands, layout, push_constants.stageFlags, 0, sizeof tint, tint.data());
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
    change_layout(commands, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {kSize, kSize, 1};
    vkCmdCopyImageToBuffer(commands, image_, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer_, 1, &copy);
    require(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    require(vkQueueSubmit(queue_, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    require(vkQueueWaitIdle(queue_), "vkQueueWaitIdle");
    vkFreeCommandBuffers(device_, pool_, 1, &commands);
  }

  Color color() const {
    std::array<Color, kSize * kSize> picture;
    std::memcpy(picture.data(), pixels_, sizeof picture);
    for (const Color& pixel : picture) {
      if (pixel != picture[0]) throw std::runtime_error("the pixels differ");
    }
    return picture[0];
  }

  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkImage image_ = VK_NULL_HANDLE;
  VkImageView view_ = VK_NULL_HANDLE;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  void* pixels_ = nullptr;
  std::vector<VkDeviceMemory> memories_;
  std::array<VkDescriptorSetLayout, 4> sets_{};
};

slipway::RplProgram load(const std::filesystem::path& file) { return slipway::RplProgram::load({file}).value(); }

void check(const char* frame, const Color& color, const Color& expected) {
  std::printf("%-10s %3d %3d %3d %3d\n", frame, color[0], color[1], color[2], color[3]);
  for (std::size_t i = 0; i < color.size(); ++i) {  // devices may round either way
    if (std::abs(color[i] - expected[i]) > 1) throw std::runtime_error("another colour was expected");
  }
}

// The pipeline that the build compiled into this program: its JSON needs no compiler.
struct Embedded {
  Embedded() {
    const auto* const text = reinterpret_cast<const char*>(dimmed_metadata);
    const std::size_t size = sizeof dimmed_metadata - 1;  // a zero follows
    rpl_json_error error;
    const std::size_t needed = rpl_json_pipeline_size(text, size, &error);
    memory.resize((needed + sizeof memory[0] - 1) / sizeof memory[0]);
    const rpl_pipeline* read = nullptr;
    if (needed == 0 || rpl_json_pipeline(text, size, memory.data(), needed, &read, &error) != RPL_OK) {
      throw std::runtime_error(error.message);
    }
    pipeline = *read;
    module = pipeline.modules[0];
    module.words.items = dimmed_spirv;
    module.words.count = dimmed_spirv_words;
    pipeline.modules.items = &module;
  }
  Embedded(const Embedded&) = delete;

  std::vector<std::max_align_t> memory;
  rpl_module module{};
  rpl_pipeline pipeline{};
};

int run(const std::filesystem::path& source) {
  // A copy, because this program edits it.
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "rpl_engine_tint.rpl";
  std::filesystem::copy_file(source, file, std::filesystem::copy_options::overwrite_existing);

  Renderer renderer;
  const std::array<float, 4> tint{1, 0.8f, 0.4f, 1};
  slipway::RplVariant plain;
  plain.entry_points = {{"vertex", "vertex_main"}, {"fragment", "fragment_main"}};
  slipway::RplVariant dimmed = plain;
  dimmed.options["dimmed"] = "on";

  const slipway::RplProgram program = load(file);
  check("plain", renderer.draw(*program.compile(plain).value(), tint), {255, 204, 102, 255});
  const auto dark = program.compile(dimmed).value();
  check("dimmed", renderer.draw(*dark, tint), {128, 102, 51, 255});
  const rpl_numbers& words = dark->modules[0].words;
  if (!std::equal(words.begin(), words.end(), std::begin(dimmed_spirv), std::end(dimmed_spirv))) {
    throw std::runtime_error("the pipeline that was compiled with the program differs");
  }
  check("embedded", renderer.draw(Embedded().pipeline, tint), {128, 102, 51, 255});

  // A person edits the source; the next frame has the new pipeline.
  std::ofstream(file, std::ios::app) << "// edited\nsetting color_output_write_r block 0 = off;\n";
  if (!program.changed()) throw std::runtime_error("the change was not noticed");
  if (!program.reload().value()) throw std::runtime_error("the program was not loaded again");
  check("edited", renderer.draw(*program.compile(plain).value(), tint), {0, 204, 102, 255});
  std::filesystem::remove(file);
  return 0;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) {
    std::fputs("rpl_engine tint.rpl\n", stderr);
    return 2;
  }
  return run(arguments[1]);
} catch (const slipway::Error& error) {
  for (const slipway::Problem& problem : error.problems()) std::fputs(problem.text.c_str(), stderr);
  return 3;
} catch (const std::exception& error) {
  std::fprintf(stderr, "rpl_engine: %s\n", error.what());
  return 1;
}
