// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts allocations: a test program that calls this has its own `operator new`.
#pragma once

#include <cstddef>

namespace slipway::testing {

// The number of calls of `new` by this thread so far, in any library.
std::size_t allocations_of_this_thread();

}  // namespace slipway::testing
