// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/strided_copy.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/parallel.hpp"

namespace slipway::tensor {
namespace {

constexpr std::size_t kManyBytes = std::size_t{1} << 20;  // that are copied by all cores

// Of an element in a file, where it is not aligned.
template <std::size_t kSize>
struct StoredElement {
  std::byte bytes[kSize];
};

// Copies in blocks of the two dimensions in which the result and the source are the densest.
template <class Element>
class StridedCopy {
 public:
  StridedCopy(const Shape& shape, ShapeView strides) : shape_(shape), strides_(strides), steps_(shape.size(), 1) {
    for (std::size_t d = last(); d > 0; --d) steps_[d - 1] = steps_[d] * shape[d];
    for (std::size_t d = 1; d < last(); ++d) {
      if (shape[d] > 1 && (shape[dense_] == 1 || std::abs(strides[d]) < std::abs(strides[dense_]))) dense_ = d;
    }
  }

  // The indices from `begin` to `end` of the first dimension.
  void run(const Element* from, Element* to, std::int64_t begin, std::int64_t end) const {
    if (last() == 0 || dense_ == 0)
      copy(last() == 0 ? 0 : 1, from, to, begin, end);
    else
      for (std::int64_t i = begin; i < end; ++i) copy(1, from + i * strides_[0], to + i * steps_[0], 0, shape_[dense_]);
  }

 private:
  std::size_t last() const { return shape_.size() - 1; }

  // `begin` and `end` are rows of the blocks, or elements of the only dimension.
  void copy(std::size_t d, const Element* from, Element* to, std::int64_t begin, std::int64_t end) const {
    if (last() == 0) return copy_block(from, to, 0, 1, begin, end);
    if (d == dense_) ++d;
    if (d >= last()) return copy_block(from, to, begin, end, 0, shape_[last()]);
    for (std::int64_t i = 0; i < shape_[d]; ++i) copy(d + 1, from + i * strides_[d], to + i * steps_[d], begin, end);
  }

  void copy_block(const Element* from, Element* to, std::int64_t first_row, std::int64_t rows, std::int64_t first,
                  std::int64_t columns) const {
    constexpr std::int64_t kSide = 16;  // both sides of a block are in the first-level cache
    for (std::int64_t row = first_row; row < rows; row += kSide) {
      for (std::int64_t column = first; column < columns; column += kSide) {
        for (std::int64_t r = row; r < std::min(row + kSide, rows); ++r) {
          const Element* const source = from + r * strides_[dense_];
          if (strides_[last()] == 1) {
            std::copy(source + column, source + std::min(column + kSide, columns), to + r * steps_[dense_] + column);
            continue;
          }
          for (std::int64_t c = column; c < std::min(column + kSide, columns); ++c)
            to[r * steps_[dense_] + c] = source[c * strides_[last()]];
        }
      }
    }
  }

  const Shape& shape_;
  ShapeView strides_;
  Shape steps_;            // of the result
  std::size_t dense_ = 0;  // the other dimension of blocks, beside the last one
};

template <std::size_t kSize>
void copy_strided(const std::byte* from, MutableBytes to, const Shape& shape, ShapeView strides) {
  using Element = StoredElement<kSize>;
  const StridedCopy<Element> copy(shape, strides);
  const auto* source = reinterpret_cast<const Element*>(from);
  auto* target = reinterpret_cast<Element*>(to.data());
  const std::int64_t parts = to.size() < kManyBytes ? 1 : std::min<std::int64_t>(shape[0], 64);
  parallel_for(static_cast<std::size_t>(parts), [&](std::size_t part) {
    const auto at = static_cast<std::int64_t>(part);
    copy.run(source, target, at * shape[0] / parts, (at + 1) * shape[0] / parts);
  });
}

}  // namespace

void copy_strided(const std::byte* from, ShapeView strides, ShapeView shape, std::size_t element, MutableBytes to) {
  if (to.empty()) return;
  // With as few dimensions as possible, and one at least.
  Shape extents{1}, steps{1};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    if (extents.back() == 1 || steps.back() == strides[d] * shape[d]) {
      extents.back() *= shape[d];
      steps.back() = strides[d];
    } else {
      extents.push_back(shape[d]);
      steps.push_back(strides[d]);
    }
  }
  switch (element) {
    case 1:
      return copy_strided<1>(from, to, extents, steps);
    case 2:
      return copy_strided<2>(from, to, extents, steps);
    case 4:
      return copy_strided<4>(from, to, extents, steps);
    default:
      return copy_strided<8>(from, to, extents, steps);
  }
}

}  // namespace slipway::tensor
