// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cooperative matrices of a kernel: what computes them on a CPU. Functions return false for a form that is not known.
#pragma once

#include <map>

#include <llvm/IR/IRBuilder.h>

#include "cpu_compiler/kernel_module.hpp"

namespace slipway::cpu_compiler {

class MatrixUnit {
 public:
  virtual ~MatrixUnit() = default;

  virtual bool has(Id id) const = 0;
  virtual bool declare(Id variable, const Type& type) = 0;
  virtual bool set(Id variable, Id value) = 0;
  virtual bool get(Id result, Id variable) = 0;
  // From memory, in rows of `stride` bytes: B in words of four rows, or column by column, all others row by row.
  virtual bool load(Id result, const Type& type, std::uint32_t layout, llvm::Value* first, llvm::Value* stride) = 0;
  virtual bool store(Id value, std::uint32_t layout, llvm::Value* first, llvm::Value* stride) = 0;
  virtual bool multiply_add(const Instruction& in) = 0;

  // Around the statements of a block.
  virtual void enter_block() {}
  virtual bool leave_block() { return true; }
  // At the beginning and the end of the kernel, when all of it is translated.
  virtual void configure(llvm::IRBuilder<>&) {}
  virtual void release(llvm::IRBuilder<>&) {}

 protected:
  // Row by row, or in words of several rows (PackedINTEL of SPV_INTEL_joint_matrix), which B has.
  static constexpr std::uint32_t kRowMajor = 0, kColumnMajor = 1, kPacked = 2, kBytesOfWord = 4, kBits = 8;
  // Of what is known: rows of A and sums, and bytes of K.
  static constexpr std::uint32_t kMaxRows = 16, kMaxBytes = 64;
  static bool is(const Type& type, spv::CooperativeMatrixUse use) {
    return type.use == static_cast<std::uint32_t>(use);
  }
  static bool is_in_order(const Type& type, std::uint32_t layout) {
    return layout == (is(type, spv::CooperativeMatrixUse::MatrixBKHR) ? kPacked : kRowMajor);
  }
  // Whether `in` adds the product of an A and a B, of signed bytes or BF16, to a sum, and their shapes agree.
  static bool is_product(const KernelModule& kernel, const Instruction& in, const Type& a, const Type& b,
                         const Type& sum);
};

}  // namespace slipway::cpu_compiler
