// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan made ready to run on a device, as often as wanted: resources with their contents, pipelines, recorded
// commands.
//
//   Result<Prepared> prepared = prepare(plan, device, {}, log);
//   for (int i = 0; i < 100; ++i) {
//     prepared->submit();
//     prepared->wait();
//   }
//   read_back(plan, device, prepared->resources(), {output});
//
// Each iteration starts from what the one before left. The plan must have passed check_device(); it, the device and the
// external buffers must live longer. One thread at a time uses a Prepared and, unless the caller takes care of the
// queues (PrepareOptions::queue_lock, SubmitOptions::queue), the device.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "base/cache.hpp"
#include "base/diagnostic.hpp"
#include "base/item_progress.hpp"
#include "base/log.hpp"
#include "launch/execute/execution_options.hpp"
#include "launch/execute/pipeline_cache_file.hpp"
#include "launch/execute/shared_pipelines.hpp"
#include "launch/report/perf_counters.hpp"
#include "launch/report/profile.hpp"

namespace slipway::gpu {
class Buffer;
class Device;
}  // namespace slipway::gpu

namespace slipway::launch {

struct GraphDispatch;
struct Plan;
class Resources;

struct PrepareOptions {
  ExecutionOptions execution;
  std::optional<PipelineCacheFile> pipeline_cache;
  Cache cache;                                   // for pipelines, when there is no pipeline_cache
  SharedPipelines* pipelines = nullptr;          // those that exist are used, those that are made are added
  std::span<const gpu::Buffer* const> external;  // by Buffer::external
  std::mutex* queue_lock = nullptr;              // held while contents are uploaded, through queue 0
  bool counters = false;                         // Prepared::counters grow with every iteration, and it is logged
  ItemProgress progress = {};                    // of pipelines
};

class Prepared {
 public:
  Prepared(Prepared&&) noexcept;
  Prepared& operator=(Prepared&&) noexcept;
  // Waits for an iteration in flight, unless a wait has timed out: then the device is lost (gpu/commands/submit.hpp).
  ~Prepared();

  // Starts an iteration; the one before must have been waited for. Errors: device-failed; where frames or calls divide
  // the iteration also timed-out, and those of calls.
  Result<> submit(const SubmitOptions& options = {});
  // Until the iteration has ended, at most as long as ExecutionOptions::time_out: then the error is timed-out, and the
  // device is lost when this is destroyed. Errors: device-failed, those of calls.
  Result<> wait();
  // The same with another limit. False: the iteration goes on. `poll`: without sleeping.
  Result<bool> wait_for(std::optional<std::chrono::nanoseconds> limit, bool poll = false);
  // Of the last submission, for work on other queues to wait for.
  vk::QueuePoint end() const;

  const Resources& resources() const;
  // Bytes of the intermediates of a graph: the plan's, or what the driver asked for.
  std::uint64_t session_size(const GraphDispatch& graph) const;
  // Ticks before and after each dispatch and draw, of the last iteration; with ExecutionOptions::timestamps.
  Result<std::vector<std::uint64_t>> ticks() const;
  // Adds the times of the last iteration to the profile.
  Result<> add_times();
  Profile& profile();
  // The counters that `prepare` was given, then what it measured: uploads and the making of each pipeline. With
  // PrepareOptions::counters followed by the stages of every iteration; without it they do not grow.
  PerfCounters& counters();
  // Stores the pipeline cache file again, with what the driver has added since `prepare`.
  Result<> store_pipeline_cache();

 private:
  friend Result<Prepared> prepare(const Plan&, const gpu::Device&, PrepareOptions, const Log&, PerfCounters);
  struct State;
  explicit Prepared(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// `counters`: what was measured before. Errors: device-lacks (what only the driver knows), device-failed, and what
// Contents report.
Result<Prepared> prepare(const Plan& plan, const gpu::Device& device, PrepareOptions options, const Log& log = {},
                         PerfCounters counters = {});

}  // namespace slipway::launch
