// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of arrays in another order: transposes, slices with any step, reversals, broadcasts.
#pragma once

#include "base/bytes.hpp"
#include "tensor/shape.hpp"

namespace slipway::tensor {

// Packs the elements of `shape` into `to`, in row-major order; the one at a coordinate is `sum(coordinate * stride)`
// elements after `from`. `element`: bytes of one, 1, 2, 4 or 8. Large arrays are copied by all cores.
void copy_strided(const std::byte* from, ShapeView strides, ShapeView shape, std::size_t element, MutableBytes to);

}  // namespace slipway::tensor
