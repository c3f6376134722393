// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/files/npy.hpp"

#include <algorithm>
#include <cstring>

#include "base/format.hpp"

namespace slipway::tensor {
namespace {

// Copies the elements of a Fortran-ordered array in C order. `fixed_size` is the item size if it is known at compile
// time, for speed, or 0.
template <std::size_t fixed_size>
void transpose(const NpyView& array, MutableBytes to) {
  const std::size_t size = fixed_size ? fixed_size : array.item_size;
  const Shape& shape = array.shape;
  const std::size_t last = shape.size() - 1;
  std::vector<std::size_t> strides(shape.size(), size);  // of the file, in bytes
  for (std::size_t i = 1; i < shape.size(); ++i) strides[i] = strides[i - 1] * static_cast<std::size_t>(shape[i - 1]);

  std::byte* out = to.data();
  const std::uint64_t rows = *element_count(ShapeView(shape).first(last));
  for (std::uint64_t row = 0; row < rows; ++row) {
    const Shape at = coordinates_of(ShapeView(shape).first(last), row);
    const std::byte* from = array.payload.data();
    for (std::size_t d = 0; d < last; ++d) from += strides[d] * static_cast<std::size_t>(at[d]);
    const auto extent = static_cast<std::size_t>(shape[last]);
    for (std::size_t i = 0; i < extent; ++i, out += size) std::memcpy(out, from + i * strides[last], size);
  }
}

bool needs_swap(const NpyView& array) { return array.big_endian && array.swap_size > 1; }
bool needs_transpose(const NpyView& array) {
  return array.fortran && std::ranges::count_if(array.shape, [](std::int64_t extent) { return extent != 1; }) > 1;
}

}  // namespace

std::optional<Bytes> plain_elements(const NpyView& array) {
  if (needs_swap(array) || needs_transpose(array) || array.nibbles) return std::nullopt;
  return array.payload;
}

void copy_elements(const NpyView& array, MutableBytes to) {
  if (array.payload.empty()) return;
  if (!needs_transpose(array)) {
    std::memcpy(to.data(), array.payload.data(), array.payload.size());
  } else {
    switch (array.item_size) {
      case 1:
        transpose<1>(array, to);
        break;
      case 2:
        transpose<2>(array, to);
        break;
      case 4:
        transpose<4>(array, to);
        break;
      case 8:
        transpose<8>(array, to);
        break;
      default:
        transpose<0>(array, to);
        break;
    }
  }
  for (std::size_t i = 0; array.nibbles && i < array.payload.size(); ++i) {
    const int low = std::to_integer<int>(to[i] & std::byte{0xf});
    to[i] = static_cast<std::byte>(low < 8 ? low : low - 16);
  }
  if (!needs_swap(array)) return;
  for (std::size_t i = 0; i < array.payload.size(); i += array.swap_size) {
    std::ranges::reverse(to.subspan(i, array.swap_size));
  }
}

std::string npy_header(std::string_view descr, ShapeView shape) {
  std::string extents;
  for (const std::int64_t extent : shape) {
    if (!extents.empty()) extents += ", ";
    extents += std::to_string(extent);
  }
  if (shape.size() == 1) extents += ",";
  std::string text = formatted("{{'descr': '{}','fortran_order': False,'shape': ({})}}", descr, extents);

  // The payload begins at a multiple of 16, after 1 to 16 spaces and a line break.
  const auto padded = [&](std::size_t prefix) {
    return text + std::string(16 - (prefix + text.size() + 1) % 16, ' ') + '\n';
  };
  constexpr std::size_t kPrefix1 = 10;
  constexpr std::size_t kPrefix2 = 12;
  std::string header("\x93NUMPY\x01\x00", 8);
  std::string body = padded(kPrefix1);
  std::size_t length_bytes = 2;
  if (body.size() > 0xffff) {
    header[6] = 2;
    body = padded(kPrefix2);
    length_bytes = 4;
  }
  for (std::size_t i = 0; i < length_bytes; ++i) header += static_cast<char>(body.size() >> (8 * i) & 0xff);
  return header + body;
}

std::string npy_file(std::string_view descr, ShapeView shape, Bytes payload) {
  std::string file = npy_header(descr, shape);
  file += slipway::text_of(payload);
  return file;
}

}  // namespace slipway::tensor
