// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPIR-V for tests, written as assembly.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace slipway::testing {

// Assembles and validates for Vulkan 1.3; ends the test program with the message when the text is invalid.
std::vector<std::uint32_t> assemble(std::string_view text);

}  // namespace slipway::testing
