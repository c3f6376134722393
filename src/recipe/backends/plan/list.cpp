// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run list as a plan: prepared once and submitted as often as wanted.
//
// On a device the list is one command buffer. If copies of it run concurrently on several queues, it is two, of which
// only the second waits for the other copies: it begins with the first run that uses bytes that the copies share and
// write.
//
// Where the host runs the graphs of a model, the list is run in `wait`: on a device as several submissions with calls
// between them, one list at a time; on the CPU beside other lists, unless they share bytes that one of them writes.
#include <algorithm>
#include <set>
#include <shared_mutex>

#include "launch/report/profile.hpp"
#include "recipe/backends/plan/batch_plan.hpp"
#include "recipe/backends/plan/parts.hpp"
#include "recipe/plan/model_kernel.hpp"

namespace slipway::recipe {
namespace {

using Clock = std::chrono::steady_clock;

class PlanList final : public KernelList {
 public:
  explicit PlanList(std::shared_ptr<PlanDevice> device) : device_(std::move(device)) {}

  ~PlanList() override {
    prepared_.reset();  // waits
    leave();
  }

  Result<> prepare(std::span<const KernelRun> runs, const ListOptions& options) {
    runs_.assign(runs.begin(), runs.end());
    SLIPWAY_TRY(batch_, plan_batch(runs_, *device_));
    const bool divides = options.overlaps && device_->queues.queues() > 1 && !has_calls(batch_.plan);
    const std::size_t split = divides ? batch_.first_contended() : 0;
    add_section(0, split);
    add_section(split, runs_.size());
    writes_shared_ = std::ranges::any_of(shared_, &AccessedRange::writes);
    launch::PrepareOptions how{
        .cache = device_->cache, .external = batch_.external, .queue_lock = device_->executor->turn()};
    how.execution.timestamps = options.timings && device_->has_timestamps;
    if (sections_.size() > 1) how.execution.split = batch_.runs[split].first_step;
    launch::SharedPipelines pipelines;
    std::set<const PlanKernel*> kernels;
    for (const KernelRun& run : runs_) kernels.insert(static_cast<const PlanKernel*>(run.kernel.get()));
    for (const PlanKernel* kernel : kernels) kernel->add_pipelines_to(pipelines);
    how.pipelines = &pipelines;
    SLIPWAY_TRY(prepared_, device_->executor->prepare(batch_.plan, std::move(how)));
    for (const PlanKernel* kernel : kernels) kernel->keep_pipelines(pipelines);
    return {};
  }

  Result<> submit() override { return runs_in_wait() ? Result<>() : start({}); }

  Result<bool> wait(std::optional<std::chrono::nanoseconds> time_out, bool poll) override {
    if (runs_in_wait()) {
      const Clock::time_point begin = Clock::now();
      SLIPWAY_TRY_VOID(start(time_out));
      if (time_out) time_out = std::max<std::chrono::nanoseconds>(*time_out - (Clock::now() - begin), {});
    }
    Result<bool> ended = prepared_->wait_for(time_out, poll);
    if (ended && *ended) leave();
    return ended;
  }

  // The time between two commands counts too, unless there are calls between them.
  std::vector<double> timings() override {
    const Result<std::vector<launch::StepSpan>> spans = prepared_->spans();
    if (!spans || spans->empty()) return {};
    std::vector<double> times;
    auto span = spans->begin();
    for (const BatchPlan::Run& run : batch_.runs) {
      const auto begin = span;
      double sum = 0;
      bool has_calls = false;
      for (; span != spans->end() && span->step < run.end_step; ++span) {
        sum += span->end - span->begin;
        has_calls |= span->is_call;
      }
      times.push_back(has_calls || begin == span ? sum : std::prev(span)->end - begin->begin);
    }
    return times;
  }

  bool runs_in_wait() const override { return prepared_->runs_in_submit(); }
  bool chained() const override { return !prepared_->runs_in_submit(); }

 private:
  Result<> start(std::optional<std::chrono::nanoseconds> time_out) {
    std::mutex* const turn = device_->executor->turn();
    if (!turn) return start_beside_others(time_out);
    const std::scoped_lock lock(*turn);
    QueueSpread& queues = device_->queues;
    const std::uint32_t queue = queues.choose(shared_, sections_.size() == 1);
    std::vector<std::vector<vk::QueuePoint>> after;
    for (const std::vector<AccessedRange>& section : sections_) after.push_back(queues.waits(queue, section));
    Result<> submitted = prepared_->submit({.queue = queue, .after = after, .time_out = time_out});
    if (submitted) number_ = queues.add(prepared_->end(), shared_);
    return submitted;
  }

  Result<> start_beside_others(std::optional<std::chrono::nanoseconds> time_out) {
    std::unique_lock writing(device_->shared_bytes, std::defer_lock);
    std::shared_lock reading(device_->shared_bytes, std::defer_lock);
    if (writes_shared_)
      writing.lock();
    else if (!shared_.empty())
      reading.lock();
    return prepared_->submit({.after = {}, .time_out = time_out});
  }

  void add_section(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    std::vector<AccessedRange>& section = sections_.emplace_back();
    for (std::size_t i = begin; i < end; ++i) section.append_range(batch_.runs[i].shared);
    shared_.append_range(section);
  }

  void leave() {
    if (!number_) return;
    const std::scoped_lock lock(*device_->executor->turn());
    device_->queues.remove(*number_);
    number_.reset();
  }

  std::shared_ptr<PlanDevice> device_;
  std::vector<KernelRun> runs_;  // keep kernels and buffers alive
  BatchPlan batch_;
  std::vector<std::vector<AccessedRange>> sections_;  // by command buffer: bytes that other lists may use too
  std::vector<AccessedRange> shared_;                 // of all sections
  bool writes_shared_ = false;
  std::optional<std::uint64_t> number_;  // in `queues`, while in flight
  std::unique_ptr<launch::PreparedPlan> prepared_;
};

}  // namespace

Result<ListPtr> make_plan_list(std::shared_ptr<PlanDevice> device, std::span<const KernelRun> runs,
                               const ListOptions& options) {
  auto list = std::make_unique<PlanList>(std::move(device));
  SLIPWAY_TRY_VOID(list->prepare(runs, options));
  return list;
}

}  // namespace slipway::recipe
