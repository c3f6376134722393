// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run list on Vulkan: prepared once and submitted as often as wanted, in one submission.
//
// The list is one command buffer. If copies of it run concurrently on several queues, it is two, of which only the
// second waits for the other copies: it begins with the first run that uses bytes that the copies share and write.
//
// Where an engine of the host runs the graphs of a model, the list is several submissions with calls between them. They
// are made in `wait`, one list at a time.
#include <set>

#include "executors/vulkan/prepared.hpp"
#include "launch/report/profile.hpp"
#include "recipe/plan/model_kernel.hpp"
#include "recipe/backends/plan/batch_plan.hpp"
#include "recipe/backends/plan/parts.hpp"

namespace slipway::recipe {
namespace {

class VulkanList final : public KernelList {
 public:
  explicit VulkanList(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)) {}

  ~VulkanList() override {
    prepared_.reset();  // waits
    leave();
  }

  Result<> prepare(std::span<const KernelRun> runs, const ListOptions& options) {
    runs_.assign(runs.begin(), runs.end());
    Result<BatchPlan> planned = plan_batch(runs_, device_->snapshot());
    if (!planned) return fail(std::move(planned.error()));
    batch_ = std::move(*planned);
    has_calls_ = has_calls(batch_.plan);
    const bool divides = options.overlaps && device_->queues.queues() > 1 && !has_calls_;
    const std::size_t split = divides ? batch_.first_contended() : 0;
    add_section(0, split);
    add_section(split, runs_.size());
    launch::PrepareOptions how{
        .cache = device_->cache, .external = batch_.external, .queue_lock = &device_->submitting};
    how.execution.timestamps = options.timings && device_->has_timestamps();
    if (sections_.size() > 1) how.execution.split = batch_.runs[split].first_step;
    launch::SharedPipelines pipelines;
    std::set<const VulkanKernel*> kernels;
    for (const KernelRun& run : runs_) kernels.insert(static_cast<const VulkanKernel*>(run.kernel.get()));
    for (const VulkanKernel* kernel : kernels) kernel->add_pipelines_to(pipelines);
    how.pipelines = &pipelines;
    Result<launch::Prepared> prepared = launch::prepare(batch_.plan, *device_->device, std::move(how));
    if (!prepared) return fail(std::move(prepared.error()));
    for (const VulkanKernel* kernel : kernels) kernel->keep_pipelines(pipelines);
    prepared_.emplace(std::move(*prepared));
    return {};
  }

  Result<> submit() override { return has_calls_ ? Result<>() : start(std::nullopt); }

  Result<bool> wait(std::optional<std::chrono::nanoseconds> time_out, bool poll) override {
    if (has_calls_) SLIPWAY_TRY_VOID(start(time_out));
    Result<bool> ended = prepared_->wait_for(time_out, poll);
    if (ended && *ended) leave();
    return ended;
  }

  std::vector<double> timings() override {
    const Result<std::vector<std::uint64_t>> ticks = prepared_->ticks();
    if (!ticks || ticks->empty()) return {};
    std::vector<double> times;
    for (std::size_t i = 0; i < batch_.runs.size(); ++i) {
      const BatchPlan::Run& run = batch_.runs[i];
      std::uint64_t taken = 0;
      // The time between two commands counts too, unless there are calls between them.
      const std::size_t span = has_calls_ ? 1 : std::max<std::size_t>(run.commands, 1);
      for (std::size_t k = run.first_command; k < run.first_command + run.commands; k += span)
        taken += (*ticks)[2 * (k + span) - 1] - (*ticks)[2 * k];
      times.push_back(static_cast<double>(taken) * device_->snapshot().timestamp_period + calls_ns(i));
    }
    return times;
  }

  bool runs_in_wait() const override { return has_calls_; }

 private:
  Result<> start(std::optional<std::chrono::nanoseconds> time_out) {
    const std::scoped_lock lock(device_->submitting);
    prepared_->profile().calls.clear();
    QueueSpread& queues = device_->queues;
    const std::uint32_t queue = queues.choose(shared_, sections_.size() == 1);
    std::vector<std::vector<vk::QueuePoint>> after;
    for (const std::vector<AccessedRange>& section : sections_) after.push_back(queues.waits(queue, section));
    Result<> submitted = prepared_->submit({.queue = queue, .after = after, .time_out = time_out});
    if (submitted) number_ = queues.add(prepared_->end(), shared_);
    return submitted;
  }

  // Nanoseconds of the calls of a run.
  double calls_ns(std::size_t run) {
    const std::size_t end = run + 1 < batch_.runs.size() ? batch_.runs[run + 1].first_step : batch_.plan.steps.size();
    double sum = 0;
    for (const launch::CallTime& call : prepared_->profile().calls) {
      if (call.step >= batch_.runs[run].first_step && call.step < end) sum += 1e6 * call.milliseconds;
    }
    return sum;
  }

  void add_section(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    std::vector<AccessedRange>& section = sections_.emplace_back();
    for (std::size_t i = begin; i < end; ++i) section.append_range(batch_.runs[i].shared);
    shared_.append_range(section);
  }

  void leave() {
    if (!number_) return;
    const std::scoped_lock lock(device_->submitting);
    device_->queues.remove(*number_);
    number_.reset();
  }

  std::shared_ptr<VulkanDevice> device_;
  std::vector<KernelRun> runs_;  // keep kernels and buffers alive
  BatchPlan batch_;
  bool has_calls_ = false;
  std::vector<std::vector<AccessedRange>> sections_;  // by command buffer: bytes that other lists may use too
  std::vector<AccessedRange> shared_;                 // of all sections
  std::optional<std::uint64_t> number_;               // in `queues`, while in flight
  std::optional<launch::Prepared> prepared_;
};

}  // namespace

Result<ListPtr> make_vulkan_list(std::shared_ptr<VulkanDevice> device, std::span<const KernelRun> runs,
                                 const ListOptions& options) {
  auto list = std::make_unique<VulkanList>(std::move(device));
  if (Result<> prepared = list->prepare(runs, options); !prepared) return fail(std::move(prepared.error()));
  return list;
}

}  // namespace slipway::recipe
