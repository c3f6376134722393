// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Building blocks that compute each element by itself, conversions between types, and movement whose indices or
// fillings are computed.
#pragma once

#include <cstdint>

#include "importer/emit/builder/movement.hpp"

namespace slipway::importer {

enum class Binary : std::uint8_t {
  Add,
  Sub,
  Mul,
  Div,       // integers truncate
  FloorDiv,  // of integers and floats
  Mod,       // the sign of the divisor
  Fmod,      // the sign of the dividend
  Pow,
  Max,
  Min,
  BitAnd,  // of integers; And, Or, Xor of bools
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight,
  Equal,  // from here on the result is a bool
  Greater,
  GreaterEqual,
  Less,
  LessEqual
};

enum class Unary : std::uint8_t {
  Neg,
  Abs,
  Sign,
  Not,  // of bools and of integers (bits)
  Floor,
  Ceil,
  Trunc,
  RoundEven,  // halves to even
  RoundAway,  // halves away from zero
  Sqrt,
  Rsqrt,
  Reciprocal,
  Exp,
  Expm1,
  Log,
  Log1p,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Asinh,
  Acosh,
  Atanh,
  Erf,
  Sigmoid,
  Tanh,
  Softplus,
  IsNan
};

class Elementwise;

// What the class does in files of their own: functions.cpp, convert.cpp.
Term function_of(Elementwise& b, Unary op, const Term& x);
Term widened(Elementwise& b, const Term& x);
Term narrowed(Elementwise& b, const Term& x, FileType type);
Term as_computable(Elementwise& b, const Term& x);
Term converted(Elementwise& b, const Term& x, FileType type);

class Elementwise : public Movement {
 public:
  using TermGraph::add;

  Term binary(Binary op, const Term& a, const Term& b);
  Term binary(Binary op, const Term& a, double b) { return binary(op, a, number(a.type, b)); }
  Term unary(Unary op, const Term& x) { return function_of(*this, op, x); }
  Term logical(Binary op, const Term& a, const Term& b);  // BitAnd, BitOr, BitXor of bools
  Term select(const Term& condition, const Term& a, const Term& b);
  Term clamp(const Term& x, double low, double high);
  Term add(const Term& a, const Term& b) { return binary(Binary::Add, a, b); }
  Term sub(const Term& a, const Term& b) { return binary(Binary::Sub, a, b); }
  Term mul(const Term& a, const Term& b) { return binary(Binary::Mul, a, b); }
  Term div(const Term& a, const Term& b) { return binary(Binary::Div, a, b); }
  // a * scale + shift, of floats.
  Term affine(const Term& x, double scale, double shift);

  // --- conversions ---------------------------------------------------------------------------------------------------
  Term cast(const Term& x, FileType type) { return converted(*this, x, type); }
  // Integers and bools as int32, with their values; and back, where they wrap.
  Term widen(const Term& x) { return widened(*this, x); }
  Term narrow(const Term& x, FileType type) { return narrowed(*this, x, type); }
  // Floats that graphs compute only after a conversion (fp8) as float16; others unchanged.
  Term computable(const Term& x) { return as_computable(*this, x); }

  // --- computed indices and fillings ---------------------------------------------------------------------------------
  // numpy.take: the axis is replaced by the dimensions of `indices`, which may be negative unless `normal`.
  Term take(const Term& x, std::int64_t axis, const Term& indices, bool normal = false);
  // Rows of x [K, ...] by linear indices of any shape: [indices..., ...].
  Term rows(const Term& x, const Term& indices);
  // A copy of x [K, ...] in which rows [W, ...] replace those at `indices` [W], which are unique.
  Term scatter_rows(const Term& x, const Term& indices, const Term& updates);
  // `filling` is one element of the type of `x`, which the run may decide. Negative amounts crop.
  Term pad(const Term& x, const tensor::Shape& before, const tensor::Shape& after, const Term& filling);
};

}  // namespace slipway::importer
