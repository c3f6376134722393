// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/builder/elementwise.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/format.hpp"
#include "importer/emit/host.hpp"

namespace slipway::importer {
namespace {

using tosa::DataType;
using tosa::Op;
using tosa::ValueId;

bool is_on_host(const Term& x) { return x.known && x.count() <= kMaxFolded; }

bool is_comparison(Binary op) { return op >= Binary::Equal; }

// --- on the host -----------------------------------------------------------------------------------------------------

double fold_reals(Binary op, double a, double b) {
  switch (op) {
    case Binary::Add:
      return a + b;
    case Binary::Sub:
      return a - b;
    case Binary::Mul:
      return a * b;
    case Binary::Div:
      return a / b;
    case Binary::FloorDiv:
      return std::floor(a / b);
    case Binary::Mod:
      return a - b * std::floor(a / b);
    case Binary::Fmod:
      return std::fmod(a, b);
    case Binary::Pow:
      return std::pow(a, b);
    case Binary::Max:
      return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::max(a, b);
    case Binary::Min:
      return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::min(a, b);
    case Binary::Equal:
      return a == b;
    case Binary::Greater:
      return a > b;
    case Binary::GreaterEqual:
      return a >= b;
    case Binary::Less:
      return a < b;
    case Binary::LessEqual:
      return a <= b;
    default:
      throw Refused("floats have no bits to combine");
  }
}

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  std::uint64_t result = 1, factor = static_cast<std::uint64_t>(base);
  for (; exponent != 0; exponent >>= 1, factor *= factor) {
    if (exponent & 1) result *= factor;
  }
  return static_cast<std::int64_t>(result);
}

// Integers wrap: they are computed without a sign.
std::int64_t fold_integers(Binary op, std::int64_t a, std::int64_t b, bool is_unsigned) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  const bool divides = op >= Binary::Div && op <= Binary::Fmod;
  if (divides && b == 0) throw Refused("an integer is divided by 0");
  if (divides && b == -1) return op == Binary::Mod || op == Binary::Fmod ? 0 : static_cast<std::int64_t>(0 - x);
  const bool rounds_down = divides && a % b != 0 && (a < 0) != (b < 0);
  switch (op) {
    case Binary::Add:
      return static_cast<std::int64_t>(x + y);
    case Binary::Sub:
      return static_cast<std::int64_t>(x - y);
    case Binary::Mul:
      return static_cast<std::int64_t>(x * y);
    case Binary::Div:
      return a / b;
    case Binary::FloorDiv:
      return a / b - (rounds_down ? 1 : 0);
    case Binary::Mod:
      return a % b + (rounds_down ? b : 0);
    case Binary::Fmod:
      return a % b;
    case Binary::Pow:
      return power(a, b);
    case Binary::Max:
      return is_unsigned ? static_cast<std::int64_t>(std::max(x, y)) : std::max(a, b);
    case Binary::Min:
      return is_unsigned ? static_cast<std::int64_t>(std::min(x, y)) : std::min(a, b);
    case Binary::BitAnd:
      return a & b;
    case Binary::BitOr:
      return a | b;
    case Binary::BitXor:
      return a ^ b;
    case Binary::ShiftLeft:
      return y > 63 ? 0 : static_cast<std::int64_t>(x << y);
    case Binary::ShiftRight:
      if (is_unsigned) return y > 63 ? 0 : static_cast<std::int64_t>(x >> y);
      return a >> std::min<std::uint64_t>(y, 63);
    case Binary::Equal:
      return a == b;
    case Binary::Greater:
      return is_unsigned ? x > y : a > b;
    case Binary::GreaterEqual:
      return is_unsigned ? x >= y : a >= b;
    case Binary::Less:
      return is_unsigned ? x < y : a < b;
    case Binary::LessEqual:
      return is_unsigned ? x <= y : a <= b;
  }
  std::unreachable();
}

// The operand with the shape of the result.
Array expanded(const Array& array, const tensor::Shape& shape) {
  if (array.shape == shape) return array;
  tensor::Shape strides(shape.size(), 0);
  const tensor::Shape own = strides_of(array.shape);
  const std::size_t leading = shape.size() - array.shape.size();
  for (std::size_t d = 0; d < array.shape.size(); ++d) strides[leading + d] = array.shape[d] == 1 ? 0 : own[d];
  return copy_strided(array, shape, 0, strides);
}

Term fold(Binary op, const Term& a, const Term& b, const tensor::Shape& shape) {
  const Array x = expanded(*a.known, shape), y = expanded(*b.known, shape);
  const FileType type = is_comparison(op) ? FileType::Bool : a.type;
  if (is_real(a.type)) {
    std::vector<double> values(x.count());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = fold_reals(op, x.real(i), y.real(i));
    return known_term(array_of(type, shape, std::span<const double>(values)));
  }
  std::vector<std::int64_t> values(x.count());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = fold_integers(op, x.integer(i), y.integer(i), is_unsigned(a.type));
  return known_term(array_of(type, shape, std::span<const std::int64_t>(values)));
}

std::optional<Op> comparison(Binary op) {
  switch (op) {
    case Binary::Equal:
      return Op::EQUAL;
    case Binary::Greater:
    case Binary::Less:
      return Op::GREATER;
    case Binary::GreaterEqual:
    case Binary::LessEqual:
      return Op::GREATER_EQUAL;
    default:
      return std::nullopt;
  }
}

// Operators that TOSA has for floats and for i32.
std::optional<Op> direct(Binary op) {
  switch (op) {
    case Binary::Add:
      return Op::ADD;
    case Binary::Sub:
      return Op::SUB;
    case Binary::Mul:
      return Op::MUL;
    case Binary::Max:
      return Op::MAXIMUM;
    case Binary::Min:
      return Op::MINIMUM;
    case Binary::BitAnd:
      return Op::BITWISE_AND;
    case Binary::BitOr:
      return Op::BITWISE_OR;
    case Binary::BitXor:
      return Op::BITWISE_XOR;
    case Binary::ShiftLeft:
      return Op::LOGICAL_LEFT_SHIFT;
    default:
      return std::nullopt;
  }
}

tosa::Attributes attributes_of(Op op) {
  if (op == Op::MUL) return {{"shift", {0}}};
  if (op == Op::MAXIMUM || op == Op::MINIMUM) return {{"nan_mode", {kPropagate}}};
  return {};
}

// Two terms of one type that graphs compute with, with equal ranks.
class Pair {
 public:
  Pair(Elementwise& builder, const Term& a, const Term& b) : b_(builder), x_(a), y_(b) {}

  Term compute(Binary op) {
    if (const auto compare = comparison(op)) {
      const bool swapped = op == Binary::Less || op == Binary::LessEqual;
      return b_.term(b_.add(*compare, operands(swapped), {}, DataType::Bool), FileType::Bool);
    }
    if (const auto same = direct(op)) return b_.term(b_.add(*same, operands(false), attributes_of(*same)), x_.type);
    return is_real(x_.type) ? real(op) : integer(op);
  }

 private:
  std::vector<ValueId> operands(bool swapped) {
    const ValueId x = b_.value(x_), y = b_.value(y_);
    return swapped ? std::vector{y, x} : std::vector{x, y};
  }

  Term real(Binary op) {
    switch (op) {
      case Binary::Div:
        return b_.mul(x_, b_.unary(Unary::Reciprocal, divisor()));
      case Binary::FloorDiv:
        return b_.unary(Unary::Floor, b_.div(x_, y_));
      case Binary::Mod:
        return b_.sub(x_, b_.mul(y_, b_.unary(Unary::Floor, b_.div(x_, y_))));
      case Binary::Fmod:
        return b_.sub(x_, b_.mul(y_, b_.unary(Unary::Trunc, b_.div(x_, y_))));
      case Binary::Pow:
        return pow();
      default:
        throw Refused("floats have no bits to combine");
    }
  }

  Term integer(Binary op) {
    switch (op) {
      case Binary::Div:
        return b_.term(b_.add(Op::INTDIV, operands(false)), x_.type);
      case Binary::FloorDiv:
      case Binary::Mod:
      case Binary::Fmod: {
        const Term quotient = b_.div(x_, y_);
        Term rest = b_.sub(x_, b_.mul(quotient, y_));
        if (op == Binary::Fmod) return rest;
        const Term signs_differ = b_.binary(Binary::Less, b_.binary(Binary::BitXor, rest, y_), 0);
        const Term rounds =
            b_.logical(Binary::BitAnd, signs_differ, b_.unary(Unary::Not, b_.binary(Binary::Equal, rest, 0)));
        if (op == Binary::FloorDiv) return b_.select(rounds, b_.binary(Binary::Sub, quotient, 1), quotient);
        return b_.select(rounds, b_.add(rest, y_), rest);
      }
      case Binary::ShiftRight:
        return b_.term(b_.add(Op::ARITHMETIC_RIGHT_SHIFT, operands(false), {{"round", {0}}}), x_.type);
      case Binary::Pow:
        return integer_pow();
      default:
        std::unreachable();
    }
  }

  // A product with a rounded reciprocal is not the quotient, so that the reciprocal of a constant stays in the graph
  // unless it is exact: devices that divide exactly compute the pair as one division
  // (docs/spec/import.md#building-blocks).
  Term divisor() {
    if (!y_.known) return y_;
    for (std::size_t i = 0; i < y_.known->count(); ++i) {
      int exponent = 0;
      if (std::fabs(std::frexp(y_.known->real(i), &exponent)) != 0.5) return b_.term(b_.value(y_), y_.type);
    }
    return y_;
  }

  // The exponent that all elements share, if it is known.
  std::optional<double> exponent() const {
    if (!y_.known || y_.count() == 0) return std::nullopt;
    for (std::size_t i = 1; i < y_.known->count(); ++i) {
      if (y_.known->real(i) != y_.known->real(0)) return std::nullopt;
    }
    return y_.known->real(0);
  }

  Term expanded_base() { return b_.broadcast(x_, broadcast_shape(x_.shape, y_.shape)); }

  Term integer_pow() {
    const auto power = exponent();
    if (!power || *power < 0 || *power > 31)
      throw Refused("an integer power needs an exponent that is known, from 0 to 31");
    if (*power == 0) return b_.number(x_.type, 1, broadcast_shape(x_.shape, y_.shape));
    Term result = expanded_base();
    const Term base = result;
    for (int i = 1; i < *power; ++i) result = b_.mul(result, base);
    return result;
  }

  Term pow() {
    if (const auto power = exponent()) {
      Term x = expanded_base();
      if (*power == 0) return b_.number(x.type, 1, x.shape);
      if (*power == 1) return x;
      if (*power == 2) return b_.mul(x, x);
      if (*power == 3) return b_.mul(b_.mul(x, x), x);
      if (*power == 0.5) return b_.unary(Unary::Sqrt, x);
      if (*power == -0.5) return b_.unary(Unary::Rsqrt, x);
      if (*power == -1) return b_.unary(Unary::Reciprocal, x);
    }
    // POW is defined for bases above 0 only.
    const Term one = b_.number(x_.type, 1);
    const Term is_zero = b_.binary(Binary::Equal, x_, 0);
    const Term magnitude = b_.select(is_zero, one, b_.unary(Unary::Abs, x_));
    const Term p = b_.term(b_.add(Op::POW, {b_.value(magnitude), b_.value(y_)}), x_.type);
    const Term half = b_.binary(Binary::Mul, y_, 0.5);
    const Term is_integral = b_.binary(Binary::Equal, b_.unary(Unary::Floor, y_), y_);
    const Term is_even = b_.binary(Binary::Equal, b_.unary(Unary::Floor, half), half);
    const Term nan = b_.number(x_.type, std::numeric_limits<double>::quiet_NaN());
    const Term infinity = b_.number(x_.type, std::numeric_limits<double>::infinity());
    const Term of_negative = b_.select(is_integral, b_.select(is_even, p, b_.unary(Unary::Neg, p)), nan);
    const Term of_zero = b_.select(b_.binary(Binary::Greater, y_, 0), b_.number(x_.type, 0),
                                   b_.select(b_.binary(Binary::Equal, y_, 0), one, infinity));
    return b_.select(is_zero, of_zero, b_.select(b_.binary(Binary::Less, x_, 0), of_negative, p));
  }

  Elementwise& b_;
  Term x_, y_;
};

// The shift of an unsigned integer whose value is in 32 bits.
Term shift_right_unsigned(Elementwise& b, const Term& x, const Term& y) {
  return b.term(b.add(Op::LOGICAL_RIGHT_SHIFT, {b.value(x), b.value(y)}), FileType::I32);
}

}  // namespace

Term Elementwise::binary(Binary op, const Term& a, const Term& b) {
  if (a.type != b.type)
    throw Refused(formatted("its operands have the types {} and {}", name_of(a.type), name_of(b.type)));
  const tensor::Shape shape = broadcast_shape(a.shape, b.shape);
  const std::int64_t count = tensor::element_count(shape).value_or(kMaxFolded + 1);
  if (count == 0) return number(is_comparison(op) ? FileType::Bool : a.type, 0, shape);
  if (a.known && b.known && count <= kMaxFolded && is_computable(a.type)) return fold(op, a, b, shape);
  const Term x = with_rank(a, shape.size()), y = with_rank(b, shape.size());
  if (a.type == FileType::Bool) {
    if (op == Binary::Equal) return unary(Unary::Not, logical(Binary::BitXor, x, y));
    if (op >= Binary::BitAnd && op <= Binary::BitXor) return logical(op, x, y);
    return cast(binary(op, widen(x), widen(y)), is_comparison(op) ? FileType::Bool : a.type);
  }
  if (is_real(a.type)) {
    const Term made = reshape(Pair(*this, computable(x), computable(y)).compute(op), shape);
    return is_comparison(op) ? made : cast(made, a.type);
  }
  const Term wide_x = widen(x), wide_y = widen(y);
  const bool shifts = op == Binary::ShiftRight && is_unsigned(a.type);
  const Term made =
      reshape(shifts ? shift_right_unsigned(*this, wide_x, wide_y) : Pair(*this, wide_x, wide_y).compute(op), shape);
  return is_comparison(op) ? made : narrow(made, a.type);
}

Term Elementwise::logical(Binary op, const Term& a, const Term& b) {
  const tensor::Shape shape = broadcast_shape(a.shape, b.shape);
  if (a.known && b.known && tensor::element_count(shape).value_or(kMaxFolded + 1) <= kMaxFolded)
    return fold(op, a, b, shape);
  const Op of = op == Binary::BitAnd ? Op::LOGICAL_AND : op == Binary::BitOr ? Op::LOGICAL_OR : Op::LOGICAL_XOR;
  const std::vector<ValueId> inputs{value(with_rank(a, shape.size())), value(with_rank(b, shape.size()))};
  return reshape(term(add(of, inputs), FileType::Bool), shape);
}

Term Elementwise::select(const Term& condition, const Term& a, const Term& b) {
  if (a.type != b.type)
    throw Refused(formatted("its operands have the types {} and {}", name_of(a.type), name_of(b.type)));
  const tensor::Shape shape = broadcast_shape(condition.shape, broadcast_shape(a.shape, b.shape));
  const std::int64_t count = tensor::element_count(shape).value_or(kMaxFolded + 1);
  if (count == 0) return number(a.type, 0, shape);
  if (condition.known && a.known && b.known && count <= kMaxFolded) {
    const Array chosen = expanded(*condition.known, shape), x = expanded(*a.known, shape),
                y = expanded(*b.known, shape);
    const std::size_t size = x.element_size();
    std::vector<std::byte> data(x.data.begin(), x.data.end());
    for (std::size_t i = 0; i < chosen.count(); ++i) {
      if (chosen.integer(i) == 0) std::memcpy(data.data() + i * size, y.data.data() + i * size, size);
    }
    return known_term(array_of(a.type, shape, std::move(data)));
  }
  const Term x = computable(with_rank(a, shape.size())), y = computable(with_rank(b, shape.size()));
  const std::vector<ValueId> inputs{value(with_rank(condition, shape.size())), value(x), value(y)};
  const Term made = term(add(Op::SELECT, inputs, {}, graph_[inputs[1]].type.data), x.type);
  return cast(reshape(made, shape), a.type);
}

Term Elementwise::clamp(const Term& x, double low, double high) {
  if (x.known && x.count() <= kMaxFolded)
    return binary(Binary::Min, binary(Binary::Max, x, number(x.type, low)), number(x.type, high));
  const bool direct = is_real(x.type) || x.type == FileType::I8 || x.type == FileType::I16;
  if (!direct || low > high) return binary(Binary::Min, binary(Binary::Max, x, low), high);
  const Term of = computable(x);
  tosa::Attributes attributes{{"nan_mode", {kPropagate}}};
  if (is_real(x.type)) {
    attributes.set_real("min_val", low);
    attributes.set_real("max_val", high);
  } else {
    attributes.set("min_val", static_cast<std::int64_t>(low));
    attributes.set("max_val", static_cast<std::int64_t>(high));
  }
  return cast(apply(Op::CLAMP, of, of.type, std::move(attributes)), x.type);
}

Term Elementwise::affine(const Term& x, double scale, double shift) {
  const Term scaled = scale == 1 ? x : binary(Binary::Mul, x, scale);
  return shift == 0 ? scaled : binary(Binary::Add, scaled, shift);
}

Term Elementwise::pad(const Term& x, const tensor::Shape& before, const tensor::Shape& after, const Term& filling) {
  if (filling.known) return pad_with(x, before, after, *filling.known);
  // A value that the run decides: a mask chooses between it and the elements.
  const Array no = *number(FileType::Bool, 0).known, zero = *number(x.type, 0).known;
  const Term inside = pad_with(number(FileType::Bool, 1, x.shape), before, after, no);
  return select(inside, pad_with(x, before, after, zero), filling);
}

namespace {

// The step of an arithmetic sequence; empty for other lists.
std::optional<std::int64_t> step_of(const std::vector<std::int64_t>& indices) {
  if (indices.empty()) return std::nullopt;
  const std::int64_t step = indices.size() < 2 ? 1 : indices[1] - indices[0];
  for (std::size_t i = 1; i < indices.size(); ++i) {
    if (indices[i] - indices[i - 1] != step) return std::nullopt;
  }
  return step == 0 ? std::nullopt : std::optional(step);
}

}  // namespace

Term Elementwise::rows(const Term& x, const Term& indices) {
  tensor::Shape shape = indices.shape;
  shape.insert(shape.end(), x.shape.begin() + 1, x.shape.end());
  if (product_of(shape) == 0) return number(x.type, 0, std::move(shape));
  const std::int64_t row = product_of(std::span(x.shape).subspan(1));
  if (is_on_host(x) && indices.known && product_of(shape) <= kMaxFolded) {
    const std::size_t bytes = static_cast<std::size_t>(row) * x.known->element_size();
    std::vector<std::byte> data;
    for (const std::int64_t index : indices.known->integers()) {
      if (index < 0 || index >= x.shape[0]) throw Refused(formatted("the index {} is out of range", index));
      const Bytes from = x.known->data.subspan(static_cast<std::size_t>(index) * bytes, bytes);
      data.insert(data.end(), from.begin(), from.end());
    }
    return known_term(array_of(x.type, std::move(shape), std::move(data)));
  }
  if (x.type == FileType::Bool) {
    const Term bytes = cast(x, FileType::I8);
    return binary(Binary::Equal, rows(bytes, indices), 1);
  }
  const Term values = reshape(x, {1, x.shape[0], row});
  const Term at = cast(reshape(indices, {1, indices.count()}), FileType::I32);
  return reshape(term(add(Op::GATHER, {value(values), value(at)}), x.type), std::move(shape));
}

Term Elementwise::take(const Term& x, std::int64_t axis, const Term& indices, bool normal) {
  const std::size_t at = axis_of(axis, x.rank());
  const std::int64_t extent = x.shape[at];
  Term from_front = indices;
  if (indices.known) {
    std::vector<std::int64_t> list = indices.known->integers();
    for (std::int64_t& index : list) {
      if (index < 0) index += extent;
      if (index < 0 || index >= extent) throw Refused(formatted("an index is out of range of {} elements", extent));
    }
    tensor::Shape shape(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(at));
    shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
    shape.insert(shape.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(at) + 1, x.shape.end());
    if (const auto step = step_of(list)) {
      return reshape(stride(x, axis, list.front(), *step, static_cast<std::int64_t>(list.size())), shape);
    }
    from_front = integers(FileType::I32, indices.shape, list);
  } else if (!normal) {
    const Term negative = binary(Binary::Less, indices, 0);
    from_front = select(negative, binary(Binary::Add, indices, static_cast<double>(extent)), indices);
  }
  std::vector<std::int64_t> permutation(x.rank()), back;
  std::iota(permutation.begin(), permutation.end(), 0);
  std::rotate(permutation.begin(), permutation.begin() + static_cast<std::ptrdiff_t>(at),
              permutation.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  // Merged, so that the rank stays within the limit: [axis, before, after] -> [indices, before, after].
  const std::int64_t before = product_of(std::span(x.shape).first(at));
  const std::int64_t after = product_of(std::span(x.shape).subspan(at + 1));
  const Term moved = transpose(reshape(x, {before, extent, after}), {1, 0, 2});
  const Term taken = transpose(rows(moved, reshape(from_front, {indices.count()})), {1, 0, 2});
  tensor::Shape shape(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(at));
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(at) + 1, x.shape.end());
  return reshape(taken, std::move(shape));
}

Term Elementwise::scatter_rows(const Term& x, const Term& indices, const Term& updates) {
  if (is_on_host(x) && indices.known && updates.known) {
    std::vector<std::byte> data(x.known->data.begin(), x.known->data.end());
    const std::size_t bytes = data.size() / static_cast<std::size_t>(std::max<std::int64_t>(x.shape[0], 1));
    const std::byte* from = updates.known->data.data();
    for (const std::int64_t index : indices.known->integers()) {
      if (index < 0 || index >= x.shape[0]) throw Refused(formatted("the index {} is out of range", index));
      std::copy_n(from, bytes, data.data() + static_cast<std::size_t>(index) * bytes);
      from += bytes;
    }
    return known_term(array_of(x.type, x.shape, std::move(data)));
  }
  if (x.type == FileType::Bool) {
    const Term made = scatter_rows(cast(x, FileType::I8), indices, cast(updates, FileType::I8));
    return binary(Binary::Equal, made, 1);
  }
  const std::int64_t row = product_of(std::span(x.shape).subspan(1));
  const Term values = reshape(x, {1, x.shape[0], row});
  const Term at = cast(reshape(indices, {1, indices.count()}), FileType::I32);
  const Term input = reshape(updates, {1, indices.count(), row});
  return reshape(term(add(Op::SCATTER, {value(values), value(at), value(input)}), x.type), x.shape);
}

}  // namespace slipway::importer
