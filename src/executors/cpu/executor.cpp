// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/cpu/executor.hpp"

#include "base/format.hpp"
#include "executors/cpu/prepared.hpp"

namespace slipway::launch {

std::string why_not_on_host(const Plan& plan) {
  for (const Resource& resource : plan.resources) {
    const auto* buffer = std::get_if<Buffer>(&resource.kind);
    if (!buffer) return formatted("`{}` is an image", resource.name);
    if (buffer->rows) return formatted("`{}` sees the texels of an image", resource.name);
    if (buffer->external) return formatted("`{}` is a buffer of a device", resource.name);
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    if (std::holds_alternative<Draw>(step.action)) return formatted("the step `{}` draws", step.name);
    if (std::holds_alternative<Dispatch>(step.action)) return formatted("the step `{}` is a shader", step.name);
  }
  return {};
}

Result<std::unique_ptr<PreparedPlan>> CpuExecutor::prepare(const Plan& plan, PrepareOptions options, const Log& log,
                                                           PerfCounters counters) {
  SLIPWAY_TRY(HostPrepared prepared, prepare_on_host(plan, std::move(options), log, std::move(counters)));
  return std::make_unique<HostPrepared>(std::move(prepared));
}

}  // namespace slipway::launch
