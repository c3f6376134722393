// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/small_types.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/small_float.hpp"

namespace slipway::importer {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Codes of the numbers from 0 on, in order; those below 0 have a sign bit.
struct CodeLayout {
  int bits = 0;           // without the sign
  std::int64_t last = 0;  // the code of the largest number
  std::int64_t sign = 0;  // the sign bit; 0: there are no numbers below 0
  std::int64_t nan = 0;
  bool negative_zero = false;
};

CodeLayout layout_of(FileType type) {
  switch (type) {
    case FileType::F8E4M3Fnuz:
    case FileType::F8E5M2Fnuz:
      return {.bits = 7, .last = 127, .sign = 128, .nan = 128};
    case FileType::F4E2M1:  // without NaN
      return {.bits = 3, .last = 7, .sign = 8, .nan = 8, .negative_zero = true};
    case FileType::F8E8M0:
      return {.bits = 8, .last = 254, .nan = 255};
    default:
      std::unreachable();
  }
}

// A float whose exponents have no reserved value, as in FNUZ types.
double decode_plain(std::uint32_t code, int mantissa_bits, int bias) {
  const std::uint32_t mantissa = code & ((1U << mantissa_bits) - 1);
  const auto exponent = static_cast<int>(code >> mantissa_bits);
  if (exponent == 0) return std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return std::ldexp(mantissa + (1U << mantissa_bits), exponent - bias - mantissa_bits);
}

double magnitude_of(FileType type, std::uint32_t code) {
  switch (type) {
    case FileType::F8E4M3Fnuz:
      return decode_plain(code, 3, 8);
    case FileType::F8E5M2Fnuz:
      return decode_plain(code, 2, 16);
    case FileType::F4E2M1:
      return tensor::decode_float(tensor::kE2M1, code);
    default:
      return std::ldexp(1, static_cast<int>(code) - 127);
  }
}

// The smallest float32 from which on a number is rounded to `code` or more.
double threshold(FileType type, std::uint32_t code, ScaleRounding rounding) {
  const double below = magnitude_of(type, code - 1), number = magnitude_of(type, code);
  const auto after = [](double of) { return static_cast<double>(std::nextafter(static_cast<float>(of), HUGE_VALF)); };
  if (type == FileType::F8E8M0) {
    if (rounding == ScaleRounding::Down) return number;
    return rounding == ScaleRounding::Up ? after(below) : 1.5 * below;
  }
  const double middle = (below + number) / 2;
  return code % 2 == 0 ? middle : after(middle);
}

struct Encoder {
  CodeLayout layout;
  std::vector<double> thresholds;  // for each code
  double overflow = kInfinity;     // from here on, without saturation, a number is NaN
  double underflow = 0;            // below, likewise
};

Encoder encoder_of(FileType type, const Conversion& how) {
  Encoder made{.layout = layout_of(type), .thresholds = {}};
  made.thresholds.assign(std::size_t{1} << made.layout.bits, kInfinity);
  made.thresholds[0] = 0;
  for (std::int64_t code = 1; code <= made.layout.last; ++code)
    made.thresholds[static_cast<std::size_t>(code)] = threshold(type, static_cast<std::uint32_t>(code), how.scale);
  if (how.saturate || type == FileType::F4E2M1) return made;
  made.overflow = threshold(type, static_cast<std::uint32_t>(made.layout.last) + 1, how.scale);
  if (!std::isfinite(made.overflow)) made.overflow = kInfinity;
  if (type == FileType::F8E8M0) made.underflow = magnitude_of(type, 0);
  return made;
}

std::uint8_t encode(const Encoder& with, float number, bool saturate) {
  if (std::isnan(number)) return static_cast<std::uint8_t>(with.layout.nan);
  const double magnitude = std::fabs(number);
  if (!saturate && (magnitude >= with.overflow || magnitude < with.underflow))
    return static_cast<std::uint8_t>(with.layout.nan);
  const auto after = std::ranges::upper_bound(with.thresholds, magnitude);
  std::int64_t code = std::min<std::int64_t>(after - with.thresholds.begin() - 1, with.layout.last);
  if (std::signbit(number) && (code != 0 || with.layout.negative_zero)) code |= with.layout.sign;
  return static_cast<std::uint8_t>(code);
}

Term encoded_on_host(const Array& array, FileType type, const Conversion& how) {
  const Encoder with = encoder_of(type, how);
  std::vector<std::byte> codes(array.count());
  for (std::size_t i = 0; i < codes.size(); ++i)
    codes[i] = static_cast<std::byte>(encode(with, static_cast<float>(array.real(i)), how.saturate));
  return known_term(array_of(type, array.shape, std::move(codes)));
}

// Whether a float is below 0 or -0.
Term has_sign(Elementwise& b, const Term& x, bool of_zero) {
  Term negative = b.binary(Binary::Less, x, 0);
  if (!of_zero) return negative;
  const Term inverse = b.unary(Unary::Reciprocal, x);
  return b.logical(Binary::BitOr, negative, b.binary(Binary::Equal, inverse, -kInfinity));
}

Term encoded(Elementwise& b, const Term& x, FileType type, const Conversion& how) {
  const Encoder with = encoder_of(type, how);
  const auto count = static_cast<std::int64_t>(with.thresholds.size());
  const Term table = known_term(array_of(FileType::F32, {count, 1}, std::span<const double>(with.thresholds)));
  const Term magnitude = b.unary(Unary::Abs, x);
  Term code = b.broadcast(b.number(FileType::I32, 0), x.shape);
  for (int bit = with.layout.bits - 1; bit >= 0; --bit) {
    const Term next = b.binary(Binary::Add, code, std::ldexp(1, bit));
    const Term begin = b.reshape(b.rows(table, b.reshape(next, {next.count()})), x.shape);
    code = b.select(b.binary(Binary::GreaterEqual, magnitude, begin), next, code);
  }
  if (with.layout.last + 1 < count) code = b.binary(Binary::Min, code, static_cast<double>(with.layout.last));
  if (with.layout.sign != 0) {
    const Term sign = b.number(FileType::I32, static_cast<double>(with.layout.sign));
    Term is_negative = has_sign(b, x, with.layout.negative_zero);
    if (!with.layout.negative_zero)
      is_negative = b.logical(Binary::BitAnd, is_negative, b.binary(Binary::Greater, code, 0));
    code = b.select(is_negative, b.binary(Binary::BitOr, code, sign), code);
  }
  const Term nan = b.number(FileType::I32, static_cast<double>(with.layout.nan));
  Term is_nan = b.unary(Unary::IsNan, x);
  if (!how.saturate) {
    is_nan = b.logical(Binary::BitOr, is_nan, b.binary(Binary::GreaterEqual, magnitude, with.overflow));
    is_nan = b.logical(Binary::BitOr, is_nan, b.binary(Binary::Less, magnitude, with.underflow));
  }
  return b.relabel(b.narrow(b.select(is_nan, nan, code), FileType::U8), type);
}

Term decoded(Elementwise& b, const Term& x, FileType type) {
  const std::vector<double> values = decoded_values(x.type);
  const auto mask = static_cast<std::int64_t>(values.size()) - 1;
  if (x.known) {
    std::vector<double> numbers(x.known->count());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = values[static_cast<std::size_t>(x.known->integer(i) & mask)];
    return known_term(array_of(type, x.shape, std::span<const double>(numbers)));
  }
  const Term code = b.binary(Binary::BitAnd, b.widen(b.relabel(x, FileType::I8)), static_cast<double>(mask));
  const Term table = known_term(array_of(type, {mask + 1, 1}, std::span<const double>(values)));
  return b.reshape(b.rows(table, b.reshape(code, {code.count()})), x.shape);
}

}  // namespace

bool is_coded(FileType type) {
  return type == FileType::F8E4M3Fnuz || type == FileType::F8E5M2Fnuz || type == FileType::F4E2M1 ||
         type == FileType::F8E8M0;
}

std::vector<double> decoded_values(FileType type) {
  const CodeLayout layout = layout_of(type);
  std::vector<double> values;
  for (std::int64_t code = 0; code < (layout.sign == 0 ? 256 : 2 * layout.sign); ++code) {
    const bool negative = layout.sign != 0 && (code & layout.sign) != 0;
    const double magnitude = magnitude_of(type, static_cast<std::uint32_t>(negative ? code - layout.sign : code));
    const bool is_nan = code == layout.nan && !layout.negative_zero;
    values.push_back(is_nan ? kNan : negative ? -magnitude : magnitude);
  }
  return values;
}

Term convert(Elementwise& b, const Term& x, FileType type, const Conversion& how) {
  if (x.type == type) return x;
  if (x.count() == 0) return b.number(type, 0, x.shape);
  if (is_coded(x.type)) return convert(b, decoded(b, x, is_real(type) ? type : FileType::F32), type, how);
  if (is_coded(type)) {
    const Term real = b.cast(x, FileType::F32);
    return real.known ? encoded_on_host(*real.known, type, how) : encoded(b, real, type, how);
  }
  const bool is_float8 = type == FileType::F8E4M3 || type == FileType::F8E5M2;
  if (!is_float8 || how.saturate) return b.cast(x, type);
  const Term real = b.cast(x, FileType::F32);
  if (real.known) return known_term(array_of(type, x.shape, std::span<const double>(real.known->reals())));
  return b.apply(tosa::Op::CAST, real, type);
}

}  // namespace slipway::importer
