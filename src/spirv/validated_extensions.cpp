// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/validated_extensions.hpp"

#include <spirv-tools/libspirv.hpp>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>

namespace slipway::spirv {
namespace {

bool assembles(const char* text) {
  std::vector<std::uint32_t> words;
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  tools.SetMessageConsumer([](auto&&...) {});
  return tools.Assemble(text, &words);
}

// One letter for each operand: a type, a result, an id, a number, a string, tensor operands; `*`: ids up to the end.
std::string_view operands_of(spv::Op op) {
  switch (op) {
    case spv::Op::OpTypeTensorARM:
      return "r*";
    case spv::Op::OpTensorReadARM:
      return "triio";
    case spv::Op::OpTensorWriteARM:
      return "iiio";
    case spv::Op::OpTensorQuerySizeARM:
      return "trii";
    case spv::Op::OpGraphConstantARM:
      return "trn";
    case spv::Op::OpGraphEntryPointARM:
      return "is*";
    case spv::Op::OpGraphARM:
      return "tr";
    case spv::Op::OpGraphInputARM:
      return "tr*";
    case spv::Op::OpGraphSetOutputARM:
      return "*";
    case spv::Op::OpGraphEndARM:
      return " ";
    case spv::Op::OpTypeGraphARM:
      return "rn*";
    case spv::Op::OpExtInst:
      return "trin*";
    default:
      return {};
  }
}

bool is_of_tensors(spv::Capability capability) {
  using enum spv::Capability;
  return capability == TensorsARM || capability == GraphARM || capability == StorageTensorArrayDynamicIndexingARM ||
         capability == StorageTensorArrayNonUniformIndexingARM;
}

}  // namespace

bool validates_tensors() {
  static const bool known = assembles("OpCapability TensorsARM\nOpCapability GraphARM");
  return known;
}

bool has_unknown_extensions(WordSpan words) {
  constexpr std::uint32_t kCapability = static_cast<std::uint32_t>(spv::Op::OpCapability) | 2 << 16;
  for (std::size_t at = kHeaderWords; at + 1 < words.size() && words[at] == kCapability; at += 2) {
    if (is_of_tensors(static_cast<spv::Capability>(words[at + 1])) && !validates_tensors()) return true;
  }
  return false;
}

bool TensorInstructions::read(Instruction& instruction, std::vector<bool>& is_id) {
  if (instruction.op == spv::Op::OpCapability)
    return is_of_tensors(static_cast<spv::Capability>(instruction.operand(0)));
  if (instruction.op == spv::Op::OpExtInstImport) {
    const std::string_view set = instruction.string(1);
    if (!set.starts_with("TOSA.") && !set.starts_with("Arm.MotionEngine.")) return false;
    instruction.result = instruction.operand(0);
    sets_.push_back(instruction.result);
    is_id[instruction.offset + 1] = true;
    return true;
  }
  if (instruction.op == spv::Op::OpExtInst && !std::ranges::contains(sets_, instruction.operand(2))) return false;
  const std::string_view operands = operands_of(instruction.op);
  if (operands.empty()) return false;
  const std::size_t count = instruction.operands.size();
  for (std::size_t at = 0, letter = 0; at < count && letter < operands.size(); ++at) {
    const char kind = operands[letter];
    if (kind == 't') instruction.type = instruction.operands[at];
    if (kind == 'r') instruction.result = instruction.operands[at];
    if (kind == 's') at += string_words(instruction.string(at)) - 1;
    // After the mask.
    if (kind == 'o') {
      for (std::size_t id = at + 1; id < count; ++id) is_id[instruction.offset + 1 + id] = true;
      break;
    }
    if (kind != 'n' && kind != 's') is_id[instruction.offset + 1 + at] = true;
    if (kind != '*') ++letter;
  }
  return true;
}

}  // namespace slipway::spirv
