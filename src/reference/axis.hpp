// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iteration along one axis of a tensor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/shape.hpp"

namespace slipway::reference {

// Calls `use(output index, input index, position on the axis)` in the order of the axis for each output.
template <class Use>
void for_each_on_axis(const tensor::Shape& shape, std::size_t axis, Use&& use) {
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < axis; ++d) outer *= shape[d];
  for (std::size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      for (std::int64_t k = 0; k < shape[axis]; ++k)
        use(static_cast<std::size_t>(o * inner + i), static_cast<std::size_t>((o * shape[axis] + k) * inner + i), k);
    }
  }
}

}  // namespace slipway::reference
