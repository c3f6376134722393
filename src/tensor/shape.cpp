// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/shape.hpp"

namespace slipway::tensor {

Size element_count(ShapeView shape) { return checked_product(shape); }

Size byte_count(ShapeView shape, ElementType type) { return checked_multiply(element_count(shape), size_of(type)); }

namespace {

std::string bracketed(ShapeView values, bool open) {
  std::string text = "[";
  for (const std::int64_t value : values) {
    if (text.size() > 1) text += ", ";
    text += open && value < 0 ? "?" : std::to_string(value);
  }
  return text + "]";
}

}  // namespace

std::string shape_text(ShapeView shape) { return bracketed(shape, true); }
std::string list_text(ShapeView values) { return bracketed(values, false); }

std::uint64_t index_of(ShapeView shape, ShapeView coordinates) {
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    index = index * static_cast<std::uint64_t>(shape[i]) + static_cast<std::uint64_t>(coordinates[i]);
  }
  return index;
}

Shape coordinates_of(ShapeView shape, std::uint64_t index) {
  Shape coordinates(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(shape[i]);
    coordinates[i] = static_cast<std::int64_t>(index % extent);
    index /= extent;
  }
  return coordinates;
}

}  // namespace slipway::tensor
