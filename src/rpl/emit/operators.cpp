// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators and constructors (docs/spec/rpl.md#types, docs/spec/rpl.md#operators, docs/spec/rpl.md#emission-rules).
#include "rpl/emit/emitter.hpp"

namespace slipway::rpl::emit {
namespace {

using spv::Op;

// One operator by the class of its operands' items.
struct OpOfItem {
  Op of_float, of_uint, of_sint;
};
constexpr OpOfItem kAdd = {Op::OpFAdd, Op::OpIAdd, Op::OpIAdd};
constexpr OpOfItem kSubtract = {Op::OpFSub, Op::OpISub, Op::OpISub};
constexpr OpOfItem kMultiply = {Op::OpFMul, Op::OpIMul, Op::OpIMul};
constexpr OpOfItem kDivide = {Op::OpFDiv, Op::OpUDiv, Op::OpSDiv};
constexpr OpOfItem kShiftRight = {Op::OpNop, Op::OpShiftRightLogical, Op::OpShiftRightArithmetic};
constexpr OpOfItem kLess = {Op::OpFOrdLessThan, Op::OpULessThan, Op::OpSLessThan};
constexpr OpOfItem kGreater = {Op::OpFOrdGreaterThan, Op::OpUGreaterThan, Op::OpSGreaterThan};
constexpr OpOfItem kLessEqual = {Op::OpFOrdLessThanEqual, Op::OpULessThanEqual, Op::OpSLessThanEqual};
constexpr OpOfItem kGreaterEqual = {Op::OpFOrdGreaterThanEqual, Op::OpUGreaterThanEqual, Op::OpSGreaterThanEqual};
constexpr OpOfItem kEqual = {Op::OpFOrdEqual, Op::OpIEqual, Op::OpIEqual};
constexpr OpOfItem kNotEqual = {Op::OpFUnordNotEqual, Op::OpINotEqual, Op::OpINotEqual};

Op choose(const OpOfItem& ops, TypeId type) {
  return is_float(type) || is_matrix(type) ? ops.of_float : is_unsigned(type) ? ops.of_uint : ops.of_sint;
}

}  // namespace

Id Emitter::unary(UnaryOp code, TypeId type, Id a) {
  switch (code) {
    case UnaryOp::Minus:
      if (is_matrix(type)) return by_column(Op::OpFNegate, type, a, 0);
      return op(is_float(type) ? Op::OpFNegate : Op::OpSNegate, plain(type), a);
    case UnaryOp::Not:
      return op(Op::OpLogicalNot, plain(type), a);
    case UnaryOp::Complement:
      return op(Op::OpNot, plain(type), a);
    case UnaryOp::Plus:
      break;
  }
  return a;
}

// `b` is 0 for unary operators.
Id Emitter::by_column(Op code, TypeId type, Id a, Id b) {
  const std::uint32_t columns = item_count(type);
  const Id column = plain(column_type(type));
  Id parts[4];
  for (std::uint32_t i = 0; i < columns; ++i) {
    const Id left = op(Op::OpCompositeExtract, column, a, i);
    parts[i] = b == 0 ? op(code, column, left) : op(code, column, left, op(Op::OpCompositeExtract, column, b, i));
  }
  return op_list(Op::OpCompositeConstruct, plain(type), std::span(parts, columns));
}

Id Emitter::splat(TypeId type, Id scalar) {
  if (is_scalar(type)) return scalar;
  const Id parts[4] = {scalar, scalar, scalar, scalar};
  return op_list(Op::OpCompositeConstruct, plain(type), std::span(parts, item_count(type)));
}

// OpSMod is undefined on negative operands in Vulkan: r = a - (a / b) * b, plus b where the signs of r and b differ.
Id Emitter::modulo(TypeId type, Id a, Id b) {
  const Id id = plain(type);
  const Id truth = bools(item_count(type));
  const Id quotient = op(Op::OpSDiv, id, a, b);
  const Id rest = op(Op::OpISub, id, a, op(Op::OpIMul, id, quotient, b));
  const Id none = filled(type, 0);
  const Id some = op(Op::OpINotEqual, truth, rest, none);
  const Id differs = op(Op::OpSLessThan, truth, op(Op::OpBitwiseXor, id, rest, b), none);
  const Id adds = op(Op::OpLogicalAnd, truth, some, differs);
  return op(Op::OpIAdd, id, rest, op(Op::OpSelect, id, adds, b, none));
}

Id Emitter::binary(BinaryOp code, TypeId type, TypeId ta, TypeId tb, Id a, Id b) {
  auto plain_op = [&](const OpOfItem& ops) { return op(choose(ops, ta), plain(type), a, b); };
  switch (code) {
    case BinaryOp::Multiply:
      if (is_matrix(ta) && is_matrix(tb)) return op(Op::OpMatrixTimesMatrix, plain(type), a, b);
      if (is_matrix(ta) && tb == kF1) return op(Op::OpMatrixTimesScalar, plain(type), a, b);
      if (ta == kF1 && is_matrix(tb)) return op(Op::OpMatrixTimesScalar, plain(type), b, a);
      if (is_matrix(ta)) return op(Op::OpMatrixTimesVector, plain(type), a, b);
      if (is_matrix(tb)) return op(Op::OpVectorTimesMatrix, plain(type), a, b);
      if (ta != tb && tb == kF1) return op(Op::OpVectorTimesScalar, plain(type), a, b);
      if (ta != tb && ta == kF1) return op(Op::OpVectorTimesScalar, plain(type), b, a);
      if (ta != tb && is_scalar(tb)) b = splat(type, b);
      if (ta != tb && is_scalar(ta)) a = splat(type, a);
      return op(choose(kMultiply, type), plain(type), a, b);
    case BinaryOp::Divide:
      if (is_matrix(ta)) return by_column(Op::OpFDiv, type, a, b);
      if (ta != tb) b = splat(type, b);
      return plain_op(kDivide);
    case BinaryOp::Modulo:
      return is_unsigned(ta) ? op(Op::OpUMod, plain(type), a, b) : modulo(type, a, b);
    case BinaryOp::Add:
      return is_matrix(ta) ? by_column(Op::OpFAdd, type, a, b) : plain_op(kAdd);
    case BinaryOp::Subtract:
      return is_matrix(ta) ? by_column(Op::OpFSub, type, a, b) : plain_op(kSubtract);
    case BinaryOp::ShiftLeft:
      return op(Op::OpShiftLeftLogical, plain(type), a, b);
    case BinaryOp::ShiftRight:
      return plain_op(kShiftRight);
    case BinaryOp::Less:
      return plain_op(kLess);
    case BinaryOp::Greater:
      return plain_op(kGreater);
    case BinaryOp::LessEqual:
      return plain_op(kLessEqual);
    case BinaryOp::GreaterEqual:
      return plain_op(kGreaterEqual);
    case BinaryOp::Equal:
    case BinaryOp::NotEqual: {
      const bool equal = code == BinaryOp::Equal;
      if (ta == kBoolean) return op(equal ? Op::OpLogicalEqual : Op::OpLogicalNotEqual, plain(type), a, b);
      const std::uint32_t count = item_count(ta);
      const Id each = op(choose(equal ? kEqual : kNotEqual, ta), bools(count), a, b);
      return count == 1 ? each : op(equal ? Op::OpAll : Op::OpAny, plain(type), each);
    }
    case BinaryOp::BitAnd:
      return op(Op::OpBitwiseAnd, plain(type), a, b);
    case BinaryOp::BitXor:
      return op(Op::OpBitwiseXor, plain(type), a, b);
    case BinaryOp::BitOr:
      return op(Op::OpBitwiseOr, plain(type), a, b);
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Assign:
      break;  // never here: see Op in resolved.hpp
  }
  return 0;
}

Id Emitter::convert(TypeId to, TypeId from, Id value) {
  Op code = Op::OpBitcast;
  if (is_float(from)) {
    code = is_signed(to) ? Op::OpConvertFToS : Op::OpConvertFToU;
  } else if (is_float(to)) {
    code = is_signed(from) ? Op::OpConvertSToF : Op::OpConvertUToF;
  }
  return op(code, plain(to), value);
}

Id Emitter::crop(Id matrix) {
  Id columns[3];
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Id column = op(Op::OpCompositeExtract, plain(kF4), matrix, i);
    columns[i] = op(Op::OpVectorShuffle, plain(kF3), column, column, 0u, 1u, 2u);
  }
  return op_list(Op::OpCompositeConstruct, plain(kF3x3), columns);
}

Id Emitter::composite(Id type, std::span<const std::uint32_t> refs) {
  for (const Ref ref : refs) value_of(ref);  // constants first: creating them may use the scratch memory
  scratch_.clear();
  for (const Ref ref : refs) scratch_.push_back(value_of(ref));
  return op_list(Op::OpCompositeConstruct, type, scratch_);
}

}  // namespace slipway::rpl::emit
