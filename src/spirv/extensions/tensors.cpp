// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/extensions/tensors.hpp"

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

std::string_view text_at(std::span<const std::uint32_t> words) {
  const auto* const text = reinterpret_cast<const char*>(words.data());
  return {text, static_cast<std::size_t>(std::find(text, text + words.size_bytes(), 0) - text)};
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

bool has_unknown_extensions(std::span<const std::uint32_t> module) {
  constexpr std::size_t kHeader = 5;
  constexpr std::uint32_t kCapability = static_cast<std::uint32_t>(spv::Op::OpCapability) | 2 << 16;
  for (std::size_t at = kHeader; at + 1 < module.size() && module[at] == kCapability; at += 2) {
    if (is_of_tensors(static_cast<spv::Capability>(module[at + 1])) && !validates_tensors()) return true;
  }
  return false;
}

std::optional<TensorInstruction> TensorInstructions::read(std::span<const std::uint32_t> words) {
  TensorInstruction found;
  const auto op = static_cast<spv::Op>(words[0] & 0xffff);
  const auto word = [&](std::size_t index) { return index < words.size() ? words[index] : 0; };
  if (op == spv::Op::OpCapability) {
    if (!is_of_tensors(static_cast<spv::Capability>(word(1)))) return std::nullopt;
    return found;
  }
  if (op == spv::Op::OpExtInstImport) {
    if (words.size() < 3) return std::nullopt;
    const std::string_view set = text_at(words.subspan(2));
    if (!set.starts_with("TOSA.") && !set.starts_with("Arm.MotionEngine.")) return std::nullopt;
    found.result = words[1];
    found.ids.push_back(1);
    sets_.push_back(found.result);
    return found;
  }
  if (op == spv::Op::OpExtInst && !std::ranges::contains(sets_, word(3))) return std::nullopt;
  const std::string_view operands = operands_of(op);
  if (operands.empty()) return std::nullopt;
  for (std::size_t at = 1, letter = 0; at < words.size() && letter < operands.size(); ++at) {
    const char kind = operands[letter];
    if (kind == 't') found.type = words[at];
    if (kind == 'r') found.result = words[at];
    if (kind == 's') at += text_at(words.subspan(at)).size() / sizeof(std::uint32_t);
    // The ids follow the mask.
    if (kind == 'o') {
      while (++at < words.size()) found.ids.push_back(at);
      break;
    }
    if (kind != 'n' && kind != 's') found.ids.push_back(at);
    if (kind != '*') ++letter;
  }
  return found;
}

}  // namespace slipway::spirv
