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

// What has been made, in the order in which it is made; it is destroyed in the opposite order.
struct Prepared::State {
  State(const Plan& launch_plan, std::unique_ptr<HostAccess> with_host, const gpu::Device& on_device,
        PrepareOptions prepare_options, const Log& to_log, PerfCounters before)
      : host(std::move(with_host)),
        plan(host ? host->plan : launch_plan),
        device(on_device),
        options(std::move(prepare_options)),
        log(to_log),
        counters(std::move(before)) {}

  Result<> make_resources();
  Result<> make_pipelines();
  Result<> record();

  std::shared_ptr<const gpu::Device> kept;
  std::unique_ptr<HostAccess> host;  // null: the host has none
  const Plan& plan;
  const gpu::Device& device;
  PrepareOptions options;
  Log log;
  PerfCounters counters;
  Profile profile;
  std::optional<Resources> resources;
  std::optional<PipelineCaching> caching;
  std::optional<Pipelines> pipelines;
  std::optional<StepBindings> bindings;
  std::optional<PlanExecution> execution;
  bool shows_prints = false;

 private:
  Result<> upload();
  Recordable recordable() const {
    Recordable all{.plan = plan, .resources = *resources, .pipelines = *pipelines, .bindings = *bindings};
    if (host) {
      all.before = host->before;
      all.after = host->after;
    }
    return all;
  }
  void log_session_memory(std::uint64_t size) const {
    log.info(formatted("Datagraph pipeline session memory requirement: {}", size));
  }

  friend class Prepared;
};

namespace {

template <class T>
Result<> keep(Result<T> made, std::optional<T>& where) {
  return std::move(made).transform([&](T value) { where.emplace(std::move(value)); });
}

}  // namespace

Result<> Prepared::State::make_resources() {
  log.info(formatted("Setup resources, count: {}", plan.resources.size()));
  return keep(create_resources(plan, device,
                               host ? std::span<const ExternalBuffer* const>(host->external) : options.external),
              resources)
      .and_then([&] { return upload(); });
}

Result<> Prepared::State::upload() {
  const auto is_external = [](const Resource& resource) {
    const auto* buffer = std::get_if<Buffer>(&resource.kind);
    return buffer && buffer->external;
  };
  if (std::ranges::all_of(plan.resources, is_external)) return {};
  const auto lock = options.queue_lock ? std::unique_lock(*options.queue_lock) : std::unique_lock<std::mutex>();
  return upload_contents(plan, device, *resources, counters);
}

Result<> Prepared::State::make_pipelines() {
  const PipelinePlan wanted = plan_pipelines(plan, *resources);
  const bool all_exist = options.pipelines && std::ranges::all_of(wanted.requests, [&](const PlannedPipeline& request) {
                           return options.pipelines->contains(request.key);
                         });
  if (Result<> loaded = keep(load_pipeline_cache(device, wanted, options.pipeline_cache,
                                                 all_exist ? Cache() : options.cache, counters, log),
                             caching);
      !loaded)
    return loaded;
  log.info("Setup commands");
  for (const GraphDispatch& graph : plan.graphs) {
    if (!graph.native) log_session_memory(graph.session_size);
  }
  const gpu::PipelineOptions how{.cache = &caching->cache(), .fail_on_cache_miss = caching->fail_on_miss()};
  return keep(create_pipelines(plan, device, *resources, wanted, how, counters, options.pipelines, options.progress),
              pipelines)
      .transform([&] {
        for (const GraphDispatch& graph : plan.graphs) {
          if (graph.native) log_session_memory(pipelines->of_step(graph.first_step).session_size());
        }
      })
      .and_then([&] {
        // Drivers compile in several stages, and the next one begins with the first dispatch. A few pipelines are not
        // worth the time.
        constexpr std::size_t kManyPipelines = 8;
        if (!all_exist && wanted.requests.size() >= kManyPipelines) release_freed_memory();
        return keep(bind_steps(plan, device, *resources, *pipelines), bindings);
      })
      .and_then([&] {
        caching->keep(device, *pipelines);
        return caching->store(device, "Save Pipeline Cache (setup)", counters, log);
      });
}

Result<> Prepared::State::record() {
  execution.emplace(recordable(), device, options.execution, log, options.counters ? &counters : nullptr, profile);
  return execution->record();
}

Prepared::Prepared(std::unique_ptr<State> state) : state_(std::move(state)) {
  if (!state_->host) return;
  host_inputs_ = state_->host->inputs;
  host_outputs_ = state_->host->outputs;
}
Prepared::Prepared(Prepared&&) noexcept = default;
Prepared& Prepared::operator=(Prepared&&) noexcept = default;
Prepared::~Prepared() = default;

Result<Prepared> prepare(const Plan& plan, const gpu::Device& device, PrepareOptions options, const Log& log,
                         PerfCounters counters) {
  std::unique_ptr<HostAccess> host;
  if (!options.host_inputs.empty() || !options.host_outputs.empty()) {
    SLIPWAY_TRY(host, make_host_access(plan, device, options));
  }
  auto state =
      std::make_unique<Prepared::State>(plan, std::move(host), device, std::move(options), log, std::move(counters));
  // Pipelines follow resources, which decide strides of rows that shaders are specialised for.
  return state->make_resources()
      .and_then([&] { return state->make_pipelines(); })
      .and_then([&] { return state->record(); })
      .transform([&] { return Prepared(std::move(state)); });
}

Result<> Prepared::submit(const SubmitOptions& options) { return state_->execution->submit(options); }

Result<> Prepared::wait() {
  const Result<bool> ended = wait_for(state_->options.execution.time_out);
  if (!ended) return fail(ended.error());
  if (!*ended) return state_->execution->timed_out();
  return {};
}

Result<bool> Prepared::wait_for(std::optional<std::chrono::nanoseconds> limit, bool poll) {
  return state_->execution->wait(limit, poll);
}

bool Prepared::runs_in_submit() const { return state_->execution->runs_in_submit(); }

vk::QueuePoint Prepared::end() const { return state_->execution->end(); }
const Resources& Prepared::resources() const { return *state_->resources; }
std::uint64_t Prepared::session_size(const GraphDispatch& graph) const {
  return launch::session_size(state_->recordable(), graph);
}
Result<std::vector<StepSpan>> Prepared::spans() const { return state_->execution->spans(); }
Result<> Prepared::add_times() { return state_->execution->add_times(); }
Profile& Prepared::profile() { return state_->profile; }
PerfCounters& Prepared::counters() { return state_->counters; }
bool Prepared::shows_prints() const { return state_->shows_prints; }

void Prepared::belongs_to(std::shared_ptr<const gpu::Device> device, bool shows_prints) {
  state_->kept = std::move(device);
  state_->shows_prints = shows_prints;
}

// Between iterations images are in General.
Result<> Prepared::write(ResourceIndex resource, Bytes bytes) {
  SLIPWAY_TRY(gpu::Transfer transfer, gpu::create_transfer(state_->device));
  if (std::holds_alternative<Image>(state_->plan.resources[resource].kind)) {
    SLIPWAY_TRY_VOID(transfer.upload(state_->resources->image(resource), 0, bytes));
  } else {
    SLIPWAY_TRY_VOID(transfer.upload(state_->resources->buffer(resource), 0, bytes));
  }
  return transfer.finish();
}

Result<Readback> Prepared::read_back(const std::set<ResourceIndex>& wanted) {
  return launch::read_back(state_->plan, state_->device, *state_->resources, wanted);
}

Result<> Prepared::store_caches() {
  return state_->caching->store(state_->device, "Save Pipeline Cache", state_->counters, state_->log);
}

}  // namespace slipway::launch
