// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/cpu/executor.hpp"

#include "base/format.hpp"
#include "base/system/zeroed_memory.hpp"
#include "executors/cpu/prepared.hpp"

namespace slipway::launch {

namespace {

struct Obstacle {
  const Origin* origin;
  std::string what;
};

std::optional<Obstacle> obstacle_of(const Plan& plan) {
  for (const Resource& resource : plan.resources) {
    const auto found = [&](std::string_view what) {
      return Obstacle{&resource.origin, formatted("`{}` {}", resource.name, what)};
    };
    const auto* buffer = std::get_if<Buffer>(&resource.kind);
    if (!buffer) return found("is an image");
    if (buffer->rows) return found("sees the texels of an image");
  }
  for (const Step& step : plan.steps) {
    if (std::holds_alternative<Draw>(step.action))
      return Obstacle{&step.origin, formatted("the step `{}` draws", step.name)};
    if (std::holds_alternative<Dispatch>(step.action))
      return Obstacle{&step.origin, formatted("the step `{}` is a shader", step.name)};
  }
  return std::nullopt;
}

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

std::string why_not_on_host(const Plan& plan) {
  const std::optional<Obstacle> obstacle = obstacle_of(plan);
  return obstacle ? obstacle->what : std::string();
}

Diagnostics CpuExecutor::check(const Plan& plan) {
  Diagnostics diagnostics;
  if (const std::optional<Obstacle> obstacle = obstacle_of(plan)) {
    diagnostics
        .error(DiagnosticKind::DeviceLacks, obstacle->origin->location,
               formatted("the CPU engine runs graphs only, and {}; {}", obstacle->what,
                         plan.graphs.empty()
                             ? "choose a Vulkan device with --device"
                             : "on a Vulkan device the engine `cpu` runs the graphs, and the device the rest"))
        .at(obstacle->origin->path, obstacle->origin->uid);
  }
  return diagnostics;
}

Result<std::unique_ptr<PreparedPlan>> CpuExecutor::prepare(const Plan& plan, PrepareOptions options, const Log& log,
                                                           PerfCounters counters) {
  SLIPWAY_TRY(HostPrepared prepared, prepare_on_host(plan, std::move(options), log, std::move(counters)));
  return std::make_unique<HostPrepared>(std::move(prepared));
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
