// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes plans on a Vulkan device.
#pragma once

#include <atomic>

#include "launch/executor.hpp"

namespace slipway::gpu {
class Device;
}  // namespace slipway::gpu
namespace slipway::vk {
struct Needs;
}  // namespace slipway::vk

namespace slipway::launch {

class DeviceOpening;
class LayerMessages;
struct ExecutorRequest;

class VulkanExecutor final : public Executor {
 public:
  // Starts to open a device of its own in the background. `prepare` waits for it, and opens it again where a plan needs
  // more of it (device_opening.hpp). Messages of layers are collected that the request or the environment enables
  // (docs/spec/scenario.md#environment); what shaders print if the request has shader_prints.
  explicit VulkanExecutor(const ExecutorRequest& request);
  // These must live longer.
  explicit VulkanExecutor(const gpu::Device& device) : device_(&device) {}
  explicit VulkanExecutor(DeviceOpening& opening);
  ~VulkanExecutor() override;

  Result<ExecutorInfo> info() override;
  Diagnostics check(const Plan& plan) override;
  Result<std::unique_ptr<PreparedPlan>> prepare(const Plan& plan, PrepareOptions options, const Log& log,
                                                PerfCounters counters) override;
  void finish_opening() override;
  std::vector<Diagnostic> take_messages() override;
  std::vector<std::string> take_prints() override;
  bool shows_prints() const override { return shows_prints_; }
  Result<> make_pipeline(const PipelineRequest& request) override;
  Result<ExecutorQueues> queues() override;
  std::mutex* turn() override { return &turn_; }
  Result<std::shared_ptr<ExternalBuffer>> create_buffer(const BufferRequest& request) override;

 private:
  Result<std::shared_ptr<const vk::Snapshot>> snapshot();
  Result<const gpu::Device*> device_for(vk::Needs needs);

  std::shared_ptr<LayerMessages> messages_;  // null: they are not collected
  std::shared_ptr<DeviceOpening> opening_;
  const gpu::Device* device_ = nullptr;  // null: it may be opened again
  bool shows_prints_ = false;
  std::mutex turn_, opening_turn_;  // the latter: of `opening_` and `device_`
};

// An executor for all plans of a request: those whose shaders print run on a second device, which is opened with the
// validation layer when the first such plan is checked, if the request has shader_prints. Where the layer is not
// installed, that plan gets a note and prints nothing. With several queues, whose plans share buffers, all plans run on
// one device, with the layer where it is installed.
std::shared_ptr<Executor> open_vulkan(const ExecutorRequest& request);

// All devices of the machine. Errors: no-device, without a Vulkan loader or driver.
Result<std::vector<ExecutorInfo>> list_vulkan();

}  // namespace slipway::launch
