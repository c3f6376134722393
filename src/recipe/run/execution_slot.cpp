// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/run/execution_slot.hpp"

#include <algorithm>
#include <cstring>

#include "base/format.hpp"
#include "base/system/crash_note.hpp"

namespace slipway::recipe {
namespace {

using Clock = std::chrono::steady_clock;

// How many times a thread polls before it sleeps: about 20 us, less than the cost of a wake-up. Zero on a single core,
// where polling would only delay the other thread.
int spins() {
  static const int count = std::thread::hardware_concurrency() > 1 ? 2000 : 0;
  return count;
}

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

std::int64_t milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::ceil<std::chrono::milliseconds>(time).count();
}

// What the slot does, while it does it.
class ListNote {
 public:
  explicit ListNote(const PreparedList& list) : list_(list) {
    if (reports_crashes()) set_crash_note(&list.note);
  }
  ListNote(const ListNote&) = delete;
  ~ListNote() { remove_crash_note(list_.note); }

 private:
  const PreparedList& list_;
};

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

}  // namespace

ExecutionSlot::~ExecutionSlot() {
  for (const PreparedList& list : lists) remove_crash_note(list.note);
  if (in_progress()) finish(std::nullopt);
  if (!thread_.joinable()) return;
  state_.store(kQuit);
  state_.notify_all();
}

Result<> ExecutionSlot::start() {
  result_ = {};
  if (is_direct()) {
    PreparedList& list = lists.front();
    if (reports_crashes()) set_crash_note(&list.note);
    Result<> started = before(list).and_then([&] { return list.kernels->submit(); });
    if (started) {
      state_.store(kRequested, std::memory_order_relaxed);
    } else {  // a failure of a run, which `finish` reports
      failed(list, std::move(started.error()));
      state_.store(kDone, std::memory_order_relaxed);
    }
    return {};
  }
  if (!thread_.joinable()) thread_ = std::jthread([this] { work(); });
  state_.store(kRequested);
  state_.notify_all();
  return {};
}

std::optional<SlotResult> ExecutionSlot::finish(std::optional<std::chrono::nanoseconds> limit) {
  if (!in_progress()) return SlotResult{};
  if (is_direct()) {
    if (state_.load(std::memory_order_relaxed) == kRequested) {
      PreparedList& list = lists.front();
      const Result<bool> ended = finish_direct(limit);
      if (ended && !*ended) return std::nullopt;
      if (!ended) failed(list, ended.error());
    }
  } else if (!wait_until_done(limit)) {
    return is_overdue() ? std::optional(give_up()) : std::nullopt;
  }
  if (is_direct()) remove_crash_note(lists.front().note);
  state_.store(kIdle, std::memory_order_relaxed);
  return std::move(result_);
}

Result<bool> ExecutionSlot::finish_direct(std::optional<std::chrono::nanoseconds> limit) {
  PreparedList& list = lists.front();
  const bool own_limit = time_out && (!limit || *time_out < *limit);
  const Result<bool> ended = list.kernels->wait(own_limit ? time_out : limit, poll);
  if (!ended) return ended;
  if (!*ended) return own_limit ? Result<bool>(fail(timed_out(list))) : ended;
  take_timings(list);
  return after(list).transform([] { return true; });
}

bool ExecutionSlot::wait_until_done(std::optional<std::chrono::nanoseconds> limit) {
  for (int i = 0; i < spins() || poll; ++i) {
    if (state_.load(std::memory_order_acquire) == kDone) return true;
    if (poll && (limit || time_out)) break;  // the timed wait below checks the time
    relax();
  }
  if (!limit && !time_out) {
    for (std::uint32_t now = state_.load(); now != kDone; now = state_.load()) state_.wait(now);
    return true;
  }
  std::unique_lock lock(mutex_);
  ++timed_waiters_;
  constexpr std::chrono::nanoseconds kPeriod = std::chrono::milliseconds(20), kMaxWait = std::chrono::hours(24 * 365);
  const Clock::time_point end = Clock::now() + std::min(limit.value_or(kMaxWait), kMaxWait);
  const auto is_done = [&] { return state_.load() == kDone; };
  bool done = false;
  do {
    done = done_.wait_until(lock, time_out ? std::min(end, Clock::now() + kPeriod) : end, is_done);
  } while (!done && Clock::now() < end && !is_overdue());
  --timed_waiters_;
  return done;
}

bool ExecutionSlot::is_overdue() const {
  return time_out && (cpu_.is_stuck || (cpu_.run.load() && Clock::now() - cpu_.called_at.load() >= *time_out));
}

SlotResult ExecutionSlot::give_up() {
  given_up_ = cpu_.is_stuck = true;
  const std::string* const name = cpu_.run.load();
  SlotResult result{.runs = std::vector(total_ns_.size(), RunStatus::Skipped)};
  for (const PreparedList& list : lists) {
    for (std::size_t i = 0; i < list.names.size(); ++i) {
      if (&list.names[i] != name) continue;
      std::fill_n(result.runs.begin(), list.begin + i, RunStatus::Ok);
      result.runs[list.begin + i] = RunStatus::Failed;
      result.failed_run = list.begin + i;
    }
  }
  result.failure = RunFailure{{{.kind = DiagnosticKind::TimedOut,
                                .message = formatted("the CPU function of run `{}` did not end within {} ms",
                                                     name ? *name : "", milliseconds(*time_out))}}};
  return result;
}

void ExecutionSlot::work() {
  while (true) {
    std::uint32_t now = state_.load(std::memory_order_acquire);
    for (int i = 0; i < spins() && now != kRequested && now != kQuit; ++i) {
      relax();
      now = state_.load(std::memory_order_acquire);
    }
    while (now != kRequested && now != kQuit) {
      state_.wait(now);
      now = state_.load();
    }
    if (now == kQuit) return;
    run_lists();
    state_.store(kDone);
    state_.notify_all();
    if (timed_waiters_.load() != 0) {
      const std::scoped_lock lock(mutex_);
      done_.notify_all();
    }
  }
}

void ExecutionSlot::run_lists() {
  for (PreparedList& list : lists) {
    const ListNote note(list);
    if (!(list.kernels ? run_kernel_list(list) : run_cpu_list(list))) return;
  }
}

bool ExecutionSlot::run_cpu_list(PreparedList& list) {
  const std::scoped_lock lock(cpu_.mutex);
  if (Result<> done = before_calls(list); !done) {
    failed(list, std::move(done.error()));
    return false;
  }
  for (std::size_t i = 0; i < list.calls.size(); ++i) {
    const Clock::time_point start = timings ? Clock::now() : Clock::time_point();
    if (time_out) {
      cpu_.called_at = Clock::now();
      cpu_.run = &list.names[i];
    }
    std::expected<void, cpu::CallFailure> done = cpu::run_call(list.calls[i]);
    cpu_.run = nullptr;
    if (timings) total_ns_[list.begin + i] += nanoseconds_since(start);
    if (done) continue;
    result_ = {.failure = RunFailure{{std::move(done.error().diagnostic)}, done.error().thrown},
               .runs = std::vector(total_ns_.size(), RunStatus::Skipped),
               .failed_run = list.begin + i};
    std::fill_n(result_.runs.begin(), list.begin + i, RunStatus::Ok);
    result_.runs[list.begin + i] = RunStatus::Failed;
    return false;
  }
  Result<> done = after_calls(list);
  if (!done) failed(list, std::move(done.error()));
  return done.has_value();
}

Result<> ExecutionSlot::before_calls(PreparedList& list) {
  for (const BufferUse& use : list.uses) {
    SLIPWAY_TRY_VOID(coherence_.to_host(use.part));
  }
  for (const StagingCopy& staging : list.staging) {
    std::memcpy(staging.copy->host_address(), staging.original.storage->host_address(), staging.original.size);
  }
  return {};
}

Result<> ExecutionSlot::after_calls(PreparedList& list) {
  for (const StagingCopy& staging : list.staging) {
    std::memcpy(staging.original.storage->host_address(), staging.copy->host_address(), staging.original.size);
  }
  for (const BufferUse& use : list.uses) {
    coherence_.wrote_host(use.part);
    // A sync of the application from the device must not lose what functions wrote. Other buffers are synchronised if
    // kernels use them.
    if (use.bound) SLIPWAY_TRY_VOID(coherence_.to_device(use.part));
  }
  return {};
}

bool ExecutionSlot::run_kernel_list(PreparedList& list) {
  Result<> done = before(list).and_then([&] { return list.kernels->submit(); });
  if (done) {
    const Result<bool> ended = list.kernels->wait(time_out, poll);
    if (!ended)
      done = fail(ended.error());
    else if (!*ended)
      done = fail(timed_out(list));
  }
  if (done) {
    take_timings(list);
    done = after(list);
  }
  if (!done) failed(list, std::move(done.error()));
  return done.has_value();
}

Result<> ExecutionSlot::before(PreparedList& list) {
  for (const StagingCopy& staging : list.staging) {
    SLIPWAY_TRY_VOID(coherence_.to_host(staging.original));
    std::memcpy(staging.copy->host_address(),
                host_bytes(*staging.original.storage).subspan(staging.original.offset).data(), staging.original.size);
    SLIPWAY_TRY_VOID(sync_buffer(*staging.copy, sync_direction::to_device, 0, staging.original.size));
  }
  for (const BufferUse& use : list.uses) {
    SLIPWAY_TRY_VOID(coherence_.to_device(use.part));
  }
  return {};
}

Result<> ExecutionSlot::after(PreparedList& list) {
  for (const BufferUse& use : list.uses) {
    if (use.writes) coherence_.wrote_device(use.part);
  }
  for (const StagingCopy& staging : list.staging) {
    if (!staging.writes) continue;
    SLIPWAY_TRY_VOID(sync_buffer(*staging.copy, sync_direction::from_device, 0, staging.original.size));
    std::memcpy(host_bytes(*staging.original.storage).subspan(staging.original.offset).data(),
                staging.copy->host_address(), staging.original.size);
    coherence_.wrote_host(staging.original);
  }
  return {};
}

void ExecutionSlot::take_timings(PreparedList& list) {
  if (!timings) return;
  const std::vector<double> times = list.kernels->timings();
  for (std::size_t i = 0; i < times.size() && list.begin + i < list.end; ++i) total_ns_[list.begin + i] += times[i];
}

void ExecutionSlot::failed(const PreparedList& list, Failure failure) {
  result_ = {.failure = RunFailure{.diagnostics = std::move(failure)},
             .runs = std::vector(total_ns_.size(), RunStatus::Skipped)};
  std::fill_n(result_.runs.begin(), list.begin, RunStatus::Ok);
  const std::vector<RunResult> results = list.kernels ? list.kernels->results() : std::vector<RunResult>();
  for (std::size_t i = 0; i < results.size() && list.begin + i < list.end; ++i) {
    if (results[i] == RunResult::Completed) result_.runs[list.begin + i] = RunStatus::Ok;
    const bool failed = results[i] == RunResult::Failed;
    if (failed) result_.runs[list.begin + i] = RunStatus::Failed;
    if (failed && !result_.failed_run) result_.failed_run = list.begin + i;
  }
  if (result_.failed_run) return;
  // The first run that did not complete; without results, the first of the list.
  std::size_t first = list.begin;
  while (first < list.end && result_.runs[first] == RunStatus::Ok) ++first;
  if (first == list.end) return;
  result_.runs[first] = RunStatus::Failed;
  if (!results.empty() || list.end - list.begin == 1) result_.failed_run = first;
}

Failure ExecutionSlot::timed_out(const PreparedList& list) const {
  const std::size_t count = list.end - list.begin;
  std::string message =
      count == 1 ? formatted("run `{}` did not end within {} ms", list.names.front(), milliseconds(*time_out))
                 : formatted("the list of {} runs from `{}` to `{}` did not end within {} ms", count,
                             list.names.front(), list.names.back(), milliseconds(*time_out));
  const std::vector<RunResult> results = list.kernels->results();
  if (count > 1 && !results.empty()) {
    message += formatted("; {} of its runs completed", std::ranges::count(results, RunResult::Completed));
  }
  return {{.kind = DiagnosticKind::TimedOut, .message = std::move(message)}};
}

}  // namespace slipway::recipe
