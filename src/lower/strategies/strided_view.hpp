// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the elements of a value are in the stored value that it is a view of: reshapes, transposes and slices as
// offsets and strides.
//
//   %1 = SLICE(%0) f32[1, 128, 256]             offset 256; 128 x 768, 256 x 1
//   %2 = RESHAPE(%1) f32[1, 128, 4, 64]         offset 256; 128 x 768, 4 x 64, 64 x 1
//   %3 = TRANSPOSE(%2) f32[1, 4, 128, 64]       offset 256; 4 x 64, 128 x 768, 64 x 1
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lower/kernel_builder.hpp"

namespace slipway::lower {

struct StridedView {
  // A coordinate is a number with digits, the most significant one first; each digit has a stride of its own. Most
  // dimensions have one digit. A dimension of extent 1 has none.
  struct Digit {
    std::int64_t extent = 1, stride = 0;
    bool operator==(const Digit&) const = default;
  };
  tosa::ValueId source{};
  std::int64_t offset = 0;
  std::vector<std::vector<Digit>> dimensions;

  // The index of an element in the source.
  Value index(Kernel& k, const Coordinates& at) const;
  // Whether elements along a dimension are neighbours, in chunks of `chunk` elements that begin at multiples of it.
  bool has_chunks(std::size_t dimension, std::int64_t chunk) const;
};

// Empty if an operator on the way to the stored value is not a view with strides.
std::optional<StridedView> strided_view(const tosa::Graph& graph, const std::vector<bool>& stored, tosa::ValueId value);

// For people: `%0 + 256: [4 x 64, 128 x 768, 64 x 1]`.
std::string print_strided_view(const tosa::Graph& graph, const StridedView& view);

}  // namespace slipway::lower
