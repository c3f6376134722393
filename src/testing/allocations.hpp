// Counts allocations: a test program that calls this has its own `operator new`.
#pragma once

#include <cstddef>

namespace slipway::testing {

// How often this thread has called `new` so far, in whatever library.
std::size_t allocations_of_this_thread();

}  // namespace slipway::testing
