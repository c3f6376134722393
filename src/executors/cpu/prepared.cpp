// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/cpu/prepared.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <ranges>
#include <utility>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/system/zeroed_memory.hpp"
#include "launch/plan/accesses.hpp"
#include "launch/plan/locate.hpp"
#include "launch/report/profile.hpp"

namespace slipway::launch {
namespace {

class HostPrepared final : public PreparedPlan {
 public:
  HostPrepared(const Plan& plan, PrepareOptions options, const Log& log, PerfCounters counters)
      : plan_(&plan), options_(std::move(options)), log_(log), counters_(std::move(counters)) {}

  // Members of a memory group share one allocation.
  Result<> make_resources() {
    const auto size_of = [&](ResourceIndex i) { return std::get<Buffer>(plan_->resources[i].kind).size; };
    std::map<std::string, std::uint64_t> groups;
    for (ResourceIndex i = 0; i < plan_->resources.size(); ++i) {
      const auto& sharing = plan_->resources[i].sharing;
      if (sharing) groups[sharing->group] = std::max(groups[sharing->group], sharing->offset + size_of(i));
    }
    std::map<std::string, MutableBytes> of_groups;
    for (const auto& [name, size] : groups) {
      SLIPWAY_TRY(of_groups[name], allocate(size));
    }
    for (ResourceIndex i = 0; i < plan_->resources.size(); ++i) {
      if (const auto external = std::get<Buffer>(plan_->resources[i].kind).external) {
        bytes_.push_back(options_.external[*external]->bytes().first(size_of(i)));
      } else if (const auto& sharing = plan_->resources[i].sharing) {
        bytes_.push_back(of_groups[sharing->group].subspan(sharing->offset, size_of(i)));
      } else {
        SLIPWAY_TRY(bytes_.emplace_back(), allocate(size_of(i)));
      }
    }
    return {};
  }

  Result<> fill_resources() {
    for (ResourceIndex i = 0; i < plan_->resources.size(); ++i) {
      const Resource& resource = plan_->resources[i];
      if (std::get<Buffer>(resource.kind).external) continue;
      for (const Contents& contents : resource.initial) {
        const ScopedTimer timer(
            counters_, CounterCategory::ScenarioSetup,
            resource.load_counter.empty() ? "Load Buffer: " + resource.name : resource.load_counter);
        if (Result<> written = contents.write(bytes_[i].first(contents.size)); !written)
          return fail(located(std::move(written.error()), resource.origin));
      }
    }
    return {};
  }

  void show_host_memory() {
    for (const ResourceIndex input : options_.host_inputs) host_inputs_.push_back(bytes_[input]);
    for (const ResourceIndex output : options_.host_outputs) host_outputs_.push_back(bytes_[output]);
  }

  // Runs all steps. Errors: timed-out, and those of calls.
  Result<> submit(const SubmitOptions& options) override {
    calls_.clear();
    if (++iterations_ == 1) profile_.started = HostClock::now();
    std::optional<HostClock::time_point> deadline;
    if (options.time_out) deadline = HostClock::now() + *options.time_out;
    if (!options_.counters) return run_steps(deadline);
    const ScopedTimer timer(counters_, CounterCategory::RunScenario,
                            formatted("Submit Commands. Iteration: {}", iterations_));
    return run_steps(deadline);
  }

  Result<> wait() override { return {}; }
  Result<bool> wait_for(std::optional<std::chrono::nanoseconds>, bool) override { return true; }
  bool runs_in_submit() const override { return true; }

  Result<> write(ResourceIndex resource, Bytes bytes) override {
    // They may be the same memory.
    if (!bytes.empty()) std::memmove(bytes_[resource].data(), bytes.data(), bytes.size());
    return {};
  }

  Result<Readback> read_back(const std::set<ResourceIndex>& wanted) override {
    Readback readback;
    for (const ResourceIndex resource : wanted) readback.show(resource, bytes_[resource]);
    return readback;
  }

  std::uint64_t session_size(const GraphDispatch& graph) const override { return graph.session_size; }

  Result<std::vector<StepSpan>> spans() const override {
    if (!options_.execution.timestamps) return std::vector<StepSpan>();
    return calls_ | std::views::transform(span_of) | std::ranges::to<std::vector>();
  }

  Result<> add_times() override {
    profile_.calls.append_range(std::exchange(calls_, {}) | std::views::as_rvalue);
    return {};
  }

  Profile& profile() override { return profile_; }
  PerfCounters& counters() override { return counters_; }

 private:
  Result<MutableBytes> allocate(std::uint64_t size) {
    ZeroedMemory memory(std::max<std::uint64_t>(size, 1));
    if (memory.failed())
      return fail(DiagnosticKind::DeviceFailed, {}, formatted("there is no memory for {} bytes", size));
    memory_.push_back(std::move(memory));
    return memory_.back().bytes().first(size);
  }

  Result<> run_steps(std::optional<HostClock::time_point> deadline) {
    for (std::size_t i = 0; i < plan_->steps.size(); ++i) {
      if (const auto* copy = std::get_if<Copy>(&plan_->steps[i].action)) {
        std::memmove(bytes_[copy->to].data() + copy->to_offset, bytes_[copy->from].data() + copy->from_offset,
                     copy->size);
      } else if (const auto* call_of = std::get_if<Call>(&plan_->steps[i].action)) {
        SLIPWAY_TRY_VOID(call(*call_of, i, deadline));
      }
    }
    return {};
  }

  Result<> call(const Call& call, std::size_t index, std::optional<HostClock::time_point> deadline) {
    const Step& step = plan_->steps[index];
    if (options_.counters) log_.info(graph_of_step(*plan_, index) ? "Dispatch graph" : "Call function");
    CallControl control{.deadline = deadline, .timed = options_.execution.timestamps, .parts = {}};
    const bool is_measured = options_.counters || control.timed;
    const bool is_limited = !deadline && options_.execution.time_out;
    const HostClock::time_point start = is_measured || is_limited ? HostClock::now() : HostClock::time_point();
    if (is_limited) control.deadline = start + *options_.execution.time_out;
    arguments_.clear();
    for (const CallArgument& argument : call.arguments) arguments_.push_back(bytes_[argument.buffer]);
    const TimeLimit limit(control.deadline);
    if (Result<> called = call.function(arguments_, control); !called)
      return fail(located(std::move(called.error()), step.origin));
    if (!is_measured) return {};
    calls_.push_back({.name = step.name,
                      .milliseconds = std::chrono::duration<double, std::milli>(HostClock::now() - start).count(),
                      .iteration = iterations_,
                      .step = index,
                      .graph = graph_index_of_step(*plan_, index),
                      .parts = std::move(control.parts),
                      .begin = start});
    return {};
  }

  const Plan* plan_;
  PrepareOptions options_;
  Log log_;
  PerfCounters counters_;
  Profile profile_;
  std::vector<CallTime> calls_;  // of the last iteration
  std::uint32_t iterations_ = 0;
  std::vector<ZeroedMemory> memory_;
  std::vector<MutableBytes> bytes_;      // by resource
  std::vector<MutableBytes> arguments_;  // of a call; kept, because calls can be short
};

}  // namespace

Result<std::unique_ptr<PreparedPlan>> prepare_on_host(const Plan& plan, PrepareOptions options, const Log& log,
                                                      PerfCounters counters) {
  log.info(formatted("Setup resources, count: {}", plan.resources.size()));
  auto prepared = std::make_unique<HostPrepared>(plan, std::move(options), log, std::move(counters));
  SLIPWAY_TRY_VOID(prepared->make_resources());
  SLIPWAY_TRY_VOID(prepared->fill_resources());
  prepared->show_host_memory();
  return prepared;
}

}  // namespace slipway::launch
