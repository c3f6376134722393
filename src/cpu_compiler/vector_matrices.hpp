// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cooperative matrices of a kernel in vector registers of AArch64, multiplied by SMMLA (bytes) and BFMMLA (BF16).
//
// The instructions multiply two rows of A by two columns of B, eight bytes of each, and add the four results to a
// vector. So matrices have eight bytes of K, and a vector has those of two rows of A or of two columns of B, or the
// sums of two rows and two columns.
#pragma once

#include <vector>

#include "cpu_compiler/matrix_unit.hpp"

namespace slipway::cpu_compiler {

class VectorMatrices : public MatrixUnit {
 public:
  VectorMatrices(const KernelModule& kernel, llvm::IRBuilder<>& builder) : kernel_(kernel), b_(builder) {}

  bool has(Id id) const override {
    return variables_.contains(id) || values_.contains(id) || kernel_.zero_matrices.contains(id);
  }
  bool declare(Id variable, const Type& type) override;
  bool set(Id variable, Id value) override;
  bool get(Id result, Id variable) override;
  bool load(Id result, const Type& type, std::uint32_t layout, llvm::Value* first, llvm::Value* stride) override;
  bool store(Id value, std::uint32_t layout, llvm::Value* first, llvm::Value* stride) override;
  bool multiply_add(const Instruction& in) override;

 private:
  // In the order of pairs of rows or columns; of sums each pair of rows with the pairs of columns.
  using Vectors = std::vector<llvm::Value*>;
  struct Matrix {
    const Type* type = nullptr;
    Vectors vectors;
  };

  bool is_known(const Type& type) const;
  llvm::Type* sums_of(const Type& type) const;
  llvm::Type* factors_of(const Type& type) const;
  llvm::Value* row(llvm::Value* first, llvm::Value* stride, std::uint32_t index);
  Vectors load_pairs(const Type& type, std::uint32_t count, llvm::Value* first, llvm::Value* stride);

  const KernelModule& kernel_;
  llvm::IRBuilder<>& b_;
  std::map<Id, Matrix> variables_;  // their vectors are addresses
  std::map<Id, Matrix> values_;
};

}  // namespace slipway::cpu_compiler
