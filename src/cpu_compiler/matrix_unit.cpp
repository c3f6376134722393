// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_compiler/matrix_unit.hpp"

namespace slipway::cpu_compiler {

bool MatrixUnit::is_product(const KernelModule& kernel, const Instruction& in, const Type& a, const Type& b,
                            const Type& sum) {
  using enum spv::CooperativeMatrixOperandsMask;
  using enum spv::CooperativeMatrixUse;
  constexpr auto kSigned = static_cast<std::uint32_t>(MatrixASignedComponentsKHR) |
                           static_cast<std::uint32_t>(MatrixBSignedComponentsKHR) |
                           static_cast<std::uint32_t>(MatrixCSignedComponentsKHR) |
                           static_cast<std::uint32_t>(MatrixResultSignedComponentsKHR);
  const bool of_floats = kernel.type(sum.element).kind == Type::Kind::Float;
  return a.element == b.element && kernel.type(a.element).is_bfloat == of_floats &&
         in.operand(5) == (of_floats ? 0 : kSigned) && is(a, MatrixAKHR) && is(b, MatrixBKHR) &&
         is(sum, MatrixAccumulatorKHR) && a.rows == sum.rows && a.count == b.rows && b.count == sum.count;
}

}  // namespace slipway::cpu_compiler
