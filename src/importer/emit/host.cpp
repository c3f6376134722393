// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/host.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "tensor/strided_copy.hpp"

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

Array copy_strided(const Array& array, const tensor::Shape& shape, std::int64_t first, tensor::ShapeView strides) {
  const std::size_t size = array.element_size();
  std::vector<std::byte> data(tensor::element_count(shape).value_or(0) * size);
  tensor::copy_strided(array.data.data() + first * static_cast<std::int64_t>(size), strides, shape, size, data);
  return array_of(array.type, shape, std::move(data));
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
