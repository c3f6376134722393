// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles shader resources to SPIR-V, validated and reflected (docs/spec/scenario.md#shaders,
// docs/spec/scenario.md#decision-14, docs/spec/scenario.md#decision-15, docs/spec/scenario.md#decision-22).
//
// Shaders are compiled in parallel on all cores, through the cache. Diagnostics in a shader's own file point there,
// with a note at the resource; diagnostics in inline `source` point into the scenario.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/diagnostic.hpp"
#include "base/system/cache.hpp"
#include "launch/plan/plan.hpp"
#include "scenario/model.hpp"

namespace slipway::rpl {
struct Metadata;
}

namespace slipway::scenario {

struct ShaderOptions {
  Cache cache;
  bool dxc = false;  // HLSL is compiled by the program `dxc`
};

struct CompiledShader {
  launch::Shader shader;                          // of an RPL graphics pipeline: the vertex stage
  std::optional<launch::Shader> fragment;         // of an RPL graphics pipeline
  std::shared_ptr<const rpl::Metadata> metadata;  // of RPL
};

// Returns the shaders without errors, with their specialization constants, and `push_constant_size` as declared or
// reflected. Errors of the others are reported.
std::map<std::string, CompiledShader, std::less<>> compile_shaders(const Scenario& scenario,
                                                                   std::span<const Shader* const> shaders,
                                                                   const ShaderOptions& options,
                                                                   Diagnostics& diagnostics);

// A value in the type of the shader's specialization constant: an error if the type cannot represent it
// (docs/spec/scenario.md#decision-14).
std::optional<launch::Specialization> specialize(const SpecializationConstant& constant,
                                                 const spirv::SpecializationConstant& declared,
                                                 Diagnostics& diagnostics);

// All constants that the shader declares and the scenario gives. Constants that the shader lacks are reported as a
// warning and have no effect. `subject` is the name of the shader in messages: "shader `s`".
std::optional<std::vector<launch::Specialization>> specializations_of(std::span<const SpecializationConstant> constants,
                                                                      const std::string& subject,
                                                                      const spirv::Reflection& reflection,
                                                                      Diagnostics& diagnostics);

}  // namespace slipway::scenario
