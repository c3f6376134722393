// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The push constants of a command (docs/spec/scenario.md#shaders).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "scenario/model.hpp"
#include "scenario/plan/bindings.hpp"

namespace slipway::scenario {

// Returns `size` bytes: the payload of `push_data`, then zeros. `data` is the payload, or null without data.
std::optional<std::vector<std::byte>> push_constants(const Reference& push_data, const launch::Contents* data,
                                                     std::uint32_t size, json::Value command,
                                                     std::span<const StageInterface> stages, Diagnostics& diagnostics);

// Adds the buffers whose addresses a command pushes. What a shader does with an address is unknown: as much as the
// buffer's `shader_access` allows. Warns of addresses that are 0.
void add_push_addresses(const std::vector<PushAddress>& addresses, json::Value command,
                        std::span<const StageInterface> stages, const ResourceIndices& indices,
                        const Scenario& scenario, Bytes push_constants, std::vector<launch::Binding>& bindings,
                        Diagnostics& diagnostics);

}  // namespace slipway::scenario
