// Shaders of type RPL: from their sources to SPIR-V and metadata (scenario page 3.7).
//
// Nothing is kept in the cache: compiling takes less time than reading an entry would.
#pragma once

#include <memory>
#include <optional>

#include "base/diagnostic.hpp"
#include "rpl/metadata.hpp"
#include "scenario/shader_source.hpp"
#include "spirv/module.hpp"

namespace slipway::scenario {

struct RplCode {
  spirv::Words words;  // one module with all entry points
  std::shared_ptr<const rpl::Metadata> metadata;
};

// The modules are `src` or `source`, then those of `modules`. Entry points are those of `entry_points`, else `entry` in
// the shader's stage. Problems are shown as those of other shaders are.
std::optional<RplCode> compile_rpl(const Scenario& scenario, const Shader& shader, const ShaderSource& source,
                                   Diagnostics& diagnostics);

}  // namespace slipway::scenario
