// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/strided_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace slipway::tensor {
namespace {

std::vector<std::byte> copied(const std::byte* from, ShapeView strides, ShapeView shape, std::size_t element) {
  std::vector<std::byte> bytes(element_count(shape).value() * element);
  copy_strided(from, strides, shape, element, bytes);
  return bytes;
}

// The same, element by element.
std::vector<std::byte> copied_singly(const std::byte* from, ShapeView strides, ShapeView shape, std::size_t element) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < element_count(shape).value(); ++i) {
    const Shape at = coordinates_of(shape, i);
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) offset += at[d] * strides[d];
    const std::byte* const source = from + offset * static_cast<std::int64_t>(element);
    bytes.insert(bytes.end(), source, source + element);
  }
  return bytes;
}

TEST(CopyStrided, IsThatOfEachElement) {
  std::mt19937 random(1);
  const auto below = [&](std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
  };
  for (int i = 0; i < 4000; ++i) {
    const std::size_t element = std::size_t{1} << i % 4;
    Shape shape, strides;
    std::int64_t lowest = 0, highest = 0;
    const std::int64_t rank = below(5), side = rank == 2 ? 40 : 5;
    for (std::int64_t d = 0; d < rank; ++d) {
      shape.push_back(below(9) == 0 ? 0 : 1 + below(side));
      strides.push_back((below(9) - 4) * (below(4) == 0 ? 7 : 1));
      const std::int64_t reach = strides.back() * std::max<std::int64_t>(shape.back() - 1, 0);
      (reach < 0 ? lowest : highest) += reach;
    }
    // Elements of files are not aligned.
    std::vector<std::byte> bytes(element * static_cast<std::size_t>(highest - lowest + 1) + 1);
    std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random()); });
    const std::byte* const from = bytes.data() + 1 - lowest * static_cast<std::int64_t>(element);
    ASSERT_EQ(copied(from, strides, shape, element), copied_singly(from, strides, shape, element))
        << shape_text(shape) << " with the strides " << list_text(strides);
  }
}

// Large ones are divided among the cores.
TEST(CopyStrided, OfManyBytes) {
  std::vector<std::byte> bytes(4 * 7 * 300 * 301);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * i >> 3);
  for (const auto& [shape, strides] : {std::pair(Shape{301, 300, 7}, Shape{1, 301, 90300}),
                                       {{300, 7, 301}, {301, 90300, 1}},
                                       {{7, 301, 300}, {90300, 1, 301}}})
    EXPECT_EQ(copied(bytes.data(), strides, shape, 4), copied_singly(bytes.data(), strides, shape, 4));
}

}  // namespace
}  // namespace slipway::tensor
