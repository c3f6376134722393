// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loading a model packs all of its weights, so this must be about as fast as memory. Pieces of a row with a fixed
// length, all read before they are written, become vector code. (A cache of packed constants on disk, keyed by a hash,
// was measured as an alternative: hashing and reading 100 MB takes as long as packing it.)
#include "lower/packing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "tensor/element.hpp"

namespace slipway::lower {
namespace {

using tensor::ElementType;

// Strides of the source, in elements; 0 for a splat.
struct Strides {
  std::int64_t batch, row, column;
};

Strides strides_of(const Packing& p, bool splat) {
  return splat ? Strides{0, 0, 0} : Strides{p.batch_stride, p.row_stride, p.column_stride};
}

// Eight neighbouring columns: a CPU prefetches that many streams of reads well.
constexpr std::int64_t kPiece = 8;
// Rows of one piece before the next piece, few enough for the cache lines that they write to stay in the cache.
constexpr std::int64_t kRows = 64;

template <class From, class To, class Convert>
class Packer {
 public:
  Packer(const Packing& packing, Strides strides, Bytes from, MutableBytes to, Convert convert)
      : p_(packing), strides_(strides), from_(from), to_(to), convert_(convert) {}

  void run() const {
    for (std::int64_t batch = 0; batch < p_.batches; ++batch) {
      for (std::int64_t panel = 0; panel < p_.panels(); ++panel) {
        for (std::int64_t row = 0; row < p_.rows; row += kRows) rows(batch, panel, row, std::min(row + kRows, p_.rows));
      }
    }
  }

 private:
  void rows(std::int64_t batch, std::int64_t panel, std::int64_t begin, std::int64_t end) const {
    const std::int64_t first = panel * p_.width, count = std::min(p_.width, p_.columns - first);
    const std::byte* from =
        from_.data() + element_bytes<From>(batch * strides_.batch + begin * strides_.row + first * strides_.column);
    std::byte* to = to_.data() + element_bytes<To>(((batch * p_.panels() + panel) * p_.rows + begin) * p_.width);
    std::int64_t column = 0;
    const auto past = [&](std::int64_t columns) {
      from += element_bytes<From>(columns * strides_.column);
      to += element_bytes<To>(columns);
      return columns;
    };
    const bool transposed = strides_.row == 1 && end - begin == kRows;
    for (; count - column >= kPiece; column += past(kPiece)) {
      if (strides_.column == 1)
        piece<kPiece, 1>(end - begin, from, to);
      else if (transposed)
        transposed_piece(from, to);
      else
        piece<kPiece, 0>(end - begin, from, to);
    }
    for (; column < count; column += past(1)) piece<1, 0>(end - begin, from, to);
  }

  // Converts neighbours together, and only then exchanges rows and columns.
  void transposed_piece(const std::byte* from, std::byte* to) const {
    std::array<std::array<To, kRows>, kPiece> columns;
    for (std::array<To, kRows>& column : columns) {
      for (std::size_t row = 0; row < kRows; ++row) column[row] = convert_(load<From>(from + row * sizeof(From)));
      from += element_bytes<From>(strides_.column);
    }
    for (std::size_t row = 0; row < kRows; ++row, to += element_bytes<To>(p_.width)) {
      for (std::size_t i = 0; i < kPiece; ++i) store(to + i * sizeof(To), columns[i][row]);
    }
  }

  // `Columns` neighbours of some rows, `Stride` elements apart; 0 means the stride of the packing.
  template <std::int64_t Columns, std::int64_t Stride>
  void piece(std::int64_t rows, const std::byte* from, std::byte* to) const {
    const std::int64_t stride = Stride > 0 ? Stride : strides_.column;
    const std::ptrdiff_t from_step = element_bytes<From>(strides_.row), to_step = element_bytes<To>(p_.width);
    for (std::int64_t row = 0; row < rows; ++row, from += from_step, to += to_step) {
      std::array<To, Columns> elements;
      for (std::int64_t i = 0; i < Columns; ++i)
        elements[static_cast<std::size_t>(i)] = convert_(load<From>(from + element_bytes<From>(i * stride)));
      std::memcpy(to, elements.data(), sizeof elements);
    }
  }

  template <class Element>
  static std::ptrdiff_t element_bytes(std::int64_t elements) {
    return elements * static_cast<std::ptrdiff_t>(sizeof(Element));
  }

  const Packing p_;
  const Strides strides_;
  const Bytes from_;
  const MutableBytes to_;
  const Convert convert_;
};

template <class From, class To, class Convert>
void pack_as(const Packing& packing, Bytes from, bool splat, MutableBytes to, Convert convert) {
  Packer<From, To, Convert>(packing, strides_of(packing, splat), from, to, convert).run();
}

// Functions as values of their own types, so that they are inlined into the loops. Both are exact.
constexpr auto kFloatOfHalf = [](std::uint16_t half) {
  // All ones where a is less than b, by arithmetic: compilers do not vectorise branches.
  const auto less = [](std::int32_t a, std::int32_t b) { return static_cast<std::uint32_t>((a - b) >> 31); };
  constexpr std::int32_t kSmallestNormal = 0x400, kLargest = 0x7bff;
  constexpr std::uint32_t kBias = 112U << 23;
  const std::int32_t magnitude = half & 0x7fff;
  const auto subnormal = std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24F);
  const std::uint32_t normal =
      (static_cast<std::uint32_t>(magnitude) << 13) + kBias + (less(kLargest, magnitude) & kBias);
  const std::uint32_t is_subnormal = less(magnitude, kSmallestNormal), sign = (half & 0x8000U) << 16;
  return std::bit_cast<float>(sign | (subnormal & is_subnormal) | (normal & ~is_subnormal));
};
constexpr auto kFloatOfBfloat = [](std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); };

// Elements of any types, converted by value.
void pack_numbers(const Packing& p, Bytes from, bool splat, MutableBytes to) {
  const Strides strides = strides_of(p, splat);
  const std::int64_t from_size = tensor::size_of(p.from), to_size = tensor::size_of(p.to);
  std::byte* packed = to.data();
  for (std::int64_t batch = 0; batch < p.batches; ++batch) {
    for (std::int64_t panel = 0; panel < p.panels(); ++panel) {
      const std::int64_t first = panel * p.width, count = std::min(p.width, p.columns - first);
      for (std::int64_t row = 0; row < p.rows; ++row, packed += p.width * to_size) {
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t at = batch * strides.batch + row * strides.row + (first + i) * strides.column;
          const double number = tensor::double_of(p.from, from.data() + at * from_size);
          tensor::store_rounded(p.to, number - static_cast<double>(p.zero), packed + i * to_size);
        }
      }
    }
  }
}

// Sums of integers, in 32 bits.
template <class Read>
void pack_sums(const Packing& p, bool splat, MutableBytes to, Read read) {
  const Strides strides = strides_of(p, splat);
  for (std::int64_t batch = 0; batch < p.batches; ++batch) {
    for (std::int64_t column = 0; column < p.columns; ++column) {
      std::int64_t sum = 0;
      const std::int64_t first = batch * strides.batch + column * strides.column;
      for (std::int64_t row = 0; row < p.rows; ++row) sum += read(first + row * strides.row);
      const auto at = static_cast<std::size_t>(batch * p.panels() * p.width + column);
      store(&to[at * sizeof(std::int32_t)], static_cast<std::int32_t>(sum - p.rows * p.zero));
    }
  }
}

// Rows that belong together are neighbours in the constant of a convolution.
template <class From, class To, class Convert>
void pack_groups(const Packing& p, Bytes from, bool splat, MutableBytes to, Convert convert) {
  const Strides strides = strides_of(p, splat);
  std::ranges::fill(to, std::byte{});
  constexpr std::int64_t kFrom = sizeof(From), kTo = sizeof(To);
  std::byte* packed = to.data();
  const std::int64_t missing = p.groups() / (p.rows / p.block) - (p.block + p.group - 1) / p.group;  // of a block
  for (std::int64_t batch = 0; batch < p.batches; ++batch) {
    for (std::int64_t panel = 0; panel < p.panels(); ++panel) {
      const std::int64_t first = panel * p.width, count = std::min(p.width, p.columns - first);
      const std::byte* column = from.data() + (batch * strides.batch + first * strides.column) * kFrom;
      for (std::int64_t block = 0; block < p.rows; block += p.block) {
        for (std::int64_t in_block = 0; in_block < p.block; in_block += p.group, packed += p.width * p.group * kTo) {
          const std::int64_t rows = std::min(p.group, p.block - in_block);
          const std::byte* source = column + (block + in_block) * strides.row * kFrom;
          std::byte* end = packed;
          for (std::int64_t i = 0; i < count; ++i, source += strides.column * kFrom, end += p.group * kTo) {
            for (std::int64_t row = 0; row < rows; ++row)
              store(end + row * kTo, convert(load<From>(source + row * strides.row * kFrom)));
          }
        }
        packed += missing * p.width * p.group * kTo;
      }
    }
  }
}

}  // namespace

void pack(const Packing& packing, Bytes from, bool splat, MutableBytes to) {
  const auto same = [](auto bits) { return bits; };
  if (packing.group > 1 && packing.from != packing.to) {
    return pack_groups<std::int8_t, std::int16_t>(
        packing, from, splat, to, [&](std::int8_t value) { return static_cast<std::int16_t>(value - packing.zero); });
  }
  if (packing.group > 1 && tensor::size_of(packing.to) == 1)
    return pack_groups<std::uint8_t, std::uint8_t>(packing, from, splat, to, same);
  if (packing.group > 1) return pack_groups<std::uint16_t, std::uint16_t>(packing, from, splat, to, same);
  // Columns after the last one, and their sums, are zero.
  if (packing.columns % packing.width != 0) std::ranges::fill(to, std::byte{});
  if (packing.sums) {
    if (packing.from == ElementType::I8)
      return pack_sums(packing, splat, to, [from](std::int64_t i) { return load<std::int8_t>(from.data() + i); });
    return pack_sums(packing, splat, to, [from, type = packing.from](std::int64_t i) {
      return static_cast<std::int64_t>(tensor::double_of(type, from.data() + i * tensor::size_of(type)));
    });
  }
  if (packing.from == packing.to && packing.zero == 0) {
    switch (tensor::size_of(packing.from)) {
      case 4:
        return pack_as<std::uint32_t, std::uint32_t>(packing, from, splat, to, same);
      case 2:
        return pack_as<std::uint16_t, std::uint16_t>(packing, from, splat, to, same);
      case 1:
        return pack_as<std::uint8_t, std::uint8_t>(packing, from, splat, to, same);
      default:
        break;
    }
  }
  if (packing.to == ElementType::F32) {
    if (packing.from == ElementType::I8)
      return pack_as<std::int8_t, float>(packing, from, splat, to,
                                         [zero = static_cast<std::int32_t>(packing.zero)](std::int8_t value) {
                                           return static_cast<float>(value - zero);
                                         });
    if (packing.from == ElementType::F16 && packing.zero == 0)
      return pack_as<std::uint16_t, float>(packing, from, splat, to, kFloatOfHalf);
    if (packing.from == ElementType::BF16 && packing.zero == 0)
      return pack_as<std::uint16_t, float>(packing, from, splat, to, kFloatOfBfloat);
  }
  pack_numbers(packing, from, splat, to);
}

}  // namespace slipway::lower
