// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuning in the public interface: Model::tune of include/slipway/model.hpp.
#include "base/format.hpp"
#include "base/public_state.hpp"
#include "executors/cpu/executor.hpp"
#include "executors/public_device.hpp"
#include "launch/run.hpp"
#include "model/cpu_device.hpp"
#include "model/standalone/open_standalone.hpp"
#include "model/tuning/tune.hpp"
#include "model/tuning/tuning_table.hpp"
#include "model_api/model_state.hpp"
#include "model_api/stages.hpp"

namespace slipway {
namespace {

// What is tuned for. The CPU has a null device.
struct TuningTarget {
  const gpu::Device* device = nullptr;
  vk::Snapshot snapshot;
};

std::optional<TuningTarget> cpu_target(const model::StandaloneOptions& request, Diagnostics& diagnostics) {
  const auto alone = model::plan_standalone(request, diagnostics);
  if (!alone) return std::nullopt;
  if (const std::string why = launch::why_not_on_host(alone->plan); !why.empty()) {
    diagnostics.error(DiagnosticKind::DeviceLacks, SourceLocation::in_file(request.file->vgf.name),
                      formatted("the CPU runs graphs only, and {}; tune the model for a device", why));
    return std::nullopt;
  }
  return TuningTarget{nullptr, model::cpu_snapshot()};
}

std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(launch::time_out_of(std::max(seconds, 0.0)));
}

TuningResult result_of(const model::Tuned& tuned, const vk::Snapshot& snapshot) {
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
  result.table = write_tuning(model::TuningTable::of(snapshot, tuned.tuning, tuned.rates));
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
  model::StandaloneOptions request{.file = model.file, .name = "model", .empty_inputs = true};
  request.model.shaders = model.shaders;
  request.model.graphs.lower.fuse = options.fuse;
  request.model.graphs.cache = model.cache;
  for (const auto& [name, shape] : options.shapes)
    request.shapes.push_back({name, tensor::Shape(shape.begin(), shape.end())});

  const auto mine = device ? std::unique_lock(device->state().running) : std::unique_lock<std::mutex>();
  std::optional<TuningTarget> target;
  if (!device) {
    request.model.graphs.engine = model::Engine::Cpu;
    target = cpu_target(request, diagnostics);
  } else if (const auto opened = model::open_standalone(request, device->state().opening, model.cache,
                                                        {.timestamps = true}, diagnostics)) {
    target = TuningTarget{opened->device, *opened->snapshot};
  }
  std::optional<model::Tuned> tuned;
  if (target) {
    stages.begin("tune");
    tuned = model::tune({.standalone = request,
                         .device = target->device,
                         .cache = model.cache,
                         .limit = options.limit ? std::optional(milliseconds_of(*options.limit)) : std::nullopt,
                         .progress = stages.items()},
                        diagnostics);
  }
  diagnostics.sort();
  if (!tuned || diagnostics.has_errors()) return Failed{public_problems(diagnostics.all())};
  if (model.cache.enabled()) model::cache_tuning(target->snapshot, tuned->tuning, model.cache, tuned->rates);
  return result_of(*tuned, target->snapshot);
} catch (const model::Stopped& stopped) {
  return Failed{public_problems(model::stopped_failure(stopped))};
}

}  // namespace slipway
