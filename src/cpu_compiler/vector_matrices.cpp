// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_compiler/vector_matrices.hpp"

#include <algorithm>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsAArch64.h>

namespace slipway::cpu_compiler {
namespace {

constexpr std::uint32_t kProducts = 8, kBytesOfVector = 16, kColumns = 4;  // kProducts: bytes of K

std::uint32_t pairs_of(std::uint32_t count) { return (count + 1) / 2; }

}  // namespace

// Sums have 32 bits and factors the width of their products' operands. A column is a lane of the kernel's vectors.
bool VectorMatrices::is_known(const Type& type) const {
  using enum spv::CooperativeMatrixUse;
  const Type& element = kernel_.type(type.element);
  const std::uint32_t size = element.width / kBits;
  if (type.kind != Type::Kind::Matrix) return false;
  if (is(type, MatrixAccumulatorKHR))
    return size == kBytesOfWord && type.rows >= 1 && type.rows <= kMaxRows && type.count == kColumns;
  const bool is_factor =
      element.kind == Type::Kind::Float ? element.is_bfloat : element.kind == Type::Kind::Int && size == 1;
  return is_factor && (is(type, MatrixBKHR) ? type.rows : type.count) * size == kProducts &&
         (is(type, MatrixBKHR) ? type.count == kColumns
                               : is(type, MatrixAKHR) && type.rows >= 1 && type.rows <= kMaxRows);
}

llvm::Type* VectorMatrices::sums_of(const Type& type) const {
  const bool of_floats = kernel_.type(type.element).kind == Type::Kind::Float;
  return llvm::FixedVectorType::get(of_floats ? b_.getFloatTy() : static_cast<llvm::Type*>(b_.getInt32Ty()), kColumns);
}

llvm::Type* VectorMatrices::factors_of(const Type& type) const {
  const bool of_floats = kernel_.type(type.element).is_bfloat;
  return of_floats ? llvm::FixedVectorType::get(b_.getBFloatTy(), kBytesOfVector / 2)
                   : llvm::FixedVectorType::get(b_.getInt8Ty(), kBytesOfVector);
}

bool VectorMatrices::declare(Id variable, const Type& type) {
  if (!is_known(type) || !is(type, spv::CooperativeMatrixUse::MatrixAccumulatorKHR)) return false;
  Matrix& made = variables_[variable] = {&type, {}};
  for (std::uint32_t i = 0; i < pairs_of(type.rows) * pairs_of(type.count); ++i)
    made.vectors.push_back(b_.CreateAlloca(sums_of(type)));
  return true;
}

bool VectorMatrices::set(Id variable, Id value) {
  const auto to = variables_.find(variable), from = values_.find(value);
  if (to == variables_.end()) return false;
  const bool is_zero = kernel_.zero_matrices.contains(value);
  if (!is_zero && (from == values_.end() || from->second.type != to->second.type)) return false;
  for (std::size_t i = 0; i < to->second.vectors.size(); ++i) {
    b_.CreateStore(is_zero ? llvm::Constant::getNullValue(sums_of(*to->second.type)) : from->second.vectors[i],
                   to->second.vectors[i]);
  }
  return true;
}

bool VectorMatrices::get(Id result, Id variable) {
  const auto from = variables_.find(variable);
  if (from == variables_.end()) return false;
  Matrix& made = values_[result] = {from->second.type, {}};
  for (llvm::Value* address : from->second.vectors) made.vectors.push_back(b_.CreateLoad(sums_of(*made.type), address));
  return true;
}

llvm::Value* VectorMatrices::row(llvm::Value* first, llvm::Value* stride, std::uint32_t index) {
  return b_.CreatePtrAdd(first, b_.CreateMul(stride, b_.getInt64(index)));
}

// Rows of A or columns of B. Those that follow each other in memory are loaded together.
VectorMatrices::Vectors VectorMatrices::load_pairs(const Type& type, std::uint32_t count, llvm::Value* first,
                                                   llvm::Value* stride) {
  const auto* distance = llvm::dyn_cast<llvm::ConstantInt>(stride);
  const bool are_neighbours = distance && distance->equalsInt(kProducts);
  const auto load = [&](llvm::Type* to, std::uint32_t index) {
    return b_.CreateAlignedLoad(to, row(first, stride, index), llvm::Align(1));
  };
  Vectors vectors;
  for (std::uint32_t i = 0; i < count; i += 2) {
    if (are_neighbours && i + 1 < count) {
      vectors.push_back(load(factors_of(type), i));
      continue;
    }
    llvm::Value* pair = llvm::Constant::getNullValue(llvm::FixedVectorType::get(b_.getInt64Ty(), 2));
    for (std::uint32_t one = i; one < std::min(i + 2, count); ++one)
      pair = b_.CreateInsertElement(pair, load(b_.getInt64Ty(), one), std::uint64_t{one - i});
    vectors.push_back(b_.CreateBitCast(pair, factors_of(type)));
  }
  return vectors;
}

bool VectorMatrices::load(Id result, const Type& type, std::uint32_t layout, llvm::Value* first, llvm::Value* stride) {
  const bool is_b = is(type, spv::CooperativeMatrixUse::MatrixBKHR);
  if (!is_known(type) || layout != (is_b ? kColumnMajor : kRowMajor) ||
      is(type, spv::CooperativeMatrixUse::MatrixAccumulatorKHR))
    return false;
  values_[result] = {&type, load_pairs(type, is_b ? type.count : type.rows, first, stride)};
  return true;
}

bool VectorMatrices::store(Id value, std::uint32_t layout, llvm::Value* first, llvm::Value* stride) {
  const auto from = values_.find(value);
  if (from == values_.end() || layout != kRowMajor ||
      !is(*from->second.type, spv::CooperativeMatrixUse::MatrixAccumulatorKHR))
    return false;
  const auto& [type, vectors] = from->second;
  for (std::uint32_t i = 0; i < type->rows; ++i) {
    llvm::Value *left = vectors[i / 2 * 2], *right = vectors[i / 2 * 2 + 1];
    const int column = i % 2 * 2;
    llvm::Value* sums = b_.CreateShuffleVector(left, right, {column, column + 1, column + 4, column + 5});
    b_.CreateAlignedStore(sums, row(first, stride, i), llvm::Align(kBytesOfWord));
  }
  return true;
}

bool VectorMatrices::multiply_add(const Instruction& in) {
  const auto a = values_.find(in.operand(2)), b = values_.find(in.operand(3)), sum = values_.find(in.operand(4));
  if (a == values_.end() || b == values_.end() || sum == values_.end() ||
      !is_product(kernel_, in, *a->second.type, *b->second.type, *sum->second.type))
    return false;
  const bool of_floats = kernel_.type(a->second.type->element).is_bfloat;
  const llvm::Intrinsic::ID id = of_floats ? llvm::Intrinsic::aarch64_neon_bfmmla : llvm::Intrinsic::aarch64_neon_smmla;
  const std::uint32_t pairs = kColumns / 2;
  Matrix made{sum->second.type, sum->second.vectors};
  llvm::Type* sums = sums_of(*made.type);
  for (std::uint32_t i = 0; i < made.vectors.size(); ++i) {
    llvm::Value *rows = a->second.vectors[i / pairs], *columns = b->second.vectors[i % pairs];
    made.vectors[i] = of_floats ? b_.CreateIntrinsic(sums, id, {made.vectors[i], rows, columns})
                                : b_.CreateIntrinsic(id, {sums, rows->getType()}, {made.vectors[i], rows, columns});
  }
  values_[in.result] = std::move(made);
  return true;
}

}  // namespace slipway::cpu_compiler
