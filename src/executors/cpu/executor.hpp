// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes plans on the CPU: those that consist of functions of the host and copies between buffers, as plans of models
// that the CPU engine runs.
#pragma once

#include "launch/executor.hpp"

namespace slipway::launch {

// Empty, or why the plan cannot run there: "the step `blur` is a shader".
std::string why_not_on_host(const Plan& plan);

class CpuExecutor final : public Executor {
 public:
  // `name` is what reports call it.
  explicit CpuExecutor(std::string name) : name_(std::move(name)) {}

  Result<ExecutorInfo> info() override { return ExecutorInfo{.name = name_, .driver = {}}; }
  Diagnostics check(const Plan& plan) override;
  Result<std::unique_ptr<PreparedPlan>> prepare(const Plan& plan, PrepareOptions options, const Log& log,
                                                PerfCounters counters) override;

 private:
  std::string name_;
};

}  // namespace slipway::launch
