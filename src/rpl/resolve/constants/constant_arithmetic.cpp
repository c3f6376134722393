// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/constants/constant_arithmetic.hpp"

#include <cmath>

namespace slipway::rpl {
namespace {

ConstantResult failed(DiagnosticKind kind) { return {.problem = kind}; }

template <class T>
std::uint32_t compare(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::Less:
      return a < b;
    case BinaryOp::Greater:
      return a > b;
    case BinaryOp::LessEqual:
      return a <= b;
    case BinaryOp::GreaterEqual:
      return a >= b;
    case BinaryOp::Equal:
      return a == b;
    default:
      return a != b;
  }
}

// In a type that holds every result; the divisor is not zero.
template <class T>
T calculate(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::Add:
      return a + b;
    case BinaryOp::Subtract:
      return a - b;
    case BinaryOp::Multiply:
      return a * b;
    default:
      return a / b;
  }
}

std::uint32_t combine_bits(BinaryOp op, std::uint32_t a, std::uint32_t b) {
  if (op == BinaryOp::BitXor) return a ^ b;
  return op == BinaryOp::BitAnd || op == BinaryOp::And ? a & b : a | b;
}

// The remainder has the sign of the divisor.
std::int64_t remainder_of(std::int64_t a, std::int64_t b) {
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

ConstantResult fit(float value) {
  return std::isfinite(value) ? ConstantResult{std::bit_cast<std::uint32_t>(value)}
                              : failed(DiagnosticKind::RplConstOverflow);
}
ConstantResult fit(std::int64_t value) {
  const bool fits = value == static_cast<std::int32_t>(value);
  return fits ? ConstantResult{static_cast<std::uint32_t>(value)} : failed(DiagnosticKind::RplConstOverflow);
}

}  // namespace

bool accepts(BinaryOp op, ValueType type) {
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Subtract:
    case BinaryOp::Multiply:
    case BinaryOp::Divide:
    case BinaryOp::Less:
    case BinaryOp::Greater:
    case BinaryOp::LessEqual:
    case BinaryOp::GreaterEqual:
      return is_number(type);
    case BinaryOp::Modulo:
    case BinaryOp::BitAnd:
    case BinaryOp::BitOr:
    case BinaryOp::BitXor:
    case BinaryOp::ShiftLeft:
    case BinaryOp::ShiftRight:
      return is_integer(type);
    case BinaryOp::And:
    case BinaryOp::Or:
      return type == ValueType::Flag;
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
      return true;
    case BinaryOp::Assign:
      return false;
  }
  return false;
}

bool results_in_flag(BinaryOp op) {
  return (op >= BinaryOp::Less && op <= BinaryOp::NotEqual) || op == BinaryOp::And || op == BinaryOp::Or;
}

ConstantResult compute_constant(BinaryOp op, ValueType type, std::uint32_t a, std::uint32_t b) {
  const bool real = type == ValueType::Float, with_sign = type == ValueType::Sint;
  switch (op) {
    case BinaryOp::Less:
    case BinaryOp::Greater:
    case BinaryOp::LessEqual:
    case BinaryOp::GreaterEqual:
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
      if (real) return {compare(op, as_float(a), as_float(b))};
      return {with_sign ? compare(op, as_signed(a), as_signed(b)) : compare(op, a, b)};
    case BinaryOp::ShiftLeft:
    case BinaryOp::ShiftRight:
      if (b >= 32) return failed(DiagnosticKind::RplConstShift);  // negative numbers are larger
      if (op == BinaryOp::ShiftLeft) return {a << b};
      return {with_sign ? static_cast<std::uint32_t>(as_signed(a) >> b) : a >> b};
    case BinaryOp::Divide:
    case BinaryOp::Modulo:
      if (real ? as_float(b) == 0 : b == 0) return failed(DiagnosticKind::RplConstDivZero);
      if (op == BinaryOp::Modulo && with_sign) return fit(remainder_of(as_signed(a), as_signed(b)));
      if (op == BinaryOp::Modulo) return {a % b};
      [[fallthrough]];
    case BinaryOp::Add:
    case BinaryOp::Subtract:
    case BinaryOp::Multiply:
      if (real) return fit(calculate(op, as_float(a), as_float(b)));
      if (with_sign) return fit(calculate<std::int64_t>(op, as_signed(a), as_signed(b)));
      return {calculate(op, a, b)};
    default:
      return {combine_bits(op, a, b)};
  }
}

std::string_view error_text(DiagnosticKind kind, BinaryOp op, ValueType type) {
  switch (kind) {
    case DiagnosticKind::RplConstDivZero:
      return op == BinaryOp::Modulo ? "remainder of a division by zero" : "division by zero";
    case DiagnosticKind::RplConstShift:
      return "shift by 32 or more";
    default:
      return type == ValueType::Float ? "the result is not finite"
                                      : "the result does not fit in a signed 32-bit number";
  }
}

}  // namespace slipway::rpl
