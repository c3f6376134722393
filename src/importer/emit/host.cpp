// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/host.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "base/parallel.hpp"
#include "base/system/zeroed_memory.hpp"

namespace slipway::importer {
namespace {

// Calls `use(i)` with the offset of each element of `shape` in order.
template <class Use>
void for_each_offset(tensor::ShapeView shape, std::int64_t first, tensor::ShapeView strides, Use use) {
  const std::size_t count = tensor::element_count(shape).value_or(0);
  tensor::Shape at(shape.size(), 0);
  std::int64_t offset = first;
  for (std::size_t i = 0; i < count; ++i) {
    use(static_cast<std::size_t>(offset));
    for (std::size_t d = shape.size(); d-- > 0;) {
      offset += strides[d];
      if (++at[d] < shape[d]) break;
      offset -= strides[d] * shape[d];
      at[d] = 0;
    }
  }
}

}  // namespace

std::int64_t product_of(tensor::ShapeView shape) {
  if (std::ranges::contains(shape, 0)) return 0;
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(tensor::element_count(shape).value_or(kMax), kMax));
}

tensor::Shape strides_of(tensor::ShapeView shape) {
  tensor::Shape strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

namespace {

constexpr std::size_t kManyBytes = std::size_t{1} << 20;  // that are copied by all cores, to memory of its own

// Of an element in a file, where it is not aligned.
template <std::size_t kSize>
struct StoredElement {
  std::byte bytes[kSize];
};

// Copies in blocks of the two dimensions in which the result and the source are the densest.
template <class Element>
class StridedCopy {
 public:
  StridedCopy(const tensor::Shape& shape, tensor::ShapeView strides)
      : shape_(shape), strides_(strides), steps_(strides_of(shape)) {
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

  const tensor::Shape& shape_;
  tensor::ShapeView strides_;
  tensor::Shape steps_;    // of the result
  std::size_t dense_ = 0;  // the other dimension of blocks, beside the last one
};

template <std::size_t kSize>
void copy_strided(const std::byte* from, MutableBytes to, const tensor::Shape& shape, tensor::ShapeView strides) {
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

Array copy_strided(const Array& array, const tensor::Shape& shape, std::int64_t first, tensor::ShapeView strides) {
  const std::size_t size = array.element_size(), count = tensor::element_count(shape).value_or(0) * size;
  Array made{.type = array.type, .shape = shape, .data = {}, .owner = nullptr};
  MutableBytes to;
  if (count < kManyBytes) {
    const auto owner = std::make_shared<std::vector<std::byte>>(count);
    to = *owner;
    made.owner = owner;
  } else {
    const auto owner = std::make_shared<ZeroedMemory>(count);
    if (owner->failed()) throw std::bad_alloc();
    to = owner->bytes();
    made.owner = owner;
  }
  made.data = to;
  const std::byte* const from = array.data.data() + first * static_cast<std::int64_t>(size);
  if (count == 0) return made;
  // With as few dimensions as possible, and one at least.
  tensor::Shape extents{1}, steps{1};
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
  switch (size) {
    case 1:
      copy_strided<1>(from, to, extents, steps);
      break;
    case 2:
      copy_strided<2>(from, to, extents, steps);
      break;
    case 4:
      copy_strided<4>(from, to, extents, steps);
      break;
    default:
      copy_strided<8>(from, to, extents, steps);
  }
  return made;
}

Array concatenated(std::span<const Array> arrays, std::size_t axis) {
  tensor::Shape shape = arrays.front().shape;
  shape[axis] = 0;
  std::size_t outer = 1;
  for (std::size_t d = 0; d < axis; ++d) outer *= static_cast<std::size_t>(shape[d]);
  for (const Array& each : arrays) shape[axis] += each.shape[axis];
  std::vector<std::byte> data;
  for (std::size_t o = 0; o < outer; ++o) {
    for (const Array& each : arrays) {
      const std::size_t row = each.data.size() / outer;
      const Bytes part = each.data.subspan(o * row, row);
      data.insert(data.end(), part.begin(), part.end());
    }
  }
  return array_of(arrays.front().type, std::move(shape), std::move(data));
}

Array padded(const Array& array, const tensor::Shape& shape, tensor::ShapeView start, const Array& filling) {
  const std::size_t size = array.element_size();
  std::vector<std::byte> data(tensor::element_count(shape).value_or(0) * size);
  for (std::size_t i = 0; i < data.size(); i += size) std::memcpy(data.data() + i, filling.data.data(), size);
  const tensor::Shape strides = strides_of(shape);
  std::int64_t first = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) first += start[d] * strides[d];
  const std::byte* from = array.data.data();
  for_each_offset(array.shape, first, strides, [&](std::size_t to) {
    std::memcpy(data.data() + to * size, from, size);
    from += size;
  });
  return array_of(array.type, shape, std::move(data));
}

}  // namespace slipway::importer
