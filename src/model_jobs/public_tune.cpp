// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuning in the public interface: Model::tune of include/slipway/model.hpp.
#include "base/public_state.hpp"
#include "executors/open.hpp"
#include "executors/public_device.hpp"
#include "launch/run.hpp"
#include "model/tuning/tune.hpp"
#include "model/tuning/tuning_table.hpp"
#include "model_jobs/model_job.hpp"
#include "model_jobs/model_state.hpp"
#include "model_jobs/stages.hpp"

namespace slipway {
namespace {

std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(launch::time_out_of(std::max(seconds, 0.0)));
}

TuningResult result_of(const model::Tuned& tuned) {
  TuningResult result;
  for (const model::TunedSite& site : tuned.sites) {
    result.kernels.push_back({.name = site.kernel,
                              .candidates = site.candidates,
                              .estimated_milliseconds = site.estimated_time,
                              .best_milliseconds = site.best_time,
                              .better = site.better()});
  }
  result.before_milliseconds = tuned.before;
  result.after_milliseconds = tuned.after;
  result.table = write_tuning(model::TuningTable::of(tuned.device, tuned.tuning, tuned.rates));
  return result;
}

}  // namespace

Outcome<TuningResult> Model::tune(Device& device, const TuneOptions& options) const {
  return tune(alive(state_), &device, options);
}

Outcome<TuningResult> Model::tune(const TuneOptions& options) const { return tune(alive(state_), nullptr, options); }

Outcome<TuningResult> Model::tune(const State& model, Device* device, const TuneOptions& options) try {
  Diagnostics diagnostics;
  model::Stages stages(options.progress, 2);
  stages.begin("plan");
  const auto imported = model.file_for(options.shapes, {}, diagnostics);
  if (!imported) return Failed{public_problems(diagnostics.all())};
  model::StandaloneOptions request{.file = imported->file, .name = "model", .empty_inputs = true};
  request.model.shaders = model.shaders;
  for (const auto& [name, shape] : options.shapes) {
    if (!model.late) request.shapes.push_back({name, tensor::Shape(shape.begin(), shape.end())});
  }

  const auto executor = device ? device->state().executor : executors::host_kind().open({});
  const auto turn = executor->take_turn();
  model::ModelJob job(
      {.request = std::move(request), .executor = executor, .graphs = {.fuse = options.fuse}, .cache = model.cache});
  std::optional<model::Tuned> tuned;
  if (job.plan(diagnostics) && job.check(diagnostics)) {
    stages.begin("tune");
    tuned = job.tune(options.limit ? std::optional(milliseconds_of(*options.limit)) : std::nullopt, stages.items(),
                     diagnostics);
  }
  diagnostics.sort();
  if (!tuned || diagnostics.has_errors()) return Failed{public_problems(diagnostics.all())};
  return result_of(*tuned);
} catch (const model::Stopped& stopped) {
  return Failed{public_problems(model::stopped_failure(stopped))};
}

}  // namespace slipway
