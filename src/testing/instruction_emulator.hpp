// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes instructions that this CPU lacks, so that tests run the kernels of the CPU engine that have them.
//
// The CPU reports an instruction that it does not know by a signal, SIGILL. A handler decodes the instruction, executes
// it on the registers that the signal has saved, and continues after it. That takes a microsecond or two. Any other
// instruction goes to the handler that was there before.
//
//   emulate(InstructionSet::Amx);  // does nothing on a CPU that has it
//
// Known are all instructions of AMX-TILE, AMX-INT8 and AMX-BF16, and of AVX-VNNI those that do not saturate, which
// compilers use: for 64-bit code without prefixes for segments or address sizes. Tiles are a state of each thread,
// which begins without a configuration.
#pragma once

#include <cstdint>

namespace slipway::testing {

enum class InstructionSet : std::uint8_t { AvxVnni, Amx };

// False if this system has none.
bool has_emulator();
// Whether the CPU and the system have it, without the emulator.
bool is_native(InstructionSet set);
// From now on, in all threads. Call it again after another handler of SIGILL was installed.
void emulate(InstructionSet set);
// How many instructions the emulator has executed.
std::uint64_t emulated_instructions();

}  // namespace slipway::testing
