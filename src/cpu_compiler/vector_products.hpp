// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of vectors that are other instructions on each architecture.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "cpu/compiler_table.hpp"

namespace slipway::cpu_compiler {

// `sum`, a vector of 32-bit integers, plus the products of four bytes of `left` and `right` in each of its lanes. On
// x86-64 those of `left` are unsigned; all others are signed. The factors are vectors of words.
llvm::Value* add_products_of_bytes(llvm::IRBuilder<>& b, const cpu::Target& target, llvm::Value* sum, llvm::Value* left,
                                   llvm::Value* right);

// The sums of two products of signed 16-bit integers in each lane of vectors of words, on x86-64.
llvm::Value* products_of_pairs(llvm::IRBuilder<>& b, const cpu::Target& target, llvm::Value* left, llvm::Value* right);

// The upper 32 bits of the products of signed 32-bit integers.
llvm::Value* high_halves(llvm::IRBuilder<>& b, const cpu::Target& target, llvm::Value* left, llvm::Value* right);

}  // namespace slipway::cpu_compiler
