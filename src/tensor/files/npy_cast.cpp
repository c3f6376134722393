// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

#include "base/format.hpp"
#include "tensor/element.hpp"
#include "tensor/files/npy.hpp"

namespace slipway::tensor {
namespace {

Stored store_cast(ElementType from, const std::byte* element, ElementType to, std::byte* result) {
  const Number value = number_of(from, element);
  const double* const real = std::get_if<double>(&value);
  if (!real || std::isfinite(*real)) return store_number(to, value, result);
  return store_word(to, std::isnan(*real) ? "nan" : *real > 0 ? "inf" : "-inf", result);
}

}  // namespace

Result<CastNpy> cast_npy(const NpyView& array, ElementType to, const std::string& name) {
  std::vector<std::byte> elements(array.payload.size());
  copy_elements(array, elements);
  const std::size_t from_size = array.item_size, to_size = size_of(to);
  const std::size_t count = from_size == 0 ? 0 : elements.size() / from_size;
  auto cast = std::make_shared<std::vector<std::byte>>(count * to_size);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const element = elements.data() + i * from_size;
    const Stored stored = store_cast(*array.type, element, to, cast->data() + i * to_size);
    if (stored) continue;
    return fail(DiagnosticKind::OutOfRange, SourceLocation::in_file(name),
                formatted("element {} of the array is {}: {}", shape_text(coordinates_of(array.shape, i)),
                          text_of(*array.type, element), stored.error()));
  }
  CastNpy made{.bytes = std::move(cast), .view = array};
  made.view.descr = info_of(to).descr;
  made.view.kind = made.view.descr[1];
  made.view.type = to;
  made.view.item_size = to_size;
  made.view.swap_size = 1;
  made.view.big_endian = made.view.fortran = false;
  made.view.payload = *made.bytes;
  return made;
}

}  // namespace slipway::tensor
