// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The classes of the Vulkan back end; used in this directory only.
#pragma once

#include <mutex>

#include "gpu/memory/buffer.hpp"
#include "launch/shared_pipelines.hpp"
#include "recipe/plan.hpp"
#include "recipe/backends/plan/vulkan_device.hpp"

namespace slipway::recipe {

// In mapped and coherent memory, so that `sync` has nothing to do.
class VulkanBuffer final : public buffer_storage {
 public:
  VulkanBuffer(std::shared_ptr<VulkanDevice> device, gpu::Buffer buffer)
      : device_(std::move(device)), buffer_(std::move(buffer)), host_(buffer_.mapped()) {}

  std::size_t size() const noexcept override { return host_.size(); }
  void* host_address() const override { return host_.data(); }
  std::uint64_t device_address() const override {
    return buffer_.address() ? buffer_.address() : reinterpret_cast<std::uintptr_t>(host_.data());
  }
  void sync(sync_direction, std::size_t, std::size_t) override {}

  const gpu::Buffer& buffer() const { return buffer_; }
  const VulkanDevice* device() const { return device_.get(); }

 private:
  std::shared_ptr<VulkanDevice> device_;  // outlives the buffer
  gpu::Buffer buffer_;
  MutableBytes host_;
};

// A kernel, with the pipelines that its runs have needed so far. May be used from several threads.
class VulkanKernel final : public LoadedKernel {
 public:
  VulkanKernel(std::shared_ptr<VulkanDevice> device, KernelPlan plan)
      : device_(std::move(device)), plan_(std::move(plan)) {}

  const KernelPlan& plan() const { return plan_; }

  void add_pipelines_to(launch::SharedPipelines& pipelines) const {
    const std::scoped_lock lock(mutex_);
    pipelines.insert(pipelines_.begin(), pipelines_.end());
  }
  // Keeps all of them alive, including those of other kernels.
  void keep_pipelines(const launch::SharedPipelines& pipelines) const {
    const std::scoped_lock lock(mutex_);
    pipelines_.insert(pipelines.begin(), pipelines.end());
  }

 private:
  std::shared_ptr<VulkanDevice> device_;  // outlives the pipelines
  KernelPlan plan_;
  mutable std::mutex mutex_;
  mutable launch::SharedPipelines pipelines_;
};

Result<ListPtr> make_vulkan_list(std::shared_ptr<VulkanDevice> device, std::span<const KernelRun> runs,
                                 const ListOptions& options);

}  // namespace slipway::recipe
