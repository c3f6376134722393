// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// .npy files of NumPy, format versions 1.0, 2.0 and 3.0 (docs/spec/scenario.md#npy-input).
//
//   Result<NpyView> array = parse_npy(mapped.bytes(), "a.npy", diagnostics);
//   copy_elements(*array, to);  // always in C order and little-endian
//
//   out.write(npy_header("<f4", {1, 2}));
//   out.write(payload);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "tensor/element_type.hpp"
#include "tensor/shape.hpp"

namespace slipway::tensor {

struct NpyView {
  std::string descr;                // the text in the file: `<f4`, or the list of a structured dtype
  char kind = 'V';                  // the letter of NumPy: b i u f c m M S U V; V for structured dtypes
  std::optional<ElementType> type;  // for b, i, u and f of the sizes that element types have, and for their names
  std::uint64_t item_size = 0;      // bytes of one element
  // The number of bytes that are reversed for big-endian data: the item, half of it for c, 4 for U, 1 for strings.
  std::uint32_t swap_size = 1;
  bool structured = false;
  bool nibbles = false;  // integers with a sign in the low four bits of their bytes
  bool big_endian = false;
  bool fortran = false;  // the first dimension varies fastest
  Shape shape;
  Bytes payload;  // exactly the elements: product of the shape times item_size

  Span header_range;  // in the file, for messages about the dtype or the shape
  Span descr_range;
  Span shape_range;
};

// `name` is the name of the file in messages. Errors, at bytes of the file: file-format (magic, version, header text,
// dtype, dtypes with Python objects), file-truncated (header or payload too short), out-of-range (shape). Bytes after
// the payload are a warning in `warnings` (trailing-data).
Result<NpyView> parse_npy(Bytes file, const std::string& name, Diagnostics& warnings);

// Copies all elements into `to` in C order and little-endian; structured elements are copied unchanged. `to` has
// payload.size() bytes.
void copy_elements(const NpyView& array, MutableBytes to);

// The elements without a copy, if the file has them in C order and little-endian.
std::optional<Bytes> plain_elements(const NpyView& array);

// The array with elements of another type, in C order.
struct CastNpy {
  std::shared_ptr<const std::vector<std::byte>> bytes;
  NpyView view;  // its payload is in `bytes`
};
// Floats round to nearest even. `array` has a type. Errors: out-of-range, for a value that the type cannot hold: one
// outside its range, a fraction or NaN for an integer. The message names the element.
Result<CastNpy> cast_npy(const NpyView& array, ElementType to, const std::string& name);

// The bytes before the payload (docs/spec/scenario.md#npy-output): version 1.0, or 2.0 if the header text exceeds 65535
// bytes.
std::string npy_header(std::string_view descr, ShapeView shape);
// A whole file. Writers of large arrays write the header, then the payload, without a second copy.
std::string npy_file(std::string_view descr, ShapeView shape, Bytes payload);

}  // namespace slipway::tensor
