// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The levels of the CPU engine on AArch64: what this CPU has, and what kernels are compiled for.
#pragma once

#include <string>
#include <vector>

#include "cpu/level.hpp"

namespace slipway::cpu::aarch64 {

// Whether this machine has a level of AArch64; never on another architecture.
bool has(Level level);
Target target_of(Level level);
// As unused_instructions and host_name. Empty on another architecture.
std::vector<std::string> unused();
std::string brand();

}  // namespace slipway::cpu::aarch64
