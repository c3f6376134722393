// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_compiler/vector_products.hpp"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace slipway::cpu_compiler {
namespace {

llvm::Value* add_with_vpdpbusd(llvm::IRBuilder<>& b, const cpu::Target& target, llvm::Value* sum,
                               llvm::Value* of_unsigned, llvm::Value* of_signed) {
  const llvm::Intrinsic::ID id = target.vector_bits == 512   ? llvm::Intrinsic::x86_avx512_vpdpbusd_512
                                 : target.vector_bits == 256 ? llvm::Intrinsic::x86_avx512_vpdpbusd_256
                                                             : llvm::Intrinsic::x86_avx512_vpdpbusd_128;
  llvm::Function* function = llvm::Intrinsic::getOrInsertDeclaration(b.GetInsertBlock()->getModule(), id);
  llvm::Type* bytes = function->getFunctionType()->getParamType(1);
  return b.CreateCall(function, {sum, b.CreateBitCast(of_unsigned, bytes), b.CreateBitCast(of_signed, bytes)});
}

llvm::Value* add_with_sdot(llvm::IRBuilder<>& b, const cpu::Target& target, llvm::Value* sum, llvm::Value* left,
                           llvm::Value* right) {
  llvm::Type* bytes = llvm::FixedVectorType::get(b.getInt8Ty(), 4 * target.lanes);
  return b.CreateIntrinsic(llvm::Intrinsic::aarch64_neon_sdot, {sum->getType(), bytes},
                           {sum, b.CreateBitCast(right, bytes), b.CreateBitCast(left, bytes)});
}

}  // namespace

llvm::Value* add_products_of_bytes(llvm::IRBuilder<>& b, const cpu::Target& target, llvm::Value* sum, llvm::Value* left,
                                   llvm::Value* right) {
  const auto add = target.architecture == cpu::Architecture::Aarch64 ? add_with_sdot : add_with_vpdpbusd;
  return add(b, target, sum, left, right);
}

llvm::Value* products_of_pairs(llvm::IRBuilder<>& b, const cpu::Target& target, llvm::Value* left, llvm::Value* right) {
  llvm::Type* halves = llvm::FixedVectorType::get(b.getInt16Ty(), 2 * target.lanes);
  left = b.CreateBitCast(left, halves);
  right = b.CreateBitCast(right, halves);
  const llvm::Intrinsic::ID id = target.vector_bits == 512   ? llvm::Intrinsic::x86_avx512_pmaddw_d_512
                                 : target.vector_bits == 256 ? llvm::Intrinsic::x86_avx2_pmadd_wd
                                                             : llvm::Intrinsic::x86_sse2_pmadd_wd;
  llvm::Function* function = llvm::Intrinsic::getOrInsertDeclaration(b.GetInsertBlock()->getModule(), id);
  return b.CreateCall(function, {left, right});
}

// The instructions of x86-64 multiply every second lane, those of AArch64 neighbours.
llvm::Value* high_halves(llvm::IRBuilder<>& b, const cpu::Target& target, llvm::Value* left, llvm::Value* right) {
  if (target.architecture == cpu::Architecture::Aarch64) {
    llvm::Type* all = llvm::FixedVectorType::get(b.getInt64Ty(), target.lanes);
    llvm::Value* both = b.CreateMul(b.CreateSExt(left, all), b.CreateSExt(right, all));
    return b.CreateTrunc(b.CreateAShr(both, 32), left->getType());
  }
  llvm::Type* wide = llvm::FixedVectorType::get(b.getInt64Ty(), target.lanes / 2);
  const auto even = [&](llvm::Value* all) { return b.CreateAShr(b.CreateShl(b.CreateBitCast(all, wide), 32), 32); };
  const auto odd = [&](llvm::Value* all) { return b.CreateAShr(b.CreateBitCast(all, wide), 32); };
  llvm::Value* of_even = b.CreateBitCast(b.CreateMul(even(left), even(right)), left->getType());
  llvm::Value* of_odd = b.CreateBitCast(b.CreateMul(odd(left), odd(right)), left->getType());
  std::vector<int> from;
  for (int lane = 0; lane < static_cast<int>(target.lanes); ++lane)
    from.push_back(lane % 2 == 0 ? lane + 1 : static_cast<int>(target.lanes) + lane);
  return b.CreateShuffleVector(of_even, of_odd, from);
}

}  // namespace slipway::cpu_compiler
