// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_jobs/model_runner.hpp"

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "convert/verify_on_device.hpp"
#include "executors/open.hpp"
#include "launch/run.hpp"
#include "model_jobs/model_job.hpp"
#include "vgf/check.hpp"

namespace slipway::model {

ModelRunner::ModelRunner(const std::string& device, Engine engine, bool validate)
    : executor_(executors::open_executor({.selector = device, .validate = validate})), engine_(engine) {}

void ModelRunner::add_messages(Diagnostics& diagnostics) { diagnostics.add(executor_->take_messages()); }

Result<std::vector<std::optional<reference::Tensor>>> ModelRunner::run(std::shared_ptr<const ModelFile> file,
                                                                       std::span<const reference::Tensor> inputs,
                                                                       std::span<const tosa::TensorType> outputs) {
  Diagnostics problems;
  const auto failed = [&] { return fail(problems.release()); };
  auto values = std::make_shared<ModelValues>();
  StandaloneOptions request{.file = file, .name = "verify", .values = values};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    request.given[i] = inputs[i].to_bytes();
    if (vgf::is_dynamic(file->vgf.resources[file->vgf.inputs[i].resource]))
      request.shapes.push_back({formatted("input_{}", i), inputs[i].type.shape});
  }
  ModelJob job({.request = std::move(request), .executor = executor_, .graphs = {.engine = engine_, .native = false}});
  if (!job.plan(problems) || !job.check(problems)) return failed();
  const auto report = job.run({.time_out = time_out_, .cache = Cache::of_user()}, Log(), problems);
  if (!report) return failed();
  if (report->is_interrupted) return fail(stopped(StopReason::Interrupted, "the run on the device"));
  if (!report->diagnostics.empty()) return fail(report->diagnostics);
  device_name_ = executor_->info()->name;
  std::vector<std::optional<reference::Tensor>> results(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (const auto bytes = values->find(file->vgf.outputs[i].resource); bytes != values->end())
      results[i] = reference::Tensor::from_bytes(outputs[i], bytes->second);
  }
  return results;
}

Result<std::vector<std::optional<reference::Tensor>>> ModelRunner::run(
    const std::shared_ptr<const convert::FileToRun>& file, std::span<const reference::Tensor> inputs,
    std::span<const tosa::TensorType> outputs) {
  std::shared_ptr<const ModelFile>& opened = opened_[file];
  if (!opened) {
    Diagnostics problems;
    opened = open_model(file->bytes, file->name, problems);
    if (!opened) return fail(problems.release());
  }
  return run(opened, inputs, outputs);
}

}  // namespace slipway::model
