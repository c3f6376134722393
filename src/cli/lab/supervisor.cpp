// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/supervisor.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/system/utc_time.hpp"
#include "cli/lab/worker_process.hpp"

namespace slipway::cli {
namespace {

using Clock = std::chrono::steady_clock;

// A worker that ends before it has started a case is replaced this often for that case.
constexpr std::uint32_t kMaxStarts = 3;
// How much of what a crashed case printed is part of its diagnostic.
constexpr std::size_t kMaxLastWords = 2000;

class Supervisor {
 public:
  Supervisor(const std::vector<LabCase>& cases, const SupervisorOptions& options,
             const std::function<void(CaseOutcome)>& ended)
      : cases_(cases), options_(options), ended_(ended), attempts_(cases.size()), starts_(cases.size()) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (cases[i].why_not_run)
        report_unrunnable(i);
      else
        waiting_.push_back(i);
    }
    slots_.resize(std::min(options.workers.size(), waiting_.size()));
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i].number = i;
  }

  SupervisorEnd run() {
    while (!end_.usage && !end_.is_interrupted && (!waiting_.empty() || any_busy())) {
      for (Slot& slot : slots_) give_work(slot);
      if (!any_busy()) continue;
      wait_for_something();
      end_.is_interrupted = is_interrupted();
      for (Slot& slot : slots_) serve(slot);
    }
    for (Slot& slot : slots_) {
      if (!slot.process) continue;
      if (end_.is_interrupted || end_.usage)
        slot.process->kill();
      else
        slot.process->close();
    }
    return std::move(end_);
  }

 private:
  struct Slot {
    std::size_t number = 0;
    std::optional<WorkerProcess> process;
    bool is_identified = false, is_identifying = false;
    DeviceIdentity device;
    std::optional<std::size_t> current;  // index of the case
    bool has_started = false;            // the case
    Clock::time_point start = Clock::now();
    std::string started_at;
    bool is_overdue = false;

    bool busy() const { return current || is_identifying; }
  };

  bool any_busy() const { return std::ranges::any_of(slots_, &Slot::busy); }

  CaseResult result_of(std::size_t index, const Slot& slot) const {
    return {.file = cases_[index].file,
            .copy = cases_[index].copy,
            .format = cases_[index].format,
            .started = slot.started_at,
            .at = std::max(0.0, std::chrono::duration<double>(slot.start - begin_).count()),
            .worker = static_cast<std::uint32_t>(slot.number),
            .device = slot.device,
            .attempts = attempts_[index] + 1};
  }

  void report_unrunnable(std::size_t index) {
    const Diagnostic& why = *cases_[index].why_not_run;
    CaseOutcome outcome{.index = index, .result = result_of(index, {.started_at = utc_now()})};
    outcome.result.verdict = CaseVerdict::Error;
    outcome.result.exit_status = static_cast<int>(exit_class_of(why.kind));
    outcome.result.files = entry_of(cases_[index].file, why);
    outcome.why = why;
    ended_(std::move(outcome));
  }

  void give_work(Slot& slot) {
    if (slot.busy() || waiting_.empty()) return;
    if (!slot.process) {
      Result<WorkerProcess> started = WorkerProcess::start(options_.workers[slot.number]);
      if (!started) {
        const std::size_t index = waiting_.front();
        waiting_.pop_front();
        slot.started_at = utc_now();
        finish(slot, index, CaseVerdict::Error, started.error().front());
        return;
      }
      slot.process = std::move(*started);
    }
    if (options_.identify_devices && !slot.is_identified) {
      slot.is_identifying = true;
      slot.process->send(request_text({}));
      return;
    }
    const std::size_t index = waiting_.front();
    waiting_.pop_front();
    if (std::optional<CaseResult> skipped = options_.skip ? options_.skip(cases_[index], slot.device) : std::nullopt) {
      skipped->started = utc_now();
      skipped->at = std::chrono::duration<double>(Clock::now() - begin_).count();
      skipped->worker = static_cast<std::uint32_t>(slot.number);
      skipped->device = slot.device;
      ended_({.index = index, .result = std::move(*skipped), .output = {}, .errors = {}});
      return;
    }
    slot.current = index;
    slot.has_started = slot.is_overdue = false;
    slot.start = Clock::now();
    slot.started_at = utc_now();
    slot.process->send(request_text({cases_[index].file, cases_[index].format, options_.warmup}));
  }

  void wait_for_something() {
    std::vector<platform::Watched> watched = {{.file = interrupt_file()}};
    int time_out = -1;
    for (const Slot& slot : slots_) {
      if (slot.process) slot.process->add_to(watched);
      if (!slot.current || !options_.case_timeout) continue;
      const auto left = std::chrono::duration<double, std::milli>(*options_.case_timeout - (Clock::now() - slot.start));
      const int wait = std::max(0, static_cast<int>(std::ceil(std::min(left.count(), 1e9))));
      time_out = time_out < 0 ? wait : std::min(time_out, wait);
    }
    platform::wait_for_any(watched, time_out);
  }

  void serve(Slot& slot) {
    if (!slot.process) return;
    const bool open = slot.process->read();
    while (slot.process) {
      const std::optional<std::string> line = slot.process->next_line();
      if (!line) break;
      handle(slot, read_reply(*line));
    }
    if (!slot.process) return;
    if (!open) {
      lose(slot);
    } else if (slot.current && options_.case_timeout && !slot.is_overdue &&
               Clock::now() - slot.start >= *options_.case_timeout) {
      slot.is_overdue = true;
      slot.process->kill();  // `serve` notices the end of the process
    }
  }

  void handle(Slot& slot, const WorkerReply& reply) {
    if (reply.device) {
      slot.device = *reply.device;
      slot.is_identified = true;
      slot.is_identifying = false;
    }
    slot.has_started |= reply.started;
    if (reply.usage) {
      end_.usage = reply.usage;
      end_.text = slot.process->take_errors();
      slot.current.reset();
    }
    if (reply.uses && slot.current)
      slot.process->send(
          answer_text(options_.claim ? options_.claim(cases_[*slot.current], *reply.uses) : std::nullopt));
    if (!reply.done || !slot.current) return;
    const std::size_t index = *slot.current;
    slot.current.reset();
    CaseOutcome outcome{.index = index, .result = result_of(index, slot)};
    outcome.result.verdict = reply.done->verdict;
    outcome.result.exit_status = reply.done->exit_status;
    outcome.result.seconds = reply.done->seconds;
    outcome.result.samples = reply.done->samples;
    if (reply.done->state && reply.done->state->is_known()) outcome.result.state = reply.done->state;
    outcome.result.files = reply.done->files;
    outcome.output = slot.process->take_output();
    outcome.errors = slot.process->take_errors();
    if (reply.done->worker_ends) {
      slot.process.reset();
      ++end_.restarts;
    }
    end_case(std::move(outcome), slot);
  }

  // The process of a worker has ended, or its socket is closed, which is the same.
  void lose(Slot& slot) {
    slot.process->kill();  // if only the socket is closed
    const std::string how = slot.process->wait();
    const std::string output = slot.process->take_output(), errors = slot.process->take_errors();
    slot.process.reset();
    ++end_.restarts;
    if (slot.is_identifying) {  // the driver crashes; each case shows how
      slot.is_identifying = false;
      slot.is_identified = true;
    }
    if (!slot.current) return;
    const std::size_t index = *slot.current;
    slot.current.reset();
    if (!slot.has_started && !slot.is_overdue && ++starts_[index] < kMaxStarts) {
      waiting_.push_front(index);
      return;
    }
    Diagnostic what{.kind = DiagnosticKind::WorkerCrashed,
                    .message = formatted("the process that ran the case ended with {}", how),
                    .location = SourceLocation::in_file(cases_[index].file)};
    if (slot.is_overdue) {
      what.kind = DiagnosticKind::TimedOut;
      what.message =
          formatted("the case did not end within {:.3g} s, and its process was ended", options_.case_timeout->count());
    }
    const std::size_t begin = errors.size() < kMaxLastWords ? 0 : errors.size() - kMaxLastWords;
    if (std::string last = errors.substr(begin); !last.empty()) {
      while (last.ends_with('\n')) last.pop_back();
      what.note("it printed: " + last);
    }
    finish(slot, index, slot.is_overdue ? CaseVerdict::TimedOut : CaseVerdict::Crashed, what, output);
  }

  void finish(const Slot& slot, std::size_t index, CaseVerdict verdict, const Diagnostic& why,
              std::string output = {}) {
    CaseOutcome outcome{.index = index, .result = result_of(index, slot)};
    outcome.result.verdict = verdict;
    outcome.result.exit_status = static_cast<int>(exit_class_of(why.kind));
    outcome.result.seconds = std::chrono::duration<double>(Clock::now() - slot.start).count();
    outcome.result.files = entry_of(cases_[index].file, why);
    outcome.output = std::move(output);
    outcome.why = why;
    end_case(std::move(outcome), slot);
  }

  void end_case(CaseOutcome outcome, const Slot& slot) {
    const std::size_t index = outcome.index;
    const bool retry = !is_success(outcome.result.verdict) && outcome.result.verdict != CaseVerdict::Skipped &&
                       options_.retries && attempts_[index] < options_.retries(cases_[index], slot.device);
    if (!retry) return ended_(std::move(outcome));
    ++attempts_[index];
    waiting_.push_front(index);
  }

  const Clock::time_point begin_ = Clock::now();
  const std::vector<LabCase>& cases_;
  const SupervisorOptions& options_;
  const std::function<void(CaseOutcome)>& ended_;
  std::vector<std::uint32_t> attempts_, starts_;
  std::deque<std::size_t> waiting_;
  std::vector<Slot> slots_;
  SupervisorEnd end_;
};

}  // namespace

SupervisorEnd supervise(const std::vector<LabCase>& cases, const SupervisorOptions& options,
                        const std::function<void(CaseOutcome)>& ended) {
  return Supervisor(cases, options, ended).run();
}

}  // namespace slipway::cli
