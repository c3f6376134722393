// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `rangeND` counts workgroups; a count of elements there starts too many.
#pragma once

#include "base/diagnostic.hpp"
#include "scenario/plan/planning.hpp"

namespace slipway::scenario {

// Warns if a dimension of a dispatch has at least as many workgroups as what the shader writes has elements, and fewer
// reach all of them: the invocations after the last element discard themselves, or access memory outside.
void check_workgroups(const Planning& planning, const DispatchCompute& command, const launch::Shader& shader,
                      const launch::Dispatch& dispatch);

}  // namespace slipway::scenario
