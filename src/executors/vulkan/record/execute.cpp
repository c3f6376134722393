// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/record/execute.hpp"

#include <algorithm>
#include <atomic>
#include <ranges>
#include <utility>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "base/system/crash_note.hpp"
#include "executors/vulkan/pipelines/bindings.hpp"
#include "executors/vulkan/pipelines/pipelines.hpp"
#include "executors/vulkan/record/call.hpp"
#include "executors/vulkan/record/record.hpp"
#include "launch/plan/accesses.hpp"
#include "launch/plan/locate.hpp"

namespace slipway::launch {
namespace {

std::string describe_step(const Plan& plan, std::size_t index) {
  const std::string path = plan.steps[index].origin.path();
  return formatted("`{}` ({})", plan.steps[index].name, path.empty() ? formatted("step {}", index) : path);
}

// The device writes this while the host reads it.
std::atomic_ref<std::uint32_t> progress_of(const gpu::Buffer& buffer) {
  return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(buffer.mapped().data()));
}

}  // namespace

std::vector<PlanExecution::Segment> PlanExecution::divide(const Recordable& run) {
  const Plan& plan = run.plan;
  std::vector<Segment> segments;
  const auto add = [&](StepRange steps, const Boundary* boundary, const Call* call) {
    Segment& segment = segments.emplace_back();
    segment.steps = steps;
    segment.boundary = boundary;
    segment.call = call;
  };
  std::size_t begin = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const auto* boundary = std::get_if<Boundary>(&plan.steps[i].action);
    const auto* call = std::get_if<Call>(&plan.steps[i].action);
    if (!boundary && !call) continue;
    add({begin, i}, boundary, call);
    begin = i + 1;
  }
  const bool has_copies = !run.before.empty() || !run.after.empty();  // the last ones follow a call at the end, too
  if (begin < plan.steps.size() || has_copies) add({begin, plan.steps.size()}, nullptr, nullptr);
  return segments;
}

PlanExecution::PlanExecution(const Recordable& recordable, const gpu::Device& device, const ExecutionOptions& options,
                             const Log& log, PerfCounters* counters, Profile& profile)
    : run_(recordable),
      plan_(recordable.plan),
      device_(device),
      options_(options),
      log_(log),
      counters_(counters),
      profile_(profile),
      has_frames_(device.plan().has_feature("frameBoundary")),
      segments_(divide(recordable)) {}

PlanExecution::~PlanExecution() {
  for (const Segment& segment : segments_) remove_crash_note(segment.crash_note);
}

// --- recording -------------------------------------------------------------------------------------------------------

Result<> PlanExecution::make_objects() {
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
  if (timestamps_ || ends_) profile_.period = static_cast<float>(device_.snapshot().timestamp_period);
  if (options_.time_out) {
    Result<gpu::Buffer> progress = gpu::create_buffer(
        device_, {.size = sizeof(std::uint32_t), .location = gpu::BufferLocation::Readback, .name = "progress"});
    if (!progress) return fail(std::move(progress.error()));
    run_.progress = &progress_.emplace(std::move(*progress));
  }
  return {};
}

// Between calls there may be nothing; the first submission resets timestamps, and the last one restores layouts.
bool PlanExecution::has_commands(const Segment& segment) const {
  return segment.steps.begin < segment.steps.end || !segment.call || &segment == &segments_.front() ||
         &segment == &segments_.back();
}

Result<> PlanExecution::record() {
  if (Result<> made = make_objects(); !made) return made;
  iteration_ = 1;  // as counters name it
  Recorder recorder(run_);
  Result<> done;
  for (Segment& segment : segments_) {
    if (done && has_commands(segment)) done = record(recorder, segment);
  }
  iteration_ = 0;
  return done;
}

Result<> PlanExecution::record(Recorder& recorder, Segment& segment) {
  const auto [begin, end] = segment.steps;
  if (reports_crashes()) segment.crash_note = crash_note(segment.steps);
  const std::size_t split = options_.split.value_or(begin);
  if (split <= begin || split >= end) return record(recorder, segment, segment.steps);
  return record(recorder, segment, {begin, split}).and_then([&] { return record(recorder, segment, {split, end}); });
}

Result<> PlanExecution::record(Recorder& recorder, Segment& segment, StepRange steps) {
  Result<gpu::CommandList> made = gpu::create_command_list(device_, plan_.name);
  if (!made) return fail(std::move(made.error()));
  gpu::CommandList& list = segment.lists.emplace_back(std::move(*made));
  if (Result<> begun = list.begin(); !begun) return begun;
  const bool is_first = &segment == &segments_.front() && segment.lists.size() == 1;
  const bool is_last = &segment == &segments_.back() && steps.end == segment.steps.end;
  if (run_.timestamps && is_first) {
    const auto timer = time("Reset Query Pool");
    list.reset_timestamps(*run_.timestamps, 0, run_.timestamps->count());
  }
  const auto timer = time("Creating Command Buffer");
  if (ends_ && is_first) list.write_timestamp(*ends_, 0);
  recorder.record(list, steps, is_last);
  if (ends_ && is_last) list.write_timestamp(*ends_, 1);
  return list.end();
}

// --- submitting and waiting ------------------------------------------------------------------------------------------

Result<> PlanExecution::submit(const SubmitOptions& options) {
  ++iteration_;
  time_out_ = options.time_out ? options.time_out : options_.time_out;
  deadline_.reset();
  if (options.time_out) deadline_ = HostClock::now() + *options.time_out;
  calls_.clear();
  if (iteration_ == 1) {
    if (Result<> begun = begin_frames(); !begun) return begun;
  } else if (counters_) {
    // Counters have lines for every iteration, although the commands are recorded only once.
    if (run_.timestamps) static_cast<void>(time("Reset Query Pool"));
    for (const Segment& segment : segments_) {
      if (has_commands(segment)) static_cast<void>(time("Creating Command Buffer"));
    }
  }
  for (const Segment& segment : segments_) {
    if (has_commands(segment)) {
      if (Result<> submitted = submit(segment, options); !submitted) return submitted;
    }
    if (&segment == &segments_.back()) break;
    const Result<bool> ended = wait(segment, time_left(), false);
    if (!ended) return fail(ended.error());
    if (!*ended) return timed_out();
    if (Result<> finished = finish(segment); !finished) return finished;
  }
  return {};
}

Result<bool> PlanExecution::wait(std::optional<std::chrono::nanoseconds> time_out, bool poll) {
  if (!in_progress_) return true;
  const Segment& last = *in_progress_;
  const Result<bool> ended = wait(last, time_out, poll);
  if (!ended || !*ended) return ended;
  in_progress_ = nullptr;
  return finish(last).transform([] { return true; });
}

void PlanExecution::log_commands(StepRange steps) const {
  for (std::size_t i = steps.begin; i < steps.end; ++i) {
    const auto& action = plan_.steps[i].action;
    if (const GraphDispatch* graph = graph_of_step(plan_, i)) {
      if (i == graph->first_step) log_.info("Dispatch graph");
    } else if (std::holds_alternative<Dispatch>(action)) {
      log_.info("Dispatch compute");
    } else if (std::holds_alternative<Boxed<Draw>>(action)) {
      log_.info("Dispatch graphics");
    }
  }
}

Result<> PlanExecution::submit(const Segment& segment, const SubmitOptions& options) {
  const bool is_first = &segment == &segments_.front();
  if (counters_) log_commands(segment.steps);
  if (ends_ && is_first) gpu::reset_timestamps(device_, *ends_);
  if (run_.progress) set_progress(segment.steps.begin);
  const std::optional<Frame> frame = segment.boundary ? frame_of(*segment.boundary) : std::nullopt;
  if (profile_.started == HostClock::time_point{}) profile_.started = HostClock::now();
  std::vector<const gpu::CommandList*> lists;
  for (const gpu::CommandList& list : segment.lists) lists.push_back(&list);
  std::vector<gpu::Batch> batches(lists.size());
  for (std::size_t i = 0; i < batches.size(); ++i) {
    batches[i].lists = {&lists[i], 1};
    if (i < options.after.size()) batches[i].after = options.after[i];
  }
  std::optional<Result<gpu::Submission>> submission;
  {
    const auto timer = time("Submit Commands");
    if (is_first) submitted_ = HostClock::now();
    if (!segment.crash_note.empty()) set_crash_note(&segment.crash_note);
    submission.emplace(frame ? gpu::submit(device_, lists, &frame->boundary)
                             : gpu::submit(device_, options.queue, batches));
  }
  if (!*submission) return failed(segment.steps, std::move(submission->error()));
  submission_.emplace(std::move(**submission));
  in_progress_ = &segment;
  end_ = submission_->end();
  return {};
}

Result<bool> PlanExecution::wait(const Segment& segment, std::optional<std::chrono::nanoseconds> time_out, bool poll) {
  if (!submission_) return true;
  log_.info("Wait for fence");
  const auto timer = time("Wait for Fence");
  const HostClock::time_point start = HostClock::now();
  while (true) {
    const Result<gpu::WaitStatus> status = submission_->wait(poll ? std::chrono::nanoseconds(0) : time_out);
    ended_ = HostClock::now();
    if (!status) return failed(segment.steps, status.error());
    if (*status == gpu::WaitStatus::Done) break;
    if (!poll || (time_out && ended_ - start >= *time_out)) return false;
  }
  submission_.reset();
  remove_crash_note(segment.crash_note);
  return true;
}

// For the next wait or call of the iteration.
std::optional<std::chrono::nanoseconds> PlanExecution::time_left() const {
  if (!deadline_) return time_out_;
  return std::max<std::chrono::nanoseconds>(*deadline_ - HostClock::now(), std::chrono::nanoseconds(0));
}

bool PlanExecution::runs_in_submit() const {
  return std::ranges::any_of(segments_, [](const Segment& segment) { return segment.boundary || segment.call; });
}

// What follows when a submission has ended.
Result<> PlanExecution::finish(const Segment& segment) { return segment.call ? call(segment) : Result<>(); }

Result<> PlanExecution::call(const Segment& segment) {
  const std::size_t index = segment.steps.end;
  const Step& step = plan_.steps[index];
  log_.info(graph_of_step(plan_, index) ? "Dispatch graph" : "Call function");
  const auto timer = time("Call " + step.name);
  if (profile_.started == HostClock::time_point{}) profile_.started = HostClock::now();
  CallControl control{.deadline = std::nullopt, .timed = options_.timestamps, .parts = {}};
  if (const auto left = time_left()) control.deadline = HostClock::now() + *left;
  const Result<HostClock::duration> took = call_function(plan_, device_, run_.resources, *segment.call, control);
  if (!took) return fail(located(took.error(), step.origin));
  calls_.push_back({.name = step.name,
                    .milliseconds = std::chrono::duration<double, std::milli>(*took).count(),
                    .iteration = iteration_,
                    .step = index,
                    .graph = graph_index_of_step(plan_, index),
                    .parts = std::move(control.parts),
                    .begin = HostClock::now() - *took});
  return {};
}

// --- times -----------------------------------------------------------------------------------------------------------

std::optional<ScopedTimer> PlanExecution::time(std::string_view what) const {
  if (!counters_) return std::nullopt;
  return std::optional<ScopedTimer>(std::in_place, *counters_, CounterCategory::RunScenario,
                                    formatted("{}. Iteration: {}", what, iteration_));
}

Result<std::vector<std::uint64_t>> PlanExecution::ticks() const {
  if (!run_.timestamps) return std::vector<std::uint64_t>();
  return gpu::read_timestamps(device_, *run_.timestamps);
}

Result<std::vector<StepSpan>> PlanExecution::spans() const {
  std::vector<StepSpan> spans;
  if (!options_.timestamps) return spans;
  SLIPWAY_TRY(const std::vector<std::uint64_t> of_commands, ticks());
  const auto time_of = [&](std::size_t tick) {
    return static_cast<double>(of_commands[tick] - of_commands.front()) * device_.snapshot().timestamp_period;
  };
  std::size_t next = 0;
  auto call = calls_.begin();
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    if (is_command(plan_.steps[i])) {
      spans.push_back({.step = i, .begin = time_of(next), .end = time_of(next + 1)});
      next += 2;
    } else if (call != calls_.end() && call->step == i) {
      spans.push_back(span_of(*call++));
    }
  }
  return spans;
}

Result<> PlanExecution::add_times() {
  if (ends_) {
    const Result<std::vector<std::uint64_t>> ends = gpu::read_timestamps(device_, *ends_);
    if (!ends) return fail(ends.error());
    profile_.iterations.push_back({.host = ended_ - submitted_, .before = ends->front(), .after = ends->back()});
  }
  profile_.calls.append_range(std::exchange(calls_, {}) | std::views::as_rvalue);
  if (!run_.timestamps) return {};
  const Result<std::vector<std::uint64_t>> of_commands = ticks();
  if (!of_commands) return fail(of_commands.error());
  std::size_t next = 0;
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    const Step& step = plan_.steps[i];
    if (!is_command(step)) continue;
    const bool compute = std::holds_alternative<Dispatch>(step.action);
    const CommandTime time{.type = compute ? CommandType::ComputeDispatch : CommandType::GraphicsDispatch,
                           .name = step.name,
                           .before = (*of_commands)[next],
                           .after = (*of_commands)[next + 1],
                           .iteration = iteration_,
                           .step = i};
    next += 2;
    if (const GraphDispatch* graph = graph_of_step(plan_, i))
      add_graph_time(*graph, i, time);
    else
      profile_.times.push_back(time);
  }
  return {};
}

// A graph has one time for all of its steps, and one for each of them.
void PlanExecution::add_graph_time(const GraphDispatch& graph, std::size_t step, const CommandTime& time) {
  const std::size_t operation = step - graph.first_step;
  profile_.operators.push_back({.graph = static_cast<std::size_t>(&graph - plan_.graphs.data()),
                                .operation = operation,
                                .name = graph.operators[operation],
                                .before = time.before,
                                .after = time.after,
                                .iteration = time.iteration});
  if (operation == 0) {
    profile_.times.push_back(time);
    profile_.times.back().type = CommandType::DataGraphDispatch;
    profile_.times.back().name = graph.name;
  } else {
    profile_.times.back().after = time.after;
  }
}

// --- frames ----------------------------------------------------------------------------------------------------------

// Before the first frame an empty submission with the frame number 0.
Result<> PlanExecution::begin_frames() {
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

std::optional<PlanExecution::Frame> PlanExecution::frame_of(const Boundary& boundary) {
  const std::uint64_t counted = ++frames_;
  const bool given = boundary.frame_id && iteration_ == 1;
  if (given) log_.warning("Manual setting of frameID is deprecated");
  if (!has_frames_) return std::nullopt;
  Frame frame;
  for (const ResourceIndex i : boundary.resources) {
    if (std::holds_alternative<Image>(plan_.resources[i].kind))
      frame.images.push_back(&run_.resources.image(i));
    else
      frame.buffers.push_back(&run_.resources.buffer(i));
  }
  frame.boundary = {.frame_id = given ? *boundary.frame_id : counted, .images = frame.images, .buffers = frame.buffers};
  return frame;
}

// --- failures --------------------------------------------------------------------------------------------------------

void PlanExecution::set_progress(std::size_t step) const {
  progress_of(*run_.progress).store(static_cast<std::uint32_t>(step));
}

// The dispatch or draw that has not ended although all before it have; the first one without a progress marker.
std::optional<std::size_t> PlanExecution::step_in_progress(StepRange steps) const {
  const std::size_t from =
      run_.progress ? std::max<std::size_t>(steps.begin, progress_of(*run_.progress).load()) : steps.begin;
  for (std::size_t i = from; i < steps.end; ++i) {
    if (is_command(plan_.steps[i])) return i;
  }
  return std::nullopt;
}

// With progress markers the command that was being executed is known; otherwise it may be any of those submitted.
std::unexpected<Failure> PlanExecution::failed(StepRange steps, Failure failure) const {
  const std::optional<std::size_t> first = step_in_progress(steps);
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

void PlanExecution::note_candidates(Diagnostic& diagnostic, std::size_t begin, std::size_t end) const {
  constexpr std::size_t kShown = 8;
  std::size_t candidates = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (!is_command(plan_.steps[i]) || ++candidates > kShown) continue;
    diagnostic.note("the device had to execute " + describe_step(plan_, i), plan_.steps[i].origin.location());
  }
  if (candidates > kShown) diagnostic.note(formatted("and {} more", candidates - kShown));
}

// With the place of the first command, which often is the only one.
std::string PlanExecution::crash_note(StepRange steps) const {
  constexpr std::size_t kShown = 8;
  std::string text = "the device ran ";
  std::size_t commands = 0;
  for (std::size_t i = steps.begin; i < steps.end; ++i) {
    if (!is_command(plan_.steps[i]) || ++commands > kShown) continue;
    if (commands > 1) text += ", ";
    text += describe_step(plan_, i);
    const std::string place = format_location(plan_.steps[i].origin.location());
    if (commands == 1 && !place.empty()) text += formatted(" of {}", place);
  }
  if (commands > kShown) text += formatted(" and {} more", commands - kShown);
  return commands == 0 ? "" : text;
}

std::unexpected<Failure> PlanExecution::timed_out() const {
  const double seconds = std::chrono::duration<double>(time_out_.value_or(std::chrono::nanoseconds(0))).count();
  const std::optional<std::size_t> step = in_progress_ ? step_in_progress(in_progress_->steps) : std::nullopt;
  Diagnostic diagnostic{.kind = DiagnosticKind::TimedOut,
                        .message = formatted("{} did not end within {} s",
                                             step ? describe_step(plan_, *step) : "the submission", seconds)};
  if (step) diagnostic = located(std::move(diagnostic), plan_.steps[*step].origin);
  return fail(std::move(diagnostic));
}

}  // namespace slipway::launch
