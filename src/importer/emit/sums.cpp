// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and products of matrices.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.hpp"
#include "importer/emit/builder.hpp"
#include "importer/emit/host.hpp"

namespace slipway::importer {
namespace {

using tosa::DataType;
using tosa::Op;

Op operator_of(Reduction op) {
  switch (op) {
    case Reduction::Sum:
    case Reduction::Mean:
      return Op::REDUCE_SUM;
    case Reduction::Product:
      return Op::REDUCE_PRODUCT;
    case Reduction::Max:
      return Op::REDUCE_MAX;
    case Reduction::Min:
      return Op::REDUCE_MIN;
    case Reduction::Any:
      return Op::REDUCE_ANY;
    case Reduction::All:
      return Op::REDUCE_ALL;
  }
  std::unreachable();
}

Binary pairwise(Reduction op) {
  switch (op) {
    case Reduction::Product:
      return Binary::Mul;
    case Reduction::Max:
      return Binary::Max;
    case Reduction::Min:
      return Binary::Min;
    case Reduction::Any:
      return Binary::BitOr;
    case Reduction::All:
      return Binary::BitAnd;
    default:
      return Binary::Add;
  }
}

// Along one axis, which stays with one element.
Term reduce_axis(Builder& b, Reduction op, const Term& x, std::int64_t axis) {
  if (x.extent(axis) == 1) return x;
  const bool chained = x.known || (op == Reduction::Product && !is_real(x.type));
  if (chained) {
    constexpr std::int64_t kMaxChain = 4096;
    if (!x.known && x.extent(axis) > kMaxChain)
      throw Refused(formatted("a product of {} integers is too long", x.extent(axis)));
    Term sum = b.slice_axis(x, axis, 0, 1);
    for (std::int64_t i = 1; i < x.extent(axis); ++i) sum = b.binary(pairwise(op), sum, b.slice_axis(x, axis, i, 1));
    return sum;
  }
  tosa::Attributes attributes{{"axis", {static_cast<std::int64_t>(axis_of(axis, x.rank()))}}};
  if (op == Reduction::Max || op == Reduction::Min) attributes.set("nan_mode", kPropagate);
  return b.term(b.add(operator_of(op), {b.value(x)}, std::move(attributes)), x.type);
}

}  // namespace

double neutral_of(Reduction op, FileType type) {
  const bool real = is_real(type);
  switch (op) {
    case Reduction::Product:
    case Reduction::All:
      return 1;
    case Reduction::Max:
      return real                                          ? -INFINITY
             : is_unsigned(type) || type == FileType::Bool ? 0
                                                           : -std::ldexp(1, static_cast<int>(bits_of(type)) - 1);
    case Reduction::Min:
      if (type == FileType::Bool) return 1;
      return real ? INFINITY : std::ldexp(1, static_cast<int>(bits_of(type)) - (is_unsigned(type) ? 0 : 1)) - 1;
    case Reduction::Mean:
      return NAN;
    default:
      return 0;
  }
}

Term Builder::reduce(Reduction op, const Term& x, std::vector<std::int64_t> axes, bool keep) {
  std::set<std::int64_t> unique;
  for (const std::int64_t axis : axes) unique.insert(static_cast<std::int64_t>(axis_of(axis, x.rank())));
  tensor::Shape kept = x.shape, shape;
  std::int64_t count = 1;
  for (const std::int64_t axis : unique) {
    count *= kept[static_cast<std::size_t>(axis)];
    kept[static_cast<std::size_t>(axis)] = 1;
  }
  for (std::size_t d = 0; d < kept.size(); ++d) {
    if (keep || !unique.contains(static_cast<std::int64_t>(d))) shape.push_back(kept[d]);
  }
  if (x.count() == 0) return number(x.type, neutral_of(op, x.type), shape);
  if (x.type == FileType::Bool && op == Reduction::Max) op = Reduction::Any;
  if (x.type == FileType::Bool && op == Reduction::Min) op = Reduction::All;
  const bool small = x.known && x.count() <= kMaxFolded;
  // On the host sums of floats are exact to the last rounding; integers have all their bits.
  Term made = small ? x : is_real(x.type) ? computable(x) : x.type == FileType::Bool ? x : widen(x);
  if (small && is_real(x.type)) made = cast(x, FileType::F64);
  if (made.known && !small) made = term(value(made), made.type);
  for (const std::int64_t axis : unique) made = reduce_axis(*this, op, made, axis);
  if (op == Reduction::Mean) {
    if (!is_real(x.type))
      made = binary(Binary::Div, made, static_cast<double>(count));
    else if (small)
      made = binary(Binary::Div, made, static_cast<double>(count));
    else
      made = binary(Binary::Mul, made, static_cast<double>(1.0F / static_cast<float>(count)));
  }
  if (made.type != x.type) made = is_real(x.type) ? cast(made, x.type) : narrow(made, x.type);
  return reshape(made, shape);
}

namespace {

// Batches of matrices: [batch, rows, columns], and the shape of the batches.
struct Matrices {
  Term of;
  tensor::Shape batch;
};

Matrices matrices_of(Builder& b, const Term& x) {
  const tensor::Shape batch(x.shape.begin(), x.shape.end() - 2);
  return {b.reshape(x, {product_of(batch), x.extent(-2), x.extent(-1)}), batch};
}

Term multiply(Builder& b, const Term& x, const Term& y) {
  tosa::Attributes attributes;
  if (is_real(x.type)) {
    attributes.set_real("A_zp", 0);
    attributes.set_real("B_zp", 0);
    // Narrow floats are summed in 32 bits.
    return b.term(b.add(Op::MATMUL, {b.value(x), b.value(y)}, std::move(attributes), DataType::F32), FileType::F32);
  }
  // TOSA has no product of matrices of 32-bit integers.
  const Term rows = b.reshape(x, {x.shape[0], x.shape[1], x.shape[2], 1});
  const Term columns = b.reshape(y, {y.shape[0], 1, y.shape[1], y.shape[2]});
  constexpr std::int64_t kMaxProducts = 1 << 24;
  if (x.shape[0] * x.shape[1] * x.shape[2] * y.shape[2] > kMaxProducts)
    throw Refused(formatted("the product of matrices of {} is too large", name_of(x.type)));
  return b.reduce(Reduction::Sum, b.mul(rows, columns), {2}, false);
}

// Brings matrices to batches of rank 3, and their product to the shape that numpy gives it. `multiply` makes a product
// of the type `result`.
template <class Multiply>
Term product_of_matrices(Builder& builder, const Term& a, const Term& b, FileType result, Multiply multiply) {
  if (a.rank() == 0 || b.rank() == 0) throw Refused("a product of matrices needs tensors of rank 1 or more");
  if (a.rank() == 1) {
    const Term row = product_of_matrices(builder, builder.unsqueeze(a, 0), b, result, multiply);
    return builder.squeeze(row, b.rank() == 1 ? 0 : -2);
  }
  if (b.rank() == 1)
    return builder.squeeze(product_of_matrices(builder, a, builder.unsqueeze(b, 1), result, multiply), -1);
  if (a.extent(-1) != b.extent(-2))
    throw Refused(formatted("rows of {} elements meet columns of {}", a.extent(-1), b.extent(-2)));
  Matrices x = matrices_of(builder, a), y = matrices_of(builder, b);
  tensor::Shape batch = broadcast_shape(x.batch, y.batch), shape = batch;
  shape.insert(shape.end(), {a.extent(-2), b.extent(-1)});
  if (product_of(shape) == 0 || a.extent(-1) == 0) return builder.number(result, 0, shape);
  if (y.of.shape[0] == 1) {  // one matrix for all: more rows, and no copies
    const Term rows = builder.reshape(x.of, {1, x.of.shape[0] * x.of.shape[1], x.of.shape[2]});
    return builder.reshape(multiply(rows, y.of), shape);
  }
  const auto expand = [&](Matrices& of) {
    if (of.batch == batch) return;
    // The matrices themselves are one dimension here, so that the rank stays within the limit.
    tensor::Shape merged = of.batch, target = batch;
    merged.push_back(of.of.shape[1] * of.of.shape[2]);
    target.push_back(of.of.shape[1] * of.of.shape[2]);
    of.of = builder.reshape(builder.broadcast(builder.reshape(of.of, merged), target),
                            {product_of(batch), of.of.shape[1], of.of.shape[2]});
  };
  expand(x);
  expand(y);
  return builder.reshape(multiply(x.of, y.of), shape);
}

}  // namespace

Term Builder::matmul(const Term& a, const Term& b) {
  if (a.type != b.type) throw Refused("the matrices have different types");
  const auto same = [&](const Term& x, const Term& y) { return cast(multiply(*this, x, y), a.type); };
  const bool real = is_real(a.type);
  return product_of_matrices(*this, real ? computable(a) : a, real ? computable(b) : b, a.type, same);
}

Term Builder::matmul_wide(const Term& a, const Term& b) {
  if (a.type != b.type || !is_real(a.type)) throw Refused("the matrices are not of floats of one type");
  const auto wide = [&](const Term& x, const Term& y) { return multiply(*this, x, y); };
  return product_of_matrices(*this, computable(a), computable(b), FileType::F32, wide);
}

Term Builder::matmul_int8(const Term& a, const Term& b, std::int64_t a_zero, std::int64_t b_zero) {
  return product_of_matrices(*this, a, b, FileType::I32, [&](const Term& x, const Term& y) {
    const std::vector<tosa::ValueId> operands{value(x), value(y)};
    return term(add(Op::MATMUL, operands, {{"A_zp", {a_zero}}, {"B_zp", {b_zero}}}, DataType::I32), FileType::I32);
  });
}

Term Builder::linear(const Term& x, const Term& weights, const Term* bias) {
  const std::int64_t inputs = weights.extent(1), outputs = weights.extent(0);
  if (x.extent(-1) != inputs)
    throw Refused(formatted("the weights have {} inputs and the tensor has {}", inputs, x.extent(-1)));
  const std::int64_t count = x.count() / inputs;
  const Term none = number(x.type, 0, {1});
  tosa::Attributes attributes{{"pad", {0, 0, 0, 0}},
                              {"stride", {1, 1}},
                              {"dilation", {1, 1}},
                              {"acc_type", {static_cast<std::int64_t>(tosa::AccType::Fp32)}},
                              {"local_bound", {0}}};
  attributes.set_real("input_zp", 0);
  attributes.set_real("weight_zp", 0);
  const tosa::ValueId made = add(Op::CONV2D,
                                 {value(reshape(x, {count, 1, 1, inputs})),
                                  value(reshape(weights, {outputs, 1, 1, inputs})), value(bias ? *bias : none)},
                                 std::move(attributes));
  tensor::Shape shape = x.shape;
  shape.back() = outputs;
  return reshape(term(made, x.type), std::move(shape));
}

namespace {

// Sums of narrow floats have more digits.
Term as_float32(Builder& b, const Term& x) { return is_real(x.type) ? b.cast(x, FileType::F32) : x; }

}  // namespace

Term Builder::softmax(const Term& x, std::int64_t axis) {
  if (x.known) return softmax(term(value(x), x.type), axis);
  const Term of = as_float32(*this, x);
  const Term shifted = sub(of, reduce(Reduction::Max, of, {axis}, true));
  const Term powers = unary(Unary::Exp, shifted);
  return cast(mul(powers, unary(Unary::Reciprocal, reduce(Reduction::Sum, powers, {axis}, true))), x.type);
}

Term Builder::log_softmax(const Term& x, std::int64_t axis) {
  const Term of = as_float32(*this, x);
  const Term shifted = sub(of, reduce(Reduction::Max, of, {axis}, true));
  const Term sum = reduce(Reduction::Sum, unary(Unary::Exp, shifted), {axis}, true);
  return cast(sub(shifted, unary(Unary::Log, sum)), x.type);
}

Term Builder::cumsum(const Term& x, std::int64_t axis, bool exclusive, bool reversed) {
  if (reversed) return reverse(cumsum(reverse(x, axis), axis, exclusive, false), axis);
  const std::size_t at = axis_of(axis, x.rank());
  const std::int64_t extent = x.shape[at];
  Term sum = is_real(x.type) ? computable(x) : widen(x);
  if (x.known && x.type == FileType::I64) sum = x;
  const auto delayed = [&](const Term& of, std::int64_t by) {
    tensor::Shape before(x.rank(), 0);
    before[at] = by;
    return pad(slice_axis(of, axis, 0, extent - by), before, tensor::Shape(x.rank(), 0), number(of.type, 0));
  };
  if (extent == 0) return x;
  if (exclusive) sum = delayed(sum, 1);
  for (std::int64_t distance = 1; distance < extent; distance *= 2) sum = add(sum, delayed(sum, distance));
  return is_real(x.type) ? cast(sum, x.type) : narrow(sum, x.type);
}

Term Builder::argmax(const Term& x, std::int64_t axis) {
  const auto at = static_cast<std::int64_t>(axis_of(axis, x.rank()));
  if (x.rank() == 1) return reshape(argmax(unsqueeze(x, 0), 1), {});  // of rank 0 is a tensor [1]
  const bool direct = is_real(x.type) || x.type == FileType::I8 || x.type == FileType::I16;
  if (direct && !(x.known && x.count() <= kMaxFolded)) {
    const Term of = computable(x);
    return term(add(Op::ARGMAX, {value(of)}, {{"axis", {at}}, {"nan_mode", {kPropagate}}}, DataType::I32),
                FileType::I32);
  }
  // Other integers, and what is known: the first position that has the maximum.
  tensor::Shape line(x.rank(), 1);
  line[static_cast<std::size_t>(at)] = x.extent(axis);
  const Term positions = reshape(arange(FileType::I32, 0, x.extent(axis)), line);
  const Term is_largest = binary(Binary::Equal, x, reduce(Reduction::Max, x, {axis}, true));
  const Term none = number(FileType::I32, static_cast<double>(x.extent(axis)));
  return reduce(Reduction::Min, select(is_largest, positions, none), {axis}, false);
}

}  // namespace slipway::importer
