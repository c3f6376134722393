// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan made ready to run on the CPU (launch/executor.hpp): resources in the memory of the host with their contents.
// `submit` does the work. The plan must be one that can run there (executor.hpp).
//
//   SLIPWAY_TRY(HostPrepared prepared, prepare_on_host(plan, {}));
//   write(prepared.bytes(input));
//   prepared.submit();
//   read(prepared.bytes(output));
#pragma once

#include "base/system/zeroed_memory.hpp"
#include "launch/executor.hpp"
#include "launch/report/profile.hpp"

namespace slipway::launch {

class HostPrepared final : public PreparedPlan {
 public:
  HostPrepared(HostPrepared&&) noexcept;
  HostPrepared& operator=(HostPrepared&&) noexcept;
  ~HostPrepared() override;

  // The bytes of a resource, which stay where they are. They may be read and written between iterations.
  MutableBytes bytes(ResourceIndex index) const { return bytes_[index]; }

  // Runs all steps. Errors: timed-out, and those of calls.
  Result<> submit(const SubmitOptions& options = {}) override;
  Result<> wait() override { return {}; }
  Result<bool> wait_for(std::optional<std::chrono::nanoseconds>, bool) override { return true; }
  bool runs_in_submit() const override { return true; }

  Result<> write(ResourceIndex resource, Bytes bytes) override;
  Result<Readback> read_back(const std::set<ResourceIndex>& wanted) override;

  std::uint64_t session_size(const GraphDispatch& graph) const override { return graph.session_size; }
  Result<std::vector<StepSpan>> spans() const override;
  Result<> add_times() override;
  Profile& profile() override { return profile_; }
  PerfCounters& counters() override { return counters_; }

 private:
  friend Result<HostPrepared> prepare_on_host(const Plan&, PrepareOptions, const Log&, PerfCounters);
  HostPrepared(const Plan& plan, PrepareOptions options, const Log& log, PerfCounters counters);
  Result<MutableBytes> allocate(std::uint64_t size);
  Result<> make_resources();
  Result<> fill_resources();
  void show_host_memory();
  Result<> run_steps(std::optional<HostClock::time_point> deadline);
  Result<> call(const Call& call, std::size_t index, std::optional<HostClock::time_point> deadline);

  const Plan* plan_;
  PrepareOptions options_;
  Log log_;
  PerfCounters counters_;
  Profile profile_;
  std::vector<CallTime> calls_;  // of the last iteration
  std::uint32_t iterations_ = 0;
  std::vector<ZeroedMemory> memory_;
  std::vector<MutableBytes> bytes_;  // by resource
};

// As Executor::prepare. Options of devices do not count. Errors: device-failed without memory, and what Contents
// report.
Result<HostPrepared> prepare_on_host(const Plan& plan, PrepareOptions options, const Log& log = {},
                                     PerfCounters counters = {});

}  // namespace slipway::launch
