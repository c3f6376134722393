#include "recipe/vulkan/model.hpp"

#include "launch/check_device.hpp"
#include "launch/pipeline_caching.hpp"
#include "launch/record.hpp"
#include "launch/upload.hpp"
#include "model/tuning_table.hpp"

namespace slipway::recipe {

Result<std::shared_ptr<const ModelKernel>> model_for(const VulkanDevice& device, const KernelPlan& kernel) {
  const launch::Origin origin{kernel.origin.location, kernel.origin.pointer, kernel.name};
  Diagnostics problems;
  auto model = plan_model_kernel(kernel.model->artifact, kernel.name, origin, device.cache,
                                 model::tuned_facts(device.snapshot(), device.cache, problems), problems);
  if (!model) return fail(problems.release());
  const gpu::Needs needs = launch::needs_of(model->plan);
  if (auto fits = gpu::plan_device(device.snapshot(), needs); !fits) return fail(std::move(fits.error()));
  Diagnostics lacking = launch::check_device(model->plan, needs, device.snapshot());
  if (lacking.has_errors()) return fail(lacking.release());
  return model;
}

Result<std::unique_ptr<ModelOnDevice>> ModelOnDevice::make(VulkanDevice& device,
                                                           std::shared_ptr<const ModelKernel> kernel) {
  std::unique_ptr<ModelOnDevice> made(new ModelOnDevice(std::move(kernel)));
  const launch::Plan& plan = made->kernel_->plan;
  const gpu::Device& gpu = *device.device;
  launch::PerfCounters counters;
  auto resources = launch::create_resources(plan, gpu);
  if (!resources) return fail(std::move(resources.error()));
  made->resources_.emplace(std::move(*resources));
  {
    const std::scoped_lock lock(device.submitting);
    if (Result<> filled = launch::upload_contents(plan, gpu, *made->resources_, counters); !filled)
      return fail(std::move(filled.error()));
  }
  const launch::PipelinePlan wanted = launch::plan_pipelines(plan);
  launch::RunOptions options;
  options.cache = device.cache;
  const auto caching = launch::load_pipeline_cache(gpu, wanted, options, counters, Log());
  if (!caching) return fail(caching.error());
  auto pipelines = launch::create_pipelines(plan, gpu, *made->resources_, wanted,
                                            {.cache = &caching->cache(), .name = {}}, counters);
  if (!pipelines) return fail(std::move(pipelines.error()));
  made->pipelines_.emplace(std::move(*pipelines));
  caching->keep(gpu, *made->pipelines_);
  auto bindings = launch::bind_steps(plan, gpu, *made->resources_, *made->pipelines_);
  if (!bindings) return fail(std::move(bindings.error()));
  made->bindings_.emplace(std::move(*bindings));
  return made;
}

void ModelOnDevice::record(gpu::CommandList& commands, std::span<const UsedPart> parts) const {
  const launch::Plan& plan = kernel_->plan;
  commands.full_barrier();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ModelPort& port = kernel_->ports[i];
    if (port.writes) continue;
    commands.copy(*parts[i].buffer, parts[i].begin, resources_->buffer(port.resource), 0, port.size);
  }
  commands.full_barrier();
  const launch::Recordable run{
      .plan = plan, .resources = *resources_, .pipelines = *pipelines_, .bindings = *bindings_};
  launch::Recorder(run).record(commands, {0, plan.steps.size()}, true);
  commands.full_barrier();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ModelPort& port = kernel_->ports[i];
    if (!port.writes) continue;
    commands.copy(resources_->buffer(port.resource), 0, *parts[i].buffer, parts[i].begin, port.size);
  }
  commands.full_barrier();
}

}  // namespace slipway::recipe
