// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The classes of the back end; used in this directory only.
#pragma once

#include <mutex>

#include "launch/executor.hpp"
#include "launch/shared_pipelines.hpp"
#include "platform/shared_mutex.hpp"
#include "recipe/backends/plan/queue_spread.hpp"
#include "recipe/plan.hpp"

namespace slipway::recipe {

// What buffers, kernels and lists keep of their back end.
struct PlanDevice {
  std::shared_ptr<launch::Executor> executor;
  launch::ExecutorInfo info;
  Cache cache;                         // of pipelines
  bool has_timestamps = false;         // of dispatches
  QueueSpread queues;                  // guarded by Executor::turn
  platform::SharedMutex shared_bytes;  // without turns: of buffers that several lists use
};

// Mapped and coherent, so that `sync` has nothing to do.
class PlanBuffer final : public buffer_storage {
 public:
  PlanBuffer(std::shared_ptr<PlanDevice> device, std::shared_ptr<launch::ExternalBuffer> buffer, std::string name)
      : device_(std::move(device)), buffer_(std::move(buffer)), name_(std::move(name)), host_(buffer_->bytes()) {}

  std::size_t size() const noexcept override { return host_.size(); }
  void* host_address() const override { return host_.data(); }
  std::uint64_t device_address() const override { return buffer_->address(); }
  void sync(sync_direction, std::size_t, std::size_t) override {}

  const launch::ExternalBuffer& buffer() const { return *buffer_; }
  const std::string& name() const { return name_; }
  const PlanDevice* device() const { return device_.get(); }

 private:
  std::shared_ptr<PlanDevice> device_;  // outlives the buffer
  std::shared_ptr<launch::ExternalBuffer> buffer_;
  std::string name_;
  MutableBytes host_;
};

// A kernel, with the pipelines that its runs have needed so far. May be used from several threads.
class PlanKernel final : public LoadedKernel {
 public:
  PlanKernel(std::shared_ptr<PlanDevice> device, KernelPlan plan, std::vector<Diagnostic> remarks = {})
      : LoadedKernel(std::move(remarks)), device_(std::move(device)), plan_(std::move(plan)) {}

  const KernelPlan& plan() const { return plan_; }

  void add_pipelines_to(launch::SharedPipelines& pipelines) const {
    const std::scoped_lock lock(mutex_);
    pipelines.insert(pipelines_.begin(), pipelines_.end());
  }
  // Keeps all of them alive, including those of other kernels.
  void keep_pipelines(const launch::SharedPipelines& pipelines) const {
    const std::scoped_lock lock(mutex_);
    pipelines_.insert(pipelines.begin(), pipelines.end());
  }

 private:
  std::shared_ptr<PlanDevice> device_;  // outlives the pipelines
  KernelPlan plan_;
  mutable std::mutex mutex_;
  mutable launch::SharedPipelines pipelines_;
};

Result<ListPtr> make_plan_list(std::shared_ptr<PlanDevice> device, std::span<const KernelRun> runs,
                               const ListOptions& options);

}  // namespace slipway::recipe
