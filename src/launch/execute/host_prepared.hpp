// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan made ready to run without a device (host_run.hpp), as often as wanted: resources in the memory of the host
// with their contents.
//
//   Result<HostPrepared> prepared = prepare_on_host(plan, counters);
//   write(prepared->bytes(input));
//   prepared->iterate({});
//   read(prepared->bytes(output));
//
// Each iteration starts from what the one before left. The plan must live longer. One thread at a time uses it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "base/log.hpp"
#include "base/zeroed_memory.hpp"
#include "launch/plan/plan.hpp"
#include "launch/report/profile.hpp"

namespace slipway::launch {

struct HostIteration {
  std::uint32_t number = 1;                          // for profiles
  std::optional<std::chrono::nanoseconds> time_out;  // of each function
  bool timed = false;                                // whether the parts of functions are measured
  const Log* log = nullptr;                          // null: no lines
  std::vector<CallTime>* calls = nullptr;            // gets the times of functions; null: not wanted
};

class HostPrepared {
 public:
  HostPrepared(HostPrepared&&) noexcept;
  HostPrepared& operator=(HostPrepared&&) noexcept;
  ~HostPrepared();

  // The bytes of a resource, which stay where they are. They may be read and written between iterations.
  MutableBytes bytes(ResourceIndex index) const { return bytes_[index]; }

  // Runs all steps. Errors: timed-out, and those of the functions.
  Result<> iterate(const HostIteration& options);

 private:
  friend Result<HostPrepared> prepare_on_host(const Plan&, PerfCounters&);
  explicit HostPrepared(const Plan& plan);
  Result<MutableBytes> allocate(std::uint64_t size);
  Result<> make_resources();
  Result<> fill_resources(PerfCounters& counters);
  Result<> call(const Call& call, std::size_t index, const HostIteration& options);

  const Plan* plan_;
  std::vector<ZeroedMemory> memory_;
  std::vector<MutableBytes> bytes_;  // by resource
};

// The plan must be one that runs on the host (host_run.hpp). Adds the counters that the resources name. Errors:
// device-failed without memory, and what Contents report.
Result<HostPrepared> prepare_on_host(const Plan& plan, PerfCounters& counters);

}  // namespace slipway::launch
