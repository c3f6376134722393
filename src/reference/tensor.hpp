// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of the interpreter: one 64-bit number for each element, whatever the type.
//
// Integers and booleans are 64-bit integers. Floats are doubles, which represent every value of every float type of
// TOSA exactly. That wastes memory but is simple, as a reference should be.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "tosa/data_type.hpp"

namespace slipway::reference {

using tosa::DataType;
using tosa::TensorType;

struct Tensor {
  TensorType type;
  std::vector<std::int64_t> integers;  // of Bool and integer types
  std::vector<double> reals;           // of float types

  // All elements zero. The type must be static.
  static Tensor zeros(TensorType type);
  // From elements in memory. `splat`: one element is the value of all. There must be enough bytes. A bool byte other
  // than 0 is true.
  static Tensor from_bytes(TensorType type, Bytes bytes, bool splat = false);
  std::vector<std::byte> to_bytes() const;

  bool is_float() const { return tosa::is_float(type.data); }
  std::size_t size() const { return is_float() ? reals.size() : integers.size(); }
  std::int64_t extent(std::size_t dimension) const { return type.shape[dimension]; }
};

// The nearest value of a float type, ties to even; values that are too large become infinity, or NaN in e4m3
// (docs/spec/tosa.md#float-conversion).
double round_to(DataType type, double value);
// The low bits of an integer as a value of the type: how results wrap where TOSA leaves an overflow unpredictable.
std::int64_t wrap_to(DataType type, std::int64_t value);
std::int64_t min_integer(DataType type);
std::int64_t max_integer(DataType type);
inline std::int64_t saturate_to(DataType type, std::int64_t value) {
  return std::min(std::max(value, min_integer(type)), max_integer(type));
}

}  // namespace slipway::reference
