// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans a model for an executor: the common steps of everything that runs models.
//
//   StandaloneOptions options{.file = file, .name = "net"};
//   const auto alone = plan_on(executor.get(), options, {}, cache, diagnostics);
//   diagnostics.add(executor->check(alone->plan).release());
//   launch::run(alone->plan, *executor, ...);
#pragma once

#include "base/system/cache.hpp"
#include "model/graph_target.hpp"
#include "model/standalone/standalone.hpp"

namespace slipway::model {

// Compiles the modules of the model, unless `options.model.shaders` has them, and sets what computes its graphs; what
// receives their intermediates and their progress stays. Then plans the model and looks for hazards. `executor` null:
// the device is unknown. Empty after an error: those of compile_modules, graph_options and plan_standalone.
std::optional<Standalone> plan_on(launch::Executor* executor, StandaloneOptions& options, const GraphChoices& choices,
                                  const Cache& cache, Diagnostics& diagnostics);

}  // namespace slipway::model
