// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the CPU offers, and the cores that this process may use.
#pragma once

#include <cstdint>
#include <string>
#include <thread>

namespace slipway::platform {

bool has_sha_instructions();  // of x86
std::string cpu_brand();      // of x86; empty elsewhere
// Tiles are a state of 8 KB for each thread, which the system saves for processes that have asked.
bool may_use_tiles();

// Of AArch64: bits as Linux defines them, and MIDR_EL1. 0 elsewhere.
struct ArmFeatures {
  std::uint64_t first = 0, second = 0, identification = 0;
};
ArmFeatures arm_features();

unsigned allowed_cores();  // at least 1
// Of the allowed cores; after the last one the first one follows.
void stay_on_core(std::thread& thread, unsigned index);

}  // namespace slipway::platform
