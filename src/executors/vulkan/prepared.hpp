// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan made ready to run on a Vulkan device (launch/executor.hpp). It must have passed check_device().
//
//   Result<Prepared> prepared = prepare(plan, device, {}, log);
#pragma once

#include <memory>

#include "launch/executor.hpp"

namespace slipway::gpu {
class Device;
}  // namespace slipway::gpu

namespace slipway::launch {

class Resources;

class Prepared final : public PreparedPlan {
 public:
  Prepared(Prepared&&) noexcept;
  Prepared& operator=(Prepared&&) noexcept;
  // Waits for an iteration in flight, unless a wait has timed out: then the device is lost (gpu/commands/submit.hpp).
  ~Prepared() override;

  Result<> submit(const SubmitOptions& options = {}) override;
  Result<> wait() override;
  Result<bool> wait_for(std::optional<std::chrono::nanoseconds> limit, bool poll = false) override;
  bool runs_in_submit() const override;
  vk::QueuePoint end() const override;

  Result<> write(ResourceIndex resource, Bytes bytes) override;
  Result<Readback> read_back(const std::set<ResourceIndex>& wanted) override;
  const Resources& resources() const;

  // The device stays as long as this does, also where its opening has made another one since; null: as its owner says.
  void belongs_to(std::shared_ptr<const gpu::Device> device, bool shows_prints);
  bool shows_prints() const override;
  std::uint64_t session_size(const GraphDispatch& graph) const override;
  Result<std::vector<StepSpan>> spans() const override;
  Result<> add_times() override;
  Result<> store_caches() override;
  Profile& profile() override;
  PerfCounters& counters() override;

 private:
  friend Result<Prepared> prepare(const Plan&, const gpu::Device&, PrepareOptions, const Log&, PerfCounters);
  struct State;
  explicit Prepared(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// As Executor::prepare.
Result<Prepared> prepare(const Plan& plan, const gpu::Device& device, PrepareOptions options, const Log& log = {},
                         PerfCounters counters = {});

}  // namespace slipway::launch
