// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/prepared.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/system/resident_memory.hpp"
#include "executors/vulkan/pipelines/bindings.hpp"
#include "executors/vulkan/pipelines/pipeline_caching.hpp"
#include "executors/vulkan/record/execute.hpp"
#include "executors/vulkan/record/record.hpp"
#include "executors/vulkan/resources/host_access.hpp"
#include "executors/vulkan/resources/read_back.hpp"
#include "executors/vulkan/resources/upload.hpp"
#include "gpu/commands/transfer.hpp"

namespace slipway::launch {

namespace {

template <class T>
Result<> keep(Result<T> made, std::optional<T>& where) {
  return std::move(made).transform([&](T value) { where.emplace(std::move(value)); });
}

class Prepared final : public PreparedPlan {
 public:
  Prepared(const Plan& plan, std::unique_ptr<HostAccess> host, const gpu::Device& device, PrepareOptions options,
           const Log& log, PerfCounters counters)
      : host_(std::move(host)),
        plan_(host_ ? host_->plan : plan),
        device_(device),
        options_(std::move(options)),
        log_(log),
        counters_(std::move(counters)) {
    if (!host_) return;
    host_inputs_ = host_->inputs;
    host_outputs_ = host_->outputs;
  }

  // Pipelines follow resources, which decide strides of rows that shaders are specialised for.
  Result<> make() {
    return make_resources().and_then([&] { return make_pipelines(); }).and_then([&] { return record(); });
  }
  void belongs_to(DeviceOwner owner) { owner_ = std::move(owner); }

  Result<> submit(const SubmitOptions& options) override { return execution_->submit(options); }
  Result<> wait() override {
    const Result<bool> ended = wait_for(options_.execution.time_out, false);
    if (!ended) return fail(ended.error());
    if (!*ended) return execution_->timed_out();
    return {};
  }
  Result<bool> wait_for(std::optional<std::chrono::nanoseconds> limit, bool poll) override {
    return execution_->wait(limit, poll);
  }
  bool runs_in_submit() const override { return execution_->runs_in_submit(); }
  vk::QueuePoint end() const override { return execution_->end(); }

  // Between iterations images are in General.
  Result<> write(ResourceIndex resource, Bytes bytes) override {
    SLIPWAY_TRY(gpu::Transfer transfer, gpu::create_transfer(device_));
    if (std::holds_alternative<Image>(plan_.resources[resource].kind)) {
      SLIPWAY_TRY_VOID(transfer.upload(resources_->image(resource), 0, bytes));
    } else {
      SLIPWAY_TRY_VOID(transfer.upload(resources_->buffer(resource), 0, bytes));
    }
    return transfer.finish();
  }
  Result<Readback> read_back(const std::set<ResourceIndex>& wanted) override {
    return launch::read_back(plan_, device_, *resources_, wanted);
  }

  std::uint64_t session_size(const GraphDispatch& graph) const override {
    return launch::session_size(recordable(), graph);
  }
  bool shows_prints() const override { return owner_.shows_prints; }
  Result<std::vector<StepSpan>> spans() const override { return execution_->spans(); }
  Result<> add_times() override { return execution_->add_times(); }
  Result<> store_caches() override { return caching_->store(device_, "Save Pipeline Cache", counters_, log_); }
  Profile& profile() override { return profile_; }
  PerfCounters& counters() override { return counters_; }

 private:
  Result<> make_resources() {
    log_.info(formatted("Setup resources, count: {}", plan_.resources.size()));
    return keep(create_resources(plan_, device_,
                                 host_ ? std::span<const ExternalBuffer* const>(host_->external) : options_.external),
                resources_)
        .and_then([&] { return upload(); });
  }

  Result<> upload() {
    const auto is_external = [](const Resource& resource) {
      const auto* buffer = std::get_if<Buffer>(&resource.kind);
      return buffer && buffer->external;
    };
    if (std::ranges::all_of(plan_.resources, is_external)) return {};
    const auto lock = options_.queue_lock ? std::unique_lock(*options_.queue_lock) : std::unique_lock<std::mutex>();
    return upload_contents(plan_, device_, *resources_, counters_);
  }

  Result<> make_pipelines() {
    const PipelinePlan wanted = plan_pipelines(plan_, *resources_);
    const bool all_exist =
        options_.pipelines && std::ranges::all_of(wanted.requests, [&](const PlannedPipeline& request) {
          return options_.pipelines->contains(request.key);
        });
    if (Result<> loaded = keep(load_pipeline_cache(device_, wanted, options_.pipeline_cache,
                                                   all_exist ? Cache() : options_.cache, counters_, log_),
                               caching_);
        !loaded)
      return loaded;
    log_.info("Setup commands");
    for (const GraphDispatch& graph : plan_.graphs) {
      if (!graph.native) log_session_memory(graph.session_size);
    }
    const gpu::PipelineOptions how{.cache = &caching_->cache(), .fail_on_cache_miss = caching_->fail_on_miss()};
    return keep(create_pipelines(plan_, device_, *resources_, wanted, how, counters_, options_.pipelines,
                                 options_.progress),
                pipelines_)
        .transform([&] {
          for (const GraphDispatch& graph : plan_.graphs) {
            if (graph.native) log_session_memory(pipelines_->of_step(graph.first_step).session_size());
          }
        })
        .and_then([&] {
          // Drivers compile in several stages, and the next one begins with the first dispatch. A few pipelines are not
          // worth the time.
          constexpr std::size_t kManyPipelines = 8;
          if (!all_exist && wanted.requests.size() >= kManyPipelines) release_freed_memory();
          return keep(bind_steps(plan_, device_, *resources_, *pipelines_), bindings_);
        })
        .and_then([&] {
          caching_->keep(device_, *pipelines_);
          return caching_->store(device_, "Save Pipeline Cache (setup)", counters_, log_);
        });
  }

  Result<> record() {
    execution_.emplace(recordable(), device_, options_.execution, log_, options_.counters ? &counters_ : nullptr,
                       profile_);
    return execution_->record();
  }

  Recordable recordable() const {
    Recordable all{.plan = plan_, .resources = *resources_, .pipelines = *pipelines_, .bindings = *bindings_};
    if (host_) {
      all.before = host_->before;
      all.after = host_->after;
    }
    return all;
  }
  void log_session_memory(std::uint64_t size) const {
    log_.info(formatted("Datagraph pipeline session memory requirement: {}", size));
  }

  // In the order in which they are made; they are destroyed in the opposite order.
  DeviceOwner owner_;
  std::unique_ptr<HostAccess> host_;  // null: the host has none
  const Plan& plan_;
  const gpu::Device& device_;
  PrepareOptions options_;
  Log log_;
  PerfCounters counters_;
  Profile profile_;
  std::optional<Resources> resources_;
  std::optional<PipelineCaching> caching_;
  std::optional<Pipelines> pipelines_;
  std::optional<StepBindings> bindings_;
  std::optional<PlanExecution> execution_;
};

}  // namespace

Result<std::unique_ptr<PreparedPlan>> prepare(const Plan& plan, const gpu::Device& device, PrepareOptions options,
                                              const Log& log, PerfCounters counters, DeviceOwner owner) {
  std::unique_ptr<HostAccess> host;
  if (!options.host_inputs.empty() || !options.host_outputs.empty()) {
    SLIPWAY_TRY(host, make_host_access(plan, device, options));
  }
  auto prepared =
      std::make_unique<Prepared>(plan, std::move(host), device, std::move(options), log, std::move(counters));
  SLIPWAY_TRY_VOID(prepared->make());
  prepared->belongs_to(std::move(owner));
  return prepared;
}

}  // namespace slipway::launch
