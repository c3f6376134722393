// Finds the best parameters of a model's kernels by running them (lower/tuning.hpp).
//
//   const auto tuned = tune({.request = request, .device = device, .cache = cache}, diagnostics);
//   cache_tuning(device.snapshot(), tuned->tuning, cache);
//
// The whole model runs again and again, each time with other candidates in all places at once, and each place is
// measured by the time of its own kernels.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/cache.hpp"
#include "gpu/device/device.hpp"
#include "model/standalone.hpp"

namespace slipway::model {

struct TuneRequest {
  StandaloneRequest request;  // what would run the model; what was measured before counts for nothing
  const gpu::Device& device;  // opened for timestamps
  Cache cache;                // of pipelines
  // Called before each round of so many.
  std::function<void(std::size_t, std::size_t)> progress = [](std::size_t, std::size_t) {};
};

// A place in the model where there was something to choose.
struct TunedPlace {
  std::string kernel;  // what its parameters stand under in tables
  lower::Parameters estimated, best;
  double estimated_time = 0, best_time = 0;  // milliseconds of all kernels with these parameters
  std::size_t candidates = 0;
};

struct Tuned {
  lower::Tuning tuning;  // where something is better than the estimate
  std::vector<TunedPlace> locations;
  double before = 0, after = 0;  // milliseconds of all kernels of the model
  std::size_t rounds = 0;
};

// Errors: those of planning and of running; unsupported where nothing of the model is computed by kernels.
std::optional<Tuned> tune(const TuneRequest& request, Diagnostics& diagnostics);

}  // namespace slipway::model
