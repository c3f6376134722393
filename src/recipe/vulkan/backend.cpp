#include <algorithm>

#include "base/format.hpp"
#include "gpu/pipeline_cache.hpp"
#include "launch/locate.hpp"
#include "recipe/vulkan/model.hpp"
#include "recipe/vulkan/parts.hpp"

namespace slipway::recipe {
namespace {

launch::DeviceRequest device_request(const VulkanRequest& request) {
  return {.selector = request.selector,
          .timestamps = false,
          .robustness = true,
          .queues = request.queues,
          .instance = request.instance,
          .device = request.device};
}

Failure at_kernel(Failure failure, const KernelPlan& kernel) {
  return launch::located(std::move(failure), {kernel.origin.location, kernel.origin.pointer, kernel.name});
}

gpu::PipelineLayoutInfo layout_info(const KernelPlan& kernel) {
  gpu::PipelineLayoutInfo info{.push_constants_size = kernel.push_constant_size, .name = kernel.name};
  for (const Parameter& parameter : kernel.signature.parameters) {
    const auto* target = std::get_if<DescriptorTarget>(&parameter.target);
    if (!target) continue;
    if (info.sets.size() <= target->set) info.sets.resize(target->set + 1);
    auto& set = info.sets[target->set];
    if (!std::ranges::contains(set, target->binding, &gpu::DescriptorBinding::binding))
      set.push_back({.binding = target->binding, .type = target->type});
  }
  return info;
}

class VulkanBackend final : public Backend {
 public:
  explicit VulkanBackend(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)) {}

  BackendKind kind() const override { return BackendKind::Vulkan; }

  BackendInfo describe() const override {
    const gpu::Snapshot& snapshot = device_->snapshot();
    return {snapshot.name, formatted("{} {}", snapshot.driver_name, snapshot.driver_info)};
  }

  Result<KernelPtr> load_kernel(const KernelPlan& kernel, const ContextPlan*) override {
    if (kernel.model) {
      Result<std::shared_ptr<const ModelKernel>> model = model_for(*device_, kernel);
      if (!model) return fail(at_kernel(std::move(model.error()), kernel));
      KernelPlan own = kernel;
      own.model = std::move(*model);
      return std::make_shared<const VulkanKernel>(device_, std::move(own), gpu::PipelineLayout());
    }
    gpu::Needs needs{.capabilities = {std::from_range, kernel.module->reflection->capabilities}};
    if (auto fits = gpu::plan_device(device_->snapshot(), needs); !fits)
      return fail(at_kernel(std::move(fits.error()), kernel));
    auto layout = gpu::create_pipeline_layout(*device_->device, layout_info(kernel));
    if (!layout) return fail(at_kernel(std::move(layout.error()), kernel));
    return std::make_shared<const VulkanKernel>(device_, kernel, std::move(*layout));
  }

  Result<BufferPtr> create_buffer(const BufferRequest& request) override {
    const auto make = [&](gpu::BufferPlace location) {
      return gpu::create_buffer(*device_->device,
                                {.size = request.size, .uniform = true, .location = location, .name = request.name});
    };
    Result<gpu::Buffer> buffer = make(request.kernels_only ? gpu::BufferPlace::Device : gpu::BufferPlace::Readback);
    // The host must see every buffer (map_buffer), also on devices whose own memory it cannot reach.
    if (buffer && buffer->mapped().empty()) buffer = make(gpu::BufferPlace::Readback);
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

VulkanDevice::VulkanDevice(const VulkanRequest& request) : cache(request.cache), opening(device_request(request)) {}

Result<std::shared_ptr<VulkanDevice>> open_vulkan(const VulkanRequest& request) {
  auto opened = std::make_shared<VulkanDevice>(request);
  const Result<gpu::Device*> device = opened->opening.get({});
  if (!device) return fail(device.error());
  opened->device = *device;
  opened->queues = QueueSpread((*device)->plan().queues);
  return opened;
}

Result<BackendPtr> make_vulkan_backend(std::shared_ptr<VulkanDevice> device) {
  return std::make_shared<VulkanBackend>(std::move(device));
}

Result<const gpu::Pipeline*> VulkanKernel::pipeline(const KernelRun& run) const {
  std::vector<gpu::SpecializationEntry> entries;
  Variant data;
  const auto add = [&](std::uint32_t id, Bytes bytes) {
    entries.push_back({id, static_cast<std::uint32_t>(data.size()), static_cast<std::uint32_t>(bytes.size())});
    data.append_range(bytes);
  };
  for (const FixedValue& fixed : plan_.fixed) {
    if (const auto* target = std::get_if<SpecializationTarget>(&fixed.target)) add(target->id, fixed.bytes);
  }
  for (const ScalarArgument& scalar : run.scalars) {
    const Parameter* parameter = plan_.signature.find(scalar.argidx);
    const auto* target = parameter ? std::get_if<SpecializationTarget>(&parameter->target) : nullptr;
    if (target) add(target->id, scalar.bytes);
  }
  const std::scoped_lock lock(mutex_);
  auto found = pipelines_.find(data);
  if (found == pipelines_.end()) {
    Result<gpu::Pipeline> made = create(entries, data);
    if (!made) return fail(at_kernel(std::move(made.error()), plan_));
    found = pipelines_.emplace(std::move(data), std::move(*made)).first;
  }
  return &found->second;
}

Result<gpu::Pipeline> VulkanKernel::create(const std::vector<gpu::SpecializationEntry>& entries,
                                           const Variant& data) const {
  const gpu::Snapshot& snapshot = device_->snapshot();
  std::string ids;
  for (const gpu::SpecializationEntry& entry : entries) ids += formatted("{} ", entry.id);
  const std::string key =
      Cache::key({"recipe pipeline", text_of(std::as_bytes(std::span(*plan_.module->words))), plan_.entry, ids,
                  text_of(data), formatted("{}", plan_.push_constant_size), gpu::format_uuid(snapshot.device_uuid),
                  gpu::format_uuid(snapshot.pipeline_cache_uuid), formatted("{}", snapshot.driver_version)});
  const std::vector<std::byte> cached = device_->cache.find(key).value_or(std::vector<std::byte>{});
  const Result<gpu::PipelineCache> cache = gpu::create_pipeline_cache(*device_->device, cached);
  if (!cache) return fail(cache.error());
  Result<gpu::Pipeline> pipeline =
      gpu::create_compute_pipeline(*device_->device, {.shader = {.words = *plan_.module->words,
                                                                 .entry = plan_.entry,
                                                                 .specialization = entries,
                                                                 .specialization_data = data},
                                                      .layout = &layout_,
                                                      .options = {.cache = &*cache, .name = plan_.name}});
  if (pipeline && !pipeline->cache_hit() && device_->cache.enabled()) {
    // A cache never fails: data that the driver does not give are not kept.
    if (const auto save = gpu::save_pipeline_cache(*device_->device, *cache)) device_->cache.store(key, *save);
  }
  return pipeline;
}

}  // namespace slipway::recipe
