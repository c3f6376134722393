// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Delta debugging: the smallest part of a list that still has a property.
//
//   const std::vector<std::size_t> kept = minimise(commands.size(), [&](const std::vector<std::size_t>& some) {
//     return fails(scenario_with(some));
//   });
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace slipway::cli {

// The indices below `count` that are kept, in order: first all of them at once are left out, then halves, quarters and
// so on, and at last single ones until none of them can be left out. `holds` must be true of all indices; it is not
// called with these.
std::vector<std::size_t> minimise(std::size_t count, const std::function<bool(const std::vector<std::size_t>&)>& holds);

}  // namespace slipway::cli
