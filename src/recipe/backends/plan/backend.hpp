// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The back end for kernels and models on an executor of plans: a Vulkan device, or the CPU, which runs models only
// (docs/recipes.md#models-on-the-cpu). Each list of runs is a launch::Plan.
#pragma once

#include <memory>

#include "base/system/cache.hpp"
#include "launch/executor.hpp"
#include "recipe/backend.hpp"

namespace slipway::recipe {

// Waits until the device is open. `kind` is what reports call the back end; `cache` is for the driver's pipelines. An
// executor has one back end: its lists share the queues. Errors: no-device, device-failed.
Result<BackendPtr> make_plan_backend(BackendKind kind, std::shared_ptr<launch::Executor> executor,
                                     const Cache& cache = {});

}  // namespace slipway::recipe
