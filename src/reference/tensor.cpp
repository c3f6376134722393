// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reference/tensor.hpp"

#include <algorithm>

#include "tensor/element.hpp"

namespace slipway::reference {

Tensor Tensor::zeros(TensorType type) {
  Tensor tensor{std::move(type), {}, {}};
  const auto count = static_cast<std::size_t>(tensor::element_count(tensor.type.shape).value_or(0));
  if (tensor.is_float())
    tensor.reals.resize(count);
  else
    tensor.integers.resize(count);
  return tensor;
}

Tensor Tensor::from_bytes(TensorType type, Bytes bytes, bool splat) {
  Tensor tensor = zeros(std::move(type));
  const tensor::ElementType storage = tosa::storage_of(tensor.type.data);
  const std::size_t size = tensor::size_of(storage);
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    const std::byte* element = bytes.data() + (splat ? 0 : i * size);
    if (tensor.is_float())
      tensor.reals[i] = tensor::double_of(storage, element);
    else
      tensor.integers[i] =
          std::visit([](auto x) { return static_cast<std::int64_t>(x); }, tensor::number_of(storage, element));
  }
  return tensor;
}

std::vector<std::byte> Tensor::to_bytes() const {
  const tensor::ElementType storage = tosa::storage_of(type.data);
  const std::size_t element = tensor::size_of(storage);
  std::vector<std::byte> bytes(size() * element);
  for (std::size_t i = 0; i < size(); ++i) {
    if (is_float())
      tensor::store_rounded(storage, reals[i], bytes.data() + i * element);
    else
      std::memcpy(bytes.data() + i * element, &integers[i], element);  // little-endian: the low bytes
  }
  return bytes;
}

double round_to(DataType type, double value) {
  if (type == DataType::F32) return static_cast<float>(value);
  const tensor::ElementType storage = tosa::storage_of(type);
  std::byte element[8];
  tensor::store_rounded(storage, value, element);
  return tensor::double_of(storage, element);
}

std::int64_t wrap_to(DataType type, std::int64_t value) {
  if (type == DataType::Bool) return value != 0;
  const std::uint32_t unused = 64 - tosa::bits_of(type);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << unused) >> unused;
}

std::int64_t min_integer(DataType type) { return -(std::int64_t{1} << (tosa::bits_of(type) - 1)); }
std::int64_t max_integer(DataType type) { return (std::int64_t{1} << (tosa::bits_of(type) - 1)) - 1; }

}  // namespace slipway::reference
