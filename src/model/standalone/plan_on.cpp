// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/standalone/plan_on.hpp"

#include "launch/check/hazards.hpp"

namespace slipway::model {

std::optional<Standalone> plan_on(launch::Executor* executor, StandaloneOptions& options, const GraphChoices& choices,
                                  const Cache& cache, Diagnostics& diagnostics) {
  if (options.model.shaders.empty()) {
    auto shaders = compile_modules(*options.file, cache, diagnostics);
    if (!shaders) return std::nullopt;
    options.model.shaders = std::move(*shaders);
  }
  auto graphs = diagnostics.take(graph_options(executor, choices, cache, diagnostics));
  if (!graphs) return std::nullopt;
  graphs->intermediates = std::move(options.model.graphs.intermediates);
  graphs->progress = std::move(options.model.graphs.progress);
  options.model.graphs = std::move(*graphs);
  auto alone = plan_standalone(options, diagnostics);
  if (alone) diagnostics.add(launch::check_hazards(alone->plan).release());
  return alone;
}

}  // namespace slipway::model
