// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The minimum that a Vulkan program has to do for one dispatch, to compare Slipway with:
//
//   bench_minimal SHADER.spv DISPATCHES
//
// Makes an instance, a device, one storage buffer of 1 KiB at set 0 binding 0, one pipeline, and records DISPATCHES
// dispatches with a full barrier after each. Prints the microseconds of recording and submitting.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <volk.h>

#define CHECK(call)                                     \
  do {                                                  \
    VkResult result_ = (call);                          \
    if (result_ != VK_SUCCESS) {                        \
      fprintf(stderr, "%s: %d\n", #call, (int)result_); \
      exit(5);                                          \
    }                                                   \
  } while (0)

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const int dispatches = atoi(arguments[2]);
  FILE* file = fopen(arguments[1], "rb");
  if (!file) return 3;
  static uint32_t code[1 << 14];
  const size_t bytes = fread(code, 1, sizeof code, file);
  fclose(file);

  CHECK(volkInitialize());
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
  const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                              .pApplicationInfo = &application};
  VkInstance instance;
  CHECK(vkCreateInstance(&instance_info, NULL, &instance));
  volkLoadInstance(instance);
  uint32_t devices = 1;
  VkPhysicalDevice physical;
  const VkResult listed = vkEnumeratePhysicalDevices(instance, &devices, &physical);
  if (listed != VK_SUCCESS && listed != VK_INCOMPLETE) return 4;

  const float priority = 1.0f;
  const VkDeviceQueueCreateInfo queue_info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
  const VkDeviceCreateInfo device_info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info};
  VkDevice device;
  CHECK(vkCreateDevice(physical, &device_info, NULL, &device));
  volkLoadDevice(device);
  VkQueue queue;
  vkGetDeviceQueue(device, 0, 0, &queue);

  const VkBufferCreateInfo buffer_info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 1024, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  VkBuffer buffer;
  CHECK(vkCreateBuffer(device, &buffer_info, NULL, &buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, buffer, &needs);
  const VkMemoryAllocateInfo memory_info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                            .allocationSize = needs.size,
                                            .memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits)};
  VkDeviceMemory memory;
  CHECK(vkAllocateMemory(device, &memory_info, NULL, &memory));
  CHECK(vkBindBufferMemory(device, buffer, memory, 0));

  const VkShaderModuleCreateInfo module_info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
  VkShaderModule module;
  CHECK(vkCreateShaderModule(device, &module_info, NULL, &module));
  const VkDescriptorSetLayoutBinding binding = {.binding = 0,
                                                .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                .descriptorCount = 1,
                                                .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
  const VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 1, .pBindings = &binding};
  VkDescriptorSetLayout set_layout;
  CHECK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout));
  const VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout};
  VkPipelineLayout layout;
  CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
  const VkComputePipelineCreateInfo pipeline_info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = module,
                .pName = "main"},
      .layout = layout};
  VkPipeline pipeline;
  CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &pipeline_info, NULL, &pipeline));

  const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  const VkDescriptorPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
  VkDescriptorPool pool;
  CHECK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
  const VkDescriptorSetAllocateInfo set_allocation = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                      .descriptorPool = pool,
                                                      .descriptorSetCount = 1,
                                                      .pSetLayouts = &set_layout};
  VkDescriptorSet set;
  CHECK(vkAllocateDescriptorSets(device, &set_allocation, &set));
  const VkDescriptorBufferInfo whole = {buffer, 0, VK_WHOLE_SIZE};
  const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = set,
                                      .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = &whole};
  vkUpdateDescriptorSets(device, 1, &write, 0, NULL);

  const VkCommandPoolCreateInfo commands_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  VkCommandPool commands;
  CHECK(vkCreateCommandPool(device, &commands_info, NULL, &commands));
  const VkCommandBufferAllocateInfo command_allocation = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = commands, .commandBufferCount = 1};
  VkCommandBuffer command;
  CHECK(vkAllocateCommandBuffers(device, &command_allocation, &command));
  const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence;
  CHECK(vkCreateFence(device, &fence_info, NULL, &fence));

  const double start = now();
  const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  CHECK(vkBeginCommandBuffer(command, &begin));
  const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                   .srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                   .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
  for (int i = 0; i < dispatches; ++i) {
    vkCmdBindPipeline(command, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(command, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdDispatch(command, 4, 1, 1);
    vkCmdPipelineBarrier(command, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1,
                         &barrier, 0, NULL, 0, NULL);
  }
  CHECK(vkEndCommandBuffer(command));
  const VkSubmitInfo submit = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &command};
  CHECK(vkQueueSubmit(queue, 1, &submit, fence));
  const double submitted = now();
  CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
  printf("%.1f\n", submitted - start);

  vkDestroyFence(device, fence, NULL);
  vkDestroyCommandPool(device, commands, NULL);
  vkDestroyDescriptorPool(device, pool, NULL);
  vkDestroyPipeline(device, pipeline, NULL);
  vkDestroyPipelineLayout(device, layout, NULL);
  vkDestroyDescriptorSetLayout(device, set_layout, NULL);
  vkDestroyShaderModule(device, module, NULL);
  vkDestroyBuffer(device, buffer, NULL);
  vkFreeMemory(device, memory, NULL);
  vkDestroyDevice(device, NULL);
  vkDestroyInstance(instance, NULL);
  return 0;
}
