// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "base/format.hpp"
#include "launch/check/check_device.hpp"
#include "launch/plan/locate.hpp"
#include "model/tuning/tuning_table.hpp"
#include "recipe/plan/model_kernel.hpp"
#include "recipe/backends/plan/parts.hpp"

namespace slipway::recipe {
namespace {

launch::OpenDeviceOptions device_options(const VulkanOptions& options) {
  return {.selector = options.selector,
          .timestamps = false,
          .robustness = true,
          .queues = options.queues,
          .instance = options.instance,
          .device = options.device};
}

Failure at_kernel(Failure failure, const KernelPlan& kernel) {
  return launch::located(std::move(failure), {kernel.origin.location, kernel.origin.pointer, kernel.name});
}

// Plans the model of a kernel again, because the choice of kernels for its graphs depends on the device, unless the
// host runs them. Errors: device-lacks.
Result<std::shared_ptr<const ModelKernel>> model_for(const VulkanDevice& device, const KernelPlan& kernel) {
  const launch::Origin origin{kernel.origin.location, kernel.origin.pointer, kernel.name};
  Diagnostics problems;
  model::GraphOptions graphs = kernel.model->graphs;
  std::shared_ptr<const ModelKernel> model = kernel.model;
  if (graphs.engine == model::Engine::Kernels) {
    graphs.lower.device = model::tuned_facts(device.snapshot(), device.cache, problems);
    model = plan_model_kernel(kernel.model->artifact, kernel.name, origin, device.cache, graphs, problems);
    if (!model) return fail(problems.release());
  }
  const vk::Needs needs = launch::needs_of(model->plan);
  if (auto fits = vk::plan_device(device.snapshot(), needs); !fits) return fail(std::move(fits.error()));
  Diagnostics lacking = launch::check_device(model->plan, needs, device.snapshot());
  if (lacking.has_errors()) return fail(lacking.release());
  return model;
}

class VulkanBackend final : public Backend {
 public:
  explicit VulkanBackend(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)) {}

  BackendKind kind() const override { return BackendKind::Vulkan; }

  BackendInfo describe() const override {
    const vk::Snapshot& snapshot = device_->snapshot();
    return {snapshot.name, formatted("{} {}", snapshot.driver_name, snapshot.driver_info)};
  }

  Result<KernelPtr> load_kernel(const KernelPlan& kernel, const ContextPlan*) override {
    if (kernel.model) {
      Result<std::shared_ptr<const ModelKernel>> model = model_for(*device_, kernel);
      if (!model) return fail(at_kernel(std::move(model.error()), kernel));
      KernelPlan own = kernel;
      own.model = std::move(*model);
      return std::make_shared<const VulkanKernel>(device_, std::move(own));
    }
    vk::Needs needs{.capabilities = {std::from_range, kernel.module->reflection->capabilities}};
    if (auto fits = vk::plan_device(device_->snapshot(), needs); !fits)
      return fail(at_kernel(std::move(fits.error()), kernel));
    return std::make_shared<const VulkanKernel>(device_, kernel);
  }

  Result<BufferPtr> create_buffer(const BufferOptions& request) override {
    const auto make = [&](gpu::BufferLocation location) {
      return gpu::create_buffer(
          *device_->device,
          {.size = request.size, .uniform = true, .texels = true, .location = location, .name = request.name});
    };
    Result<gpu::Buffer> buffer =
        make(request.kernels_only ? gpu::BufferLocation::Device : gpu::BufferLocation::Readback);
    // The host must be able to map every buffer (map_buffer), also on devices with local memory that it cannot map.
    if (buffer && buffer->mapped().empty()) buffer = make(gpu::BufferLocation::Readback);
    if (!buffer) return fail(std::move(buffer.error()));
    std::ranges::fill(buffer->mapped(), std::byte{});
    return std::make_shared<VulkanBuffer>(device_, std::move(*buffer));
  }

  bool can_use(const buffer_storage& buffer) const override {
    const auto* own = dynamic_cast<const VulkanBuffer*>(&buffer);
    return own && own->device() == device_.get();
  }

  Result<ListPtr> make_list(std::span<const KernelRun> runs, const ListOptions& options) override {
    return make_vulkan_list(device_, runs, options);
  }

 private:
  std::shared_ptr<VulkanDevice> device_;
};

}  // namespace

VulkanDevice::VulkanDevice(const VulkanOptions& options) : cache(options.cache), opening(device_options(options)) {}

Result<std::shared_ptr<VulkanDevice>> open_vulkan(const VulkanOptions& options) {
  auto opened = std::make_shared<VulkanDevice>(options);
  const Result<gpu::Device*> device = opened->opening.get({});
  if (!device) return fail(device.error());
  opened->device = *device;
  opened->queues = QueueSpread((*device)->plan().queues);
  return opened;
}

Result<BackendPtr> make_vulkan_backend(std::shared_ptr<VulkanDevice> device) {
  return std::make_shared<VulkanBackend>(std::move(device));
}

}  // namespace slipway::recipe
