#include "launch/execute.hpp"

#include <algorithm>
#include <atomic>

#include "base/format.hpp"
#include "gpu/submit.hpp"
#include "launch/accesses.hpp"
#include "launch/call.hpp"
#include "launch/locate.hpp"

namespace slipway::launch {
namespace {

// Steps up to a boundary or a call, which ends the submission.
struct Segment {
  StepRange steps;
  const Boundary* boundary = nullptr;
  const Call* call = nullptr;  // after the submission; its step is steps.end
};

std::vector<Segment> split_into_submissions(const Plan& plan) {
  std::vector<Segment> segments;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const auto* boundary = std::get_if<Boundary>(&plan.steps[i].action);
    const auto* call = std::get_if<Call>(&plan.steps[i].action);
    if (!boundary && !call) continue;
    segments.push_back({{begin, i}, boundary, call});
    begin = i + 1;
  }
  if (begin < plan.steps.size()) segments.push_back({{begin, plan.steps.size()}});
  return segments;
}

std::string describe_step(const Plan& plan, std::size_t index) {
  const std::string& path = plan.steps[index].origin.path;
  return formatted("`{}` ({})", plan.steps[index].name, path.empty() ? formatted("step {}", index) : path);
}

// A frame with what it shows.
struct Frame {
  std::vector<const gpu::Image*> images;
  std::vector<const gpu::Buffer*> buffers;
  gpu::FrameBoundary boundary;
};

class Execution {
 public:
  Execution(const Recordable& recordable, const gpu::Device& device, const RunOptions& options, const Log& log,
            Report& report)
      : run_(recordable),
        plan_(recordable.plan),
        device_(device),
        options_(options),
        log_(log),
        report_(report),
        has_frames_(device.plan().has_feature("frameBoundary")),
        segments_(split_into_submissions(plan_)) {}

  Result<> run() {
    if (Result<> made = make_objects(); !made) return made;
    for (std::uint32_t iteration = 0; iteration < options_.repeat; ++iteration) {
      for (const GraphDispatch& graph : plan_.graphs)
        report_.profile.memory.push_back({graph.name, session_size(run_, graph), iteration});
    }
    if (options_.dry_run) return iterate(1);
    Result<> done = begin_frames();
    for (std::uint32_t iteration = 1; iteration <= options_.repeat && done; ++iteration) {
      done = iterate(iteration).and_then([&] { return read_times(iteration); });
    }
    return done;
  }

 private:
  Result<> make_objects() {
    const std::uint32_t commands = count_commands(plan_);
    if (options_.timestamps && commands > 0) {
      log_.info("Setup profiling");
      Result<gpu::Timestamps> timestamps = gpu::create_timestamps(device_, 2 * commands);
      if (!timestamps) return fail(std::move(timestamps.error()));
      run_.timestamps = &timestamps_.emplace(std::move(*timestamps));
    }
    if (options_.iteration_times && !segments_.empty()) {
      Result<gpu::Timestamps> ends = gpu::create_timestamps(device_, 2);
      if (!ends) return fail(std::move(ends.error()));
      ends_.emplace(std::move(*ends));
    }
    if (timestamps_ || ends_) report_.profile.period = static_cast<float>(device_.snapshot().timestamp_period);
    if (options_.time_out) {
      Result<gpu::Buffer> progress = gpu::create_buffer(
          device_, {.size = sizeof(std::uint32_t), .location = gpu::BufferPlace::Readback, .name = "progress"});
      if (!progress) return fail(std::move(progress.error()));
      run_.progress = &progress_.emplace(std::move(*progress));
    }
    Result<gpu::CommandList> list = gpu::create_command_list(device_, plan_.name);
    if (!list) return fail(std::move(list.error()));
    list_.emplace(std::move(*list));
    return {};
  }

  Result<> iterate(std::uint32_t iteration) {
    Recorder recorder(run_);
    for (const Segment& segment : segments_) {
      Result<> done;
      if (has_commands(segment)) done = record(recorder, segment, iteration);
      if (done && has_commands(segment) && !options_.dry_run) done = submit(segment, iteration);
      if (done && segment.call && !options_.dry_run) done = call(segment, iteration);
      if (!done) return done;
    }
    return {};
  }

  // Between calls there may be nothing; the first submission resets timestamps, and the last one restores layouts.
  bool has_commands(const Segment& segment) const {
    return segment.steps.begin < segment.steps.end || !segment.call || &segment == &segments_.front() ||
           &segment == &segments_.back();
  }

  Result<> record(Recorder& recorder, const Segment& segment, std::uint32_t iteration) {
    if (Result<> begun = list_->begin(); !begun) return begun;
    if (run_.timestamps && &segment == &segments_.front()) {
      const ScopedTimer timer = time("Reset Query Pool", iteration);
      list_->reset_timestamps(*run_.timestamps, 0, run_.timestamps->count());
    }
    const ScopedTimer timer = time("Creating Command Buffer", iteration);
    const bool is_first = &segment == &segments_.front(), is_last = &segment == &segments_.back();
    if (ends_ && is_first) list_->write_timestamp(*ends_, 0);
    recorder.record(*list_, segment.steps, is_last);
    if (ends_ && is_last) list_->write_timestamp(*ends_, 1);
    if (!options_.dry_run) log_commands(segment.steps);
    return list_->end();
  }

  void log_commands(StepRange steps) const {
    for (std::size_t i = steps.begin; i < steps.end; ++i) {
      const auto& action = plan_.steps[i].action;
      if (const GraphDispatch* graph = graph_of_step(plan_, i)) {
        if (i == graph->first_step) log_.info("Dispatch graph");
      } else if (std::holds_alternative<Dispatch>(action)) {
        log_.info("Dispatch compute");
      } else if (std::holds_alternative<Draw>(action)) {
        log_.info("Dispatch graphics");
      }
    }
  }

  // In a submission of its own, so that it is no part of what is measured.
  Result<> reset_ends() {
    Result<gpu::CommandList> list = gpu::create_command_list(device_, "reset");
    if (!list) return fail(std::move(list.error()));
    if (Result<> begun = list->begin(); !begun) return begun;
    list->reset_timestamps(*ends_, 0, ends_->count());
    if (Result<> ended = list->end(); !ended) return ended;
    const gpu::CommandList* lists[] = {&*list};
    Result<gpu::Submission> submission = gpu::submit(device_, lists);
    if (!submission) return fail(std::move(submission.error()));
    return submission->wait().transform([](gpu::WaitStatus) {});
  }

  Result<> submit(const Segment& segment, std::uint32_t iteration) {
    if (ends_ && &segment == &segments_.front()) {
      if (Result<> reset = reset_ends(); !reset) return reset;
    }
    if (run_.progress) set_progress(segment.steps.begin);
    const std::optional<Frame> frame = segment.boundary ? frame_of(*segment.boundary, iteration) : std::nullopt;
    if (report_.profile.started == HostClock::time_point{}) report_.profile.started = HostClock::now();
    const gpu::CommandList* lists[] = {&*list_};
    std::optional<Result<gpu::Submission>> submission;
    {
      const ScopedTimer timer = time("Submit Commands", iteration);
      if (&segment == &segments_.front()) submitted_ = HostClock::now();
      submission.emplace(gpu::submit(device_, lists, frame ? &frame->boundary : nullptr));
    }
    if (!*submission) return failed(segment.steps, std::move(submission->error()));
    log_.info("Wait for fence");
    const ScopedTimer timer = time("Wait for Fence", iteration);
    Result<gpu::WaitStatus> status = (*submission)->wait(options_.time_out);
    ended_ = HostClock::now();
    if (!status) return failed(segment.steps, std::move(status.error()));
    if (*status == gpu::WaitStatus::TimedOut) return timed_out(segment.steps);
    return {};
  }

  Result<> call(const Segment& segment, std::uint32_t iteration) {
    const std::size_t index = segment.steps.end;
    const Step& step = plan_.steps[index];
    log_.info(graph_of_step(plan_, index) ? "Dispatch graph" : "Call function");
    const ScopedTimer timer = time("Call " + step.name, iteration);
    if (report_.profile.started == HostClock::time_point{}) report_.profile.started = HostClock::now();
    const Result<HostClock::duration> took = call_function(plan_, device_, run_.resources, *segment.call);
    if (!took) return fail(located(took.error(), step.origin));
    report_.profile.calls.push_back({.name = step.name,
                                     .milliseconds = std::chrono::duration<double, std::milli>(*took).count(),
                                     .iteration = iteration,
                                     .step = index});
    return {};
  }

  ScopedTimer time(std::string_view what, std::uint32_t iteration) {
    return {report_.counters, CounterCategory::RunScenario, formatted("{}. Iteration: {}", what, iteration)};
  }

  Result<> read_times(std::uint32_t iteration) {
    if (ends_) {
      const Result<std::vector<std::uint64_t>> ticks = gpu::read_timestamps(device_, *ends_);
      if (!ticks) return fail(ticks.error());
      report_.profile.iterations.push_back(
          {.host = ended_ - submitted_, .before = ticks->front(), .after = ticks->back()});
    }
    if (!run_.timestamps) return {};
    const Result<std::vector<std::uint64_t>> ticks = gpu::read_timestamps(device_, *run_.timestamps);
    if (!ticks) return fail(ticks.error());
    std::size_t next = 0;
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const Step& step = plan_.steps[i];
      if (!is_command(step)) continue;
      const bool compute = std::holds_alternative<Dispatch>(step.action);
      const CommandTime time{.type = compute ? CommandType::ComputeDispatch : CommandType::GraphicsDispatch,
                             .name = step.name,
                             .before = (*ticks)[next],
                             .after = (*ticks)[next + 1],
                             .iteration = iteration,
                             .step = i};
      next += 2;
      if (const GraphDispatch* graph = graph_of_step(plan_, i))
        add_graph_time(*graph, i, time);
      else
        report_.profile.times.push_back(time);
    }
    return {};
  }

  // A graph has one time for all of its steps, and one of each of them besides.
  void add_graph_time(const GraphDispatch& graph, std::size_t step, const CommandTime& time) {
    Profile& profile = report_.profile;
    const std::size_t operation = step - graph.first_step;
    profile.operators.push_back({.graph = static_cast<std::size_t>(&graph - plan_.graphs.data()),
                                 .operation = operation,
                                 .name = graph.operators[operation],
                                 .before = time.before,
                                 .after = time.after,
                                 .iteration = time.iteration});
    if (operation == 0) {
      profile.times.push_back(time);
      profile.times.back().type = CommandType::DataGraphDispatch;
      profile.times.back().name = graph.name;
    } else {
      profile.times.back().after = time.after;
    }
  }

  // --- frames -------------------------------------------------------------------------------------------------------

  // Before the first frame an empty submission with the number 0.
  Result<> begin_frames() {
    if (std::ranges::none_of(segments_, [](const Segment& segment) { return segment.boundary != nullptr; })) return {};
    if (!has_frames_) {
      log_.warning("Frame boundary extension not present");
      return {};
    }
    const gpu::FrameBoundary zero;
    Result<gpu::Submission> submission = gpu::submit(device_, {}, &zero);
    if (!submission) return fail(std::move(submission.error()));
    return submission->wait().transform([](gpu::WaitStatus) {});
  }

  std::optional<Frame> frame_of(const Boundary& boundary, std::uint32_t iteration) {
    const std::uint64_t counted = ++frames_;
    const bool given = boundary.frame_id && iteration == 1;
    if (given) log_.warning("Manual setting of frameID is deprecated");
    if (!has_frames_) return std::nullopt;
    Frame frame;
    for (const ResourceIndex i : boundary.resources) {
      if (std::holds_alternative<Image>(plan_.resources[i].kind))
        frame.images.push_back(&run_.resources.image(i));
      else
        frame.buffers.push_back(&run_.resources.buffer(i));
    }
    frame.boundary = {
        .frame_id = given ? *boundary.frame_id : counted, .images = frame.images, .buffers = frame.buffers};
    return frame;
  }

  // --- what went wrong ----------------------------------------------------------------------------------------------

  void set_progress(std::size_t step) { progress().store(static_cast<std::uint32_t>(step)); }

  // The device writes this while the host looks at it.
  std::atomic_ref<std::uint32_t> progress() const {
    return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(run_.progress->mapped().data()));
  }

  // The dispatch or draw that has not ended although all before it have; the first one without a progress marker.
  std::optional<std::size_t> step_under_way(StepRange steps) const {
    const std::size_t from = run_.progress ? std::max<std::size_t>(steps.begin, progress().load()) : steps.begin;
    for (std::size_t i = from; i < steps.end; ++i) {
      if (is_command(plan_.steps[i])) return i;
    }
    return std::nullopt;
  }

  // With progress markers the command that was being executed is known, else all that were submitted may be it.
  Result<> failed(StepRange steps, Failure failure) const {
    const std::optional<std::size_t> first = step_under_way(steps);
    if (!first) return fail(std::move(failure));
    for (Diagnostic& diagnostic : failure) {
      diagnostic = located(std::move(diagnostic), plan_.steps[*first].origin);
      if (run_.progress)
        diagnostic.note("the device was executing " + describe_step(plan_, *first));
      else
        note_candidates(diagnostic, *first, steps.end);
    }
    return fail(std::move(failure));
  }

  void note_candidates(Diagnostic& diagnostic, std::size_t begin, std::size_t end) const {
    constexpr std::size_t kShown = 8;
    std::size_t candidates = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (std::holds_alternative<Barriers>(plan_.steps[i].action) || ++candidates > kShown) continue;
      diagnostic.note("the device had to execute " + describe_step(plan_, i), plan_.steps[i].origin.location);
    }
    if (candidates > kShown) diagnostic.note(formatted("and {} more", candidates - kShown));
  }

  Result<> timed_out(StepRange steps) const {
    const double seconds = std::chrono::duration<double>(*options_.time_out).count();
    const std::optional<std::size_t> step = step_under_way(steps);
    Diagnostic diagnostic{.kind = DiagnosticKind::TimedOut,
                          .message = formatted("{} did not end within {} s",
                                               step ? describe_step(plan_, *step) : "the submission", seconds)};
    if (step) diagnostic = located(std::move(diagnostic), plan_.steps[*step].origin);
    return fail(std::move(diagnostic));
  }

  Recordable run_;
  const Plan& plan_;
  const gpu::Device& device_;
  const RunOptions& options_;
  const Log& log_;
  Report& report_;
  bool has_frames_;
  std::vector<Segment> segments_;
  std::uint64_t frames_ = 0;
  std::optional<gpu::Timestamps> timestamps_, ends_;  // of commands; of iterations
  HostClock::time_point submitted_, ended_;           // of the iteration
  std::optional<gpu::Buffer> progress_;
  std::optional<gpu::CommandList> list_;
};

}  // namespace

Result<> execute(const Plan& plan, const gpu::Device& device, const Resources& resources, const Pipelines& pipelines,
                 const StepBindings& bindings, const RunOptions& options, const Log& log, Report& report) {
  const Recordable recordable{.plan = plan, .resources = resources, .pipelines = pipelines, .bindings = bindings};
  return Execution(recordable, device, options, log, report).run();
}

}  // namespace slipway::launch
