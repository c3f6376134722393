// NumPy's .npy files (scenario page 3.6; format versions 1.0, 2.0, 3.0).
//
//   Result<NpyView> array = parse_npy(mapped.bytes(), "a.npy", diagnostics);
//   copy_elements(*array, to);                                            // C order, little-endian, whatever the file
//   has out.write(npy_header("<f4", {1, 2})); out.write(payload);
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "tensor/element_type.hpp"
#include "tensor/shape.hpp"

namespace slipway::tensor {

struct NpyView {
  std::string descr;                // as the file has it: `<f4`, or the list of a structured dtype
  char kind = 'V';                  // numpy's letter: b i u f c m M S U V; V for structured dtypes
  std::optional<ElementType> type;  // for b, i, u and f of the sizes that we have
  std::uint64_t item_size = 0;      // bytes of one element
  std::uint32_t swap_size =
      1;  // bytes that big-endian data reverse: the item, half of it for c, 4 for U, 1 where order has no meaning
  bool structured = false;
  bool big_endian = false;
  bool fortran = false;  // first dimension runs fastest
  Shape shape;
  Bytes payload;  // exactly the elements: product of the shape times item_size

  Span header_range;  // in the file, for messages about the dtype or the shape
  Span descr_range;
  Span shape_range;
};

// `name` is shown in messages. Errors point at bytes of the file: file-format (magic, version, header text, dtype),
// unsupported dtypes with Python objects, file-truncated (header or payload too short). A payload that goes on is a
// warning in `warnings` (trailing-data).
Result<NpyView> parse_npy(Bytes file, const std::string& name, Diagnostics& warnings);

// Copies all elements into `to` in C order and little-endian; structured elements are copied as they are. `to` must
// have payload.size() bytes.
void copy_elements(const NpyView& array, MutableBytes to);

// The elements without a copy, when the file has them in C order and little-endian already.
std::optional<Bytes> plain_elements(const NpyView& array);

// Everything before the payload, byte-exact as on page 3.6: version 1.0, or 2.0 when the header text exceeds 65535
// bytes.
std::string npy_header(std::string_view descr, ShapeView shape);

}  // namespace slipway::tensor
