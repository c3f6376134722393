// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers with a scale and a zero point: real = scale * (stored - zero point)
// (docs/spec/import.md#quantise-and-dequantise).
#pragma once

#include "importer/emit/builder.hpp"

namespace slipway::importer {

// The limits of an integer type of at most 16 bits.
std::int64_t min_value_of(FileType type);
std::int64_t max_value_of(FileType type);

// x / scale of float32 on the way to a type of at most 16 bits: it rounds to the integer that the quotient of float32
// rounds to, halves included, on every device. A product with the reciprocal does not. `scale` broadcasts to x.
Term rounding_quotient(Builder& b, const Term& x, const Term& scale, FileType type);
// x / 255 of float32, the nearest float.
Term quotient_by_255(Builder& b, const Term& x);
// round_even(x) + zero point within limits, which are numbers of an integer type of at most 16 bits, as the zero point
// is.
struct EvenRounding {
  FileType type = FileType::U8;
  std::int64_t zero = 0, low = 0, high = 255;
};
Term rounded_within(Builder& b, const Term& x, const EvenRounding& how);
// round_even(x) + zero point, saturated to an integer type. `zero_point` has that type and broadcasts to x; null: 0.
Term quantised_to_even(Builder& b, const Term& x, FileType type, const Term* zero_point);
// (x - zero point) as float32.
Term centred_real(Builder& b, const Term& x, const Term* zero_point);

// What DynamicQuantizeLinear of ONNX computes: uint8 by the range of all elements.
struct DynamicallyQuantised {
  Term numbers, scale, zero_point;
};
DynamicallyQuantised dynamically_quantised(Builder& b, const Term& x);

}  // namespace slipway::importer
