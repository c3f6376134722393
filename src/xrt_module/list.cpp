// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Run lists on XRT: an xrt::runlist if the list reaches the threshold. Otherwise all runs are started in order, and
// waited for in reverse order (docs/spec/recipe.md#execution). With timings, `wait` starts each run alone.

#include <algorithm>
#include <chrono>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

#include "base/format.hpp"
#include "base/system/temporary_directory.hpp"
#include "xrt_module/module.hpp"

namespace slipway::recipe::xrt_module {
namespace {

using Clock = std::chrono::steady_clock;

// XRT reads dtrace scripts from files only.
class ScriptFile {
 public:
  static Result<std::shared_ptr<ScriptFile>> write(const std::string& text) {
    SLIPWAY_TRY(TemporaryDirectory directory, TemporaryDirectory::make("dtrace"));
    auto file = std::make_shared<ScriptFile>(std::move(directory));
    SLIPWAY_TRY_VOID(write_file(file->path, text));
    return file;
  }
  explicit ScriptFile(TemporaryDirectory directory)
      : path(directory.path() / "script.ct"), directory_(std::move(directory)) {}

  const Path path;

 private:
  TemporaryDirectory directory_;
};

struct Run {
  std::string id;
  std::shared_ptr<const XrtKernel> kernel;
  ::xrt::run run;
  std::shared_ptr<ScriptFile> script;
  std::vector<BufferPtr> buffers;  // alive as long as XRT uses them
};

// Sets a scalar of the size of the recipe's constant; XRT fills the rest of the register with zeros.
void set_number(::xrt::run& run, int index, Bytes bytes) {
  if (bytes.size() == 8) {
    run.set_arg(index, load<std::uint64_t>(bytes.data()));
  } else {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data(), std::min<std::size_t>(bytes.size(), sizeof value));
    run.set_arg(index, value);
  }
}

void set_arguments(Run& run, const KernelRun& source) {
  for (const BufferArgument& argument : source.buffers) {
    const ::xrt::bo& buffer = *native_of(*argument.buffer);
    run.run.set_arg(static_cast<int>(argument.argidx), part_of(buffer, argument.offset, argument.size));
    run.buffers.push_back(argument.buffer);
  }
  for (const ScalarArgument& scalar : source.scalars) {
    set_number(run.run, static_cast<int>(scalar.argidx), scalar.bytes);
  }
}

RunResult result_of(const Run& run) {
  const ert_cmd_state state = run.run.state();
  if (state == ERT_CMD_STATE_COMPLETED) return RunResult::Completed;
  // XRT gives the runs of a list after the one that failed the state ABORT.
  const bool failed =
      state > ERT_CMD_STATE_COMPLETED && state != ERT_CMD_STATE_SUBMITTED && state != ERT_CMD_STATE_ABORT;
  return failed ? RunResult::Failed : RunResult::NotCompleted;
}

class List final : public KernelList {
 public:
  List(bool chain, bool timings) : chain_(chain), timings_(timings) {}
  ~List() override {
    if (started_ != 0) (void)wait(std::nullopt, false);
  }

  Result<> add(const KernelRun& source) {
    Run& run = runs_.emplace_back();
    run.id = source.id;
    run.kernel = std::dynamic_pointer_cast<const XrtKernel>(source.kernel);
    if (!source.trace_script.empty()) {
      SLIPWAY_TRY(run.script, ScriptFile::write(source.trace_script));
    }
    try {
      run.run = ::xrt::run(run.kernel->kernel);
      set_arguments(run, source);
      if (run.script) run.run.set_dtrace_control_file(run.script->path.native());
      if (!chain_) return {};
      if (!list_) list_.emplace(run.kernel->context->context);
      list_->add(run.run);
      return {};
    } catch (...) {
      return failed(run, "cannot be set up", run.kernel->location);
    }
  }

  Result<> submit() override {
    started_ = 0;
    to_measure_ = timings_;
    if (timings_) return {};
    if (chain_) {
      try {
        list_->execute();
        started_ = runs_.size();
        return {};
      } catch (...) {
        return failed(runs_.front(), "does not start, with the runs of its list");
      }
    }
    for (Run& run : runs_) {
      try {
        run.run.start();
        ++started_;
      } catch (...) {
        return failed(run, "does not start");
      }
    }
    return {};
  }

  Result<bool> wait(std::optional<std::chrono::nanoseconds> time_out, bool poll) override {
    if (started_ == 0 && !to_measure_) return true;
    const Clock::time_point start = Clock::now();
    // XRT counts in whole milliseconds, and 0 means no limit.
    const auto left = [&] {
      if (!time_out) return std::chrono::milliseconds(0);
      const auto rest = std::chrono::ceil<std::chrono::milliseconds>(*time_out - (Clock::now() - start));
      return std::max(rest, std::chrono::milliseconds(1));
    };
    const auto over = [&] { return time_out && Clock::now() - start >= *time_out; };
    if (std::exchange(to_measure_, false)) return measure_each(left, over, poll);
    if (chain_) return wait_for_chain(left, over, poll);
    // Waits for all runs, even after a failure. Because of the reverse order, the last failure seen is that of the
    // first failed run, which is returned.
    std::optional<Failure> failure;
    for (Run& run : std::span(runs_).first(started_) | std::views::reverse) {
      try {
        if (!has_ended(run, left, over, poll)) return false;
      } catch (...) {
        failure = failed(run, "failed").error();
      }
    }
    started_ = 0;
    if (failure) return fail(std::move(*failure));
    return true;
  }

  // XRT reports only that a run list failed; the states of its runs show which one.
  std::vector<RunResult> results() const override {
    std::vector<RunResult> all = runs_ | std::views::transform(result_of) | std::ranges::to<std::vector>();
    // Runs that were not started have the state of an earlier submission.
    if (timings_) std::ranges::fill(all | std::views::drop(reached_), RunResult::NotCompleted);
    return all;
  }

  bool chained() const override { return chain_; }

  // XRT has no times of runs: the host measures each one alone.
  std::vector<double> timings() override { return times_; }
  bool runs_in_wait() const override { return timings_; }

 private:
  // Waits for a run; returns false if the time is over. Throws if the run failed.
  template <class Left, class Over>
  static bool has_ended(Run& run, Left left, Over over, bool poll) {
    if (poll) {
      while (run.run.state() < ERT_CMD_STATE_COMPLETED || run.run.state() == ERT_CMD_STATE_SUBMITTED) {
        if (over()) return false;
      }
    }
    return run.run.wait2(left()) != std::cv_status::timeout;
  }

  template <class Left, class Over>
  Result<bool> measure_each(Left left, Over over, bool poll) {
    times_.clear();
    reached_ = 0;
    for (Run& run : runs_) {
      const Clock::time_point begin = Clock::now();
      try {
        run.run.start();
        reached_ = started_ = static_cast<std::size_t>(&run - runs_.data()) + 1;
        if (!has_ended(run, left, over, poll)) return false;
      } catch (...) {
        started_ = 0;
        return failed(run, "failed");
      }
      times_.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
    }
    started_ = 0;
    return true;
  }

  template <class Left, class Over>
  Result<bool> wait_for_chain(Left left, Over over, bool poll) {
    try {
      if (poll) {
        while (list_->poll() == 0) {
          if (over()) return false;
        }
      }
      if (list_->wait(left()) == std::cv_status::timeout) return false;
      started_ = 0;
      return true;
    } catch (...) {
      started_ = 0;
      return failed(first_that_failed(), "failed in its run list");
    }
  }

  const Run& first_that_failed() const {
    for (const Run& run : runs_) {
      if (result_of(run) == RunResult::Failed) return run;
    }
    return runs_.front();
  }

  // The runner, which knows the recipe, locates failures of runs.
  std::unexpected<Failure> failed(const Run& run, std::string_view how, const SourceLocation& location = {}) const {
    return xrt_failed(DiagnosticKind::RunFailed, location,
                      formatted("run '{}' of kernel `{}` {}", run.id, run.kernel->name, how));
  }

  bool chain_, timings_;
  bool to_measure_ = false;  // after `submit`, with timings
  std::vector<Run> runs_;
  std::vector<double> times_;  // ns, of the last submission, with timings
  std::size_t reached_ = 0;    // runs of that submission that were started
  std::size_t started_ = 0;    // runs of the last submission that may not have ended
  std::optional<::xrt::runlist> list_;
};

}  // namespace

Result<ListPtr> make_list(std::span<const KernelRun> runs, const ListOptions& options) {
  const bool chain = !options.timings && options.runlist_threshold != 0 && runs.size() >= options.runlist_threshold;
  auto list = std::make_unique<List>(chain, options.timings);
  for (const KernelRun& run : runs) {
    SLIPWAY_TRY_VOID(list->add(run));
  }
  return list;
}

}  // namespace slipway::recipe::xrt_module
