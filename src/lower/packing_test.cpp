// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/packing.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "base/format.hpp"
#include "tensor/element.hpp"

namespace slipway::lower {
namespace {

using tensor::ElementType;

// The expected result of `pack`, element by element.
std::vector<double> expected(const Packing& p, Bytes from, bool splat) {
  std::vector<double> numbers(p.size() / tensor::size_of(p.to));
  for (std::int64_t batch = 0; batch < p.batches; ++batch) {
    for (std::int64_t column = 0; column < p.columns; ++column) {
      const std::int64_t panel = batch * p.panels() + column / p.width, in_panel = column % p.width;
      for (std::int64_t row = 0; row < p.rows; ++row) {
        const std::int64_t at = splat ? 0 : batch * p.batch_stride + row * p.row_stride + column * p.column_stride;
        const double number =
            tensor::double_of(p.from, from.data() + at * tensor::size_of(p.from)) - static_cast<double>(p.zero);
        std::int64_t to = p.sums ? panel * p.width + in_panel : (panel * p.rows + row) * p.width + in_panel;
        if (p.group > 1) {
          const std::int64_t needed = (p.block + p.group - 1) / p.group;
          const std::int64_t groups_of_block = p.groups_of_block ? p.groups_of_block : needed;
          const std::int64_t group = row / p.block * groups_of_block + row % p.block / p.group;
          to = ((panel * p.groups() + group) * p.width + in_panel) * p.group + row % p.block % p.group;
        }
        double& there = numbers[static_cast<std::size_t>(to)];
        there = p.sums ? there + number : number;
      }
    }
  }
  return numbers;
}

std::vector<double> packed(const Packing& p, Bytes from, bool splat) {
  std::vector<std::byte> bytes(p.size(), std::byte{0x5a});
  pack(p, from, splat, bytes);
  std::vector<double> numbers;
  const std::size_t size = tensor::size_of(p.to);
  for (std::size_t at = 0; at < bytes.size(); at += size) numbers.push_back(tensor::double_of(p.to, &bytes[at]));
  return numbers;
}

struct Types {
  ElementType from, to;
  std::int64_t zero = 0;
  bool sums = false;
};

constexpr Types kTypes[] = {{ElementType::F32, ElementType::F32},         {ElementType::F16, ElementType::F16},
                            {ElementType::I8, ElementType::I8},           {ElementType::F16, ElementType::F32},
                            {ElementType::BF16, ElementType::F32},        {ElementType::I8, ElementType::F32},
                            {ElementType::I8, ElementType::F32, -7},      {ElementType::I16, ElementType::F32},
                            {ElementType::F32, ElementType::F16},         {ElementType::I8, ElementType::I32, 3, true},
                            {ElementType::I16, ElementType::I32, 0, true}};

void check(const Packing& p, std::int64_t elements) {
  std::minstd_rand random(1);
  std::vector<std::byte> from(static_cast<std::size_t>(elements) * tensor::size_of(p.from));
  // Small whole numbers: every type represents them and their sums exactly.
  for (std::size_t at = 0; at < from.size(); at += tensor::size_of(p.from))
    ASSERT_TRUE(tensor::store_number(p.from, static_cast<std::int64_t>(random() % 201) - 100, &from[at]));
  for (const bool splat : {false, true}) {
    EXPECT_EQ(packed(p, from, splat), expected(p, from, splat))
        << formatted("{} x {} in {}, strides {} {}, {} to {}, splat {}", p.rows, p.columns, p.width, p.row_stride,
                     p.column_stride, tensor::name_of(p.from), tensor::name_of(p.to), splat);
  }
}

// Shapes below and above the sizes of all code paths, in row-major and column-major order.
TEST(Packing, ShapesAndTypes) {
  for (const Types& types : kTypes) {
    for (const std::int64_t rows : {1, 7, 64, 131}) {
      for (const std::int64_t columns : {1, 8, 13, 32}) {
        for (const std::int64_t width : {1, 8, 16, 20}) {
          Packing p{.batches = 2,
                    .batch_stride = rows * columns,
                    .rows = rows,
                    .row_stride = columns,
                    .columns = columns,
                    .width = width,
                    .from = types.from,
                    .to = types.to,
                    .zero = types.zero,
                    .sums = types.sums};
          check(p, 2 * rows * columns);
          p.row_stride = 1;
          p.column_stride = rows;
          check(p, 2 * rows * columns);
        }
      }
    }
  }
}

// Neither rows nor columns are contiguous.
TEST(Packing, Gaps) {
  for (const Types& types : kTypes) {
    check({.rows = 70,
           .row_stride = 3,
           .columns = 11,
           .column_stride = 3 * 70 + 1,
           .width = 8,
           .from = types.from,
           .to = types.to,
           .zero = types.zero,
           .sums = types.sums},
          (3 * 70 + 1) * 11);
  }
}

TEST(Packing, Groups) {
  for (const std::int64_t block : {1, 3, 4, 9, 16}) {
    for (const std::int64_t columns : {1, 13, 32}) {
      Packing p{.batches = 2,
                .batch_stride = 3 * block * columns,
                .rows = 3 * block,
                .row_stride = columns,
                .columns = columns,
                .width = 16,
                .from = ElementType::I8,
                .to = ElementType::I8,
                .group = 4,
                .block = block};
      check(p, 2 * p.rows * columns);
      p.row_stride = 1;
      p.column_stride = p.rows;
      check(p, 2 * p.rows * columns);
      p.groups_of_block = 5;
      check(p, 2 * p.rows * columns);
      p.from = p.to = ElementType::BF16;
      p.group = 2;
      p.groups_of_block = 9;
      check(p, 2 * p.rows * columns);
    }
  }
}

// Every 16-bit float, on both code paths.
TEST(Packing, FloatsOf16Bits) {
  for (const ElementType type : {ElementType::F16, ElementType::BF16}) {
    std::vector<std::byte> all(std::size_t{2} << 16);
    for (std::uint32_t bits = 0; bits < 1U << 16; ++bits)
      store(&all[std::size_t{2} * bits], static_cast<std::uint16_t>(bits));
    for (const std::int64_t row_stride : {std::int64_t{1}, std::int64_t{256}}) {
      const Packing p{.rows = 256,
                      .row_stride = row_stride,
                      .columns = 256,
                      .column_stride = 256 / row_stride,
                      .width = 8,
                      .from = type,
                      .to = ElementType::F32};
      const std::vector<double> got = packed(p, all, false), wanted = expected(p, all, false);
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_TRUE(std::isnan(wanted[i])
                        ? std::isnan(got[i])
                        : std::bit_cast<std::uint64_t>(got[i]) == std::bit_cast<std::uint64_t>(wanted[i]))
            << got[i] << " instead of " << wanted[i];
      }
    }
  }
}

}  // namespace
}  // namespace slipway::lower
