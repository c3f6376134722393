// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small deferred renderer in C: deferred DIRECTORY PACK [LIVE]
//
// It compiles the pipelines of both passes from the sources in DIRECTORY, draws frames of 16x16 pixels without a window, edits the
// material as a person would, and draws on: with errors with the old pipeline, then with the new one. Then it draws the same with the
// pipelines of PACK, which a game would read. With LIVE, a pack that `slipway serve` replaces, or its socket, it draws with the
// pipelines of the newest pack, and edits the material again. The colours of all frames are checked, and the times from an edit to
// its picture are printed. C99; needs Vulkan 1.3.
#define _POSIX_C_SOURCE 199309L
#include <slipway/rpl.h>
#include <slipway/rpl_vulkan.h>
#include <slipway/rpl_watch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kSize = 16, kPixels = kSize * kSize * 4, kMissing = 4 };

static void fail(const char* what) {
  fprintf(stderr, "deferred: %s\n", what);
  exit(1);
}
static void require(VkResult result, const char* what) {
  if (result != VK_SUCCESS) fail(what);
}
static double milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}
static void show(rpl_problems* problems) {
  for (uint32_t i = 0; i < problems->count; ++i) fputs(problems->items[i].text.data, stderr);
  rpl_problems_free(problems);
}

// --- the device ------------------------------------------------------------------------------------------------------

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandPool commands_pool;
static VkDescriptorPool descriptor_pool;
static VkSampler sampler;

typedef struct Image {
  VkImage image;
  VkDeviceMemory memory;
  VkImageView view;
} Image;
static Image albedo, normal, target;
static VkBuffer pixels;
static VkDeviceMemory pixels_memory;
static void* pixels_at;

static VkDeviceMemory allocate(const VkMemoryRequirements* needs, VkMemoryPropertyFlags flags) {
  VkPhysicalDeviceMemoryProperties properties;
  VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs->size};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  vkGetPhysicalDeviceMemoryProperties(physical, &properties);
  while (info.memoryTypeIndex < properties.memoryTypeCount &&
         ((needs->memoryTypeBits >> info.memoryTypeIndex & 1) == 0 ||
          (properties.memoryTypes[info.memoryTypeIndex].propertyFlags & flags) != flags)) {
    ++info.memoryTypeIndex;
  }
  require(vkAllocateMemory(device, &info, NULL, &memory), "vkAllocateMemory");
  return memory;
}

static Image make_image(VkFormat format) {
  const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                  .imageType = VK_IMAGE_TYPE_2D,
                                  .format = format,
                                  .extent = {kSize, kSize, 1},
                                  .mipLevels = 1,
                                  .arrayLayers = 1,
                                  .samples = VK_SAMPLE_COUNT_1_BIT,
                                  .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
  Image made;
  VkMemoryRequirements needs;
  require(vkCreateImage(device, &info, NULL, &made.image), "vkCreateImage");
  vkGetImageMemoryRequirements(device, made.image, &needs);
  made.memory = allocate(&needs, 0);
  require(vkBindImageMemory(device, made.image, made.memory, 0), "vkBindImageMemory");
  const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                      .image = made.image,
                                      .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                      .format = format,
                                      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  require(vkCreateImageView(device, &view, NULL, &made.view), "vkCreateImageView");
  return made;
}

static void destroy_image(Image* image) {
  vkDestroyImageView(device, image->view, NULL);
  vkDestroyImage(device, image->image, NULL);
  vkFreeMemory(device, image->memory, NULL);
}

// Opens a device with what the pipelines need; names what it lacks.
static void open_device(const rpl_pipeline* const* pipelines, uint32_t count) {
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
  const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
  require(vkCreateInstance(&instance_info, NULL, &instance), "vkCreateInstance");
  uint32_t devices = 1;
  if (vkEnumeratePhysicalDevices(instance, &devices, &physical) < 0 || devices == 0) fail("there is no Vulkan device");

  rpl_vulkan_features supported, needed;
  rpl_vulkan_begin_features(&supported, NULL);
  rpl_vulkan_begin_features(&needed, NULL);
  vkGetPhysicalDeviceFeatures2(physical, &supported.core);
  for (uint32_t i = 0; i < count; ++i) {
    const char* missing[8];
    const uint32_t lacks = rpl_vulkan_missing_features(&pipelines[i]->metadata, &supported, missing, 8);
    for (uint32_t k = 0; k < lacks && k < 8; ++k) fprintf(stderr, "deferred: the device has no %s\n", missing[k]);
    if (lacks != 0) exit(kMissing);
    rpl_vulkan_add_features(&pipelines[i]->metadata, &needed);
  }

  const float priority = 1;
  const VkDeviceQueueCreateInfo queue_info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  const VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &needed.core, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info};
  require(vkCreateDevice(physical, &info, NULL, &device), "vkCreateDevice");
  vkGetDeviceQueue(device, 0, 0, &queue);
  const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  require(vkCreateCommandPool(device, &pool, NULL, &commands_pool), "vkCreateCommandPool");
  const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_SAMPLER, 1}, {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 2}};
  const VkDescriptorPoolCreateInfo descriptors = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes};
  require(vkCreateDescriptorPool(device, &descriptors, NULL, &descriptor_pool), "vkCreateDescriptorPool");
  const VkSamplerCreateInfo sampler_info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  require(vkCreateSampler(device, &sampler_info, NULL, &sampler), "vkCreateSampler");

  albedo = make_image(VK_FORMAT_R8G8B8A8_UNORM);
  normal = make_image(VK_FORMAT_R16G16B16A16_SFLOAT);
  target = make_image(VK_FORMAT_R8G8B8A8_UNORM);
  const VkBufferCreateInfo buffer = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = kPixels, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  VkMemoryRequirements needs;
  require(vkCreateBuffer(device, &buffer, NULL, &pixels), "vkCreateBuffer");
  vkGetBufferMemoryRequirements(device, pixels, &needs);
  pixels_memory = allocate(&needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  require(vkBindBufferMemory(device, pixels, pixels_memory, 0), "vkBindBufferMemory");
  require(vkMapMemory(device, pixels_memory, 0, VK_WHOLE_SIZE, 0, &pixels_at), "vkMapMemory");
}

static void close_device(void) {
  destroy_image(&albedo);
  destroy_image(&normal);
  destroy_image(&target);
  vkDestroyBuffer(device, pixels, NULL);
  vkFreeMemory(device, pixels_memory, NULL);
  vkDestroySampler(device, sampler, NULL);
  vkDestroyDescriptorPool(device, descriptor_pool, NULL);
  vkDestroyCommandPool(device, commands_pool, NULL);
  vkDestroyDevice(device, NULL);
  vkDestroyInstance(instance, NULL);
}

// --- pipelines -------------------------------------------------------------------------------------------------------

typedef struct Pipeline {
  const rpl_pipeline* from;
  rpl_vulkan_layouts layouts;
  VkPipeline handle;
} Pipeline;

static Pipeline make_pipeline(const rpl_pipeline* from) {
  Pipeline made = {.from = from};
  VkShaderModule modules[2] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
  rpl_vulkan_graphics info;
  require(rpl_vulkan_make_layouts(device, &from->metadata, vkCreateDescriptorSetLayout, vkCreatePipelineLayout, &made.layouts),
          "rpl_vulkan_make_layouts");
  for (uint32_t i = 0; i < from->modules.count && i < 2; ++i) {
    const rpl_numbers words = from->modules.items[i].words;
    const VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = words.count * sizeof *words.items, .pCode = words.items};
    require(vkCreateShaderModule(device, &module, NULL, &modules[i]), "vkCreateShaderModule");
  }
  if (rpl_vulkan_graphics_pipeline(from, modules, from->modules.count, made.layouts.pipeline, &info) != RPL_OK) {
    fail("rpl_vulkan_graphics_pipeline");
  }
  require(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info.create_info, NULL, &made.handle), "vkCreateGraphicsPipelines");
  for (uint32_t i = 0; i < 2; ++i) vkDestroyShaderModule(device, modules[i], NULL);
  return made;
}

static void destroy_pipeline(Pipeline* pipeline) {
  vkDestroyPipeline(device, pipeline->handle, NULL);
  vkDestroyPipelineLayout(device, pipeline->layouts.pipeline, NULL);
  for (uint32_t set = 0; set < 4; ++set) vkDestroyDescriptorSetLayout(device, pipeline->layouts.sets[set], NULL);
}

// --- a frame ---------------------------------------------------------------------------------------------------------

static void barrier(VkCommandBuffer commands, const Image* image, VkImageLayout from, VkImageLayout to) {
  const VkImageMemoryBarrier info = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                     .oldLayout = from,
                                     .newLayout = to,
                                     .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .image = image->image,
                                     .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &info);
}

static void draw_pass(VkCommandBuffer commands, const Pipeline* pipeline, const Image* const* images, uint32_t count,
                      const float* constants, VkDescriptorSet set) {
  VkRenderingAttachmentInfo attachments[2];
  memset(attachments, 0, sizeof attachments);
  for (uint32_t i = 0; i < count; ++i) {
    attachments[i].sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
    attachments[i].imageView = images[i]->view;
    attachments[i].imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    attachments[i].loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachments[i].storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    barrier(commands, images[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  }
  const VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                     .renderArea = {{0, 0}, {kSize, kSize}},
                                     .layerCount = 1,
                                     .colorAttachmentCount = count,
                                     .pColorAttachments = attachments};
  const VkViewport viewport = {0, 0, kSize, kSize, 0, 1};
  const VkPushConstantRange range = rpl_vulkan_push_constants(&pipeline->from->metadata);
  vkCmdBeginRendering(commands, &rendering);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline->handle);
  vkCmdSetViewport(commands, 0, 1, &viewport);
  vkCmdSetScissor(commands, 0, 1, &rendering.renderArea);
  if (set) vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline->layouts.pipeline, 0, 1, &set, 0, NULL);
  vkCmdPushConstants(commands, pipeline->layouts.pipeline, range.stageFlags, 0, range.size, constants);
  vkCmdDraw(commands, 3, 1, 0, 0);
  vkCmdEndRendering(commands);
}

// The images of the first pass by the names that the program has for them.
static VkDescriptorSet make_set(const Pipeline* lighting) {
  const rpl_descriptor_set* const from = &lighting->from->metadata.pipeline_interface.sets[0];
  const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = descriptor_pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &lighting->layouts.sets[0]};
  VkDescriptorSet set = VK_NULL_HANDLE;
  require(vkAllocateDescriptorSets(device, &info, &set), "vkAllocateDescriptorSets");
  const VkDescriptorImageInfo sampler_info = {.sampler = sampler};
  VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                .dstSet = set,
                                .descriptorCount = 1,
                                .descriptorType = VK_DESCRIPTOR_TYPE_SAMPLER,
                                .dstBinding = from->samplers.items[0].binding,
                                .pImageInfo = &sampler_info};
  vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
  for (uint32_t i = 0; i < from->images.count; ++i) {
    const int is_albedo = strcmp(from->images.items[i].name.data, "albedo_image") == 0;
    const VkDescriptorImageInfo image_info = {.imageView = is_albedo ? albedo.view : normal.view,
                                              .imageLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    write.descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    write.dstBinding = from->images.items[i].binding;
    write.pImageInfo = &image_info;
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
  }
  return set;
}

static void draw(const char* frame, const rpl_pipeline* g_buffer_pipeline, const rpl_pipeline* lighting_pipeline,
                 const int expected[3]) {
  Pipeline g_buffer = make_pipeline(g_buffer_pipeline), lighting = make_pipeline(lighting_pipeline);
  const float surface[8] = {0.8f, 0.4f, 0.2f, 1, 0, 0, 2, 0};
  const float light[8] = {0, 0.6f, 0.8f, 0, 0.1f, 0, 0, 0};
  const Image* const stored[] = {&albedo, &normal};
  const Image* const shown[] = {&target};
  const VkCommandBufferAllocateInfo allocate_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = commands_pool, .commandBufferCount = 1};
  const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {kSize, kSize, 1}};
  VkCommandBuffer commands = VK_NULL_HANDLE;
  require(vkAllocateCommandBuffers(device, &allocate_info, &commands), "vkAllocateCommandBuffers");
  require(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  draw_pass(commands, &g_buffer, stored, 2, surface, VK_NULL_HANDLE);
  for (int i = 0; i < 2; ++i) {
    barrier(commands, stored[i], VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  }
  draw_pass(commands, &lighting, shown, 1, light, make_set(&lighting));
  barrier(commands, &target, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  vkCmdCopyImageToBuffer(commands, target.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels, 1, &copy);
  require(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  require(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  require(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
  require(vkResetDescriptorPool(device, descriptor_pool, 0), "vkResetDescriptorPool");
  vkFreeCommandBuffers(device, commands_pool, 1, &commands);
  destroy_pipeline(&g_buffer);
  destroy_pipeline(&lighting);

  const unsigned char* const color = pixels_at;
  printf("%-9s %3d %3d %3d\n", frame, color[0], color[1], color[2]);
  for (int i = 0; i < kPixels; ++i) {
    if (color[i] != color[i % 4]) fail("the pixels differ");
  }
  for (int i = 0; i < 3; ++i) {  // devices may round either way
    if (abs(color[i] - expected[i]) > 1) fail("another colour was expected");
  }
}

// --- sources and packs -----------------------------------------------------------------------------------------------

// A path, which the caller frees.
static char* join(const char* directory, const char* name) {
  const size_t size = strlen(directory) + strlen(name) + 2;
  char* const path = malloc(size);
  if (!path) fail("there is no memory");
  snprintf(path, size, "%s/%s", directory, name);
  return path;
}

static rpl_program* load(rpl_compiler* compiler, const char* directory, const char* const* names, size_t count) {
  rpl_program* program = NULL;
  rpl_problems problems;
  char* paths[4];
  for (size_t i = 0; i < count; ++i) paths[i] = join(directory, names[i]);
  if (rpl_program_load(compiler, (const char* const*)paths, count, &program, &problems) != RPL_OK) {
    show(&problems);
    exit(3);
  }
  for (size_t i = 0; i < count; ++i) free(paths[i]);
  return program;
}

static const rpl_pipeline* compile(rpl_program* program, const rpl_option_value* options, size_t count) {
  const rpl_entry_point_name entries[] = {{RPL_STAGE_VERTEX, "vertex_main"}, {RPL_STAGE_FRAGMENT, "fragment_main"}};
  const rpl_variant variant = {
      .size = sizeof variant, .options = options, .option_count = count, .entry_points = entries, .entry_point_count = 2};
  const rpl_pipeline* pipeline = NULL;
  rpl_problems problems;
  if (rpl_program_compile(program, &variant, &pipeline, &problems) != RPL_OK) {
    show(&problems);
    exit(3);
  }
  return pipeline;
}

static void* read_file(const char* path, size_t* size) {
  FILE* const file = fopen(path, "rb");
  if (!file) fail("the file cannot be read");
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  void* const bytes = malloc(*size);
  if (!bytes || fread(bytes, 1, *size, file) != *size) fail("the file cannot be read");
  fclose(file);
  return bytes;
}

static void write_file(const char* path, const char* text, size_t size) {
  FILE* const file = fopen(path, "wb");
  if (!file || fwrite(text, 1, size, file) != size || fclose(file) != 0) fail("the file cannot be written");
}

// The structures of a variant, in memory that the caller frees.
static const rpl_pipeline* read_pipeline(const rpl_pack* pack, const char* name, const rpl_option_value* options, size_t count,
                                         void** memory) {
  uint32_t program = 0, variant = 0;
  const rpl_pipeline* pipeline = NULL;
  if (rpl_pack_find_program(pack, name, &program) != RPL_OK) fail("the pack has no such program");
  if (rpl_pack_find_variant(pack, program, options, count, &variant) != RPL_OK) fail("the pack has no such variant");
  const size_t size = rpl_pack_pipeline_size(pack, program, variant);
  *memory = malloc(size);
  if (rpl_pack_pipeline(pack, program, variant, *memory, size, &pipeline) != RPL_OK) fail("the pack is damaged");
  return pipeline;
}

// --- live editing ----------------------------------------------------------------------------------------------------

static const char kEdited[] =
    "push_constant surface { f4 albedo; f4 normal; };\n"
    "void fragment_main (void)\n"
    "{\n"
    "    g_buffer.albedo = f4 {surface.albedo.x, 0.0, 0.0, 1.0};\n"
    "    g_buffer.normal = f4 {normalize_f3 (surface.normal.xyz), 0.0};\n"
    "}\n";

// Frames until a pipeline is another one.
static void await_change(rpl_watch* watch) {
  enum { kMaxFrames = 20000 };
  const struct timespec frame = {0, 1000000};
  for (int i = 0; i < kMaxFrames; ++i) {
    int changes = 0;
    while (rpl_watch_next(watch) != NULL) ++changes;
    if (changes != 0) return;
    nanosleep(&frame, NULL);
  }
  fail("no pipeline has changed");
}

static void draw_live(const char* path, const char* material, const char* before, size_t size, const int lit[3], const int red[3]) {
  rpl_watch* const watch = rpl_watch_open(path);
  rpl_watched g_buffer = {.program = "g_buffer/surface"}, lighting = {.program = "lighting"};
  if (!watch) fail("there is no memory");
  rpl_watch_add(watch, &g_buffer);
  rpl_watch_add(watch, &lighting);
  while (!g_buffer.pipeline || !lighting.pipeline) await_change(watch);
  draw("live", g_buffer.pipeline, lighting.pipeline, lit);
  const rpl_pipeline* const unchanged = lighting.pipeline;
  for (int i = 0; i < 2; ++i) {
    const double begin = milliseconds();
    if (i == 0) {
      write_file(material, kEdited, sizeof kEdited - 1);
    } else {
      write_file(material, before, size);
    }
    await_change(watch);
    draw(i == 0 ? "swapped" : "restored", g_buffer.pipeline, lighting.pipeline, i == 0 ? red : lit);
    printf("edit to picture, through the pack: %.1f ms\n", milliseconds() - begin);
  }
  if (lighting.pipeline != unchanged) fail("a pipeline of other sources was replaced");
  if (rpl_watch_next(watch) != NULL) fail("a change was reported twice");
  rpl_watch_close(watch);
}

int main(int count, char** arguments) {
  static const int lit[3] = {184, 92, 46}, dark[3] = {92, 46, 23}, red[3] = {184, 0, 0};
  static const char* const g_buffer_files[] = {"screen.rpl", "g_buffer.rpl", "material.rpl"};
  static const char* const lighting_files[] = {"screen.rpl", "lighting.rpl"};
  const rpl_option_value is_dark = {"dark", "on"};
  if (count != 3 && count != 4) {
    fputs("deferred DIRECTORY PACK [LIVE]\n", stderr);
    return 2;
  }
  // The compiler reads screen.rpl once for both programs.
  rpl_compiler* const compiler = rpl_compiler_create(NULL);
  rpl_program* const g_buffer = load(compiler, arguments[1], g_buffer_files, 3);
  rpl_program* const lighting = load(compiler, arguments[1], lighting_files, 2);
  const rpl_pipeline* compiled[] = {compile(g_buffer, NULL, 0), compile(g_buffer, &is_dark, 1), compile(lighting, NULL, 0)};
  open_device(compiled, 3);
  draw("lit", compiled[0], compiled[2], lit);
  draw("dark", compiled[1], compiled[2], dark);

  // A person edits the material.
  size_t size = 0, pack_size = 0;
  char* const material = join(arguments[1], "material.rpl");
  char* const before = read_file(material, &size);
  int reloaded = 0;
  rpl_problems problems;
  write_file(material, "broken", 6);
  if (!rpl_program_changed(g_buffer) || rpl_program_reload(g_buffer, &reloaded, &problems) == RPL_OK) fail("the error was not noticed");
  rpl_problems_free(&problems);
  if (rpl_program_changed(g_buffer)) fail("the same contents would be tried again");
  const rpl_pipeline* const kept = compile(g_buffer, NULL, 0);
  draw("kept", kept, compiled[2], lit);
  const double begin = milliseconds();
  write_file(material, kEdited, sizeof kEdited - 1);
  if (!rpl_program_changed(g_buffer) || rpl_program_reload(g_buffer, &reloaded, &problems) != RPL_OK || !reloaded) {
    fail("the edit was not noticed");
  }
  rpl_problems_free(&problems);
  const rpl_pipeline* const anew = compile(g_buffer, NULL, 0);
  draw("edited", anew, compiled[2], red);
  printf("edit to picture, compiler in the engine: %.1f ms\n", milliseconds() - begin);
  write_file(material, before, size);

  // What a game does: the pipelines of the pack.
  rpl_pack pack;
  void* const bytes = read_file(arguments[2], &pack_size);
  void* memory[2];
  if (rpl_pack_open(bytes, pack_size, &pack) != RPL_OK) fail("this is not a pack");
  const rpl_pipeline* const packed[] = {read_pipeline(&pack, "g_buffer/surface", &is_dark, 1, &memory[0]),
                                        read_pipeline(&pack, "lighting", NULL, 0, &memory[1])};
  draw("packed", packed[0], packed[1], dark);
  if (strcmp(packed[0]->metadata.hashes.pipeline.data, compiled[1]->metadata.hashes.pipeline.data) != 0) fail("the pack has another pipeline");

  if (count == 4) draw_live(arguments[3], material, before, size, lit, red);

  close_device();
  for (int i = 0; i < 3; ++i) rpl_pipeline_release(compiled[i]);
  rpl_pipeline_release(kept);
  rpl_pipeline_release(anew);
  rpl_program_release(g_buffer);
  rpl_program_release(lighting);
  rpl_compiler_release(compiler);
  for (int i = 0; i < 2; ++i) free(memory[i]);
  free(bytes);
  free(before);
  free(material);
  return 0;
}
