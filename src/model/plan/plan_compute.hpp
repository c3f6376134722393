// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compute segment of a model as a dispatch of a plan (docs/spec/scenario.md#model-dispatch).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "model/plan/model_storage.hpp"
#include "vgf/vgf.hpp"

namespace slipway::model {

// The shaders of a model that are in the plan, by everything that they depend on.
using ComputeShaders = std::map<std::string, launch::ShaderIndex>;

struct ComputeSegment {
  const vgf::File& file;
  std::size_t segment = 0;
  const launch::Shader& shader;  // before its tensors are rewritten
  const vk::Snapshot* native;    // a device that has tensors, if possible; null: they are rewritten
  ModelStorage& storage;
  const std::map<std::uint32_t, std::uint32_t>& levels;  // of images, by resource of the model
  std::vector<std::byte> push_constants;                 // padded with zeros
  std::string name;                                      // of the step
  launch::Origin origin;
};

// Checks the declarations of the shader against the descriptor sets of the segment. Errors: binding-mismatch,
// type-mismatch, out-of-range, and those of rewriting tensors; a descriptor that the shader does not declare is a
// warning.
void plan_compute(launch::Plan& plan, const ComputeSegment& compute, ComputeShaders& shaders, Diagnostics& diagnostics);

}  // namespace slipway::model
