// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Movement of data that are known on the host.
#pragma once

#include <span>

#include "importer/array.hpp"

namespace slipway::importer {

// The largest number if it is larger.
std::int64_t product_of(tensor::ShapeView shape);
// Row-major strides, in elements.
tensor::Shape strides_of(tensor::ShapeView shape);

// A copy whose element at a coordinate is that at `first + sum(coordinate * stride)` of the array: transposes, slices
// with any step, reversals and broadcasts.
Array copy_strided(const Array& array, const tensor::Shape& shape, std::int64_t first, tensor::ShapeView strides);

Array concatenated(std::span<const Array> arrays, std::size_t axis);
// Puts an array into one of `shape` at `start`, where all other elements are the element `filling`.
Array padded(const Array& array, const tensor::Shape& shape, tensor::ShapeView start, const Array& filling);

}  // namespace slipway::importer
