// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/backends/plan/backend.hpp"

#include <atomic>

#include "base/format.hpp"
#include "launch/plan/locate.hpp"
#include "model/graph_target.hpp"
#include "model/native.hpp"
#include "recipe/backends/plan/parts.hpp"
#include "recipe/cpu/host_buffer.hpp"
#include "recipe/plan/model_kernel.hpp"
#include "vk/device_plan.hpp"

namespace slipway::recipe {
namespace {

// The model of a kernel for a device. It is planned again where the device runs its graphs, because that decides how.
// `remarks`: about tuning tables. Errors: device-lacks.
Result<std::shared_ptr<const ModelKernel>> model_for(const PlanDevice& device, const KernelPlan& kernel,
                                                     std::vector<Diagnostic>& remarks) {
  const launch::Origin origin{kernel.origin.location, kernel.origin.pointer, kernel.name};
  const vk::Snapshot* vulkan = device.info.vulkan.get();
  Diagnostics problems;
  std::shared_ptr<const ModelKernel> model = kernel.model;
  if (vulkan && model->graphs.engine == model::Engine::Kernels) {
    SLIPWAY_TRY(const model::GraphOptions graphs,
                model::graph_options(device.executor.get(), kernel.graphs ? *kernel.graphs : model::GraphChoices(),
                                     device.cache, problems));
    if (problems.has_errors()) return fail(problems.release());
    remarks = problems.release();
    model = plan_model_kernel(kernel.model->artifact, kernel.name, origin, device.cache, graphs, problems);
    if (!model) return fail(problems.release());
  }
  if (!kernel.emulates) model::refuse_emulation(model->plan, vulkan ? *vulkan : vk::Snapshot(), problems);
  if (!problems.has_errors()) problems.add(device.executor->check(model->plan).release());
  if (problems.has_errors()) return fail(problems.release());
  return model;
}

Result<> check_shader(const PlanDevice& device, const KernelPlan& kernel) {
  if (device.info.vulkan) {
    const vk::Needs needs{.capabilities = {std::from_range, kernel.module->reflection->capabilities}};
    return vk::plan_device(*device.info.vulkan, needs).transform([](const vk::DevicePlan&) {});
  }
  return fail(DiagnosticKind::DeviceLacks, {},
              formatted("kernel `{}` is a shader, and {} runs models only", kernel.name, device.info.name));
}

class PlanBackend final : public Backend {
 public:
  PlanBackend(BackendKind kind, std::shared_ptr<PlanDevice> device) : kind_(kind), device_(std::move(device)) {}

  BackendKind kind() const override { return kind_; }

  BackendInfo describe() const override {
    if (interprets_) return {"the reference interpreter", ""};
    return {device_->info.name, device_->info.driver};
  }

  Result<KernelPtr> load_kernel(const KernelPlan& kernel, const ContextPlan*) override {
    KernelPlan own = kernel;
    std::vector<Diagnostic> remarks;
    if (kernel.model) {
      const Result<std::shared_ptr<const ModelKernel>> model = model_for(*device_, kernel, remarks);
      if (!model) return fail(at_kernel(model.error(), kernel));
      own.model = *model;
      if (!device_->info.vulkan) interprets_ = own.model->graphs.engine == model::Engine::Reference;
    } else if (Result<> fits = check_shader(*device_, kernel); !fits) {
      return fail(at_kernel(std::move(fits.error()), kernel));
    }
    return std::make_shared<const PlanKernel>(device_, std::move(own), std::move(remarks));
  }

  Result<BufferPtr> create_buffer(const BufferOptions& request) override {
    return device_->executor
        ->create_buffer({.size = request.size, .name = request.name, .kernels_only = request.kernels_only})
        .transform([&](std::shared_ptr<launch::ExternalBuffer> buffer) -> BufferPtr {
          return std::make_shared<PlanBuffer>(device_, std::move(buffer), request.name);
        });
  }

  // Memory of the host too, where plans can use it in place. Buffers of other devices may need to be synchronised.
  bool can_use(const buffer_storage& buffer) const override {
    const auto* own = dynamic_cast<const PlanBuffer*>(&buffer);
    if (own) return own->device() == device_.get();
    return cpu::is_host_buffer(buffer) && device_->executor->borrows();
  }

  Result<ListPtr> make_list(std::span<const KernelRun> runs, const ListOptions& options) override {
    return make_plan_list(device_, runs, options);
  }

 private:
  static Failure at_kernel(Failure failure, const KernelPlan& kernel) {
    return launch::located(std::move(failure), {kernel.origin.location, kernel.origin.pointer, kernel.name});
  }

  BackendKind kind_;
  std::shared_ptr<PlanDevice> device_;
  std::atomic<bool> interprets_ = false;  // one engine is chosen for all kernels
};

}  // namespace

Result<BackendPtr> make_plan_backend(BackendKind kind, std::shared_ptr<launch::Executor> executor, const Cache& cache) {
  auto device = std::make_shared<PlanDevice>();
  device->executor = std::move(executor);
  device->cache = cache;
  SLIPWAY_TRY(const launch::ExecutorQueues queues, device->executor->queues());
  SLIPWAY_TRY(device->info, device->executor->info());
  device->has_timestamps = queues.timestamps;
  device->queues = QueueSpread(queues.count);
  return std::make_shared<PlanBackend>(kind, std::move(device));
}

}  // namespace slipway::recipe
