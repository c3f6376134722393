// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/function/operators.hpp"

#include <span>
#include <spirv/unified1/spirv.hpp11>

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

Id OperatorEmitter::unary(UnaryOp code, TypeId type, Id a) {
  switch (code) {
    case UnaryOp::Minus:
      if (is_matrix(type)) return by_column(Op::OpFNegate, type, a, 0);
      return code_.op(is_float(type) ? Op::OpFNegate : Op::OpSNegate, types_.plain(type), a);
    case UnaryOp::Not:
      return code_.op(Op::OpLogicalNot, types_.plain(type), a);
    case UnaryOp::Complement:
      return code_.op(Op::OpNot, types_.plain(type), a);
    case UnaryOp::Plus:
      break;
  }
  return a;
}

// `b` is 0 for unary operators.
Id OperatorEmitter::by_column(Op code, TypeId type, Id a, Id b) {
  const std::uint32_t columns = item_count(type);
  const Id column = types_.plain(column_type(type));
  Id parts[4];
  for (std::uint32_t i = 0; i < columns; ++i) {
    const Id left = code_.op(Op::OpCompositeExtract, column, a, i);
    parts[i] = b == 0 ? code_.op(code, column, left)
                      : code_.op(code, column, left, code_.op(Op::OpCompositeExtract, column, b, i));
  }
  return code_.op_list(Op::OpCompositeConstruct, types_.plain(type), std::span(parts, columns));
}

Id OperatorEmitter::splat(TypeId type, Id scalar) {
  if (is_scalar(type)) return scalar;
  const Id parts[4] = {scalar, scalar, scalar, scalar};
  return code_.op_list(Op::OpCompositeConstruct, types_.plain(type), std::span(parts, item_count(type)));
}

// OpSMod is undefined on negative operands in Vulkan: r = a - (a / b) * b, plus b where the signs of r and b differ.
Id OperatorEmitter::modulo(TypeId type, Id a, Id b) {
  const Id id = types_.plain(type);
  const Id truth = types_.bools(item_count(type));
  const Id quotient = code_.op(Op::OpSDiv, id, a, b);
  const Id rest = code_.op(Op::OpISub, id, a, code_.op(Op::OpIMul, id, quotient, b));
  const Id none = types_.filled(type, 0);
  const Id some = code_.op(Op::OpINotEqual, truth, rest, none);
  const Id differs = code_.op(Op::OpSLessThan, truth, code_.op(Op::OpBitwiseXor, id, rest, b), none);
  const Id adds = code_.op(Op::OpLogicalAnd, truth, some, differs);
  return code_.op(Op::OpIAdd, id, rest, code_.op(Op::OpSelect, id, adds, b, none));
}

Id OperatorEmitter::binary(BinaryOp code, TypeId type, TypeId ta, TypeId tb, Id a, Id b) {
  auto plain_op = [&](const OpOfItem& ops) { return code_.op(choose(ops, ta), types_.plain(type), a, b); };
  switch (code) {
    case BinaryOp::Multiply:
      if (is_matrix(ta) && is_matrix(tb)) return code_.op(Op::OpMatrixTimesMatrix, types_.plain(type), a, b);
      if (is_matrix(ta) && tb == kF1) return code_.op(Op::OpMatrixTimesScalar, types_.plain(type), a, b);
      if (ta == kF1 && is_matrix(tb)) return code_.op(Op::OpMatrixTimesScalar, types_.plain(type), b, a);
      if (is_matrix(ta)) return code_.op(Op::OpMatrixTimesVector, types_.plain(type), a, b);
      if (is_matrix(tb)) return code_.op(Op::OpVectorTimesMatrix, types_.plain(type), a, b);
      if (ta != tb && tb == kF1) return code_.op(Op::OpVectorTimesScalar, types_.plain(type), a, b);
      if (ta != tb && ta == kF1) return code_.op(Op::OpVectorTimesScalar, types_.plain(type), b, a);
      if (ta != tb && is_scalar(tb)) b = splat(type, b);
      if (ta != tb && is_scalar(ta)) a = splat(type, a);
      return code_.op(choose(kMultiply, type), types_.plain(type), a, b);
    case BinaryOp::Divide:
      if (is_matrix(ta)) return by_column(Op::OpFDiv, type, a, b);
      if (ta != tb) b = splat(type, b);
      return plain_op(kDivide);
    case BinaryOp::Modulo:
      return is_unsigned(ta) ? code_.op(Op::OpUMod, types_.plain(type), a, b) : modulo(type, a, b);
    case BinaryOp::Add:
      return is_matrix(ta) ? by_column(Op::OpFAdd, type, a, b) : plain_op(kAdd);
    case BinaryOp::Subtract:
      return is_matrix(ta) ? by_column(Op::OpFSub, type, a, b) : plain_op(kSubtract);
    case BinaryOp::ShiftLeft:
      return code_.op(Op::OpShiftLeftLogical, types_.plain(type), a, b);
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
      if (ta == kBoolean) return code_.op(equal ? Op::OpLogicalEqual : Op::OpLogicalNotEqual, types_.plain(type), a, b);
      const std::uint32_t count = item_count(ta);
      const Id each = code_.op(choose(equal ? kEqual : kNotEqual, ta), types_.bools(count), a, b);
      return count == 1 ? each : code_.op(equal ? Op::OpAll : Op::OpAny, types_.plain(type), each);
    }
    case BinaryOp::BitAnd:
      return code_.op(Op::OpBitwiseAnd, types_.plain(type), a, b);
    case BinaryOp::BitXor:
      return code_.op(Op::OpBitwiseXor, types_.plain(type), a, b);
    case BinaryOp::BitOr:
      return code_.op(Op::OpBitwiseOr, types_.plain(type), a, b);
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Assign:
      break;  // never here: see Op in resolved.hpp
  }
  return 0;
}

Id OperatorEmitter::convert(TypeId to, TypeId from, Id value) {
  Op code = Op::OpBitcast;
  if (is_float(from)) {
    code = is_signed(to) ? Op::OpConvertFToS : Op::OpConvertFToU;
  } else if (is_float(to)) {
    code = is_signed(from) ? Op::OpConvertSToF : Op::OpConvertUToF;
  }
  return code_.op(code, types_.plain(to), value);
}

Id OperatorEmitter::crop(Id matrix) {
  Id columns[3];
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Id column = code_.op(Op::OpCompositeExtract, types_.plain(kF4), matrix, i);
    columns[i] = code_.op(Op::OpVectorShuffle, types_.plain(kF3), column, column, 0u, 1u, 2u);
  }
  return code_.op_list(Op::OpCompositeConstruct, types_.plain(kF3x3), columns);
}

Id OperatorEmitter::swizzle(TypeId type, Id value, std::uint32_t items) {
  std::uint32_t indices[4];
  for (std::uint32_t i = 0; i < item_count(type); ++i) indices[i] = items >> 2 * i & 3;
  const Id result = types_.plain(type);
  const Id id = emission_.out.new_id();
  code_.body().op_list(Op::OpVectorShuffle, std::span(indices, item_count(type)), result, id, value, value);
  return id;
}

}  // namespace slipway::rpl::emit
