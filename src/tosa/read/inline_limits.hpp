// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The limits of importers that copy the bodies of branches, loops and functions into the graph: a body may refer to
// itself, be expanded many times, or be that of a loop that never ends.
#pragma once

#include <cstddef>

namespace slipway::tosa {

inline constexpr std::size_t kMaxInlined = 1 << 20;  // operators and values of all copies
inline constexpr int kMaxInlineDepth = 64;           // of bodies within bodies

}  // namespace slipway::tosa
