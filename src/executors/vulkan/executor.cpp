// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/executor.hpp"

#include <algorithm>
#include <cstdlib>

#include "executors/vulkan/device_opening.hpp"
#include "executors/vulkan/layer_messages.hpp"
#include "executors/vulkan/prepared.hpp"
#include "executors/vulkan/resources/vulkan_buffer.hpp"
#include "gpu/pipeline/pipeline.hpp"
#include "launch/check/check_device.hpp"
#include "launch/executor_request.hpp"
#include "launch/pipeline_request.hpp"
#include "spirv/prints.hpp"

namespace slipway::launch {
namespace {

OpenDeviceOptions options_of(const ExecutorRequest& request, bool shows_prints) {
  return {.selector = request.selector,
          .timestamps = request.timestamps,
          .robustness = request.robustness,
          .robustness_on_cpus = request.robustness_on_cpus,
          .queues = request.queues,
          .disabled_extensions = request.disabled_extensions,
          .instance = {.debug_names = request.debug_names,
                       .validation = request.validate,
                       .shader_prints = shows_prints,
                       .on_message = {}},
          .device = {}};
}

ExecutorInfo info_of(std::shared_ptr<const vk::Snapshot> snapshot) {
  return {.kind = "vulkan",
          .name = snapshot->name,
          .driver = vk::driver_of(*snapshot),
          .key = key_of(*snapshot),
          .vulkan = std::move(snapshot)};
}

class PrintingExecutor final : public Executor {
 public:
  explicit PrintingExecutor(ExecutorRequest request) : request_(std::move(request)), plain_(without_prints(request_)) {}

  Result<ExecutorInfo> info() override { return plain_.info(); }

  Diagnostics check(const Plan& plan) override {
    const Shader* printing = printing_shader(plan);
    if (!printing) return plain_.check(plan);
    if (VulkanExecutor* executor = printing_executor(true)) return executor->check(plan);
    Diagnostics problems = plain_.check(plan);
    if (!is_reported_.exchange(true))
      problems.remark(DiagnosticKind::Unsupported, {}, needs_printing_layer(printing->name));
    return problems;
  }

  Result<std::unique_ptr<PreparedPlan>> prepare(const Plan& plan, PrepareOptions options, const Log& log,
                                                PerfCounters counters) override {
    VulkanExecutor* const printing = printing_shader(plan) ? printing_executor(true) : nullptr;
    return (printing ? *printing : plain_).prepare(plan, std::move(options), log, std::move(counters));
  }

  std::mutex* turn() override { return plain_.turn(); }
  Result<ExecutorQueues> queues() override { return plain_.queues(); }

  void finish_opening() override {
    plain_.finish_opening();
    if (VulkanExecutor* executor = printing_executor(false)) executor->finish_opening();
  }

  std::vector<Diagnostic> take_messages() override {
    std::vector<Diagnostic> messages = plain_.take_messages();
    if (VulkanExecutor* executor = printing_executor(false)) messages.append_range(executor->take_messages());
    return messages;
  }

  Result<> make_pipeline(const PipelineRequest& request) override { return plain_.make_pipeline(request); }

  Result<std::shared_ptr<ExternalBuffer>> create_buffer(const BufferRequest& request) override {
    return plain_.create_buffer(request);
  }

  std::vector<std::string> take_prints() override {
    VulkanExecutor* const executor = printing_executor(false);
    return executor ? executor->take_prints() : std::vector<std::string>();
  }

 private:
  static ExecutorRequest without_prints(ExecutorRequest request) {
    request.shader_prints = false;
    return request;
  }

  static const Shader* printing_shader(const Plan& plan) {
    const auto printing = std::ranges::find_if(
        plan.shaders, [](const Shader& shader) { return shader.spirv && spirv::prints(*shader.spirv); });
    return printing == plan.shaders.end() ? nullptr : &*printing;
  }

  // Null without the layer, and until it is opened.
  VulkanExecutor* printing_executor(bool opens) {
    const std::scoped_lock lock(opening_);
    if (opens && !printing_ && gpu::has_validation_layer()) printing_.emplace(request_);
    return printing_ ? &*printing_ : nullptr;
  }

  const ExecutorRequest request_;
  VulkanExecutor plain_;
  std::mutex opening_;
  std::optional<VulkanExecutor> printing_;  // stays once it is opened
  std::atomic<bool> is_reported_ = false;
};

}  // namespace

VulkanExecutor::VulkanExecutor(const ExecutorRequest& request)
    : shows_prints_(request.shader_prints && gpu::has_validation_layer()) {
  OpenDeviceOptions options = options_of(request, shows_prints_);
  if (request.validate || shows_prints_ || std::getenv("VK_INSTANCE_LAYERS") ||
      std::getenv("VK_LOADER_LAYERS_ENABLE")) {
    messages_ = std::make_shared<LayerMessages>();
    options.instance.on_message = [messages = messages_](const vk::InstanceMessage& message) {
      messages->add(message);
    };
  }
  opening_ = std::make_shared<DeviceOpening>(std::move(options));
}

VulkanExecutor::VulkanExecutor(DeviceOpening& opening) : opening_(std::shared_ptr<void>(), &opening) {}
VulkanExecutor::~VulkanExecutor() = default;

Result<std::shared_ptr<const vk::Snapshot>> VulkanExecutor::snapshot() {
  if (opening_) return opening_->snapshot();
  return std::shared_ptr<const vk::Snapshot>(std::shared_ptr<void>(), &device_->snapshot());
}

Result<ExecutorInfo> VulkanExecutor::info() { return snapshot().transform(info_of); }

Diagnostics VulkanExecutor::check(const Plan& plan) {
  Diagnostics diagnostics;
  if (const auto known = diagnostics.take(snapshot())) return check_device(plan, needs_of(plan), **known);
  return diagnostics;
}

Result<std::unique_ptr<PreparedPlan>> VulkanExecutor::prepare(const Plan& plan, PrepareOptions options, const Log& log,
                                                              PerfCounters counters) {
  vk::Needs needs = needs_of(plan);
  needs.timestamps |= options.execution.timestamps;
  SLIPWAY_TRY(const gpu::Device* device, device_for(std::move(needs)));
  return launch::prepare(plan, *device, std::move(options), log, std::move(counters),
                         {opening_ ? opening_->current() : nullptr, shows_prints_});
}

void VulkanExecutor::finish_opening() {
  if (opening_) opening_->join();
}

std::vector<Diagnostic> VulkanExecutor::take_messages() {
  return messages_ ? messages_->take() : std::vector<Diagnostic>();
}

std::vector<std::string> VulkanExecutor::take_prints() {
  return messages_ ? messages_->take_prints() : std::vector<std::string>();
}

std::shared_ptr<Executor> open_vulkan(const ExecutorRequest& request) {
  if (request.shader_prints && request.queues == 1) return std::make_shared<PrintingExecutor>(request);
  return std::make_shared<VulkanExecutor>(request);
}

Result<std::vector<ExecutorInfo>> list_vulkan() {
  SLIPWAY_TRY(const gpu::Instance instance, gpu::create_instance());
  std::vector<ExecutorInfo> devices;
  for (const vk::Snapshot& snapshot : instance.snapshots()) devices.push_back(info_of({instance.core(), &snapshot}));
  return devices;
}

Result<const gpu::Device*> VulkanExecutor::device_for(vk::Needs needs) {
  const std::scoped_lock lock(opening_turn_);
  if (device_) return device_;
  return opening_->get(std::move(needs));
}

Result<> VulkanExecutor::make_pipeline(const PipelineRequest& request) {
  SLIPWAY_TRY(const gpu::Device* device, device_for(request.needs));
  SLIPWAY_TRY(const gpu::PipelineLayout layout, gpu::create_pipeline_layout(*device, request.layout));
  const gpu::PipelineOptions options{.name = request.name};
  const auto shader = [](const PipelineShader& stage) {
    return gpu::ShaderInfo{.words = stage.words, .entry = stage.entry, .specialization = {}, .specialization_data = {}};
  };
  const auto drop = [](const gpu::Pipeline&) {};
  if (request.graphics) {
    return gpu::create_graphics_pipeline(*device, {.vertex = shader(request.graphics->vertex),
                                                   .fragment = shader(request.graphics->fragment),
                                                   .layout = &layout,
                                                   .state = request.graphics->state,
                                                   .color_formats = request.graphics->formats.colors,
                                                   .depth_stencil_format = request.graphics->formats.depth_stencil,
                                                   .options = options})
        .transform(drop);
  }
  if (request.compute.words.empty()) return {};
  return gpu::create_compute_pipeline(*device,
                                      {.shader = shader(request.compute), .layout = &layout, .options = options})
      .transform(drop);
}

Result<ExecutorQueues> VulkanExecutor::queues() {
  const std::scoped_lock lock(opening_turn_);
  if (!device_) {
    SLIPWAY_TRY(device_, opening_->get({}));
  }
  const vk::DevicePlan& plan = device_->plan();
  const vk::QueueFamily& family = device_->snapshot().queue_families[plan.queue_family];
  return ExecutorQueues{.count = plan.queues, .timestamps = family.timestamp_bits > 0};
}

Result<std::shared_ptr<ExternalBuffer>> VulkanExecutor::create_buffer(const BufferRequest& request) {
  SLIPWAY_TRY_VOID(queues());
  const auto make = [&](gpu::BufferLocation location) {
    return gpu::create_buffer(
        *device_, {.size = request.size, .uniform = true, .texels = true, .location = location, .name = request.name});
  };
  Result<gpu::Buffer> buffer = make(request.kernels_only ? gpu::BufferLocation::Device : gpu::BufferLocation::Readback);
  // The host sees every buffer, also on devices with local memory that it cannot map.
  if (buffer && buffer->mapped().empty()) buffer = make(gpu::BufferLocation::Readback);
  if (!buffer) return fail(std::move(buffer.error()));
  std::ranges::fill(buffer->mapped(), std::byte{});
  return std::make_shared<VulkanBuffer>(std::move(*buffer));
}

}  // namespace slipway::launch
