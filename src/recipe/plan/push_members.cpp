// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The members of a push-constant block, with the type and offset of each of their scalars.
#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "recipe/plan/parts.hpp"
#include "spirv/annotations.hpp"
#include "spirv/constants.hpp"
#include "spirv/types.hpp"

namespace slipway::recipe {
namespace {

using spirv::Id;
using spirv::Instruction;

// More scalars than fit in the push constants of any device: limits the memory that a malformed module can allocate.
constexpr std::size_t kMaxScalars = 65536;

class MemberReader {
 public:
  MemberReader(const spirv::Module& module, const spirv::Annotations& annotations, const spirv::Constants& constants)
      : module_(module), annotations_(annotations), constants_(constants), types_(module, annotations, constants) {}

  PushMember read(const Instruction& structure, std::uint32_t index) {
    PushMember member{
        .name = std::string(annotations_.member_name(structure.result, index)),
        .offset = annotations_.member_value(structure.result, index, spv::Decoration::Offset).value_or(0)};
    matrix_stride_ = annotations_.member_value(structure.result, index, spv::Decoration::MatrixStride).value_or(0);
    row_major_ = annotations_.has_member(structure.result, index, spv::Decoration::RowMajor);
    member_ = &member;
    add(structure.operand(1 + index), member.offset, 0);
    std::ranges::sort(member.target.offsets);  // memory order
    return member;
  }

 private:
  void refuse(std::string why) {
    if (member_->problem.empty()) member_->problem = std::move(why);
  }

  void add_scalar(Id type, std::uint64_t offset) {
    const auto element = types_.element_type(type);
    if (!element) return refuse("it has a part that is not a number");
    if (!member_->target.offsets.empty() && member_->target.type != *element)
      return refuse("it has numbers of several types");
    if (member_->target.offsets.size() >= kMaxScalars || offset > UINT32_MAX) return refuse("it is too large");
    member_->target.type = *element;
    member_->target.offsets.push_back(static_cast<std::uint32_t>(offset));
  }

  void add(Id id, std::uint64_t offset, int depth) {
    const Instruction* type = module_.definition(id);
    if (!type || depth > 16) return refuse("its type is not supported");
    const auto size_of = [&](Id scalar) {
      const auto element = types_.element_type(scalar);
      return element ? tensor::size_of(*element) : 0u;
    };
    switch (type->op) {
      case spv::Op::OpTypeInt:
      case spv::Op::OpTypeFloat:
        return add_scalar(id, offset);
      case spv::Op::OpTypeVector:
        member_->target.array = true;
        for (std::uint32_t i = 0; i < std::min(type->operand(2), 16u); ++i)
          add_scalar(type->operand(1), offset + std::uint64_t{i} * size_of(type->operand(1)));
        return;
      case spv::Op::OpTypeMatrix: {
        const Instruction* column = module_.definition(type->operand(1));
        if (!column || column->op != spv::Op::OpTypeVector) return refuse("its type is not supported");
        member_->target.array = true;
        const std::uint64_t scalar = size_of(column->operand(1));
        for (std::uint64_t c = 0; c < std::min(type->operand(2), 16u); ++c) {
          for (std::uint64_t r = 0; r < std::min(column->operand(2), 16u); ++r) {
            add_scalar(column->operand(1),
                       offset + (row_major_ ? r * matrix_stride_ + c * scalar : c * matrix_stride_ + r * scalar));
          }
        }
        return;
      }
      case spv::Op::OpTypeArray: {
        member_->target.array = true;
        const std::uint64_t count = constants_.value(type->operand(2)).value_or(0);
        const std::uint64_t stride = annotations_.value(id, spv::Decoration::ArrayStride).value_or(0);
        for (std::uint64_t i = 0; i < count && member_->problem.empty(); ++i)
          add(type->operand(1), offset + i * stride, depth + 1);
        if (count == 0) refuse("it is an array without elements");
        return;
      }
      default:
        return refuse("it is a structure, whose members a recipe cannot set");
    }
  }

  const spirv::Module& module_;
  const spirv::Annotations& annotations_;
  const spirv::Constants& constants_;
  spirv::Types types_;
  PushMember* member_ = nullptr;
  std::uint64_t matrix_stride_ = 0;
  bool row_major_ = false;
};

bool is_block_of(const Instruction& structure, const spirv::EntryPoint& entry, const spirv::Annotations& annotations) {
  const auto& members = entry.push_constants->members;
  if (structure.operands.size() != 1 + members.size()) return false;
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    if (annotations.member_value(structure.result, i, spv::Decoration::Offset).value_or(0) != members[i].offset)
      return false;
  }
  return true;
}

}  // namespace

Result<std::vector<PushMember>> push_members(const spirv::Module& module, const spirv::EntryPoint& entry,
                                             const spirv::Specialization& specialization) {
  std::vector<PushMember> members;
  if (!entry.push_constants) return members;
  SLIPWAY_TRY(const spirv::Annotations annotations, spirv::Annotations::of(module));
  const spirv::Constants constants(module, annotations, specialization);
  MemberReader reader(module, annotations, constants);
  for (const Instruction& variable : module.instructions()) {
    if (variable.op != spv::Op::OpVariable ||
        variable.operand(2) != static_cast<std::uint32_t>(spv::StorageClass::PushConstant))
      continue;
    const Instruction* pointer = module.definition(variable.type);
    const Instruction* structure = pointer ? module.definition(pointer->operand(2)) : nullptr;
    if (!structure || structure->op != spv::Op::OpTypeStruct || !is_block_of(*structure, entry, annotations)) continue;
    for (std::uint32_t i = 0; i + 1 < structure->operands.size(); ++i) members.push_back(reader.read(*structure, i));
    break;
  }
  std::ranges::stable_sort(members, {}, &PushMember::offset);
  return members;
}

}  // namespace slipway::recipe
