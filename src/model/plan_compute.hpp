// A compute segment of a model as a dispatch of a plan (scenario page 3.13).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "model/model_storage.hpp"
#include "vgf/vgf.hpp"

namespace slipway::model {

// The shaders of a model that are in the plan, by all that decides them.
using ComputeShaders = std::map<std::string, launch::ShaderIndex>;

struct ComputeSegment {
  const vgf::File& file;
  std::size_t segment = 0;
  const launch::Shader& shader;  // its tensors are not rewritten yet
  const gpu::Snapshot* native;   // runs tensors itself if it can; null: they are rewritten
  ModelStorage& storage;
  const std::map<std::uint32_t, std::uint32_t>& levels;  // of images, by resource of the model
  std::vector<std::byte> push_constants;                 // padded with zeros
  std::string name;                                      // of the step
  launch::Origin origin;
};

// What the shader declares is checked against the descriptor sets of the segment. Errors: binding-mismatch,
// type-mismatch, out-of-range, and those of rewriting tensors; a descriptor that the shader does not declare is a
// warning.
void plan_compute(launch::Plan& plan, const ComputeSegment& compute, ComputeShaders& shaders, Diagnostics& diagnostics);

}  // namespace slipway::model
