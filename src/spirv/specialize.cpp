// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/specialize.hpp"

#include <spirv/unified1/spirv.hpp11>

namespace slipway::spirv {
namespace {

// The first word of an instruction with another opcode: the count of words is in the upper half.
std::uint32_t with_opcode(std::uint32_t word, spv::Op op) {
  return (word & 0xffff0000) | static_cast<std::uint32_t>(op);
}

void set_default(Words& words, const Instruction& constant, std::uint64_t bits) {
  constexpr std::uint32_t kLiteral = 3;  // after the opcode, the type and the result
  switch (constant.op) {
    case spv::Op::OpSpecConstantTrue:
    case spv::Op::OpSpecConstantFalse:
      words[constant.offset] =
          with_opcode(words[constant.offset], bits ? spv::Op::OpSpecConstantTrue : spv::Op::OpSpecConstantFalse);
      break;
    case spv::Op::OpSpecConstant:
      for (std::uint32_t i = 2; i < constant.operands.size(); ++i, bits >>= 32)
        words[constant.offset + kLiteral + i - 2] = static_cast<std::uint32_t>(bits);
      break;
    default:
      break;
  }
}

}  // namespace

Words specialize(const Module& module, const Specialization& specialization) {
  Words words(module.words().begin(), module.words().end());
  for (const Instruction& instruction : module.instructions()) {
    if (instruction.op != spv::Op::OpDecorate) continue;
    if (static_cast<spv::Decoration>(instruction.operand(1)) != spv::Decoration::SpecId) continue;
    const auto value = specialization.find(instruction.operand(2));
    const Instruction* constant = module.definition(instruction.operand(0));
    if (value != specialization.end() && constant) set_default(words, *constant, value->second);
  }
  return words;
}

}  // namespace slipway::spirv
