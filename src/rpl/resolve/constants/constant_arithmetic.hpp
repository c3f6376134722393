// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on compile-time values (docs/spec/rpl.md#compile-time-evaluation): nothing wraps or traps unnoticed.
#pragma once

#include <bit>
#include <string_view>

#include "base/diagnostic.hpp"
#include "rpl/program.hpp"

namespace slipway::rpl {

inline std::int32_t as_signed(std::uint32_t bits) { return static_cast<std::int32_t>(bits); }
inline float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }

inline bool is_number(ValueType type) {
  return type == ValueType::Uint || type == ValueType::Sint || type == ValueType::Float;
}
inline bool is_integer(ValueType type) { return type == ValueType::Uint || type == ValueType::Sint; }

// Whether the operator accepts values of the type.
bool accepts(BinaryOp op, ValueType type);
// Whether its result is a flag.
bool results_in_flag(BinaryOp op);

// The outcome of arithmetic: a value or an error. Two words: see ExprResult.
struct ConstantResult {
  std::uint32_t bits = 0;
  DiagnosticKind problem = kNoProblem;
  static constexpr DiagnosticKind kNoProblem = DiagnosticKind::RplInternal;
  bool ok() const { return problem == kNoProblem; }
};

// Both operands have the type, which the operator accepts.
ConstantResult compute_constant(BinaryOp op, ValueType type, std::uint32_t a, std::uint32_t b);
// The message for an error of `compute_constant`.
std::string_view error_text(DiagnosticKind kind, BinaryOp op, ValueType type);

}  // namespace slipway::rpl
