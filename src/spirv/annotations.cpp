// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/annotations.hpp"

#include <spirv/unified1/spirv.hpp11>

namespace slipway::spirv {
namespace {

// The index of the decoration among the operands: after the target, or after the member.
std::size_t decoration_index(const Instruction& instruction) {
  return instruction.op == spv::Op::OpMemberDecorate || instruction.op == spv::Op::OpMemberDecorateString ? 2 : 1;
}

}  // namespace

Result<Annotations> Annotations::of(const Module& module) {
  Annotations annotations;
  for (const Instruction& instruction : module.instructions()) {
    const Id target = instruction.operand(0);
    switch (instruction.op) {
      case spv::Op::OpName:
        annotations.names_[{target, kNoMember}] = instruction.string(1);
        break;
      case spv::Op::OpMemberName:
        annotations.names_[{target, instruction.operand(1)}] = instruction.string(2);
        break;
      case spv::Op::OpDecorate:
      case spv::Op::OpDecorateId:
      case spv::Op::OpDecorateString:
        annotations.decorations_[{target, kNoMember}].push_back(&instruction);
        break;
      case spv::Op::OpMemberDecorate:
      case spv::Op::OpMemberDecorateString:
        annotations.decorations_[{target, instruction.operand(1)}].push_back(&instruction);
        break;
      case spv::Op::OpGroupDecorate:
      case spv::Op::OpGroupMemberDecorate:
        return fail(DiagnosticKind::Unsupported, module.location(instruction),
                    "decoration groups, which SPIR-V has deprecated; `spirv-opt --flatten-decorations` removes them");
      default:
        break;
    }
  }
  return annotations;
}

std::string_view Annotations::name(Id id) const { return member_name(id, kNoMember); }

std::string_view Annotations::member_name(Id structure, std::uint32_t member) const {
  const auto found = names_.find({structure, member});
  return found == names_.end() ? std::string_view() : found->second;
}

const Instruction* Annotations::find(Target target, spv::Decoration decoration) const {
  const auto found = decorations_.find(target);
  if (found == decorations_.end()) return nullptr;
  for (const Instruction* instruction : found->second) {
    if (instruction->operand(decoration_index(*instruction)) == static_cast<std::uint32_t>(decoration)) {
      return instruction;
    }
  }
  return nullptr;
}

std::optional<std::uint32_t> Annotations::value(Id id, spv::Decoration decoration) const {
  return member_value(id, kNoMember, decoration);
}

std::optional<std::uint32_t> Annotations::member_value(Id structure, std::uint32_t member,
                                                       spv::Decoration decoration) const {
  const Instruction* instruction = find({structure, member}, decoration);
  if (instruction == nullptr) return std::nullopt;
  return instruction->operand(decoration_index(*instruction) + 1);
}

}  // namespace slipway::spirv
