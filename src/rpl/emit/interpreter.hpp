// For tests: runs the code of a resolved compute program, one invocation of it, plainly and slowly. It is the truth
// that generated programs are compared with on a device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rpl/resolved.hpp"

namespace slipway::rpl {

// Memory of the buffers, by their index in Resolved::buffers: words as the host sees them. Those without an entry are
// not there; workgroup buffers and push constants may have one.
struct InterpreterMemory {
  std::vector<std::vector<std::uint32_t>> buffers;
};

// Runs the entry point and changes the memory. The text says what stopped it: an index out of bounds, a built-in that
// has no exact result, too many steps; it is empty after an ordinary end.
std::string interpret(const Resolved& program, InterpreterMemory& memory);

}  // namespace slipway::rpl
