// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extended instruction sets beside those of operators that graphs in SPIR-V use.
#pragma once

#include <cstdint>
#include <string_view>

namespace slipway::tosa {

// Written with version 1; every version is read.
inline constexpr std::string_view kCustomSetPrefix = "Arm.ExperimentalMLOperations.";
inline constexpr std::string_view kCustomSet = "Arm.ExperimentalMLOperations.1";
inline constexpr std::string_view kDebugSetPrefix = "NonSemantic.Graph.DebugInfo.";
inline constexpr std::string_view kDebugSet = "NonSemantic.Graph.DebugInfo.1";
enum DebugInstruction : std::uint32_t { kDebugGraph = 1, kDebugOperation = 2, kDebugTensor = 3 };

}  // namespace slipway::tosa
