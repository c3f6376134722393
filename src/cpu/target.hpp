// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this machine's CPU has, and what follows from it for kernels.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "cpu/level.hpp"
#include "lower/device_facts.hpp"

namespace slipway::cpu {

// Whether the engine has code for this kind of machine: x86-64 with SSE4.2, or AArch64.
bool has_engine();
// Errors: usage, when SLIPWAY_CPU_LEVEL is the name of no level.
Result<> check_level_setting();
// `aarch64+i8mm`, `x86_64+avx2`; without a level the first one of the architecture. Empty for any other text.
std::optional<Level> level_named(std::string_view architecture_and_level);
// All these names, for messages.
std::string level_names();
// The best level of this machine. The environment variable SLIPWAY_CPU_LEVEL (a name of kLevelNames) limits it. If that
// allows AMX, the first call asks the system for the permission of this process to use it.
Level host_level();
// Empty for a level that this machine does not have. For AMX the system is asked as by host_level.
std::optional<Target> target_of(Level level);
// The same for any machine.
Target any_target_of(Level level);
Target host_target();

// Instructions for graphs that this CPU has and the engine does not use (docs/design/cpu_engine.md#products-of-bytes),
// by the names of Linux: "avx512_fp16". With a reason where the system refuses them: "amx_int8 (no permission)".
// Asks the system as host_level does.
std::vector<std::string> unused_instructions();

// For messages and lists of devices: "AMD EPYC 9B14".
std::string host_name();
// What reports and tuning tables call the CPU engine on this machine.
std::string engine_name();

// What lower_graph needs to know.
lower::DeviceFacts facts_of(const Target& target);

// The threads that graphs use when nothing else is asked for: one for each CPU that the process may run on.
unsigned default_threads();

}  // namespace slipway::cpu
