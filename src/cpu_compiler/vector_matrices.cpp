// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_compiler/vector_matrices.hpp"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsAArch64.h>

namespace slipway::cpu_compiler {
namespace {

constexpr std::uint32_t kBytesOfChunk = 8, kBytesOfVector = 16, kColumns = 4;

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
  const std::uint32_t bytes = (is(type, MatrixBKHR) ? type.rows : type.count) * size;
  return is_factor && bytes >= 1 && bytes <= kMaxBytes && bytes % kBytesOfWord == 0 &&
         (is(type, MatrixBKHR) ? type.count == kColumns
                               : is(type, MatrixAKHR) && type.rows >= 1 && type.rows <= kMaxRows);
}

// Of K. The last one may be half.
std::uint32_t VectorMatrices::chunks_of(const Type& type) const {
  const std::uint32_t products = is(type, spv::CooperativeMatrixUse::MatrixBKHR) ? type.rows : type.count;
  return (products * kernel_.type(type.element).width / kBits + kBytesOfChunk - 1) / kBytesOfChunk;
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

llvm::Value* VectorMatrices::row(llvm::Value* first, llvm::Value* stride, std::uint32_t index, std::uint32_t offset) {
  llvm::Value* at = b_.CreateAdd(b_.CreateMul(stride, b_.getInt64(index)), b_.getInt64(offset));
  return b_.CreatePtrAdd(first, at);
}

// As integers of 64 bits. Two are loaded together, so that a pair of rows needs two loads and two permutations.
std::vector<llvm::Value*> VectorMatrices::chunks_of_row(llvm::Value* first, std::uint32_t bytes) {
  std::vector<llvm::Value*> chunks;
  const auto load = [&](llvm::Type* type, std::uint32_t offset) {
    return b_.CreateAlignedLoad(type, b_.CreatePtrAdd(first, b_.getInt64(offset)), llvm::Align(1));
  };
  std::uint32_t offset = 0;
  for (; bytes - offset >= kBytesOfVector; offset += kBytesOfVector) {
    llvm::Value* both = load(llvm::FixedVectorType::get(b_.getInt64Ty(), 2), offset);
    for (const std::uint64_t i : {0U, 1U}) chunks.push_back(b_.CreateExtractElement(both, i));
  }
  for (; bytes - offset >= kBytesOfChunk; offset += kBytesOfChunk) chunks.push_back(load(b_.getInt64Ty(), offset));
  if (offset < bytes) chunks.push_back(b_.CreateZExt(load(b_.getInt32Ty(), offset), b_.getInt64Ty()));
  return chunks;
}

VectorMatrices::Vectors VectorMatrices::load_a(const Type& type, llvm::Value* first, llvm::Value* stride) {
  const std::uint32_t bytes = type.count * kernel_.type(type.element).width / kBits;
  Vectors vectors;
  for (std::uint32_t i = 0; i < type.rows; i += 2) {
    const auto upper = chunks_of_row(row(first, stride, i), bytes);
    const auto lower = i + 1 < type.rows ? chunks_of_row(row(first, stride, i + 1), bytes)
                                         : std::vector<llvm::Value*>(upper.size(), b_.getInt64(0));
    for (std::size_t chunk = 0; chunk < upper.size(); ++chunk) {
      llvm::Value* pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(b_.getInt64Ty(), 2));
      pair = b_.CreateInsertElement(pair, upper[chunk], std::uint64_t{0});
      pair = b_.CreateInsertElement(pair, lower[chunk], std::uint64_t{1});
      vectors.push_back(b_.CreateBitCast(pair, factors_of(type)));
    }
  }
  return vectors;
}

// A row of words has one word of each column; a chunk is two words.
VectorMatrices::Vectors VectorMatrices::load_b(const Type& type, llvm::Value* first, llvm::Value* stride) {
  llvm::Type* words = llvm::FixedVectorType::get(b_.getInt32Ty(), kColumns);
  const std::uint32_t count = type.rows * kernel_.type(type.element).width / kBits / kBytesOfWord;
  Vectors of_pairs[2];
  for (std::uint32_t i = 0; i < count; i += 2) {
    llvm::Value* low = b_.CreateAlignedLoad(words, row(first, stride, i), llvm::Align(1));
    llvm::Value* high = llvm::Constant::getNullValue(words);
    if (i + 1 < count) high = b_.CreateAlignedLoad(words, row(first, stride, i + 1), llvm::Align(1));
    for (const int pair : {0, 1}) {
      const int column = 2 * pair, other = column + static_cast<int>(kColumns);
      llvm::Value* chunk = b_.CreateShuffleVector(low, high, {column, other, column + 1, other + 1});
      of_pairs[pair].push_back(b_.CreateBitCast(chunk, factors_of(type)));
    }
  }
  of_pairs[0].insert(of_pairs[0].end(), of_pairs[1].begin(), of_pairs[1].end());
  return of_pairs[0];
}

bool VectorMatrices::load(Id result, const Type& type, std::uint32_t layout, llvm::Value* first, llvm::Value* stride) {
  if (!is_known(type) || !is_in_order(type, layout) || is(type, spv::CooperativeMatrixUse::MatrixAccumulatorKHR))
    return false;
  const bool is_b = is(type, spv::CooperativeMatrixUse::MatrixBKHR);
  values_[result] = {&type, is_b ? load_b(type, first, stride) : load_a(type, first, stride)};
  return true;
}

bool VectorMatrices::store(Id value, std::uint32_t layout, llvm::Value* first, llvm::Value* stride) {
  const auto from = values_.find(value);
  if (from == values_.end() || !is_in_order(*from->second.type, layout) ||
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
  const std::uint32_t chunks = chunks_of(*a->second.type), columns = kColumns / 2;
  Matrix made{sum->second.type, sum->second.vectors};
  llvm::Type* sums = sums_of(*made.type);
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::uint32_t i = 0; i < made.vectors.size(); ++i) {
      llvm::Value *rows = a->second.vectors[i / columns * chunks + chunk],
                  *two = b->second.vectors[i % columns * chunks + chunk];
      made.vectors[i] = of_floats ? b_.CreateIntrinsic(sums, id, {made.vectors[i], rows, two})
                                  : b_.CreateIntrinsic(id, {sums, rows->getType()}, {made.vectors[i], rows, two});
    }
  }
  values_[in.result] = std::move(made);
  return true;
}

}  // namespace slipway::cpu_compiler
