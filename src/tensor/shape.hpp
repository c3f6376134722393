// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shapes: the extent of each dimension, outermost first. Elements are in row-major order: the last dimension varies
// fastest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "tensor/element_type.hpp"

namespace slipway::tensor {

using Shape = std::vector<std::int64_t>;
using ShapeView = std::span<const std::int64_t>;

// The number of elements, 1 for rank 0; empty if a dimension is negative or the number does not fit in 64 bits.
Size element_count(ShapeView shape);
Size byte_count(ShapeView shape, ElementType type);

// "[1, ?, 3]": open dimensions are negative.
std::string shape_text(ShapeView shape);
// "[1, -1, 3]", of other values than dimensions.
std::string list_text(ShapeView values);

// The row-major index of an element and back. All coordinates must be within the shape.
std::uint64_t index_of(ShapeView shape, ShapeView coordinates);
Shape coordinates_of(ShapeView shape, std::uint64_t index);

}  // namespace slipway::tensor
