// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/quant/half_even.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "importer/emit/unsigned.hpp"

namespace slipway::importer {
namespace {

void check_width(FileType type) {
  if (!is_integer(type) || bits_of(type) > 16) throw Refused(formatted("quantised numbers are not {}", name_of(type)));
}

// Floats rounded to int32, halves to even; saturates.
Term rounded_to_int32(Builder& b, const Term& x) {
  if (x.known && x.count() <= kMaxFolded) return b.cast(b.unary(Unary::RoundEven, x), FileType::I32);
  return b.apply(tosa::Op::CAST, x, FileType::I32);
}

}  // namespace

std::int64_t min_value_of(FileType type) {
  check_width(type);
  return is_unsigned(type) ? 0 : -(std::int64_t{1} << (bits_of(type) - 1));
}

std::int64_t max_value_of(FileType type) {
  check_width(type);
  return (std::int64_t{1} << (bits_of(type) - (is_unsigned(type) ? 0 : 1))) - 1;
}

namespace {

// Floats of `digits` binary digits each, whose sum is x (Veltkamp's splitting).
std::vector<Term> pieces_of(Builder& b, const Term& x, int digits, int count) {
  constexpr int kDigits = 24;
  const double splitter = std::ldexp(1, kDigits - digits) + 1;
  std::vector<Term> pieces;
  Term rest = x;
  for (int i = 1; i < count; ++i) {
    const Term scaled = b.binary(Binary::Mul, rest, splitter);
    pieces.push_back(b.sub(scaled, b.sub(scaled, rest)));
    rest = b.sub(rest, pieces.back());
  }
  pieces.push_back(rest);
  return pieces;
}

}  // namespace

Term rounding_quotient(Builder& b, const Term& x, const Term& scale, FileType type) {
  if (x.known && scale.known && x.count() <= kMaxFolded) return b.div(x, scale);
  // Beyond every integer of 16 bits with any zero point.
  constexpr double kFar = 1 << 18;
  const Term reciprocal = b.unary(Unary::Reciprocal, scale);
  const Term near = b.clamp(b.mul(x, reciprocal), -kFar, kFar);
  // The quotient differs from `middle` by less than 1. What x exceeds middle * scale by is computed without rounding
  // where it is small: `middle` has few digits, so that its products with pieces of the scale are exact, and so are the
  // differences.
  const Term middle = b.binary(Binary::Add, b.unary(Unary::Floor, near), 0.5);
  Term rest = x;
  const bool is_8 = bits_of(type) <= 8;
  for (const Term& piece : pieces_of(b, scale, is_8 ? 12 : 6, is_8 ? 2 : 4)) rest = b.sub(rest, b.mul(middle, piece));
  return b.add(middle, b.mul(rest, reciprocal));
}

Term quotient_by_255(Builder& b, const Term& x) {
  if (x.known) return b.binary(Binary::Div, x, 255);
  const auto reciprocal = static_cast<double>(1.0F / 255);
  const Term near = b.binary(Binary::Mul, x, reciprocal);
  // x - 255 * near as x - 256 * near + near, all of which are exact.
  const Term rest = b.add(b.sub(x, b.binary(Binary::Mul, near, 256)), near);
  return b.add(near, b.binary(Binary::Mul, rest, reciprocal));
}

Term rounded_within(Builder& b, const Term& x, const EvenRounding& how) {
  // The limits are whole numbers, so that they may come before the rounding.
  const auto low = static_cast<double>(how.low - how.zero), high = static_cast<double>(how.high - how.zero);
  const Term whole = rounded_to_int32(b, b.clamp(x, low, high));
  // uint8 is int8 with a moved zero point, of which the next operator takes the int8 (layout/cancel_unsigned.hpp).
  const bool moves = how.type == FileType::U8 && !x.known;
  const std::int64_t zero = how.zero - (moves ? signed_offset(how.type) : 0);
  const Term made = b.narrow(b.affine(whole, 1, static_cast<double>(zero)), moves ? FileType::I8 : how.type);
  return moves ? from_signed(b, made, how.type) : made;
}

Term quantised_to_even(Builder& b, const Term& x, FileType type, const Term* zero_point) {
  const auto low = static_cast<double>(min_value_of(type)), high = static_cast<double>(max_value_of(type));
  if (!zero_point || (zero_point->known && zero_point->count() == 1)) {
    return rounded_within(b, x,
                          {.type = type,
                           .zero = zero_point ? zero_point->known->integer(0) : 0,
                           .low = min_value_of(type),
                           .high = max_value_of(type)});
  }
  // Wider than any type and zero point, so that the sum does not overflow.
  constexpr double kFar = 1 << 24;
  const Term whole = rounded_to_int32(b, b.clamp(x, -kFar, kFar));
  const Term moved = b.add(whole, b.widen(*zero_point));
  return b.narrow(b.binary(Binary::Min, b.binary(Binary::Max, moved, low), high), type);
}

Term centred_real(Builder& b, const Term& x, const Term* zero_point) {
  if (is_real(x.type)) return b.cast(x, FileType::F32);
  if (zero_point && zero_point->known && zero_point->count() == 1) {
    const bool moves = x.type == FileType::U8 && !x.known;
    const std::int64_t zero = zero_point->known->integer(0) - (moves ? signed_offset(x.type) : 0);
    return b.cast(b.affine(b.widen(moves ? as_signed(b, x) : x), 1, -static_cast<double>(zero)), FileType::F32);
  }
  const Term wide = b.widen(x);
  return b.cast(zero_point ? b.sub(wide, b.widen(*zero_point)) : wide, FileType::F32);
}

DynamicallyQuantised dynamically_quantised(Builder& b, const Term& x) {
  constexpr double kLevels = 255;
  const Term flat = b.reshape(x, {x.count()});
  const Term low = b.binary(Binary::Min, b.reduce(Reduction::Min, flat, {0}, true), 0);
  const Term high = b.binary(Binary::Max, b.reduce(Reduction::Max, flat, {0}, true), 0);
  const Term range = b.sub(high, low);
  const Term used = b.select(b.binary(Binary::Equal, range, 0), b.number(range.type, 1), range);
  const Term scale = quotient_by_255(b, used);
  const Term zero = b.unary(Unary::Neg, rounding_quotient(b, low, scale, FileType::U8));
  const Term whole_zero = rounded_to_int32(b, b.clamp(zero, 0, kLevels));
  // Both numbers are rounded before they are added.
  constexpr double kFar = 1 << 24;
  const Term whole = rounded_to_int32(b, b.clamp(rounding_quotient(b, x, scale, FileType::U8), -kFar, kFar));
  const Term moved = b.binary(Binary::Min, b.binary(Binary::Max, b.add(whole, whole_zero), 0), kLevels);
  return {b.reshape(b.narrow(moved, FileType::U8), x.shape), b.reshape(scale, {}),
          b.reshape(b.narrow(whole_zero, FileType::U8), {})};
}

}  // namespace slipway::importer
