// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of one tensor, element by element.
#include <cmath>
#include <limits>
#include <numbers>

#include "base/format.hpp"
#include "importer/emit/builder/elementwise.hpp"

namespace slipway::importer {
namespace {

using tosa::Op;

double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

// Long, because it has one case for each function.
double fold_real(Unary op, double x) {
  switch (op) {
    case Unary::Neg:
      return -x;
    case Unary::Abs:
      return std::fabs(x);
    case Unary::Sign:
      return sign_of(x);
    case Unary::Floor:
      return std::floor(x);
    case Unary::Ceil:
      return std::ceil(x);
    case Unary::Trunc:
      return std::trunc(x);
    case Unary::RoundEven:
      return std::nearbyint(x);
    case Unary::RoundAway:
      return std::round(x);
    case Unary::Sqrt:
      return std::sqrt(x);
    case Unary::Rsqrt:
      return 1 / std::sqrt(x);
    case Unary::Reciprocal:
      return 1 / x;
    case Unary::Exp:
      return std::exp(x);
    case Unary::Expm1:
      return std::expm1(x);
    case Unary::Log:
      return std::log(x);
    case Unary::Log1p:
      return std::log1p(x);
    case Unary::Sin:
      return std::sin(x);
    case Unary::Cos:
      return std::cos(x);
    case Unary::Tan:
      return std::tan(x);
    case Unary::Asin:
      return std::asin(x);
    case Unary::Acos:
      return std::acos(x);
    case Unary::Atan:
      return std::atan(x);
    case Unary::Sinh:
      return std::sinh(x);
    case Unary::Cosh:
      return std::cosh(x);
    case Unary::Asinh:
      return std::asinh(x);
    case Unary::Acosh:
      return std::acosh(x);
    case Unary::Atanh:
      return std::atanh(x);
    case Unary::Erf:
      return std::erf(x);
    case Unary::Sigmoid:
      return 1 / (1 + std::exp(-x));
    case Unary::Tanh:
      return std::tanh(x);
    case Unary::Softplus:
      return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x)));
    case Unary::IsNan:
      return std::isnan(x);
    case Unary::Not:
      throw Refused("floats have no bits to invert");
  }
  std::unreachable();
}

std::int64_t fold_integer(Unary op, std::int64_t x) {
  switch (op) {
    case Unary::Neg:
      return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x));
    case Unary::Abs:
      return x < 0 ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x)) : x;
    case Unary::Sign:
      return (x > 0) - (x < 0);
    case Unary::Not:
      return ~x;
    case Unary::Floor:
    case Unary::Ceil:
    case Unary::Trunc:
    case Unary::RoundEven:
    case Unary::RoundAway:
      return x;
    default:
      throw Refused("the function is not defined for integers");
  }
}

// TOSA operators that are the function.
std::optional<Op> direct(Unary op) {
  switch (op) {
    case Unary::Abs:
      return Op::ABS;
    case Unary::Floor:
      return Op::FLOOR;
    case Unary::Ceil:
      return Op::CEIL;
    case Unary::Rsqrt:
      return Op::RSQRT;
    case Unary::Reciprocal:
      return Op::RECIPROCAL;
    case Unary::Exp:
      return Op::EXP;
    case Unary::Log:
      return Op::LOG;
    case Unary::Sin:
      return Op::SIN;
    case Unary::Cos:
      return Op::COS;
    case Unary::Erf:
      return Op::ERF;
    case Unary::Sigmoid:
      return Op::SIGMOID;
    case Unary::Tanh:
      return Op::TANH;
    default:
      return std::nullopt;
  }
}

// The functions that are composed of others, of floats of 32 bits or fewer.
class Composed {
 public:
  explicit Composed(Elementwise& builder) : b_(builder) {}

  Term trunc(const Term& x) { return b_.select(at_least(x, 0), b_.unary(Unary::Floor, x), b_.unary(Unary::Ceil, x)); }

  Term round_even(const Term& x) {
    // From here on all floats of the type are integers.
    const double limit = x.type == FileType::F16 ? 1024 : x.type == FileType::BF16 ? 128 : 8388608;
    const Term rounded = b_.apply(Op::CAST, b_.apply(Op::CAST, b_.clamp(x, -limit, limit), FileType::I32), x.type);
    return b_.select(b_.binary(Binary::Less, b_.unary(Unary::Abs, x), limit), rounded, x);
  }

  Term round_away(const Term& x) {
    const Term magnitude = b_.unary(Unary::Abs, x), floor = b_.unary(Unary::Floor, magnitude);
    const Term up = b_.cast(b_.binary(Binary::GreaterEqual, b_.sub(magnitude, floor), 0.5), x.type);
    const Term rounded = b_.add(floor, up);
    return b_.select(at_least(x, 0), rounded, b_.unary(Unary::Neg, rounded));
  }

  Term sqrt(const Term& x) {
    const double infinity = std::numeric_limits<double>::infinity();
    const Term special =
        b_.logical(Binary::BitOr, b_.binary(Binary::Equal, x, 0), b_.binary(Binary::Equal, x, infinity));
    return b_.select(special, x, b_.mul(x, b_.unary(Unary::Rsqrt, x)));
  }

  Term sign(const Term& x) {
    const Term negative = b_.select(b_.binary(Binary::Less, x, 0), b_.number(x.type, -1), x);
    return b_.select(b_.binary(Binary::Greater, x, 0), b_.number(x.type, 1), negative);
  }

  Term log1p(const Term& x) {
    const Term u = b_.binary(Binary::Add, x, 1);
    const Term corrected = b_.div(b_.mul(b_.unary(Unary::Log, u), x), b_.binary(Binary::Sub, u, 1));
    return b_.select(b_.binary(Binary::Equal, u, 1), x, corrected);
  }

  Term expm1(const Term& x) {
    // x * (1 + x/2 * (1 + x/3 * (...))): the series to the eighth power.
    Term sum = b_.number(x.type, 1);
    for (int k = 8; k >= 2; --k) sum = b_.affine(b_.mul(b_.affine(x, 1.0 / k, 0), sum), 1, 1);
    const Term large = b_.binary(Binary::Sub, b_.unary(Unary::Exp, x), 1);
    return b_.select(b_.binary(Binary::Less, b_.unary(Unary::Abs, x), 0.5), b_.mul(x, sum), large);
  }

  Term softplus(const Term& x) {
    const Term decay = b_.unary(Unary::Exp, b_.unary(Unary::Neg, b_.unary(Unary::Abs, x)));
    return b_.add(b_.binary(Binary::Max, x, 0), log1p(decay));
  }

  Term atan(const Term& x) {
    const Term magnitude = b_.unary(Unary::Abs, x);
    const Term inverted = b_.binary(Binary::Greater, magnitude, 1);
    const Term t = b_.select(inverted, b_.unary(Unary::Reciprocal, magnitude), magnitude);
    const double root = std::numbers::sqrt3;
    const Term shifted = b_.binary(Binary::Greater, t, 2 - root);  // the tangent of pi/12
    const Term moved = b_.div(b_.affine(t, root, -1), b_.affine(t, 1, root));
    const Term r = b_.select(shifted, moved, t), square = b_.mul(r, r);
    // The series of the arc tangent to the 13th power, for |r| <= tan(pi/12).
    Term sum = b_.number(x.type, 1.0 / 13);
    for (int k = 11; k >= 1; k -= 2) sum = b_.sub(b_.number(x.type, 1.0 / k), b_.mul(sum, square));
    Term angle = b_.mul(r, sum);
    angle = b_.select(shifted, b_.affine(angle, 1, std::numbers::pi / 6), angle);
    angle = b_.select(inverted, b_.sub(b_.number(x.type, std::numbers::pi / 2), angle), angle);
    return b_.select(b_.binary(Binary::Less, x, 0), b_.unary(Unary::Neg, angle), angle);
  }

  Term asin(const Term& x) {
    const Term one = b_.number(x.type, 1);
    const Term cosine = b_.unary(Unary::Sqrt, b_.mul(b_.sub(one, x), b_.add(one, x)));
    const Term angle = atan(b_.div(x, cosine));
    const Term at_end = b_.mul(x, b_.number(x.type, std::numbers::pi / 2));
    return b_.select(b_.binary(Binary::Equal, b_.unary(Unary::Abs, x), 1), at_end, angle);
  }

  Term acos(const Term& x) {
    const Term half = b_.unary(Unary::Sqrt, b_.affine(x, -0.5, 0.5));  // exact near 1, where pi/2 - asin(x) is not
    const Term near_one = b_.affine(asin(half), 2, 0);
    const Term elsewhere = b_.sub(b_.number(x.type, std::numbers::pi / 2), asin(x));
    return b_.select(b_.binary(Binary::Greater, x, 0.5), near_one, elsewhere);
  }

  Term sinh(const Term& x) {
    const Term e = expm1(b_.unary(Unary::Abs, x));
    const Term half = b_.affine(b_.add(e, b_.div(e, b_.affine(e, 1, 1))), 0.5, 0);
    return b_.select(b_.binary(Binary::Less, x, 0), b_.unary(Unary::Neg, half), half);
  }

  Term cosh(const Term& x) {
    return b_.affine(b_.add(b_.unary(Unary::Exp, x), b_.unary(Unary::Exp, b_.unary(Unary::Neg, x))), 0.5, 0);
  }

  Term asinh(const Term& x) {
    const Term magnitude = b_.unary(Unary::Abs, x), square = b_.mul(x, x);
    const Term root = b_.unary(Unary::Sqrt, b_.affine(square, 1, 1));
    const Term value = log1p(b_.add(magnitude, b_.div(square, b_.affine(root, 1, 1))));
    return b_.select(b_.binary(Binary::Less, x, 0), b_.unary(Unary::Neg, value), value);
  }

  Term acosh(const Term& x) {
    const Term t = b_.affine(x, 1, -1);
    return log1p(b_.add(t, b_.unary(Unary::Sqrt, b_.add(b_.affine(t, 2, 0), b_.mul(t, t)))));
  }

  Term atanh(const Term& x) {
    return b_.affine(log1p(b_.div(b_.affine(x, 2, 0), b_.sub(b_.number(x.type, 1), x))), 0.5, 0);
  }

  Term apply(Unary op, const Term& x) {
    switch (op) {
      case Unary::Trunc:
        return trunc(x);
      case Unary::RoundEven:
        return round_even(x);
      case Unary::RoundAway:
        return round_away(x);
      case Unary::Sqrt:
        return sqrt(x);
      case Unary::Sign:
        return sign(x);
      case Unary::IsNan:
        return b_.unary(Unary::Not, b_.binary(Binary::Equal, x, x));
      default:
        // Constants of these have more digits than narrow floats.
        return x.type == FileType::F32 ? precise(op, x) : b_.cast(precise(op, b_.cast(x, FileType::F32)), x.type);
    }
  }

 private:
  Term precise(Unary op, const Term& x) {
    switch (op) {
      case Unary::Expm1:
        return expm1(x);
      case Unary::Log1p:
        return log1p(x);
      case Unary::Softplus:
        return softplus(x);
      case Unary::Tan:
        return b_.div(b_.unary(Unary::Sin, x), b_.unary(Unary::Cos, x));
      case Unary::Asin:
        return asin(x);
      case Unary::Acos:
        return acos(x);
      case Unary::Atan:
        return atan(x);
      case Unary::Sinh:
        return sinh(x);
      case Unary::Cosh:
        return cosh(x);
      case Unary::Asinh:
        return asinh(x);
      case Unary::Acosh:
        return acosh(x);
      case Unary::Atanh:
        return atanh(x);
      default:
        throw Refused("the function is not defined for floats");
    }
  }

  Term at_least(const Term& x, double number) { return b_.binary(Binary::GreaterEqual, x, number); }

  Elementwise& b_;
};

Term of_integer(Elementwise& b, Unary op, const Term& x) {
  const Term wide = b.widen(x);
  switch (op) {
    case Unary::Neg:
      return b.narrow(b.sub(b.number(FileType::I32, 0, tensor::Shape(x.rank(), 1)), wide), x.type);
    case Unary::Abs:
      if (is_unsigned(x.type)) return x;
      return b.narrow(b.apply(Op::ABS, wide, FileType::I32), x.type);
    case Unary::Not:
      return b.narrow(b.apply(Op::BITWISE_NOT, wide, FileType::I32), x.type);
    case Unary::Sign: {
      const Term positive = b.widen(b.binary(Binary::Greater, wide, 0));
      return b.narrow(b.sub(positive, b.widen(b.binary(Binary::Less, wide, 0))), x.type);
    }
    case Unary::Floor:
    case Unary::Ceil:
    case Unary::Trunc:
    case Unary::RoundEven:
    case Unary::RoundAway:
      return x;
    default:
      throw Refused(formatted("the function is not defined for {}", name_of(x.type)));
  }
}

Term folded(Unary op, const Term& x) {
  const FileType type = op == Unary::IsNan ? FileType::Bool : x.type;
  if (is_real(x.type)) {
    std::vector<double> values = x.known->reals();
    for (double& each : values) each = fold_real(op, each);
    return known_term(array_of(type, x.shape, std::span<const double>(values)));
  }
  std::vector<std::int64_t> values = x.known->integers();
  for (std::int64_t& each : values) each = x.type == FileType::Bool ? each == 0 : fold_integer(op, each);
  return known_term(array_of(type, x.shape, std::span<const std::int64_t>(values)));
}

}  // namespace

Term function_of(Elementwise& b, Unary op, const Term& x) {
  if (x.count() == 0) return b.number(op == Unary::IsNan ? FileType::Bool : x.type, 0, x.shape);
  if (x.type == FileType::Bool) {
    if (op != Unary::Not) throw Refused("the function is not defined for bools");
    if (x.known && x.count() <= kMaxFolded) return folded(op, x);
    return b.apply(Op::LOGICAL_NOT, x, x.type);
  }
  if (x.known && x.count() <= kMaxFolded && is_computable(x.type)) return folded(op, x);
  if (!is_real(x.type)) return of_integer(b, op, x);
  const Term of = b.computable(x);
  Term made;
  if (op == Unary::Neg) {
    tosa::Attributes attributes;
    attributes.set_real("input1_zp", 0);
    attributes.set_real("output_zp", 0);
    made = b.apply(Op::NEGATE, of, of.type, std::move(attributes));
  } else if (const auto same = direct(op)) {
    made = b.apply(*same, of, of.type);
  } else {
    // A float of 64 bits is one of 32 in the graph.
    made = Composed(b).apply(op, of.type == FileType::F64 ? b.cast(of, FileType::F32) : of);
  }
  return op == Unary::IsNan ? made : b.cast(made, x.type);
}

}  // namespace slipway::importer
