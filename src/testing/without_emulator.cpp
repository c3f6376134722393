// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For systems where no handler continues after an instruction.
#include "testing/instruction_emulator.hpp"

namespace slipway::testing {

bool has_emulator() { return false; }
bool is_native(InstructionSet) { return false; }
void emulate(InstructionSet) {}
std::uint64_t emulated_instructions() { return 0; }

}  // namespace slipway::testing
