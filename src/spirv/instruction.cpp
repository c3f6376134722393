// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled alone: the compiler of the CPU engine uses it, and does without SPIRV-Tools.
#include "base/bytes.hpp"
#include "spirv/module.hpp"

namespace slipway::spirv {

std::string_view Instruction::string(std::size_t index) const {
  if (index >= operands.size()) return {};
  const std::string_view rest = text_of(std::as_bytes(operands.subspan(index)));
  return rest.substr(0, rest.find('\0'));
}

}  // namespace slipway::spirv
