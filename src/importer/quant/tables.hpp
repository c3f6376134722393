// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of quantised tensors by tables of all their values (docs/spec/import.md#tables-of-elementwise-functions).
// Functions map numbers of the file to numbers of the file.
#pragma once

#include <functional>

#include "importer/quant/quantised.hpp"

namespace slipway::importer {

using IntegerFunction = std::function<std::int64_t(std::int64_t)>;
using RealFunction = std::function<float(float)>;

// A whole number that was computed as a real one, which may be any: of large ones only the sign counts, 0 for NaN.
std::int64_t integer_of(float whole);

// Of int8, uint8 and int16; the result has the type `to`, into which the numbers are clamped.
Term by_table(Builder& b, const Term& x, FileType to, const IntegerFunction& function);
// The same in two steps, so that several operators share a table: of all numbers of the type `from`, and for the
// elements of x, which has that type.
Term table_of(Builder& b, FileType from, FileType to, const IntegerFunction& function);
Term looked_up(Builder& b, const Term& table, const Term& x);
// Of two tensors of 8 bits, which are broadcast.
Term by_table(Builder& b, const Term& x, const Term& y, FileType to,
              const std::function<std::int64_t(std::int64_t, std::int64_t)>& function);

// The table that TensorFlow Lite makes for a function of reals: of 256 numbers for 8 bits; for 16 bits 513, between
// which the result is interpolated.
Term by_real_table(Builder& b, const Term& x, const QuantisedType& from, const QuantisedType& to,
                   const RealFunction& function);
// The 513 numbers, for a function on [low, high] whose results are in [result_low, result_high].
struct RealRange {
  float low, high, result_low, result_high;
};
std::vector<std::int64_t> interpolated_table(const RealRange& range, const RealFunction& function);
// An int16 tensor through such a table.
Term interpolated(Builder& b, const Term& x, std::span<const std::int64_t> table);

}  // namespace slipway::importer
