// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators on each element (docs/spec/import.md#elementwise).
#include <limits>

#include "importer/onnx/operators.hpp"

namespace slipway::importer {
namespace {

void unary(NodeContext& node, Unary op) { node.out(0, node.b.unary(op, node.in(0))); }

// The second operand; before version 7 it is aligned at an axis where `broadcast` is set.
Term second(NodeContext& node) {
  const Term& a = node.in(0);
  Term b = node.in(1);
  if (node.version() >= 7 || !node.flag("broadcast") || !node.has("axis")) return b;
  tensor::Shape shape = b.shape;
  const std::size_t axis = axis_of(node.integer("axis"), a.rank());
  if (axis + shape.size() > a.rank()) throw Refused("the second operand does not fit at `axis`");
  shape.resize(a.rank() - axis, 1);
  return node.b.reshape(b, std::move(shape));
}

void binary(NodeContext& node, Binary op) { node.out(0, node.b.binary(op, node.in(0), second(node))); }

void chain(NodeContext& node, Binary op) {
  Term result = node.in(0);
  for (std::size_t i = 1; i < node.inputs(); ++i) result = node.b.binary(op, result, node.in(i));
  node.out(0, std::move(result));
}

}  // namespace

#define UNARY(name, op) \
  void emit_onnx_##name(NodeContext& node) { unary(node, Unary::op); }
UNARY(Abs, Abs)
UNARY(Acos, Acos)
UNARY(Acosh, Acosh)
UNARY(Asin, Asin)
UNARY(Asinh, Asinh)
UNARY(Atan, Atan)
UNARY(Atanh, Atanh)
UNARY(BitwiseNot, Not)
UNARY(Ceil, Ceil)
UNARY(Cos, Cos)
UNARY(Cosh, Cosh)
UNARY(Erf, Erf)
UNARY(Exp, Exp)
UNARY(Floor, Floor)
UNARY(IsNaN, IsNan)
UNARY(Log, Log)
UNARY(Neg, Neg)
UNARY(Not, Not)
UNARY(Reciprocal, Reciprocal)
UNARY(Round, RoundEven)
UNARY(Sigmoid, Sigmoid)
UNARY(Sign, Sign)
UNARY(Sin, Sin)
UNARY(Sinh, Sinh)
UNARY(Softplus, Softplus)
UNARY(Sqrt, Sqrt)
UNARY(Tan, Tan)
UNARY(Tanh, Tanh)
#undef UNARY

#define BINARY(name, op) \
  void emit_onnx_##name(NodeContext& node) { binary(node, Binary::op); }
BINARY(Add, Add)
BINARY(And, BitAnd)
BINARY(BitwiseAnd, BitAnd)
BINARY(BitwiseOr, BitOr)
BINARY(BitwiseXor, BitXor)
BINARY(Div, Div)
BINARY(Equal, Equal)
BINARY(Greater, Greater)
BINARY(GreaterOrEqual, GreaterEqual)
BINARY(Less, Less)
BINARY(LessOrEqual, LessEqual)
BINARY(Mul, Mul)
BINARY(Or, BitOr)
BINARY(Sub, Sub)
BINARY(Xor, BitXor)
#undef BINARY

void emit_onnx_Max(NodeContext& node) { chain(node, Binary::Max); }
void emit_onnx_Min(NodeContext& node) { chain(node, Binary::Min); }
void emit_onnx_Sum(NodeContext& node) { chain(node, Binary::Add); }

void emit_onnx_Mean(NodeContext& node) {
  Term sum = node.in(0);
  for (std::size_t i = 1; i < node.inputs(); ++i) sum = node.b.add(sum, node.in(i));
  node.out(0, node.b.affine(sum, 1.0 / static_cast<double>(node.inputs()), 0));
}

void emit_onnx_Mod(NodeContext& node) { binary(node, node.flag("fmod") ? Binary::Fmod : Binary::Mod); }

void emit_onnx_Pow(NodeContext& node) {
  const Term& base = node.in(0);
  const Term exponent = second(node);
  const FileType type = base.type;
  if (exponent.type == type) return node.out(0, node.b.binary(Binary::Pow, base, exponent));
  // The result has the type of the base; a base of integers with an exponent of floats is computed in floats.
  if (is_real(type)) return node.out(0, node.b.binary(Binary::Pow, base, node.b.cast(exponent, type)));
  if (!is_real(exponent.type)) return node.out(0, node.b.binary(Binary::Pow, base, node.b.cast(exponent, type)));
  const Term power = node.b.binary(Binary::Pow, node.b.cast(base, exponent.type), exponent);
  node.out(0, node.b.cast(power, type));
}

void emit_onnx_BitShift(NodeContext& node) {
  const std::string direction = node.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") throw Refused("`direction` is neither LEFT nor RIGHT");
  const Term& x = node.in(0);
  const Term& count = node.in(1);
  const Binary op = direction == "LEFT" ? Binary::ShiftLeft : Binary::ShiftRight;
  // TOSA does not define shifts by the whole width.
  const double last = is_computable(x.type) && bits_of(x.type) < 32 ? bits_of(x.type) : 32;
  const Term is_all = node.b.binary(Binary::GreaterEqual, count, last);
  const Term shifted = node.b.binary(op, x, node.b.binary(Binary::Min, count, last - 1));
  node.out(0, node.b.select(is_all, node.b.number(x.type, 0), shifted));
}

void emit_onnx_IsInf(NodeContext& node) {
  const Term& x = node.in(0);
  const double infinity = std::numeric_limits<double>::infinity();
  Term result = node.b.number(FileType::Bool, 0, x.shape);
  if (node.flag("detect_positive", true)) result = node.b.binary(Binary::Equal, x, infinity);
  if (node.flag("detect_negative", true))
    result = node.b.logical(Binary::BitOr, result, node.b.binary(Binary::Equal, x, -infinity));
  node.out(0, std::move(result));
}

void emit_onnx_Where(NodeContext& node) { node.out(0, node.b.select(node.in(0), node.in(1), node.in(2))); }

}  // namespace slipway::importer
