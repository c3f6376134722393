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

namespace slipway::launch {

struct PipelineRequest;  // pipeline_request.hpp
struct Profile;
struct StepSpan;

struct ExecutorInfo {
  std::string_view kind;                       // the name of its directory
  std::string name, driver;                    // what reports call it
  DeviceKey key;                               // of tuning tables
  std::shared_ptr<const vk::Snapshot> vulkan;  // null: not a Vulkan device
  bool runs_graphs_on_host = false;            // graphs become calls of the CPU engine
};

// Memory that several plans of one executor use (Buffer::external), zero in the beginning. The host sees all of it.
class ExternalBuffer {
 public:
  virtual ~ExternalBuffer() = default;
  virtual MutableBytes bytes() const = 0;
  // As shaders see it; of the host where there are no such addresses.
  virtual std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(bytes().data()); }
};

struct BufferRequest {
  std::uint64_t size = 0;
  std::string name;           // for messages
  bool kernels_only = false;  // the host uses it seldom: fast memory is preferred
};

struct ExecutorQueues {
  std::uint32_t count = 1;
  bool timestamps = true;  // they measure dispatches and draws
};

struct PrepareOptions {
  ExecutionOptions execution;
  std::optional<PipelineCacheFile> pipeline_cache;
  Cache cache;                                      // for pipelines, when there is no pipeline_cache
  SharedPipelines* pipelines = nullptr;             // those that exist are used, those that are made are added
  std::span<const ExternalBuffer* const> external;  // by Buffer::external
  std::mutex* queue_lock = nullptr;                 // held while contents are uploaded, through queue 0
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
  // The same with another limit, or without one. False: the iteration goes on. `poll`: without sleeping.
  virtual Result<bool> wait_for(std::optional<std::chrono::nanoseconds> limit, bool poll = false) = 0;
  // A whole iteration.
  Result<> run_once() {
    return submit().and_then([this] { return wait(); });
  }

  // The memory of a buffer of PrepareOptions::host_inputs, or of host_outputs, by its index there. It stays where it
  // is. Between iterations; before the first one it is zeros.
  MutableBytes host_input(std::size_t index) const { return host_inputs_[index]; }
  MutableBytes host_output(std::size_t index) const { return host_outputs_[index]; }
  // Whether `submit` does all the work or a part of it: a caller that must not block calls it on a thread of its own.
  virtual bool runs_in_submit() const = 0;
  // Of the last submission, for work on other queues to wait for.
  virtual vk::QueuePoint end() const { return {}; }

  // Replaces the contents of a resource: level 0 of an image. Between iterations.
  virtual Result<> write(ResourceIndex resource, Bytes bytes) = 0;
  virtual Result<Readback> read_back(const std::set<ResourceIndex>& wanted) = 0;

  // Bytes of the intermediates of a graph: the plan's, or what the driver asked for.
  virtual std::uint64_t session_size(const GraphDispatch& graph) const = 0;
  // Whether Executor::take_prints gets what its shaders print, once for each iteration.
  virtual bool shows_prints() const { return false; }
  // Of the last iteration, by step; empty without ExecutionOptions::timestamps.
  virtual Result<std::vector<StepSpan>> spans() const = 0;
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

  // Waits for what opens a device in the background; after that a process may end without destroying the executor.
  virtual void finish_opening() {}

  // The messages of Vulkan layers since the last call, as warnings. Layers report from any thread.
  virtual std::vector<Diagnostic> take_messages() { return {}; }
  // The lines that shaders have printed since the last call.
  virtual std::vector<std::string> take_prints() { return {}; }
  // Whether it gets those of all plans.
  virtual bool shows_prints() const { return false; }
  // Makes a pipeline and destroys it. Errors: no-device, device-failed, and device-lacks for all that the device does
  // not have.
  virtual Result<> make_pipeline(const PipelineRequest& /*request*/) {
    return fail(DiagnosticKind::DeviceLacks, {}, "pipelines need a Vulkan device; choose one with --device");
  }

  // Opens the device, if there is one. From then on it stays: it is not opened again for plans that need more of it,
  // nor when it is lost, because buffers and queue points belong to it. Errors: no-device, device-failed.
  virtual Result<ExecutorQueues> queues() { return ExecutorQueues(); }
  // Held by those who choose queues while they submit, by others until they have waited. Null: plans run side by side.
  virtual std::mutex* turn() { return nullptr; }
  // For users that do not choose queues: while they prepare and run plans, and while anything of theirs is uploaded or
  // read.
  std::unique_lock<std::mutex> take_turn() {
    std::mutex* const mutex = turn();
    return mutex ? std::unique_lock(*mutex) : std::unique_lock<std::mutex>();
  }
  // For plans of this executor, which must live longer. Errors: device-lacks if it is too large, those of `queues`.
  virtual Result<std::shared_ptr<ExternalBuffer>> create_buffer(const BufferRequest& request) = 0;
  // Whether plans can use memory of the host in place.
  virtual bool borrows() const { return false; }
  // Such memory as a buffer; null if it cannot be. It must live longer.
  virtual std::shared_ptr<ExternalBuffer> borrow(MutableBytes /*memory*/) { return nullptr; }
};

}  // namespace slipway::launch
