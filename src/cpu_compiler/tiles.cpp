// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_compiler/tiles.hpp"

#include <algorithm>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

namespace slipway::cpu_compiler {
Tiles::Tiles(const KernelModule& kernel, llvm::IRBuilder<>& builder, llvm::Module& module)
    : kernel_(kernel), b_(builder), module_(module) {
  for (const Instruction& in : kernel.module->instructions()) {
    if (in.op == spv::Op::OpCooperativeMatrixMulAddKHR) {
      for (const std::size_t i : {2U, 3U, 4U}) ++uses_[in.operand(i)];
    } else if (in.op == spv::Op::OpStore || in.op == spv::Op::OpCooperativeMatrixStoreKHR) {
      ++uses_[in.operand(1)];
    }
  }
}

// As rows of bytes in a register: of B a row has the words of two or four rows.
std::optional<Tiles::Shape> Tiles::shape_of(const Type& type) const {
  const Type& element = kernel_.type(type.element);
  const bool is_sum = is(type, spv::CooperativeMatrixUse::MatrixAccumulatorKHR);
  const bool is_known = is_sum                              ? element.width == 32
                        : element.kind == Type::Kind::Float ? element.is_bfloat
                                                            : element.kind == Type::Kind::Int && element.width == 8;
  if (type.kind != Type::Kind::Matrix || !is_known) return std::nullopt;
  const std::uint32_t size = element.width / kBits, in_word = kBytesOfWord / size;
  Shape shape{type.rows, type.count * size};
  if (is(type, spv::CooperativeMatrixUse::MatrixBKHR)) {
    if (type.rows % in_word != 0) return std::nullopt;
    shape = {type.rows / in_word, type.count * kBytesOfWord};
  }
  const bool fits = shape.rows >= 1 && shape.rows <= kMaxRows && shape.bytes >= 1 && shape.bytes <= kMaxBytes &&
                    shape.bytes % kBytesOfWord == 0;
  return fits ? std::optional(shape) : std::nullopt;
}

// A register that was not used before, so that a load need not wait for products with another matrix; or a free one of
// this shape.
std::optional<std::uint32_t> Tiles::take(const Type& type) {
  const std::optional<Shape> shape = shape_of(type);
  if (!shape) return std::nullopt;
  for (const Shape& before : {Shape(), *shape}) {
    for (std::uint32_t i = 0; i < registers_.size(); ++i) {
      Register& one = registers_[i];
      if (one.taken || one != before) continue;
      static_cast<Shape&>(one) = *shape;
      one.taken = true;
      ++one.version;
      return i;
    }
  }
  return std::nullopt;
}

void Tiles::call(unsigned intrinsic, std::initializer_list<llvm::Value*> arguments) {
  b_.CreateCall(llvm::Intrinsic::getOrInsertDeclaration(&module_, intrinsic),
                llvm::ArrayRef(arguments.begin(), arguments.end()));
}

bool Tiles::declare(Id variable, const Type& type) {
  const auto index = take(type);
  if (index) variables_[variable] = {*index, &type};
  return index.has_value();
}

bool Tiles::set(Id variable, Id value_id) {
  const auto found = variables_.find(variable);
  if (found == variables_.end()) return false;
  Register& one = registers_[found->second.index];
  if (kernel_.zero_matrices.contains(value_id)) {
    if (one.changed) return false;
    call(llvm::Intrinsic::x86_tilezero, {number(found->second.index)});
    ++one.version;
    return true;
  }
  const Matrix* from = value(value_id);
  if (!from || from->index != found->second.index) return false;
  one.changed = false;
  return true;
}

bool Tiles::get(Id result, Id variable) {
  const auto found = variables_.find(variable);
  if (found == variables_.end()) return false;
  const auto [index, type] = found->second;
  if (registers_[index].changed) return false;
  values_[result] = {index, registers_[index].version, blocks_.back(), type};
  return true;
}

// A value whose register still has it, in the block that made it.
const Tiles::Matrix* Tiles::value(Id id) const {
  const auto found = values_.find(id);
  if (found == values_.end()) return nullptr;
  const Matrix& matrix = found->second;
  return matrix.version == registers_[matrix.index].version && matrix.block == blocks_.back() ? &matrix : nullptr;
}

// After its last use the register of a matrix that is not a variable is free.
void Tiles::used(Id id) {
  const std::uint32_t index = values_.at(id).index;
  const bool is_variable =
      std::ranges::any_of(variables_, [&](const auto& entry) { return entry.second.index == index; });
  if (--uses_[id] == 0 && !is_variable) registers_[index].taken = false;
}

bool Tiles::load(Id result, const Type& type, std::uint32_t layout, llvm::Value* first, llvm::Value* stride) {
  if (!is_in_order(type, layout) || uses_[result] == 0) return false;
  const auto index = take(type);
  if (!index) return false;
  call(llvm::Intrinsic::x86_tileloadd64, {number(*index), first, stride});
  values_[result] = {*index, registers_[*index].version, blocks_.back(), &type};
  return true;
}

bool Tiles::store(Id value_id, std::uint32_t layout, llvm::Value* first, llvm::Value* stride) {
  const Matrix* from = value(value_id);
  if (!from || !is_in_order(*from->type, layout)) return false;
  call(llvm::Intrinsic::x86_tilestored64, {number(from->index), first, stride});
  used(value_id);
  return true;
}

bool Tiles::multiply_add(const Instruction& in) {
  const Matrix *a = value(in.operand(2)), *b = value(in.operand(3)), *sum = value(in.operand(4));
  if (!a || !b || !sum || !is_product(kernel_, in, *a->type, *b->type, *sum->type)) return false;
  const bool is_variable =
      std::ranges::any_of(variables_, [&](const auto& entry) { return entry.second.index == sum->index; });
  if (!is_variable || uses_[in.operand(4)] != 1) return false;
  const bool of_floats = kernel_.type(a->type->element).is_bfloat;
  call(of_floats ? llvm::Intrinsic::x86_tdpbf16ps : llvm::Intrinsic::x86_tdpbssd,
       {number(sum->index), number(a->index), number(b->index)});
  Register& changed = registers_[sum->index];
  changed.changed = true;
  values_[in.result] = {sum->index, ++changed.version, blocks_.back(), sum->type};
  used(in.operand(2));
  used(in.operand(3));
  return true;
}

bool Tiles::leave_block() {
  blocks_.pop_back();
  return std::ranges::none_of(registers_, &Register::changed);
}

void Tiles::configure(llvm::IRBuilder<>& begin) {
  if (!is_used()) return;
  // Palette 1: the count of bytes of each row is at 16, that of rows at 48.
  std::array<std::uint8_t, 64> bytes{1};
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    bytes[16 + 2 * i] = static_cast<std::uint8_t>(registers_[i].bytes);
    bytes[48 + i] = static_cast<std::uint8_t>(registers_[i].rows);
  }
  llvm::Constant* all = llvm::ConstantDataArray::get(module_.getContext(), bytes);
  auto* shapes = new llvm::GlobalVariable(module_, all->getType(), true, llvm::GlobalValue::PrivateLinkage, all);
  shapes->setAlignment(llvm::Align(bytes.size()));
  begin.CreateIntrinsic(begin.getVoidTy(), llvm::Intrinsic::x86_ldtilecfg, {shapes});
}

void Tiles::release(llvm::IRBuilder<>& end) {
  if (is_used()) end.CreateIntrinsic(end.getVoidTy(), llvm::Intrinsic::x86_tilerelease, {});
}

}  // namespace slipway::cpu_compiler
