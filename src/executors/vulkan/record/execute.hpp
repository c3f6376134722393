// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The iterations of a plan: its commands, recorded once, are submitted and waited for; frame boundaries and calls of
// host functions divide an iteration into several submissions (docs/spec/scenario.md#lifecycle).
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "base/log.hpp"
#include "executors/vulkan/record/recordable.hpp"
#include "gpu/commands/submit.hpp"
#include "gpu/device/device.hpp"
#include "launch/execution_options.hpp"
#include "launch/report/perf_counters.hpp"
#include "launch/report/profile.hpp"

namespace slipway::launch {

struct Boundary;
struct Call;
struct GraphDispatch;
class Recorder;

// Everything that the recordable refers to must live longer.
class PlanExecution {
 public:
  // With `counters` every iteration adds what its stages took on the host, and writes log lines.
  PlanExecution(const Recordable& recordable, const gpu::Device& device, const ExecutionOptions& options,
                const Log& log, PerfCounters* counters, Profile& profile);
  PlanExecution(const PlanExecution&) = delete;
  PlanExecution& operator=(const PlanExecution&) = delete;
  ~PlanExecution();

  Result<> record();

  // Starts an iteration; the one before it must have been waited for. All submissions but the last have ended when this
  // returns. Errors: device-failed, timed-out, and those of calls. One thread at a time may submit to a queue.
  Result<> submit(const SubmitOptions& options = {});
  // Until the iteration has ended; at once without one. False: the time is over and it goes on. `poll`: without
  // sleeping.
  Result<bool> wait(std::optional<std::chrono::nanoseconds> time_out, bool poll);
  // The error timed-out, with the command that was being executed. Destroying the execution then loses the device.
  std::unexpected<Failure> timed_out() const;
  // Of the last submission, for batches of other queues to wait for.
  vk::QueuePoint end() const { return end_; }

  // Whether an iteration is several submissions, with functions of the host or frames between them.
  bool runs_in_submit() const;

  // Adds the times of the last iteration to the profile.
  Result<> add_times();
  // Of the last iteration, by step; empty without ExecutionOptions::timestamps.
  Result<std::vector<StepSpan>> spans() const;

 private:
  // Steps up to a boundary or a call, which ends the submission.
  struct Segment {
    StepRange steps;
    const Boundary* boundary = nullptr;
    const Call* call = nullptr;  // after the submission; its step is steps.end
    std::vector<gpu::CommandList> lists;
    std::string crash_note;  // of the commands; base/system/crash_note.hpp
  };
  // A frame with what it shows.
  struct Frame {
    std::vector<const gpu::Image*> images;
    std::vector<const gpu::Buffer*> buffers;
    gpu::FrameBoundary boundary;
  };

  static std::vector<Segment> divide(const Recordable& run);
  // Before and after each dispatch and draw.
  Result<std::vector<std::uint64_t>> ticks() const;
  std::optional<std::chrono::nanoseconds> time_left() const;
  Result<> make_objects();
  bool has_commands(const Segment& segment) const;
  Result<> record(Recorder& recorder, Segment& segment);
  Result<> record(Recorder& recorder, Segment& segment, StepRange steps);
  void log_commands(StepRange steps) const;
  Result<> submit(const Segment& segment, const SubmitOptions& options);
  Result<> finish(const Segment& segment);
  Result<bool> wait(const Segment& segment, std::optional<std::chrono::nanoseconds> time_out, bool poll);
  Result<> call(const Segment& segment);
  std::optional<ScopedTimer> time(std::string_view what) const;
  void add_graph_time(const GraphDispatch& graph, std::size_t step, const CommandTime& time);

  Result<> begin_frames();
  std::optional<Frame> frame_of(const Boundary& boundary);

  void set_progress(std::size_t step) const;
  std::optional<std::size_t> step_in_progress(StepRange steps) const;
  std::unexpected<Failure> failed(StepRange steps, Failure failure) const;
  void note_candidates(Diagnostic& diagnostic, std::size_t begin, std::size_t end) const;
  std::string crash_note(StepRange steps) const;

  Recordable run_;
  const Plan& plan_;
  const gpu::Device& device_;
  ExecutionOptions options_;
  const Log& log_;
  PerfCounters* counters_;
  Profile& profile_;
  bool has_frames_;
  std::uint64_t frames_ = 0;
  std::uint32_t iteration_ = 0;                       // the last one, from 1
  std::optional<std::chrono::nanoseconds> time_out_;  // of the last iteration
  std::optional<HostClock::time_point> deadline_;     // of its submissions but the last, and of its calls
  std::vector<CallTime> calls_;                       // of the last iteration
  std::optional<gpu::Timestamps> timestamps_, ends_;  // of commands; of iterations
  HostClock::time_point submitted_, ended_;           // of the iteration
  std::optional<gpu::Buffer> progress_;
  std::vector<Segment> segments_;
  const Segment* in_progress_ = nullptr;  // the one submitted last
  vk::QueuePoint end_;
  std::optional<gpu::Submission> submission_;  // goes first, and then loses the device or waits
};

}  // namespace slipway::launch
