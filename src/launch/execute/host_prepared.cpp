// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/execute/host_prepared.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "launch/plan/accesses.hpp"
#include "launch/plan/locate.hpp"

namespace slipway::launch {

HostPrepared::HostPrepared(const Plan& plan) : plan_(&plan) {}
HostPrepared::HostPrepared(HostPrepared&&) noexcept = default;
HostPrepared& HostPrepared::operator=(HostPrepared&&) noexcept = default;
HostPrepared::~HostPrepared() = default;

Result<MutableBytes> HostPrepared::allocate(std::uint64_t size) {
  ZeroedMemory memory(std::max<std::uint64_t>(size, 1));
  if (memory.failed())
    return fail(DiagnosticKind::DeviceFailed, {}, formatted("there is no memory for {} bytes", size));
  memory_.push_back(std::move(memory));
  return memory_.back().bytes().first(size);
}

// Members of a memory group share one allocation.
Result<> HostPrepared::make_resources() {
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
    if (const auto& sharing = plan_->resources[i].sharing) {
      bytes_.push_back(of_groups[sharing->group].subspan(sharing->offset, size_of(i)));
    } else {
      SLIPWAY_TRY(bytes_.emplace_back(), allocate(size_of(i)));
    }
  }
  return {};
}

Result<> HostPrepared::fill_resources(PerfCounters& counters) {
  for (ResourceIndex i = 0; i < plan_->resources.size(); ++i) {
    const Resource& resource = plan_->resources[i];
    for (const Contents& contents : resource.initial) {
      const ScopedTimer timer(counters, CounterCategory::ScenarioSetup,
                              resource.load_counter.empty() ? "Load Buffer: " + resource.name : resource.load_counter);
      if (Result<> written = contents.write(bytes_[i].first(contents.size)); !written)
        return fail(located(std::move(written.error()), resource.origin));
    }
  }
  return {};
}

Result<> HostPrepared::iterate(const HostIteration& options) {
  for (std::size_t i = 0; i < plan_->steps.size(); ++i) {
    if (const auto* copy = std::get_if<Copy>(&plan_->steps[i].action)) {
      std::memmove(bytes_[copy->to].data() + copy->to_offset, bytes_[copy->from].data() + copy->from_offset,
                   copy->size);
    } else if (const auto* call_of = std::get_if<Call>(&plan_->steps[i].action)) {
      SLIPWAY_TRY_VOID(call(*call_of, i, options));
    }
  }
  return {};
}

Result<> HostPrepared::call(const Call& call, std::size_t index, const HostIteration& options) {
  const Step& step = plan_->steps[index];
  if (options.log) options.log->info(graph_of_step(*plan_, index) ? "Dispatch graph" : "Call function");
  CallControl control{.deadline = std::nullopt, .timed = options.timed, .parts = {}};
  const HostClock::time_point start = HostClock::now();
  if (options.time_out) control.deadline = start + *options.time_out;
  std::vector<MutableBytes> arguments;
  for (const CallArgument& argument : call.arguments) arguments.push_back(bytes_[argument.buffer]);
  const TimeLimit limit(control.deadline);
  if (Result<> called = call.function(arguments, control); !called)
    return fail(located(std::move(called.error()), step.origin));
  if (options.calls) {
    options.calls->push_back(
        {.name = step.name,
         .milliseconds = std::chrono::duration<double, std::milli>(HostClock::now() - start).count(),
         .iteration = options.number,
         .step = index,
         .graph = graph_index_of_step(*plan_, index),
         .parts = std::move(control.parts)});
  }
  return {};
}

Result<HostPrepared> prepare_on_host(const Plan& plan, PerfCounters& counters) {
  HostPrepared prepared(plan);
  SLIPWAY_TRY_VOID(prepared.make_resources());
  SLIPWAY_TRY_VOID(prepared.fill_resources(counters));
  return prepared;
}

}  // namespace slipway::launch
