// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/quant/tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slipway::importer {
namespace {

std::int64_t lowest_of(FileType type) { return is_unsigned(type) ? 0 : -(std::int64_t{1} << (bits_of(type) - 1)); }

std::int64_t clamped_to(FileType type, std::int64_t value) {
  const std::int64_t low = lowest_of(type);
  return std::clamp(value, low, low + (std::int64_t{1} << bits_of(type)) - 1);
}

// TABLE of 8 bits. The entries are in the order of the signed numbers that have the same bits.
Term small_table(Builder& b, const Term& x, FileType to, const IntegerFunction& function) {
  std::vector<std::byte> entries;
  for (int bits = -128; bits < 128; ++bits) {
    const std::int64_t made = clamped_to(to, function(is_unsigned(x.type) ? bits & 255 : bits));
    entries.push_back(static_cast<std::byte>(made & 255));
  }
  const tosa::ValueId table = b.graph().add_constant({tosa::DataType::I8, {256}}, std::move(entries));
  return b.apply(tosa::Op::TABLE, x, to, {}, {table});
}

// Numbers from 0 on that index a table.
Term indices_of(Builder& b, const Term& x) {
  const Term wide = b.widen(x);
  const std::int64_t low = lowest_of(x.type);
  return low == 0 ? wide : b.binary(Binary::Sub, wide, static_cast<double>(low));
}

}  // namespace

std::int64_t integer_of(float whole) {
  constexpr float kLarge = 0x1p32F;  // for any type in tables
  return std::isnan(whole) ? 0 : static_cast<std::int64_t>(std::clamp(whole, -kLarge, kLarge));
}

Term by_table(Builder& b, const Term& x, FileType to, const IntegerFunction& function) {
  if (bits_of(x.type) == 8 && bits_of(to) == 8 && !x.known) return small_table(b, x, to, function);
  return looked_up(b, table_of(b, x.type, to, function), x);
}

Term table_of(Builder& b, FileType from, FileType to, const IntegerFunction& function) {
  const std::int64_t low = lowest_of(from);
  std::vector<std::int64_t> entries(std::size_t{1} << bits_of(from));
  for (std::size_t i = 0; i < entries.size(); ++i)
    entries[i] = clamped_to(to, function(low + static_cast<std::int64_t>(i)));
  return b.integers(to, {static_cast<std::int64_t>(entries.size())}, entries);
}

Term looked_up(Builder& b, const Term& table, const Term& x) { return b.rows(table, indices_of(b, x)); }

Term by_table(Builder& b, const Term& x, const Term& y, FileType to,
              const std::function<std::int64_t(std::int64_t, std::int64_t)>& function) {
  if (bits_of(x.type) != 8 || bits_of(y.type) != 8) throw Refused("a table of two operands needs 8 bits");
  std::vector<std::int64_t> entries;
  for (std::int64_t i = 0; i < 256; ++i) {
    for (std::int64_t k = 0; k < 256; ++k)
      entries.push_back(clamped_to(to, function(lowest_of(x.type) + i, lowest_of(y.type) + k)));
  }
  const Term table = b.integers(to, {static_cast<std::int64_t>(entries.size())}, entries);
  const Term row = b.binary(Binary::ShiftLeft, indices_of(b, x), 8);
  return b.rows(table, b.add(row, indices_of(b, y)));
}

std::vector<std::int64_t> interpolated_table(const RealRange& range, const RealFunction& function) {
  constexpr int kSteps = 512;
  const float step = (range.high - range.low) / kSteps, half = step / 2;
  const float scale = 65536.0F / (range.result_high - range.result_low);
  const auto limited = [](float value) {
    return static_cast<std::int64_t>(std::min(std::max(value, -32768.0F), 32767.0F));
  };
  std::vector<std::int64_t> table;
  for (int i = 0; i < kSteps; ++i) {
    const auto at = static_cast<float>(i);
    const float here = function(range.low + at * step);
    const float middle = function(range.low + at * step + half);
    const float next = function(range.low + (at + 1) * step);
    // The error in the middle of the interval is shared between its ends.
    const float first = std::round(here * scale);
    const float between = std::round((next * scale + first) / 2);
    const float error = between - std::round(middle * scale);
    table.push_back(limited(first - std::round(error / 2)));
  }
  table.push_back(limited(std::round(function(range.high) * scale)));
  return table;
}

Term interpolated(Builder& b, const Term& x, std::span<const std::int64_t> table) {
  const Term entries = b.integers(FileType::I16, {static_cast<std::int64_t>(table.size())}, table);
  const Term fine = b.apply(tosa::Op::TABLE, x, FileType::I32, {}, {b.value(entries)});
  // By 2^-7, to nearest.
  return rescale(b, fine, FileType::I16,
                 {.by = {{.mantissa = 1 << 30, .exponent = -6}}, .arithmetic = Arithmetic::Single});
}

Term by_real_table(Builder& b, const Term& x, const QuantisedType& from, const QuantisedType& to,
                   const RealFunction& function) {
  const std::int64_t zero = from.zero + from.moved(), result_zero = to.zero + to.moved();
  if (bits_of(x.type) == 16) {
    const auto real = [](std::int64_t value, std::int64_t zero_point, float scale) {
      return scale * static_cast<float>(value - zero_point);
    };
    const RealRange range{.low = real(-32768, zero, from.scale),
                          .high = real(32767, zero, from.scale),
                          .result_low = real(-32768, result_zero, to.scale),
                          .result_high = real(32767, result_zero, to.scale)};
    return interpolated(b, x, interpolated_table(range, function));
  }
  const float inverse = 1 / to.scale;
  return by_table(b, x, to.stored, [&](std::int64_t value) {
    const float scaled = std::round(function(from.scale * static_cast<float>(value - zero)) * inverse);
    const float moved = scaled + static_cast<float>(result_zero);
    constexpr float kMaxMoved = 1 << 30;
    return static_cast<std::int64_t>(std::isnan(moved) ? 0 : std::clamp(moved, -kMaxMoved, kMaxMoved));
  });
}

}  // namespace slipway::importer
