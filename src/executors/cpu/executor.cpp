// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/cpu/executor.hpp"

#include "base/format.hpp"
#include "base/system/zeroed_memory.hpp"
#include "executors/cpu/prepared.hpp"

namespace slipway::launch {

namespace {

class HostMemory final : public ExternalBuffer {
 public:
  explicit HostMemory(ZeroedMemory own) : own_(std::move(own)), bytes_(own_.bytes()) {}
  explicit HostMemory(MutableBytes borrowed) : bytes_(borrowed) {}
  MutableBytes bytes() const override { return bytes_; }

 private:
  ZeroedMemory own_;
  MutableBytes bytes_;
};

}  // namespace

Diagnostics CpuExecutor::check(const Plan& plan) {
  Diagnostics diagnostics;
  const auto lacks = [&](const Origin& origin, const std::string& what) {
    diagnostics
        .error(DiagnosticKind::DeviceLacks, origin.location(),
               formatted("the CPU engine runs graphs only, and {}; {}", what,
                         plan.graphs.empty()
                             ? "choose a Vulkan device with --device"
                             : "on a Vulkan device the engine `cpu` runs the graphs, and the device the rest"))
        .at(origin.path(), origin.uid());
  };
  for (const Resource& resource : plan.resources) {
    const auto* buffer = std::get_if<Buffer>(&resource.kind);
    if (!buffer) lacks(resource.origin, formatted("`{}` is an image", resource.name));
    if (buffer && buffer->rows) lacks(resource.origin, formatted("`{}` sees the texels of an image", resource.name));
  }
  for (const Step& step : plan.steps) {
    if (std::holds_alternative<Boxed<Draw>>(step.action))
      lacks(step.origin, formatted("the step `{}` draws", step.name));
    if (std::holds_alternative<Dispatch>(step.action))
      lacks(step.origin, formatted("the step `{}` is a shader", step.name));
  }
  return diagnostics;
}

Result<std::unique_ptr<PreparedPlan>> CpuExecutor::prepare(const Plan& plan, PrepareOptions options, const Log& log,
                                                           PerfCounters counters) {
  return prepare_on_host(plan, std::move(options), log, std::move(counters));
}

Result<std::shared_ptr<ExternalBuffer>> CpuExecutor::create_buffer(const BufferRequest& request) {
  ZeroedMemory memory(request.size);
  if (memory.failed())
    return fail(DiagnosticKind::DeviceLacks, {},
                formatted("there is not enough memory for a buffer of {} bytes", request.size));
  return std::make_shared<HostMemory>(std::move(memory));
}

std::shared_ptr<ExternalBuffer> CpuExecutor::borrow(MutableBytes memory) {
  return std::make_shared<HostMemory>(memory);
}

}  // namespace slipway::launch
