// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/quant/quantised.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/format.hpp"
#include "importer/emit/unsigned.hpp"

namespace slipway::importer {
namespace {

using tosa::Op;

constexpr std::int32_t kUnity = 1 << 30;
constexpr Multiplier kOne{.mantissa = kUnity, .exponent = 1};

template <class T>
tosa::ValueId list_constant(Builder& b, tosa::DataType type, const std::vector<T>& values) {
  std::vector<std::byte> data(values.size() * sizeof(T));
  std::memcpy(data.data(), values.data(), data.size());
  return b.graph().add_constant({type, {static_cast<std::int64_t>(values.size())}}, std::move(data));
}

tosa::Attributes rescale_attributes(bool scale32, bool per_channel, tosa::RoundingMode rounding,
                                    std::int64_t input_zero, std::int64_t output_zero) {
  return {{"scale32", {scale32 ? 1 : 0}},
          {"rounding_mode", {static_cast<std::int64_t>(rounding)}},
          {"per_channel", {per_channel ? 1 : 0}},
          {"input_unsigned", {0}},
          {"output_unsigned", {0}},
          {"input_zp", {input_zero}},
          {"output_zp", {output_zero}}};
}

void check_zero(FileType type, std::int64_t zero) {
  if (zero != 0 && type != FileType::I8)
    throw Refused(formatted("the zero point {} of {} is not supported; it has to be 0", zero, name_of(type)));
}

}  // namespace

std::int64_t QuantisedType::moved() const { return signed_offset(stored); }

bool is_quantised(const Term& x) {
  return x.quantization && !x.quantization->scales.empty() && is_integer(x.type) && bits_of(x.type) <= 16;
}

QuantisedType quantised_type(FileType stored, const Quantization* quantization) {
  if (!quantization || quantization->scales.empty())
    throw Refused(formatted("a tensor of {} has no quantisation", name_of(stored)));
  QuantisedType made{.type = stored, .stored = stored, .scale = quantization->scale(), .zero = 0};
  if (stored == FileType::U8) made.type = FileType::I8;
  if (stored == FileType::I4) made.type = FileType::I8;
  if (made.type != FileType::I8 && made.type != FileType::I16 && made.type != FileType::I32)
    throw Refused(formatted("quantised tensors of {} are not supported", name_of(stored)));
  made.zero = (quantization->zero_points.empty() ? 0 : quantization->zero_point()) - signed_offset(stored);
  return made;
}

QuantisedTerm quantised(Builder& b, const Term& x) {
  QuantisedTerm made{.term = as_signed(b, x), .type = quantised_type(x.type, x.quantization.get()), .scales = {}};
  if (x.type == FileType::I4) made.term = b.relabel(x, FileType::I8);
  made.scales = x.quantization->scales;
  made.axis = static_cast<std::size_t>(x.quantization->axis);
  return made;
}

Term stored_bits(Builder& b, const Term& x, const QuantisedType& type) {
  return type.stored == FileType::U8 ? from_signed(b, x, type.stored) : x;
}

Term rescale(Builder& b, const Term& x, FileType to, const Scaling& how) {
  check_zero(x.type, how.input_zero);
  check_zero(to, how.output_zero);
  std::vector<std::int32_t> mantissas;
  std::vector<std::int8_t> shifts;
  bool doubled = how.arithmetic != Arithmetic::Single;
  for (const Multiplier& each : how.by) {
    if (each.exponent > 29) throw Refused("a scale is 2^29 or more times another one");
    mantissas.push_back(each.mantissa);
    shifts.push_back(static_cast<std::int8_t>(each.mantissa == 0 ? 31 : 31 - each.exponent));
  }
  const tosa::ValueId multiplier = list_constant(b, tosa::DataType::I32, mantissas);
  const tosa::ValueId shift = list_constant(b, tosa::DataType::I8, shifts);
  const auto rounding = doubled ? tosa::RoundingMode::DoubleRound : tosa::RoundingMode::SingleRound;
  return b.apply(Op::RESCALE, x, to,
                 rescale_attributes(true, how.by.size() > 1, rounding, how.input_zero, how.output_zero),
                 {multiplier, shift});
}

Term rescale_wide(Builder& b, const Term& x, FileType to, std::span<const Multiplier> by) {
  std::vector<std::int16_t> mantissas;
  std::vector<std::int8_t> shifts;
  for (const Multiplier& each : by) {
    const std::int32_t reduced = each.mantissa < 0x7fff0000 ? (each.mantissa + (1 << 15)) >> 16 : 0x7fff;
    if (each.exponent > 13) throw Refused("a scale is 2^13 or more times another one");
    mantissas.push_back(static_cast<std::int16_t>(reduced));
    shifts.push_back(static_cast<std::int8_t>(reduced == 0 ? 15 : 15 - each.exponent));
  }
  const tosa::ValueId multiplier = list_constant(b, tosa::DataType::I16, mantissas);
  const tosa::ValueId shift = list_constant(b, tosa::DataType::I8, shifts);
  return b.apply(Op::RESCALE, x, to, rescale_attributes(false, by.size() > 1, tosa::RoundingMode::SingleRound, 0, 0),
                 {multiplier, shift});
}

Term narrow_wide(Builder& b, const Term& x) {
  // 2^14 / 2^14.
  const Multiplier one{.mantissa = kUnity, .exponent = 1};
  return rescale_wide(b, x, FileType::I32, std::span(&one, 1));
}

Term requantise(Builder& b, const Term& sums, const QuantisedType& to, std::span<const double> scales,
                Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::Float) {
    const Term real = b.cast(sums, FileType::F32);
    const Term scale = known_term(array_of(
        FileType::F32, scales.size() == 1 ? tensor::Shape{} : tensor::Shape{static_cast<std::int64_t>(scales.size())},
        scales));
    const auto low = static_cast<double>(to.low() - to.zero), high = static_cast<double>(to.high() - to.zero);
    const Term scaled = b.clamp(b.mul(real, scale), low, high);
    const Term rounded = b.apply(Op::CAST, scaled, FileType::I32);
    return b.narrow(b.binary(Binary::Add, rounded, static_cast<double>(to.zero)), to.type);
  }
  Scaling how{.by = {}, .output_zero = to.zero, .arithmetic = arithmetic};
  for (const double scale : scales) how.by.push_back(multiplier_of(scale));
  return rescale(b, sums, to.type, how);
}

Term centred(Builder& b, const QuantisedTerm& x) {
  if (x.term.known && x.term.count() <= kMaxFolded)
    return b.binary(Binary::Sub, b.widen(x.term), static_cast<double>(x.type.zero));
  if (x.type.zero == 0) return b.widen(x.term);
  return rescale(b, x.term, FileType::I32, {.by = {kOne}, .input_zero = x.type.zero});
}

Term centred_shifted(Builder& b, const QuantisedTerm& x, int bits) {
  if (x.type.type == FileType::I8 && !x.term.known)
    return rescale(b, x.term, FileType::I32,
                   {.by = {{.mantissa = kUnity, .exponent = 1 + bits}}, .input_zero = x.type.zero});
  return b.binary(Binary::ShiftLeft, centred(b, x), bits);
}

Term divide_by_power(Builder& b, const Term& x, int exponent) {
  if (exponent == 0) return x;
  const Term nudged = b.add(x, b.binary(Binary::ShiftRight, x, 31));
  return b.binary(Binary::ShiftRight, b.binary(Binary::Add, nudged, std::ldexp(1, exponent - 1)), exponent);
}

Term divide_by_powers(Builder& b, const Term& x, const Term& exponents) {
  // Magnitudes are shifted, so that halves go away from 0.
  const Term is_negative = b.binary(Binary::Less, x, 0);
  const tensor::Shape shape = broadcast_shape(x.shape, exponents.shape);
  const Term magnitude = b.broadcast(b.unary(Unary::Abs, x), shape);
  const Term shifted = b.term(
      b.add(Op::ARITHMETIC_RIGHT_SHIFT, {b.value(magnitude), b.value(b.broadcast(exponents, shape))}, {{"round", {1}}}),
      FileType::I32);
  return b.select(is_negative, b.unary(Unary::Neg, shifted), shifted);
}

Term dequantised(Builder& b, const Term& x) {
  const Quantization& by = *x.quantization;
  Term whole = b.widen(x);
  const bool moves = std::ranges::any_of(by.zero_points, [](std::int64_t zero) { return zero != 0; });
  tensor::Shape shape;
  if (by.scales.size() > 1) {
    shape.assign(x.rank(), 1);
    shape[axis_of(by.axis, x.rank())] = static_cast<std::int64_t>(by.scales.size());
  }
  if (moves) {
    std::vector<std::int64_t> zeros = by.zero_points;
    zeros.resize(by.scales.size(), zeros[0]);
    whole = b.sub(whole, b.integers(FileType::I32, shape, zeros));
  }
  const std::vector<double> scales(by.scales.begin(), by.scales.end());
  return b.mul(b.cast(whole, FileType::F32), known_term(array_of(FileType::F32, shape, std::span(scales))));
}

Term quantised_from_real(Builder& b, const Term& x, const QuantisedType& to) {
  const Term divided = b.div(b.cast(x, FileType::F32), b.number(FileType::F32, to.scale));
  const Term rounded = b.unary(Unary::RoundAway, divided);
  // Limits before the zero point is added, so that nothing leaves 32 bits.
  const auto low = static_cast<double>(to.low() - to.zero), high = static_cast<double>(to.high() - to.zero);
  const Term whole = b.cast(b.clamp(rounded, low, high), FileType::I32);
  return stored_bits(b, b.narrow(b.binary(Binary::Add, whole, static_cast<double>(to.zero)), to.type), to);
}

}  // namespace slipway::importer
