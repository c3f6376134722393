// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All levels of instructions of the CPU engine on this architecture, those with the help of an emulator that this CPU
// lacks.
#pragma once

#include <optional>

#include "cpu/target.hpp"
#include "testing/instruction_emulator.hpp"

namespace slipway::testing {

inline constexpr cpu::Level kX86Levels[] = {cpu::Level::Sse42,  cpu::Level::Avx2,       cpu::Level::Avx2Vnni,
                                            cpu::Level::Avx512, cpu::Level::Avx512Vnni, cpu::Level::Amx};
inline constexpr cpu::Level kAarch64Levels[] = {cpu::Level::Neon, cpu::Level::DotProd, cpu::Level::I8mm,
                                                cpu::Level::Sve2};
#if defined(__aarch64__)
inline constexpr auto& kLevels = kAarch64Levels;
#else
inline constexpr auto& kLevels = kX86Levels;
#endif

// Empty if this CPU lacks instructions that the emulator does not know.
inline std::optional<cpu::Target> emulated_target_of(cpu::Level level) {
  if (auto target = cpu::target_of(level)) return target;
  const bool is_amx = level == cpu::Level::Amx;
  if (!has_emulator()) return std::nullopt;
  if (!is_amx && level != cpu::Level::Avx2Vnni) return std::nullopt;
  if (!cpu::target_of(is_amx ? cpu::Level::Avx512Vnni : cpu::Level::Avx2)) return std::nullopt;
  emulate(is_amx ? InstructionSet::Amx : InstructionSet::AvxVnni);
  return cpu::any_target_of(level);
}

}  // namespace slipway::testing
