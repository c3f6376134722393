// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes plans on the CPU: those that consist of functions of the host and copies between buffers, as plans of models
// that the CPU engine runs.
#pragma once

#include "executors/cpu/info.hpp"
#include "launch/executor.hpp"

namespace slipway::launch {

class CpuExecutor final : public Executor {
 public:
  Result<ExecutorInfo> info() override { return info_; }
  Diagnostics check(const Plan& plan) override;
  Result<std::unique_ptr<PreparedPlan>> prepare(const Plan& plan, PrepareOptions options, const Log& log,
                                                PerfCounters counters) override;
  Result<std::shared_ptr<ExternalBuffer>> create_buffer(const BufferRequest& request) override;
  bool borrows() const override { return true; }
  std::shared_ptr<ExternalBuffer> borrow(MutableBytes memory) override;

 private:
  const ExecutorInfo info_ = cpu_info();
};

}  // namespace slipway::launch
