// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Specialization constants of a plan's shader as reflection takes them.
#pragma once

#include <span>

#include "launch/plan/plan.hpp"

namespace slipway::launch {

spirv::Specialization values_of(std::span<const Specialization> constants);

}  // namespace slipway::launch
