// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "recipe/jobs/jobs.hpp"

namespace slipway::recipe {
namespace {

// Loaded jobs that wait for a worker.
class Queue {
 public:
  explicit Queue(std::size_t limit) : limit_(limit) {}

  struct Item {
    std::size_t job = 0;
    RunJob run;
  };

  // Waits before the next job is loaded, so that there are never more loaded jobs than the limit.
  void wait_for_space() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return items_.size() < limit_; });
  }
  void push(Item item) {
    const std::scoped_lock lock(mutex_);
    items_.push_back(std::move(item));
    changed_.notify_all();
  }
  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  // Returns nothing if the queue is closed and empty.
  std::optional<Item> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    Item item = std::move(items_.front());
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

 private:
  std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool closed_ = false;
};

JobResult thrown_result() {
  Diagnostic problem{.kind = DiagnosticKind::RunFailed};
  try {
    throw;
  } catch (const std::exception& thrown) {
    problem.message = thrown.what();
  } catch (...) {
    problem.message = "an exception of unknown type";
  }
  return {.status = static_cast<int>(exit_class_of(problem.kind)),
          .report = {.error = error_of(problem)},
          .diagnostics = {problem}};
}

}  // namespace

std::vector<JobResult> run_jobs(const JobScript& script, const JobOptions& options, const PrepareJob& prepare) {
  std::vector<JobResult> results(script.jobs.size());
  const std::size_t threads = std::min(options.threads == 0 ? kMaxThreads : options.threads, script.jobs.size());
  Queue queue(options.queue_limit == 0 ? std::max<std::size_t>(threads, 1) : options.queue_limit);
  const auto work = [&] {
    while (std::optional<Queue::Item> item = queue.pop()) {
      try {
        results[item->job] = item->run();
      } catch (...) {
        results[item->job] = thrown_result();
      }
    }
  };
  std::vector<std::jthread> workers;
  // Before the workers are joined, also if something is thrown.
  const std::unique_ptr<Queue, decltype([](Queue* open) { open->close(); })> closing(&queue);
  try {
    for (std::size_t i = 0; i < threads; ++i) workers.emplace_back(work);
  } catch (const std::system_error&) {
    if (workers.empty()) throw;  // otherwise those that could be started do the work
  }
  for (std::size_t i = 0; i < script.jobs.size(); ++i) {
    queue.wait_for_space();
    try {
      std::expected<RunJob, JobResult> loaded = prepare(script.jobs[i]);
      if (loaded) {
        queue.push({i, std::move(*loaded)});
      } else {
        results[i] = std::move(loaded.error());
      }
    } catch (...) {
      results[i] = thrown_result();
    }
  }
  queue.close();
  workers.clear();
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].id = script.jobs[i].id;
    results[i].recipe = script.jobs[i].recipe;
  }
  return results;
}

int status_of(const std::vector<JobResult>& results) {
  int status = 0;
  for (const JobResult& result : results) status = worst_status(status, result.status);
  return status;
}

JobsReport jobs_report(const std::vector<JobResult>& results, const ProcessUsage& system) {
  JobsReport report{.system = system};
  for (const JobResult& result : results) {
    // Of several jobs with one id, the last one is reported.
    const auto known = std::ranges::find(report.jobs, result.id, [](const auto& job) { return job.first; });
    if (known == report.jobs.end())
      report.jobs.emplace_back(result.id, result.report);
    else
      known->second = result.report;
  }
  return report;
}

}  // namespace slipway::recipe
