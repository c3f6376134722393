// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The levels of the CPU engine.
#pragma once

#include <cstdint>
#include <string_view>

#include "cpu/compiler_table.hpp"

namespace slipway::cpu {

// Sets of instructions, first those of x86-64 and then those of AArch64, each with all before it of its architecture;
// only AVX-512 is without those of AVX-VNNI.
enum class Level : std::uint8_t { Sse42, Avx2, Avx2Vnni, Avx512, Avx512Vnni, Amx, Neon, DotProd, I8mm, Sve2 };
inline constexpr std::string_view kLevelNames[] = {"sse4.2", "avx2", "avx2vnni", "avx512", "avx512vnni",
                                                   "amx",    "neon", "dotprod",  "i8mm",   "sve2"};
constexpr Architecture architecture_of(Level level) {
  return level >= Level::Neon ? Architecture::Aarch64 : Architecture::X86;
}

}  // namespace slipway::cpu
