#include "cli/model/run_in_memory.hpp"

#include "base/format.hpp"
#include "launch/check/check_device.hpp"
#include "launch/execute/run.hpp"
#include "model/device_facts.hpp"
#include "model/standalone.hpp"
#include "vgf/check.hpp"

namespace slipway::cli {

ModelRunner::ModelRunner(const std::string& device, model::Engine engine, bool validate)
    : session_(launch::OpenDeviceOptions{.selector = device_selector(device)}, validate), engine_(engine) {}

Result<std::vector<std::optional<reference::Tensor>>> ModelRunner::run(std::shared_ptr<const model::ModelFile> file,
                                                                       std::span<const reference::Tensor> inputs,
                                                                       std::span<const tosa::TensorType> outputs) {
  Diagnostics problems;
  const auto failed = [&] { return fail(problems.release()); };
  auto shaders = model::compile_modules(*file, Cache(), problems);
  if (!shaders) return failed();
  auto values = std::make_shared<model::ModelValues>();
  model::StandaloneRequest request{.file = file, .name = "verify", .values = values};
  request.settings.shaders = std::move(*shaders);
  request.settings.graphs.engine = engine_;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    request.given[i] = inputs[i].to_bytes();
    if (vgf::is_dynamic(file->vgf.resources[file->vgf.inputs[i].resource]))
      request.shapes.push_back({formatted("input_{}", i), inputs[i].type.shape});
  }
  const auto snapshot = problems.take(session_.opening().snapshot());
  if (!snapshot) return failed();
  request.settings.graphs.lower.device = model::device_facts(**snapshot);
  const auto alone = model::plan_standalone(request, problems);
  if (!alone) return failed();
  gpu::Needs needs = launch::needs_of(alone->plan);
  problems.add(launch::check_device(alone->plan, needs, **snapshot).release());
  if (problems.has_errors()) return failed();
  const auto device = problems.take(session_.opening().get(std::move(needs)));
  const auto report =
      device ? problems.take(launch::run(alone->plan, **device, {.cache = Cache::of_user()}, Log())) : std::nullopt;
  if (!report) return failed();
  device_name_ = report->device;
  std::vector<std::optional<reference::Tensor>> results(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (const auto bytes = values->find(file->vgf.outputs[i].resource); bytes != values->end())
      results[i] = reference::Tensor::from_bytes(outputs[i], bytes->second);
  }
  return results;
}

}  // namespace slipway::cli
