// The classes of the Vulkan back end; used inside this directory only.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "gpu/buffer.hpp"
#include "gpu/commands.hpp"
#include "gpu/descriptors.hpp"
#include "gpu/pipeline.hpp"
#include "gpu/submit.hpp"
#include "gpu/timestamps.hpp"
#include "recipe/plan.hpp"
#include "recipe/vulkan/vulkan_device.hpp"

namespace slipway::recipe {

// Mapped and coherent, so that the host and kernels see one memory.
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
  std::shared_ptr<VulkanDevice> device_;  // goes after the buffer
  gpu::Buffer buffer_;
  MutableBytes host_;
};

// The values of specialization constants that runs set; the key of a pipeline.
using Variant = std::vector<std::byte>;

class VulkanKernel final : public LoadedKernel {
 public:
  VulkanKernel(std::shared_ptr<VulkanDevice> device, KernelPlan plan, gpu::PipelineLayout layout)
      : device_(std::move(device)), plan_(std::move(plan)), layout_(std::move(layout)) {}

  const KernelPlan& plan() const { return plan_; }
  const gpu::PipelineLayout& layout() const { return layout_; }
  // The pipeline with the constants of `run`, made when it is first asked for. Safe to call from several threads.
  Result<const gpu::Pipeline*> pipeline(const KernelRun& run) const;

 private:
  Result<gpu::Pipeline> create(const std::vector<gpu::SpecializationEntry>& entries, const Variant& data) const;

  std::shared_ptr<VulkanDevice> device_;
  KernelPlan plan_;
  gpu::PipelineLayout layout_;
  mutable std::mutex mutex_;
  mutable std::map<Variant, gpu::Pipeline> pipelines_;
};

Result<ListPtr> make_vulkan_list(std::shared_ptr<VulkanDevice> device, std::span<const KernelRun> runs,
                                 const ListOptions& options);

}  // namespace slipway::recipe
