// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of operators whose file may have them in any.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <vector>

namespace slipway::tosa {

// The indices of `users` so that each comes before its users, otherwise as they are. A user may occur several times.
// The error is the first index that needs itself through others, or needs one that does.
std::expected<std::vector<std::uint32_t>, std::uint32_t> producers_first(
    std::span<const std::vector<std::uint32_t>> users);

}  // namespace slipway::tosa
