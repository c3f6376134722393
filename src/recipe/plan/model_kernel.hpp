// A whole VGF model as one kernel of a recipe (recipe page 3.3.4): its parameters are the inputs of the model in order,
// then its outputs. What a device does for it is a launch::Plan, made without any device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/cache.hpp"
#include "launch/plan.hpp"
#include "lower/device_facts.hpp"
#include "model/plan/plan_model.hpp"
#include "recipe/artifacts.hpp"

namespace slipway::recipe {

// An input or output of the model: a resource of the plan, which the recipe's buffer stands for.
struct ModelPort {
  std::string name;
  launch::ResourceIndex resource = 0;
  std::uint64_t size = 0;  // bytes of its packed elements
  bool writes = false;     // an output
};

struct ModelKernel {
  Artifact artifact;  // the bytes that `file` and the plan's constants are views of
  std::shared_ptr<const model::ModelFile> file;
  launch::Plan plan;             // dispatches alone
  std::vector<ModelPort> ports;  // by argidx
};

// Errors: those of reading, compiling and lowering the model; unsupported for images at its interface and for
// dimensions that the file leaves open. `device` decides which kernels graphs become; any device can run those of the
// default.
std::shared_ptr<const ModelKernel> plan_model_kernel(const Artifact& artifact, const std::string& name,
                                                     const launch::Origin& origin, const Cache& cache,
                                                     const lower::DeviceFacts& device, Diagnostics& diagnostics);

}  // namespace slipway::recipe
