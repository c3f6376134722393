// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The relocations of compiled kernels (ELF for x86-64, and for the Arm 64-bit architecture).
#pragma once

#include <cstddef>
#include <cstdint>

namespace slipway::cpu {

// Bytes that a relocation changes.
std::uint64_t width_of_relocation(std::uint32_t type);

// Changes the bytes at memory + place so that they refer to memory + target. The code is one block that begins at a
// page. Returns false for what kernels do not have: another type, a distance that does not fit, an unaligned target.
bool apply_relocation(std::uint32_t type, std::byte* memory, std::uint64_t place, std::uint64_t target);

// For tests on any machine: as apply_relocation on AArch64.
bool apply_aarch64_relocation(std::uint32_t type, std::byte* memory, std::uint64_t place, std::uint64_t target);

}  // namespace slipway::cpu
