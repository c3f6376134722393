// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/extensions/newer.hpp"

#include <spirv-tools/libspirv.hpp>

#include <algorithm>
#include <ranges>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>

#include "base/format.hpp"

namespace slipway::spirv {
namespace {

struct NewerCapability {
  spv::Capability capability;
  std::string_view extension;
};
constexpr NewerCapability kNewer[] = {
    {spv::Capability::TensorsARM, "SPV_ARM_tensors"},
    {spv::Capability::StorageTensorArrayDynamicIndexingARM, "SPV_ARM_tensors"},
    {spv::Capability::StorageTensorArrayNonUniformIndexingARM, "SPV_ARM_tensors"},
    {spv::Capability::GraphARM, "SPV_ARM_graph"},
    {spv::Capability::BFloat16TypeKHR, "SPV_KHR_bfloat16"},
    {spv::Capability::BFloat16DotProductKHR, "SPV_KHR_bfloat16"},
    {spv::Capability::BFloat16CooperativeMatrixKHR, "SPV_KHR_bfloat16"},
    {spv::Capability::Float8EXT, "SPV_EXT_float8"},
    {spv::Capability::Float8CooperativeMatrixEXT, "SPV_EXT_float8"},
};
constexpr std::uint32_t kCapability = static_cast<std::uint32_t>(spv::Op::OpCapability) | 2 << 16;

bool parses(spv::Capability capability) {
  const std::uint32_t module[] = {
      spv::MagicNumber, 0x10600, 0, 1, 0, kCapability, static_cast<std::uint32_t>(capability)};
  const spvtools::Context context(SPV_ENV_UNIVERSAL_1_6);
  return spvBinaryParse(context.CContext(), nullptr, module, std::size(module), nullptr, nullptr, nullptr) ==
         SPV_SUCCESS;
}

const NewerCapability* find(std::uint32_t capability) {
  const auto* const found =
      std::ranges::find(kNewer, static_cast<spv::Capability>(capability), &NewerCapability::capability);
  return found == std::end(kNewer) ? nullptr : found;
}

bool is_unknown(const NewerCapability& newer) {
  static const std::vector<bool> unknown(
      std::from_range,
      kNewer | std::views::transform([](const NewerCapability& each) { return !parses(each.capability); }));
  return unknown[static_cast<std::size_t>(&newer - kNewer)];
}

void add_once(std::vector<std::string_view>& names, std::string_view name) {
  if (!std::ranges::contains(names, name)) names.push_back(name);
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
    case spv::Op::OpTypeFloat:
      return "rn";
    case spv::Op::OpConstant:
    case spv::Op::OpSpecConstant:
      return "trn";
    case spv::Op::OpDecorate:
      return "in";
    case spv::Op::OpExtInst:
      return "trin*";
    default:
      return {};
  }
}

}  // namespace

std::vector<std::string_view> unknown_extensions(std::span<const std::uint32_t> module) {
  constexpr std::size_t kHeader = 5;
  std::vector<std::string_view> names;
  for (std::size_t at = kHeader; at + 1 < module.size() && module[at] == kCapability; at += 2) {
    const NewerCapability* const newer = find(module[at + 1]);
    if (newer && is_unknown(*newer)) add_once(names, newer->extension);
  }
  return names;
}

std::vector<std::string_view> unknown_extensions() {
  std::vector<std::string_view> names;
  for (const NewerCapability& newer : kNewer) {
    if (is_unknown(newer)) add_once(names, newer.extension);
  }
  return names;
}

std::string do_not_know(std::span<const std::string_view> extensions) {
  const std::string_view version = spvSoftwareVersionString();
  std::string names;
  for (const std::string_view name : extensions) append_formatted(names, "{}`{}`", names.empty() ? "" : ", ", name);
  return formatted("SPIRV-Tools {} does not know {}", version.substr(0, version.find(' ')), names);
}

std::optional<NewerInstruction> NewerInstructions::read(std::span<const std::uint32_t> words) {
  NewerInstruction found;
  const auto op = static_cast<spv::Op>(words[0] & 0xffff);
  const auto word = [&](std::size_t index) { return index < words.size() ? words[index] : 0; };
  if (op == spv::Op::OpCapability) {
    return find(word(1)) ? std::optional(found) : std::nullopt;
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
  if (op == spv::Op::OpTypeFloat) {
    if (words.size() < 4) return std::nullopt;  // without an encoding
    floats_.push_back(words[1]);
  }
  const bool is_constant = op == spv::Op::OpConstant || op == spv::Op::OpSpecConstant;
  if (is_constant && !std::ranges::contains(floats_, word(1))) return std::nullopt;
  constexpr auto kSaturated = spv::Decoration::SaturatedToLargestFloat8NormalConversionEXT;
  if (op == spv::Op::OpDecorate && word(2) != static_cast<std::uint32_t>(kSaturated)) return std::nullopt;
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
