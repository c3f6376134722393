// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/host.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>

namespace slipway::importer {
namespace {

// The same, element by element.
std::vector<std::byte> copied(const Array& array, const tensor::Shape& shape, std::int64_t first,
                              tensor::ShapeView strides) {
  const std::size_t size = array.element_size(), count = tensor::element_count(shape).value();
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const tensor::Shape at = tensor::coordinates_of(shape, i);
    std::int64_t from = first;
    for (std::size_t d = 0; d < shape.size(); ++d) from += at[d] * strides[d];
    bytes.append_range(array.data.subspan(static_cast<std::size_t>(from) * size, size));
  }
  return bytes;
}

TEST(CopyStrided, IsThatOfEachElement) {
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t end) { return static_cast<std::int64_t>(random() % end); };
  constexpr FileType kTypes[] = {FileType::I8, FileType::F16, FileType::F32, FileType::I64};
  for (int i = 0; i < 4000; ++i) {
    tensor::Shape shape, strides;
    std::int64_t lowest = 0, highest = 0;
    const std::int64_t rank = below(5), side = rank == 2 ? 40 : 5;
    for (std::int64_t d = 0; d < rank; ++d) {
      shape.push_back(below(9) == 0 ? 0 : 1 + below(static_cast<std::uint32_t>(side)));
      strides.push_back((below(9) - 4) * (below(4) == 0 ? 7 : 1));
      const std::int64_t reach = strides.back() * std::max<std::int64_t>(shape.back() - 1, 0);
      (reach < 0 ? lowest : highest) += reach;
    }
    Array array{.type = kTypes[i % 4], .shape = {highest - lowest + 1}, .data = {}, .owner = nullptr};
    // Elements of files are not aligned.
    std::vector<std::byte> bytes(array.element_size() * static_cast<std::size_t>(array.shape[0]) + 1);
    std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random()); });
    array.data = Bytes(bytes).subspan(1);
    const Array made = copy_strided(array, shape, -lowest, strides);
    EXPECT_EQ(made.shape, shape);
    ASSERT_TRUE(std::ranges::equal(made.data, copied(array, shape, -lowest, strides)))
        << tensor::shape_text(shape) << " with the strides " << tensor::list_text(strides);
  }
}

// Large ones are divided among the cores.
TEST(CopyStrided, OfManyBytes) {
  std::vector<std::byte> bytes(4 * 7 * 300 * 301);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * i >> 3);
  const Array array{.type = FileType::F32, .shape = {7, 300, 301}, .data = bytes, .owner = nullptr};
  for (const auto& [shape, strides] : {std::pair(tensor::Shape{301, 300, 7}, tensor::Shape{1, 301, 90300}),
                                       {{300, 7, 301}, {301, 90300, 1}},
                                       {{7, 301, 300}, {90300, 1, 301}}})
    EXPECT_TRUE(std::ranges::equal(copy_strided(array, shape, 0, strides).data, copied(array, shape, 0, strides)));
}

TEST(ProductOf, IsTheLargestNumberIfItIsLarger) {
  EXPECT_EQ(product_of(tensor::Shape{}), 1);
  EXPECT_EQ(product_of(tensor::Shape{3, 4}), 12);
  EXPECT_EQ(product_of(tensor::Shape{std::int64_t{1} << 32, std::int64_t{1} << 31}),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(product_of(tensor::Shape{std::int64_t{1} << 62, std::int64_t{1} << 62, 0}), 0);
}

}  // namespace
}  // namespace slipway::importer
