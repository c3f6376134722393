// The bindings of a command against what its shaders declare (scenario page, decision 6, 3.9): what would crash a
// driver is found here, at its place in the file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "launch/plan.hpp"
#include "scenario/model.hpp"
#include "scenario/resource_indices.hpp"

namespace slipway::scenario {

// One shader stage of a command.
struct StageInterface {
  std::string shader;  // uid
  const spirv::EntryPoint* entry = nullptr;
};

// The bindings of one command, checked against the union of its stages. Sets in `plan` which usages its images and
// buffers need. Bindings with errors, and those of resources that are not in the plan because they have errors, are
// left out.
std::vector<launch::Binding> resolve_bindings(const Scenario& scenario, const std::vector<Binding>& bindings,
                                              json::Value command, std::span<const StageInterface> stages,
                                              const ResourceIndices& indices, launch::Plan& plan,
                                              Diagnostics& diagnostics);

}  // namespace slipway::scenario
