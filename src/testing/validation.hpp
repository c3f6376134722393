// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether tests ask for the validation layer of Khronos: not where SLIPWAY_TESTS_WITHOUT_VALIDATION is set, as in Wine,
// whose loader has no layers.
#pragma once

#include <cstdlib>

namespace slipway::testing {

inline bool with_validation() { return std::getenv("SLIPWAY_TESTS_WITHOUT_VALIDATION") == nullptr; }

}  // namespace slipway::testing
