// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the best parameters of a model's kernels by running them (lower/tuning.hpp).
//
//   const auto tuned = tune({.standalone = standalone, .executor = *executor, .cache = cache}, diagnostics);
//   cache_tuning(tuned->device, tuned->tuning, cache);
//
// The whole model runs repeatedly, each time with other candidates at all sites at once. Each site is measured by the
// time of its own kernels.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/item_progress.hpp"
#include "base/system/cache.hpp"
#include "launch/device_key.hpp"
#include "model/standalone/standalone.hpp"

namespace slipway::launch {
class Executor;
}

namespace slipway::model {

struct TuneOptions {
  StandaloneOptions standalone;  // runs the model; earlier tuning is ignored
  launch::Executor& executor;    // opened for timestamps; has checked the plan of the model
  Cache cache;                   // of pipelines
  // No further round begins after this time. Candidates that are estimated to be better come first.
  std::optional<std::chrono::milliseconds> limit;
  // Called before each round with its index and the number of rounds, and after the last one with that number twice. An
  // exception leaves `tune`.
  ItemProgress progress = {};
};

// A kernel of the model whose parameters could be chosen.
struct TunedSite {
  std::string kernel;  // the key in tables
  lower::Parameters estimated, best;
  double estimated_time = 0, best_time = 0;  // milliseconds of all kernels with these parameters
  std::size_t candidates = 0;                // that were measured
  bool better() const { return best != estimated; }
};

struct Tuned {
  launch::DeviceKey device;
  lower::Tuning tuning;  // of all sites; without parameters where the estimate is best
  std::vector<TunedSite> sites;
  // Milliseconds of all kernels of the model, with the estimates and with the tuning; the shortest of some runs in
  // turn.
  double before = 0, after = 0;
  std::size_t rounds = 0;
  std::optional<lower::Rates> rates;  // of the device, where estimates use them
};

// Errors: no-device, those of planning and of running; unsupported if no part of the model is computed by kernels.
std::optional<Tuned> tune(const TuneOptions& options, Diagnostics& diagnostics);

}  // namespace slipway::model
