// Which dispatches run side by side.
//
// Dispatches that need nothing of each other make a *stage*; only between stages there are barriers, and a device is
// not left idle while the last workgroups of a small kernel end. Each dispatch is in the earliest stage that what it
// reads allows:
//
//   0 MATMUL -> a         stage 0
//   1 PANELS a -> b       stage 1
//   2 BORDER a -> c       stage 1
//   3 MATMUL b, c -> d    stage 2
#pragma once

#include <span>
#include <vector>

#include "lower/program.hpp"

namespace slipway::lower {

// Sorts dispatches by stage, those of one in the order that they have, and sets their stages. With `one_by_one` every
// dispatch is a stage.
void schedule(std::vector<ProgramDispatch>& dispatches, std::size_t buffers, bool one_by_one);

}  // namespace slipway::lower
