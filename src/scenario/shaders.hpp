// Shader resources to SPIR-V that is validated and reflected (scenario page 3.12, decisions 14, 15, 22).
//
// Shaders are compiled next to each other on all cores, through the cache. Problems in a shader's own file point there,
// with a note at the resource; problems in inline `source` point into the scenario.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/cache.hpp"
#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "rpl/metadata.hpp"
#include "scenario/model.hpp"

namespace slipway::scenario {

struct ShaderOptions {
  Cache cache;
  bool confine = false;  // files that a shader includes must lie in the scenario's directory or below
};

struct CompiledShader {
  launch::Shader shader;                          // of an RPL graphics pipeline: the vertex stage
  std::optional<launch::Shader> fragment;         // of an RPL graphics pipeline
  std::shared_ptr<const rpl::Metadata> metadata;  // of RPL
};

// Shaders that are good, with their specialization constants, and `push_constant_size` as declared or reflected. Those
// that are not are reported.
std::map<std::string, CompiledShader, std::less<>> compile_shaders(const Scenario& scenario,
                                                                   std::span<const Shader* const> shaders,
                                                                   const ShaderOptions& options,
                                                                   Diagnostics& diagnostics);

// A value as the shader declares its specialization constant: an error for what the type cannot hold (decision 14).
std::optional<launch::Specialization> specialize(const SpecializationConstant& constant,
                                                 const spirv::SpecializationConstant& declared,
                                                 Diagnostics& diagnostics);

// All that a shader declares and the scenario gives; constants that the shader lacks have no effect, with a warning.
// `subject` is what messages call the shader: "shader `s`".
std::optional<std::vector<launch::Specialization>> specializations_of(std::span<const SpecializationConstant> constants,
                                                                      const std::string& subject,
                                                                      const spirv::Reflection& reflection,
                                                                      Diagnostics& diagnostics);

}  // namespace slipway::scenario
