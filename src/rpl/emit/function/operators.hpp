// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators, conversions and constructors (docs/spec/rpl.md#types, docs/spec/rpl.md#operators,
// docs/spec/rpl.md#emission-rules), by the types of their operands. Operands are values; the result is a plain value of
// the type `type`.
#pragma once

#include "rpl/emit/function/code.hpp"

namespace slipway::rpl::emit {

class OperatorEmitter {
 public:
  OperatorEmitter(Emission& emission, ModuleTypes& types, FunctionCode& code)
      : emission_(emission), types_(types), code_(code) {}

  Id unary(UnaryOp op, TypeId type, Id a);
  // Never And, Or and Assign: see Op in resolved.hpp.
  Id binary(BinaryOp op, TypeId type, TypeId ta, TypeId tb, Id a, Id b);
  Id splat(TypeId type, Id scalar);
  Id convert(TypeId to, TypeId from, Id value);
  // f4x4 to f3x3.
  Id crop(Id matrix);
  // `items`: see Op::Swizzle.
  Id swizzle(TypeId type, Id value, std::uint32_t items);

 private:
  Id modulo(TypeId type, Id a, Id b);
  Id by_column(spv::Op op, TypeId type, Id a, Id b);

  Emission& emission_;
  ModuleTypes& types_;
  FunctionCode& code_;
};

}  // namespace slipway::rpl::emit
