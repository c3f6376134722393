// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bindings of a command against what its shaders declare (docs/spec/scenario.md#decision-6,
// docs/spec/scenario.md#descriptors): what would crash a driver is reported here, at its location in the file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "scenario/model.hpp"
#include "scenario/plan/resource_indices.hpp"

namespace slipway::scenario {

// One shader stage of a command.
struct StageInterface {
  std::string shader;  // uid
  const spirv::EntryPoint* entry = nullptr;
};

// RPL shaders differ: all elements of an array are bound, and resources that the program declares but its code does not
// use may be bound without effect.
struct RplBindings {
  std::span<const launch::Binding> made;  // of buffers that the runner makes
};

// What the stages of a command declare at a set and binding, as bindings of the plan have it; nothing when none uses
// it.
std::optional<launch::Binding> declared_binding(std::span<const StageInterface> stages, std::uint32_t set,
                                                std::uint32_t binding);

// The bindings of one command, checked against the union of its stages. Sets in `plan` which usages its images and
// buffers need. Bindings with errors, and those of resources that are not in the plan because they have errors, are
// left out.
std::vector<launch::Binding> resolve_bindings(const Scenario& scenario, const std::vector<Binding>& bindings,
                                              json::Value command, std::span<const StageInterface> stages,
                                              const ResourceIndices& indices, launch::Plan& plan,
                                              Diagnostics& diagnostics, const RplBindings* rpl = nullptr);

}  // namespace slipway::scenario
