// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which dispatches run side by side.
//
// Dispatches that do not depend on each other make a *stage*. There are barriers between stages only, so that a device
// is not idle while the last workgroups of a small kernel finish. Each dispatch is in the earliest stage that its
// inputs allow:
//
//   0 MATMUL -> a         stage 0
//   1 PANELS a -> b       stage 1
//   2 BORDER a -> c       stage 1
//   3 MATMUL b, c -> d    stage 2
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lower/program.hpp"

namespace slipway::lower {

// Sets the stages of dispatches and sorts them by stage, stably. With `one_by_one` every dispatch is a stage.
void schedule(std::vector<ProgramDispatch>& dispatches, std::size_t buffers, bool one_by_one);

// For people, a line for each dispatch: `stage 1: kernel 2 reads 0, 3 writes 4` (buffers by index).
std::string print_schedule(std::span<const ProgramDispatch> dispatches);

}  // namespace slipway::lower
