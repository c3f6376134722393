// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Specialization constants of a plan's shader, as reflection takes them and as they decide the size of a workgroup.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "launch/plan/plan.hpp"

namespace slipway::launch {

spirv::Specialization values_of(std::span<const Specialization> constants);

// The invocations of a workgroup in x, y and z; empty for a shader that has no workgroups, or no reflection.
std::optional<std::array<std::uint32_t, 3>> workgroup_size(const Shader& shader);
// "shader `s` has a workgroup size of 0 in x", which no device can run and drivers do not check; otherwise empty.
std::string empty_workgroup(const Shader& shader);

}  // namespace slipway::launch
