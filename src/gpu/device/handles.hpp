// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vulkan's handles without Vulkan's headers, and their owner.
#pragma once

#include <utility>

struct VkBuffer_T;
struct VkBufferView_T;
struct VkImage_T;
struct VkImageView_T;
struct VkSampler_T;
struct VkDescriptorSetLayout_T;
struct VkDescriptorPool_T;
struct VkDescriptorSet_T;
struct VkPipelineLayout_T;
struct VkPipeline_T;
struct VkPipelineCache_T;
struct VkShaderModule_T;
struct VkCommandPool_T;
struct VkCommandBuffer_T;
struct VkQueryPool_T;
struct VkSemaphore_T;
struct VkTensorARM_T;
struct VkTensorViewARM_T;
struct VkDataGraphPipelineSessionARM_T;
struct VmaAllocation_T;

namespace slipway::gpu {

struct DeviceCore;

void destroy_object(const DeviceCore& core, VkBuffer_T* object);
void destroy_object(const DeviceCore& core, VkBufferView_T* object);
void destroy_object(const DeviceCore& core, VkImage_T* object);
void destroy_object(const DeviceCore& core, VkImageView_T* object);
void destroy_object(const DeviceCore& core, VkSampler_T* object);
void destroy_object(const DeviceCore& core, VkDescriptorSetLayout_T* object);
void destroy_object(const DeviceCore& core, VkDescriptorPool_T* object);
void destroy_object(const DeviceCore& core, VkPipelineLayout_T* object);
void destroy_object(const DeviceCore& core, VkPipeline_T* object);
void destroy_object(const DeviceCore& core, VkPipelineCache_T* object);
void destroy_object(const DeviceCore& core, VkShaderModule_T* object);
void destroy_object(const DeviceCore& core, VkCommandPool_T* object);
void destroy_object(const DeviceCore& core, VkQueryPool_T* object);
void destroy_object(const DeviceCore& core, VkSemaphore_T* object);
void destroy_object(const DeviceCore& core, VkTensorARM_T* object);
void destroy_object(const DeviceCore& core, VkTensorViewARM_T* object);
void destroy_object(const DeviceCore& core, VkDataGraphPipelineSessionARM_T* object);
void destroy_object(const DeviceCore& core, VmaAllocation_T* object);

// The one owner of a Vulkan object. It must go before its device does.
template <class Object>
class Owned {
 public:
  Owned() = default;
  Owned(const DeviceCore& core, Object* object) : core_(&core), object_(object) {}
  Owned(Owned&& other) noexcept : core_(other.core_), object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(core_, other.core_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() {
    if (object_) destroy_object(*core_, object_);
  }

  Object* get() const { return object_; }
  // From now on the caller has to destroy it.
  Object* release() { return std::exchange(object_, nullptr); }
  const DeviceCore& core() const { return *core_; }

 private:
  const DeviceCore* core_ = nullptr;
  Object* object_ = nullptr;
};

}  // namespace slipway::gpu
