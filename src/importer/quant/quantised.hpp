// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of integers that represent reals, in the form that graphs compute with: uint8 is int8 here, and its zero
// points are moved alike (docs/spec/import.md#types).
#pragma once

#include <vector>

#include "importer/emit/builder.hpp"
#include "importer/quant/multiplier.hpp"

namespace slipway::importer {

// What one element represents: scale * (stored - zero).
struct QuantisedType {
  FileType type = FileType::I8;    // in the graph: int8, int16, int32
  FileType stored = FileType::I8;  // in the file
  float scale = 1;
  std::int64_t zero = 0;

  std::int64_t low() const { return -(std::int64_t{1} << (bits_of(type) - 1)); }
  std::int64_t high() const { return (std::int64_t{1} << (bits_of(type) - 1)) - 1; }
  // The number of the file for one of the graph.
  std::int64_t moved() const;
};

struct QuantisedTerm {
  Term term;
  QuantisedType type;         // of the first scale
  std::vector<float> scales;  // one, or one for each index of `axis`
  std::size_t axis = 0;
};

bool is_quantised(const Term& x);
// Refused: there is no scale.
QuantisedTerm quantised(Builder& b, const Term& x);
QuantisedType quantised_type(FileType stored, const Quantization* quantization);

// The bits of the file for a result in the graph's type.
Term stored_bits(Builder& b, const Term& x, const QuantisedType& type);

// --- scaling ---------------------------------------------------------------------------------------------------------

// RESCALE of int8, int16 and int32 by one multiplier, or by one for each index of the last dimension.
struct Scaling {
  std::vector<Multiplier> by;
  std::int64_t input_zero = 0;  // of int8
  std::int64_t output_zero = 0;
  Arithmetic arithmetic = Arithmetic::Double;
};
Term rescale(Builder& b, const Term& x, FileType to, const Scaling& how);
// Sums of 48 bits, whose term has the type int64 (convolution in emit/network/windows.hpp).
Term rescale_wide(Builder& b, const Term& x, FileType to, std::span<const Multiplier> by);
// The same sums as int32, without a change.
Term narrow_wide(Builder& b, const Term& x);

// Sums of products to a result: in the arithmetic `Float` by floats, otherwise by RESCALE.
Term requantise(Builder& b, const Term& sums, const QuantisedType& to, std::span<const double> scales,
                Arithmetic arithmetic);

// stored - zero as int32.
Term centred(Builder& b, const QuantisedTerm& x);
// The same times a power of two.
Term centred_shifted(Builder& b, const QuantisedTerm& x, int bits);

// round(x / 2^n) of int32, halves away from 0.
Term divide_by_power(Builder& b, const Term& x, int exponent);
Term divide_by_powers(Builder& b, const Term& x, const Term& exponents);

// The reals as float32.
Term dequantised(Builder& b, const Term& x);
// round(x / scale) + zero, halves away from 0, in the bits of the file.
Term quantised_from_real(Builder& b, const Term& x, const QuantisedType& to);

}  // namespace slipway::importer
