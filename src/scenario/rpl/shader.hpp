// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles shaders of type RPL to SPIR-V and metadata (docs/spec/scenario.md#additive-keys).
//
// The cache is not used: compiling is faster than reading an entry.
#pragma once

#include <memory>
#include <optional>

#include "base/diagnostic.hpp"
#include "rpl/metadata/metadata.hpp"
#include "scenario/shaders/shader_source.hpp"
#include "spirv/module.hpp"

namespace slipway::scenario {

struct RplCode {
  spirv::Words words;  // one module with all entry points
  std::shared_ptr<const rpl::Metadata> metadata;
};

// The modules are `src` or `source`, then those of `modules`. Entry points are those of `entry_points`, otherwise
// `entry` in the shader's stage. Diagnostics are located as for other shaders.
std::optional<RplCode> compile_rpl(const Scenario& scenario, const Shader& shader, const ShaderSource& source,
                                   Diagnostics& diagnostics);

}  // namespace slipway::scenario
