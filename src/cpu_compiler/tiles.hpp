// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cooperative matrices of a kernel in the tile registers of AMX.
//
// A variable of the kernel has a register of its own; a matrix that is loaded has one until its last use. A product is
// added to the register of its third operand, which must be the value of a variable that then gets the result, as
// kernels of `lower` are written. The shapes of the registers are the same in a whole kernel: it sets them when it
// begins, and releases the registers when it ends.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "cpu_compiler/matrix_unit.hpp"

namespace llvm {
class Module;
}

namespace slipway::cpu_compiler {

class Tiles : public MatrixUnit {
 public:
  Tiles(const KernelModule& kernel, llvm::IRBuilder<>& builder, llvm::Module& module);

  bool has(Id id) const override {
    return variables_.contains(id) || values_.contains(id) || kernel_.zero_matrices.contains(id);
  }
  bool declare(Id variable, const Type& type) override;
  bool set(Id variable, Id value) override;
  bool get(Id result, Id variable) override;
  bool load(Id result, const Type& type, std::uint32_t layout, llvm::Value* first, llvm::Value* stride) override;
  bool store(Id value, std::uint32_t layout, llvm::Value* first, llvm::Value* stride) override;
  bool multiply_add(const Instruction& in) override;

  // Values are used in the block of statements that makes them.
  void enter_block() override { blocks_.push_back(++last_block_); }
  bool leave_block() override;

  void configure(llvm::IRBuilder<>& begin) override;
  void release(llvm::IRBuilder<>& end) override;

 private:
  bool is_used() const { return registers_[0].rows != 0; }
  struct Shape {
    std::uint32_t rows = 0, bytes = 0;
    bool operator==(const Shape&) const = default;
  };
  struct Register : Shape {
    bool taken = false;
    bool changed = false;       // the variable does not have its value yet
    std::uint32_t version = 0;  // of the contents
  };
  struct Matrix {
    std::uint32_t index = 0, version = 0, block = 0;
    const Type* type = nullptr;
  };
  struct Variable {
    std::uint32_t index = 0;
    const Type* type = nullptr;
  };

  std::optional<Shape> shape_of(const Type& type) const;
  std::optional<std::uint32_t> take(const Type& type);
  const Matrix* value(Id id) const;
  void used(Id id);
  void call(unsigned intrinsic, std::initializer_list<llvm::Value*> arguments);
  llvm::Value* number(std::uint32_t index) { return b_.getInt8(static_cast<std::uint8_t>(index)); }

  const KernelModule& kernel_;
  llvm::IRBuilder<>& b_;
  llvm::Module& module_;
  std::array<Register, 8> registers_;
  std::map<Id, Variable> variables_;
  std::map<Id, Matrix> values_;
  std::map<Id, std::uint32_t> uses_;  // that are still to come
  std::vector<std::uint32_t> blocks_;
  std::uint32_t last_block_ = 0;
};

}  // namespace slipway::cpu_compiler
