// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on constants of code that runs, word by word: IEEE single, integers wrap
// (docs/spec/rpl.md#constant-folding).
#pragma once

#include <span>
#include <vector>

#include "rpl/program.hpp"
#include "rpl/types.hpp"

namespace slipway::rpl {

// Append the words of the result; false when it is not folded (not finite, division by zero).
bool fold_unary(UnaryOp op, TypeId type, std::span<const std::uint32_t> operand, std::vector<std::uint32_t>& result);
bool fold_binary(BinaryOp op, TypeId left_type, std::span<const std::uint32_t> left, TypeId right_type,
                 std::span<const std::uint32_t> right, std::vector<std::uint32_t>& result);
bool fold_convert(TypeId from, TypeId to, std::span<const std::uint32_t> operand, std::vector<std::uint32_t>& result);

}  // namespace slipway::rpl
