// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What executes plans: a Vulkan device, the CPU. What runs a plan (run.hpp) calls these classes, and does not ask which
// executor it has. An executor is a directory of src/executors.
//
//   SLIPWAY_TRY(const std::unique_ptr<PreparedPlan> prepared, executor.prepare(plan, {}));
//   for (int i = 0; i < 100; ++i) {
//     SLIPWAY_TRY_VOID(prepared->submit());
//     SLIPWAY_TRY_VOID(prepared->wait());
//   }
//   SLIPWAY_TRY(const Readback results, prepared->read_back({output}));
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/item_progress.hpp"
#include "base/log.hpp"
#include "base/system/cache.hpp"
#include "launch/device_key.hpp"
#include "launch/execution_options.hpp"
#include "launch/pipeline_cache_file.hpp"
#include "launch/plan/plan.hpp"
#include "launch/readback.hpp"
#include "launch/report/perf_counters.hpp"
#include "launch/shared_pipelines.hpp"

namespace slipway::gpu {
class Buffer;
}  // namespace slipway::gpu
namespace slipway::launch {

struct Profile;

struct ExecutorInfo {
  std::string_view kind;                       // the name of its directory
  std::string name, driver;                    // what reports call it
  DeviceKey key;                               // of tuning tables
  std::shared_ptr<const vk::Snapshot> vulkan;  // null: not a Vulkan device
  bool runs_graphs_on_host = false;            // graphs become calls of the CPU engine
};

struct PrepareOptions {
  ExecutionOptions execution;
  std::optional<PipelineCacheFile> pipeline_cache;
  Cache cache;                                   // for pipelines, when there is no pipeline_cache
  SharedPipelines* pipelines = nullptr;          // those that exist are used, those that are made are added
  std::span<const gpu::Buffer* const> external;  // by Buffer::external
  std::mutex* queue_lock = nullptr;              // held while contents are uploaded, through queue 0
  // Buffers that the host writes before, and reads after, each iteration: PreparedPlan::host_input, host_output.
  std::vector<ResourceIndex> host_inputs, host_outputs;
  bool counters = false;       // PreparedPlan::counters grow with every iteration, and it is logged
  ItemProgress progress = {};  // of pipelines
};

// A plan made ready to run, as often as wanted: resources with their contents, pipelines, recorded commands. Each
// iteration starts from what the one before left. The plan, the executor and the external buffers must live longer. One
// thread at a time uses it and, unless the caller takes care of the queues (PrepareOptions::queue_lock,
// SubmitOptions::queue), what was prepared by the same executor.
class PreparedPlan {
 public:
  virtual ~PreparedPlan() = default;

  // Starts an iteration; the one before must have been waited for. Errors: device-failed; where frames or calls divide
  // the iteration also timed-out, and those of calls.
  virtual Result<> submit(const SubmitOptions& options = {}) = 0;
  // Until the iteration has ended, at most as long as ExecutionOptions::time_out: then the error is timed-out, and a
  // device is lost when this is destroyed. Errors: device-failed, those of calls.
  virtual Result<> wait() = 0;
  // A whole iteration.
  Result<> run_once() {
    return submit().and_then([this] { return wait(); });
  }

  // The memory of a buffer of PrepareOptions::host_inputs, or of host_outputs, by its index there. It stays where it
  // is. Between iterations; before the first one it is zeros.
  MutableBytes host_input(std::size_t index) const { return host_inputs_[index]; }
  MutableBytes host_output(std::size_t index) const { return host_outputs_[index]; }

  // Replaces the contents of a resource: level 0 of an image. Between iterations.
  virtual Result<> write(ResourceIndex resource, Bytes bytes) = 0;
  virtual Result<Readback> read_back(const std::set<ResourceIndex>& wanted) = 0;

  // Bytes of the intermediates of a graph: the plan's, or what the driver asked for.
  virtual std::uint64_t session_size(const GraphDispatch& graph) const = 0;
  // Whether Executor::take_prints gets what its shaders print, once for each iteration.
  virtual bool shows_prints() const { return false; }
  // Adds the times of the last iteration to the profile.
  virtual Result<> add_times() = 0;
  // Stores the pipeline cache file again, with what the driver has added since `prepare`.
  virtual Result<> store_caches() { return {}; }
  virtual Profile& profile() = 0;
  // The counters that `prepare` was given, then what it measured: uploads and the making of each pipeline. With
  // PrepareOptions::counters followed by the stages of every iteration; without it they do not grow.
  virtual PerfCounters& counters() = 0;

 protected:
  std::vector<MutableBytes> host_inputs_, host_outputs_;
};

class Executor {
 public:
  virtual ~Executor() = default;

  // Waits until a driver has been asked, not until a device is open. Errors: no-device.
  virtual Result<ExecutorInfo> info() = 0;
  // Errors for everything that the plan needs and the executor lacks, located at what asks for it; and notes.
  virtual Diagnostics check(const Plan& plan) = 0;
  // The plan must have passed `check`. `counters`: what was measured before. Errors: no-device, device-lacks (what only
  // the driver knows), device-failed, and what Contents report.
  virtual Result<std::unique_ptr<PreparedPlan>> prepare(const Plan& plan, PrepareOptions options, const Log& log = {},
                                                        PerfCounters counters = {}) = 0;

  // Held by users that do not choose queues while they prepare and run plans, and while anything of theirs is uploaded
  // or read. Nothing is held where plans need not take turns.
  virtual std::unique_lock<std::mutex> take_turn() { return {}; }
  // Waits for what opens a device in the background; after that a process may end without destroying the executor.
  virtual void finish_opening() {}

  // The messages of Vulkan layers since the last call, as warnings. Layers report from any thread.
  virtual std::vector<Diagnostic> take_messages() { return {}; }
  // The lines that shaders have printed since the last call.
  virtual std::vector<std::string> take_prints() { return {}; }
};

}  // namespace slipway::launch
