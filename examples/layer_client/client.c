// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* A program on vulkan.h alone that runs a graph with VK_ARM_tensors and VK_ARM_data_graph: y = |x| * w.
 *
 *   slipway layer run -- layer_client
 *   layer_client VK_LAYER_SLIPWAY_machine_learning    where the loader of Vulkan knows the layer
 *
 * It creates two tensors, a pipeline of the graph with a constant, and a session; dispatches; and checks the result. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "graph.h"

static void check(VkResult result, const char* call) {
  if (result == VK_SUCCESS) return;
  fprintf(stderr, "%s returned %d\n", call, result);
  exit(1);
}
#define CHECK(call) check((call), #call)

/* A function of an extension. */
static PFN_vkVoidFunction find(VkDevice device, const char* name) {
  PFN_vkVoidFunction function = vkGetDeviceProcAddr(device, name);
  if (function == NULL) {
    fprintf(stderr, "the device does not have %s\n", name);
    exit(1);
  }
  return function;
}
#define FIND(name) PFN_##name name##_ = (PFN_##name)find(device, #name)

static uint32_t memory_type(VkPhysicalDevice physical, uint32_t allowed) {
  const VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties properties;
  vkGetPhysicalDeviceMemoryProperties(physical, &properties);
  for (uint32_t i = 0; i < properties.memoryTypeCount; ++i) {
    if ((allowed >> i & 1) != 0 && (properties.memoryTypes[i].propertyFlags & host) == host) return i;
  }
  fprintf(stderr, "no memory that the host sees\n");
  exit(1);
}

static VkDeviceMemory allocate(VkPhysicalDevice physical, VkDevice device, const VkMemoryRequirements* needs) {
  const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = needs->size,
                                     .memoryTypeIndex = memory_type(physical, needs->memoryTypeBits)};
  VkDeviceMemory memory;
  CHECK(vkAllocateMemory(device, &info, NULL, &memory));
  return memory;
}

int main(int count_of_arguments, char** arguments) {
  const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
  const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                              .pApplicationInfo = &application,
                                              .enabledLayerCount = count_of_arguments > 1,
                                              .ppEnabledLayerNames = (const char* const*)&arguments[1]};
  VkInstance instance;
  CHECK(vkCreateInstance(&instance_info, NULL, &instance));
  uint32_t count = 1;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  vkEnumeratePhysicalDevices(instance, &count, &physical);
  if (physical == VK_NULL_HANDLE) {
    fprintf(stderr, "no Vulkan device\n");
    return 1;
  }

  /* A queue family with graphs. */
  uint32_t families = 16, family = 0;
  VkQueueFamilyProperties properties[16];
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &families, properties);
  while (family < families && (properties[family].queueFlags & VK_QUEUE_DATA_GRAPH_BIT_ARM) == 0) ++family;
  if (family == families) {
    fprintf(stderr, "the device has no data graphs; start this program with `slipway layer run -- PROGRAM`\n");
    return 1;
  }

  VkPhysicalDeviceDataGraphFeaturesARM graphs = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DATA_GRAPH_FEATURES_ARM,
                                                 .dataGraph = VK_TRUE,
                                                 .dataGraphShaderModule = VK_TRUE};
  VkPhysicalDeviceTensorFeaturesARM tensors = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TENSOR_FEATURES_ARM, .pNext = &graphs, .tensors = VK_TRUE};
  VkPhysicalDeviceMaintenance5Features maintenance = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES, .pNext = &tensors, .maintenance5 = VK_TRUE};
  VkPhysicalDeviceVulkan13Features vulkan13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                               .pNext = &maintenance,
                                               .synchronization2 = VK_TRUE};
  VkPhysicalDeviceVulkan12Features vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                               .pNext = &vulkan13,
                                               .vulkanMemoryModel = VK_TRUE,
                                               .shaderInt8 = VK_TRUE};
  const char* extensions[] = {VK_ARM_TENSORS_EXTENSION_NAME, VK_ARM_DATA_GRAPH_EXTENSION_NAME,
                              VK_KHR_MAINTENANCE_5_EXTENSION_NAME, VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME};
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                              .queueFamilyIndex = family,
                                              .queueCount = 1,
                                              .pQueuePriorities = &priority};
  const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                          .pNext = &vulkan12,
                                          .queueCreateInfoCount = 1,
                                          .pQueueCreateInfos = &queue_info,
                                          .enabledExtensionCount = 4,
                                          .ppEnabledExtensionNames = extensions};
  VkDevice device;
  CHECK(vkCreateDevice(physical, &device_info, NULL, &device));
  VkQueue queue;
  vkGetDeviceQueue(device, family, 0, &queue);
  FIND(vkCreateTensorARM);
  FIND(vkDestroyTensorARM);
  FIND(vkCreateTensorViewARM);
  FIND(vkDestroyTensorViewARM);
  FIND(vkGetTensorMemoryRequirementsARM);
  FIND(vkBindTensorMemoryARM);
  FIND(vkCreateDataGraphPipelinesARM);
  FIND(vkCreateDataGraphPipelineSessionARM);
  FIND(vkDestroyDataGraphPipelineSessionARM);
  FIND(vkGetDataGraphPipelineSessionBindPointRequirementsARM);
  FIND(vkGetDataGraphPipelineSessionMemoryRequirementsARM);
  FIND(vkBindDataGraphPipelineSessionMemoryARM);
  FIND(vkCmdDispatchDataGraphARM);

  /* x and y: 4 floats each. */
  const int64_t shape[] = {4};
  const VkTensorDescriptionARM description = {.sType = VK_STRUCTURE_TYPE_TENSOR_DESCRIPTION_ARM,
                                              .tiling = VK_TENSOR_TILING_LINEAR_ARM,
                                              .format = VK_FORMAT_R32_SFLOAT,
                                              .dimensionCount = 1,
                                              .pDimensions = shape,
                                              .usage = VK_TENSOR_USAGE_DATA_GRAPH_BIT_ARM};
  const VkTensorCreateInfoARM tensor_info = {.sType = VK_STRUCTURE_TYPE_TENSOR_CREATE_INFO_ARM,
                                             .pDescription = &description};
  VkTensorARM tensor[2];
  VkTensorViewARM view[2];
  VkDeviceMemory memory[2];
  float* data[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(vkCreateTensorARM_(device, &tensor_info, NULL, &tensor[i]));
    const VkTensorMemoryRequirementsInfoARM of = {.sType = VK_STRUCTURE_TYPE_TENSOR_MEMORY_REQUIREMENTS_INFO_ARM,
                                                  .tensor = tensor[i]};
    VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    vkGetTensorMemoryRequirementsARM_(device, &of, &needs);
    memory[i] = allocate(physical, device, &needs.memoryRequirements);
    const VkBindTensorMemoryInfoARM bind = {
        .sType = VK_STRUCTURE_TYPE_BIND_TENSOR_MEMORY_INFO_ARM, .tensor = tensor[i], .memory = memory[i]};
    CHECK(vkBindTensorMemoryARM_(device, 1, &bind));
    const VkTensorViewCreateInfoARM view_info = {.sType = VK_STRUCTURE_TYPE_TENSOR_VIEW_CREATE_INFO_ARM,
                                                 .tensor = tensor[i],
                                                 .format = VK_FORMAT_R32_SFLOAT};
    CHECK(vkCreateTensorViewARM_(device, &view_info, NULL, &view[i]));
    CHECK(vkMapMemory(device, memory[i], 0, VK_WHOLE_SIZE, 0, (void**)&data[i]));
  }

  /* A descriptor set with both. */
  const VkDescriptorSetLayoutBinding bindings[] = {{0, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 1, VK_SHADER_STAGE_ALL, NULL},
                                                   {1, VK_DESCRIPTOR_TYPE_TENSOR_ARM, 1, VK_SHADER_STAGE_ALL, NULL}};
  const VkDescriptorSetLayoutCreateInfo set_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
  VkDescriptorSetLayout set_layout;
  CHECK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout));
  const VkPipelineLayoutCreateInfo layout_info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout};
  VkPipelineLayout layout;
  CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
  const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_TENSOR_ARM, 2};
  const VkDescriptorPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
  VkDescriptorPool pool;
  CHECK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
  const VkDescriptorSetAllocateInfo allocate_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                     .descriptorPool = pool,
                                                     .descriptorSetCount = 1,
                                                     .pSetLayouts = &set_layout};
  VkDescriptorSet set;
  CHECK(vkAllocateDescriptorSets(device, &allocate_info, &set));
  for (uint32_t i = 0; i < 2; ++i) {
    const VkWriteDescriptorSetTensorARM views = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_TENSOR_ARM,
                                                 .tensorViewCount = 1,
                                                 .pTensorViews = &view[i]};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .pNext = &views,
                                        .dstSet = set,
                                        .dstBinding = i,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_TENSOR_ARM};
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
  }

  /* The pipeline, with the constant w. */
  const float w[] = {1, 10, 100, 1000};
  const VkDataGraphPipelineConstantARM constant = {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CONSTANT_ARM,
                                                   .pNext = &description,
                                                   .id = 0,
                                                   .pConstantData = w};
  const VkShaderModuleCreateInfo module_info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof kGraph, .pCode = kGraph};
  VkShaderModule module;
  CHECK(vkCreateShaderModule(device, &module_info, NULL, &module));
  const VkDataGraphPipelineShaderModuleCreateInfoARM shader = {
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM,
      .module = module,
      .pName = "main",
      .constantCount = 1,
      .pConstants = &constant};
  const VkDataGraphPipelineResourceInfoARM resources[] = {
      {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_ARM, .pNext = &description, .binding = 0},
      {.sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_RESOURCE_INFO_ARM, .pNext = &description, .binding = 1}};
  const VkDataGraphPipelineCreateInfoARM pipeline_info = {
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM,
      .pNext = &shader,
      .layout = layout,
      .resourceInfoCount = 2,
      .pResourceInfos = resources};
  VkPipeline pipeline;
  CHECK(vkCreateDataGraphPipelinesARM_(device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &pipeline_info, NULL, &pipeline));
  vkDestroyShaderModule(device, module, NULL);

  /* The session, with memory if it needs some. */
  const VkDataGraphPipelineSessionCreateInfoARM session_info = {
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_CREATE_INFO_ARM, .dataGraphPipeline = pipeline};
  VkDataGraphPipelineSessionARM session;
  CHECK(vkCreateDataGraphPipelineSessionARM_(device, &session_info, NULL, &session));
  const VkDataGraphPipelineSessionBindPointRequirementsInfoARM points_info = {
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_REQUIREMENTS_INFO_ARM, .session = session};
  VkDataGraphPipelineSessionBindPointRequirementARM point = {
      .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_BIND_POINT_REQUIREMENT_ARM};
  uint32_t points = 1;
  CHECK(vkGetDataGraphPipelineSessionBindPointRequirementsARM_(device, &points_info, &points, &point));
  VkDeviceMemory session_memory = VK_NULL_HANDLE;
  if (points != 0) {
    const VkDataGraphPipelineSessionMemoryRequirementsInfoARM of = {
        .sType = VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SESSION_MEMORY_REQUIREMENTS_INFO_ARM,
        .session = session,
        .bindPoint = point.bindPoint};
    VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    vkGetDataGraphPipelineSessionMemoryRequirementsARM_(device, &of, &needs);
    session_memory = allocate(physical, device, &needs.memoryRequirements);
    const VkBindDataGraphPipelineSessionMemoryInfoARM bind = {
        .sType = VK_STRUCTURE_TYPE_BIND_DATA_GRAPH_PIPELINE_SESSION_MEMORY_INFO_ARM,
        .session = session,
        .bindPoint = point.bindPoint,
        .memory = session_memory};
    CHECK(vkBindDataGraphPipelineSessionMemoryARM_(device, 1, &bind));
  }

  /* Record, submit, wait. */
  const VkCommandPoolCreateInfo commands_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                                 .queueFamilyIndex = family};
  VkCommandPool command_pool;
  CHECK(vkCreateCommandPool(device, &commands_info, NULL, &command_pool));
  const VkCommandBufferAllocateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                   .commandPool = command_pool,
                                                   .commandBufferCount = 1};
  VkCommandBuffer commands;
  CHECK(vkAllocateCommandBuffers(device, &buffer_info, &commands));
  const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  CHECK(vkBeginCommandBuffer(commands, &begin));
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_DATA_GRAPH_ARM, layout, 0, 1, &set, 0, NULL);
  vkCmdDispatchDataGraphARM_(commands, session, NULL);
  const VkMemoryBarrier2 barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                    .srcStageMask = VK_PIPELINE_STAGE_2_DATA_GRAPH_BIT_ARM,
                                    .srcAccessMask = VK_ACCESS_2_DATA_GRAPH_WRITE_BIT_ARM,
                                    .dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT,
                                    .dstAccessMask = VK_ACCESS_2_HOST_READ_BIT};
  const VkDependencyInfo dependency = {
      .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &barrier};
  vkCmdPipelineBarrier2(commands, &dependency);
  CHECK(vkEndCommandBuffer(commands));
  const float x[] = {-1, 2, -3, 4};
  memcpy(data[0], x, sizeof x);
  const VkSubmitInfo submit = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
  CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
  CHECK(vkQueueWaitIdle(queue));

  int status = 0;
  for (int i = 0; i < 4; ++i) {
    const float expected = (x[i] < 0 ? -x[i] : x[i]) * w[i];
    printf("y[%d] = %g\n", i, data[1][i]);
    if (data[1][i] != expected) {
      fprintf(stderr, "y[%d] is %g, expected %g\n", i, data[1][i], expected);
      status = 1;
    }
  }

  vkDestroyCommandPool(device, command_pool, NULL);
  vkDestroyDataGraphPipelineSessionARM_(device, session, NULL);
  vkFreeMemory(device, session_memory, NULL);
  vkDestroyPipeline(device, pipeline, NULL);
  vkDestroyDescriptorPool(device, pool, NULL);
  vkDestroyPipelineLayout(device, layout, NULL);
  vkDestroyDescriptorSetLayout(device, set_layout, NULL);
  for (int i = 0; i < 2; ++i) {
    vkDestroyTensorViewARM_(device, view[i], NULL);
    vkDestroyTensorARM_(device, tensor[i], NULL);
    vkFreeMemory(device, memory[i], NULL);
  }
  vkDestroyDevice(device, NULL);
  vkDestroyInstance(instance, NULL);
  return status;
}
