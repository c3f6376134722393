// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small pictures of two arrays and of their difference, for reports of expectations that failed. An array is a grid:
// the pixels of an image, or the last dimension by all others. A grid that is larger than the pictures is divided into
// cells, and each cell shows its element with the largest difference, so that no difference is lost.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "tensor/element_type.hpp"
#include "tensor/shape.hpp"

namespace slipway::launch {

struct WorstElement {
  tensor::Shape index;
  std::string got, expected;
  double difference = 0;  // absolute; infinite where one of the values is NaN
};

// How many elements differ by at least 10^exponent, and by less than 10^(exponent + 1).
struct DifferenceDecade {
  std::int32_t exponent = 0;
  std::uint64_t count = 0;
};

struct DifferenceView {
  std::uint32_t width = 0, height = 0;      // of the pictures, in cells
  std::uint64_t columns = 0, rows = 0;      // of the grid
  std::uint32_t channels = 1;               // 3: red, green, blue
  double low = 0, high = 0;                 // the values that are black and white
  std::vector<std::byte> expected, actual;  // a byte for each channel, row by row
  std::vector<std::byte> difference;        // a byte for each cell: 255 is the largest difference
  std::vector<DifferenceDecade> decades;    // of elements that differ, in ascending order
  std::vector<WorstElement> worst;          // the largest differences first
};

// Empty for arrays without elements, and for very large ones. Both hold the elements of `shape` in row-major order.
std::optional<DifferenceView> view_difference(tensor::ElementType type, Bytes got, Bytes expected,
                                              tensor::ShapeView shape);

}  // namespace slipway::launch
