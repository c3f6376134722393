// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/constants.hpp"

#include <spirv/unified1/spirv.hpp11>

namespace slipway::spirv {
namespace {

std::uint64_t truncate(std::uint64_t bits, std::uint32_t width) {
  return width >= 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
}

std::int64_t extend(std::uint64_t bits, std::uint32_t width) {
  if (width == 0 || width >= 64) return static_cast<std::int64_t>(bits);
  const std::uint32_t unused = 64 - width;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

// Integer arithmetic on operands of `width` bits, before truncation to the result's width. Division by zero and shifts
// by the width or more are undefined in SPIR-V: no value.
// Long, because it has one case per instruction.
std::optional<std::uint64_t> apply(spv::Op op, std::uint64_t a, std::uint64_t b, std::uint32_t width) {
  const std::int64_t sa = extend(a, width);
  const std::int64_t sb = extend(b, width);
  const bool divides = sb != 0 && !(sa == INT64_MIN && sb == -1);
  const bool shifts = b < width;
  switch (op) {
    case spv::Op::OpIAdd:
      return a + b;
    case spv::Op::OpISub:
      return a - b;
    case spv::Op::OpIMul:
      return a * b;
    case spv::Op::OpUDiv:
      return b == 0 ? std::nullopt : std::optional(a / b);
    case spv::Op::OpUMod:
      return b == 0 ? std::nullopt : std::optional(a % b);
    case spv::Op::OpSDiv:
      return divides ? std::optional<std::uint64_t>(sa / sb) : std::nullopt;
    case spv::Op::OpSRem:
      return divides ? std::optional<std::uint64_t>(sa % sb) : std::nullopt;
    case spv::Op::OpSMod:
      return divides ? std::optional<std::uint64_t>((sa % sb + sb) % sb) : std::nullopt;
    case spv::Op::OpShiftLeftLogical:
      return shifts ? std::optional(a << b) : std::nullopt;
    case spv::Op::OpShiftRightLogical:
      return shifts ? std::optional(a >> b) : std::nullopt;
    case spv::Op::OpShiftRightArithmetic:
      return shifts ? std::optional<std::uint64_t>(sa >> b) : std::nullopt;
    case spv::Op::OpBitwiseOr:
    case spv::Op::OpLogicalOr:
      return a | b;
    case spv::Op::OpBitwiseAnd:
    case spv::Op::OpLogicalAnd:
      return a & b;
    case spv::Op::OpBitwiseXor:
      return a ^ b;
    case spv::Op::OpIEqual:
    case spv::Op::OpLogicalEqual:
      return a == b;
    case spv::Op::OpINotEqual:
    case spv::Op::OpLogicalNotEqual:
      return a != b;
    case spv::Op::OpULessThan:
      return a < b;
    case spv::Op::OpULessThanEqual:
      return a <= b;
    case spv::Op::OpUGreaterThan:
      return a > b;
    case spv::Op::OpUGreaterThanEqual:
      return a >= b;
    case spv::Op::OpSLessThan:
      return sa < sb;
    case spv::Op::OpSLessThanEqual:
      return sa <= sb;
    case spv::Op::OpSGreaterThan:
      return sa > sb;
    case spv::Op::OpSGreaterThanEqual:
      return sa >= sb;
    default:
      return std::nullopt;
  }
}

bool is_composite(const Instruction& instruction) {
  return instruction.op == spv::Op::OpConstantComposite || instruction.op == spv::Op::OpSpecConstantComposite;
}

// One value for all constituents (SPV_EXT_replicated_composites).
bool is_replicated(const Instruction& instruction) {
  return instruction.op == spv::Op::OpConstantCompositeReplicateEXT ||
         instruction.op == spv::Op::OpSpecConstantCompositeReplicateEXT;
}

}  // namespace

Constants::Constants(const Module& module, const Annotations& annotations, const Specialization& specialization)
    : module_(module) {
  for (const Instruction& instruction : module.instructions()) {
    if (const auto value = evaluate(instruction, annotations, specialization)) values_[instruction.result] = *value;
  }
}

std::optional<std::uint64_t> Constants::value(Id id) const {
  const auto found = values_.find(id);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t Constants::size(Id composite) const {
  const Instruction* instruction = module_.definition(composite);
  if (instruction == nullptr) return 0;
  if (is_composite(*instruction)) return instruction->operands.size() - 2;
  if (!is_replicated(*instruction)) return 0;
  const Instruction* type = module_.definition(instruction->type);
  if (type == nullptr) return 0;
  switch (type->op) {
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
      return type->operand(2);
    case spv::Op::OpTypeArray:
      return value(type->operand(2)).value_or(0);
    case spv::Op::OpTypeStruct:
      return type->operands.size() - 1;
    default:
      return 0;
  }
}

Id Constants::constituent(Id composite, std::uint64_t index) const {
  if (index >= size(composite)) return 0;
  const Instruction& instruction = *module_.definition(composite);
  return instruction.operand(is_replicated(instruction) ? 2 : 2 + static_cast<std::size_t>(index));
}

std::optional<std::vector<std::uint64_t>> Constants::values(Id composite) const {
  constexpr std::uint64_t kMaxValues = 0xffff;  // as many as an instruction has words
  const std::uint64_t count = size(composite);
  if (count == 0 || count > kMaxValues) return std::nullopt;
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto one = value(constituent(composite, i));
    if (!one) return std::nullopt;
    all.push_back(*one);
  }
  return all;
}

Constants::Type Constants::type_of(Id type) const {
  const Instruction* definition = module_.definition(type);
  if (definition == nullptr) return {};
  switch (definition->op) {
    case spv::Op::OpTypeBool:
      return {.width = 1};
    case spv::Op::OpTypeInt:
      return {.width = definition->operand(1), .is_signed = definition->operand(2) != 0};
    case spv::Op::OpTypeFloat:
      return {.width = definition->operand(1)};
    default:
      return {};
  }
}

std::optional<std::uint64_t> Constants::evaluate(const Instruction& instruction, const Annotations& annotations,
                                                 const Specialization& specialization) const {
  const Type type = type_of(instruction.type);
  if (type.width == 0) return std::nullopt;
  const auto specialized = [&](std::uint64_t otherwise) {
    const auto id = annotations.value(instruction.result, spv::Decoration::SpecId);
    const auto given = id ? specialization.find(*id) : specialization.end();
    return truncate(given == specialization.end() ? otherwise : given->second, type.width);
  };
  const std::uint64_t literal = instruction.operand(2) | std::uint64_t{instruction.operand(3)} << 32;
  switch (instruction.op) {
    case spv::Op::OpConstantTrue:
      return 1;
    case spv::Op::OpConstantFalse:
    case spv::Op::OpConstantNull:
      return 0;
    case spv::Op::OpConstant:
      return truncate(literal, type.width);
    case spv::Op::OpSpecConstantTrue:
      return specialized(1);
    case spv::Op::OpSpecConstantFalse:
      return specialized(0);
    case spv::Op::OpSpecConstant:
      return specialized(literal);
    case spv::Op::OpSpecConstantOp: {
      const auto result = evaluate_operation(instruction);
      return result ? std::optional(truncate(*result, type.width)) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> Constants::evaluate_operation(const Instruction& instruction) const {
  const auto op = static_cast<spv::Op>(instruction.operand(2));
  const Id first = instruction.operand(3);
  if (op == spv::Op::OpCompositeExtract) {
    // With one index: the composites of workgroup sizes are vectors.
    return instruction.operands.size() == 5 ? value(constituent(first, instruction.operand(4))) : std::nullopt;
  }
  const auto a = value(first);
  const Instruction* operand = module_.definition(first);
  if (!a || operand == nullptr) return std::nullopt;
  const Type type = type_of(operand->type);
  switch (op) {
    case spv::Op::OpNot:
      return ~*a;
    case spv::Op::OpLogicalNot:
      return *a == 0;
    case spv::Op::OpSNegate:
      return -*a;
    case spv::Op::OpUConvert:
      return *a;
    case spv::Op::OpSConvert:
      return static_cast<std::uint64_t>(extend(*a, type.width));
    case spv::Op::OpSelect:
      return value(instruction.operand(*a != 0 ? 4 : 5));
    default:
      break;
  }
  const auto b = value(instruction.operand(4));
  return b ? apply(op, *a, *b, type.width) : std::nullopt;
}

}  // namespace slipway::spirv
