// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: runs the code of a resolved compute program, one invocation of it, plainly and slowly. Generated
// programs on a device are compared with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rpl/resolved.hpp"

namespace slipway::rpl {

// Memory of the buffers, by their index in Resolved::buffers: words as the host sees them. Those without an entry do
// not exist; workgroup buffers and push constants may have one.
struct InterpreterMemory {
  std::vector<std::vector<std::uint32_t>> buffers;
};

// Runs the entry point and changes the memory. Returns what stopped it: an index out of bounds, a built-in that
// has no exact result, too many steps; empty after a normal end.
std::string interpret(const Resolved& program, InterpreterMemory& memory);

}  // namespace slipway::rpl
