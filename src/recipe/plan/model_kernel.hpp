// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole VGF model as one kernel of a recipe (docs/spec/recipe.md#module-kinds): its parameters are the inputs of the
// model in order, then its outputs. Its work on a device is a launch::Plan, which is made without a device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/system/cache.hpp"
#include "launch/plan/plan.hpp"
#include "model/plan/graph_options.hpp"
#include "model/plan/plan_model.hpp"
#include "recipe/artifacts.hpp"
#include "recipe/backend.hpp"

namespace slipway::recipe {

// An input or output of the model: a resource of the plan, for which the recipe binds a buffer.
struct ModelPort {
  std::string name;
  launch::ResourceIndex resource = 0;
  std::uint64_t size = 0;     // bytes of its packed elements
  bool writes = false;        // an output
  std::uint32_t element = 1;  // bytes
};

struct ModelKernel {
  Artifact artifact;  // owns the bytes that `file` and the plan's constants are views of
  std::shared_ptr<const model::ModelFile> file;
  model::GraphOptions graphs;    // that it was planned with
  launch::Plan plan;             // dispatches; calls where an engine of the host runs the graphs
  std::vector<ModelPort> ports;  // by argidx
};

// Errors: those of reading, compiling and lowering the model; unsupported for images as inputs or outputs and
// for unknown dimensions. The device facts of `graphs` decide which kernels graphs are compiled to; all devices run
// those of the default.
std::shared_ptr<const ModelKernel> plan_model_kernel(const Artifact& artifact, const std::string& name,
                                                     const launch::Origin& origin, const Cache& cache,
                                                     const model::GraphOptions& graphs, Diagnostics& diagnostics);

// Whether an engine of the host runs graphs of the model.
bool has_calls(const launch::Plan& plan);

// The arguments of a run of a model, by port. Errors: buffer-size.
Result<std::vector<const BufferArgument*>> port_arguments(const KernelPlan& kernel, const KernelRun& run);

}  // namespace slipway::recipe
