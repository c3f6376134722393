// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/array.hpp"

#include <array>
#include <cmath>

#include "tensor/element.hpp"

namespace slipway::importer {
namespace {

// The low bits of a value of a type that is narrower than its storage.
std::int64_t wrapped(FileType type, std::int64_t value) {
  const std::uint32_t bits = bits_of(type);
  if (bits >= 8) return value;
  const std::int64_t low = value & ((std::int64_t{1} << bits) - 1);
  return is_unsigned(type) || low < (std::int64_t{1} << (bits - 1)) ? low : low - (std::int64_t{1} << bits);
}

std::int64_t truncated(double value) {
  constexpr double kBeyondInt64 = 9223372036854775808.0;
  if (std::isnan(value)) return 0;
  if (value >= kBeyondInt64) return std::numeric_limits<std::int64_t>::max();
  return value < -kBeyondInt64 ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(value);
}

}  // namespace

std::int64_t Array::integer(std::size_t i) const {
  const std::byte* const from = data.data() + i * element_size();
  const tensor::ElementType storage = info_of(type).storage;
  if (tensor::is_float(storage)) return truncated(tensor::double_of(storage, from));
  const tensor::Number number = tensor::number_of(storage, from);
  if (const auto* value = std::get_if<std::uint64_t>(&number)) return static_cast<std::int64_t>(*value);
  return std::get<std::int64_t>(number);
}

double Array::real(std::size_t i) const {
  return tensor::double_of(info_of(type).storage, data.data() + i * element_size());
}

std::vector<std::int64_t> Array::integers() const {
  std::vector<std::int64_t> values(count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = integer(i);
  return values;
}

std::vector<double> Array::reals() const {
  std::vector<double> values(count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = real(i);
  return values;
}

Array array_of(FileType type, tensor::Shape shape, std::vector<std::byte> data) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(data));
  return {.type = type, .shape = std::move(shape), .data = *owner, .owner = owner};
}

Array array_of(FileType type, tensor::Shape shape, std::span<const std::int64_t> integers) {
  const tensor::ElementType storage = info_of(type).storage;
  const std::size_t size = tensor::size_of(storage);
  std::vector<std::byte> data(integers.size() * size);
  for (std::size_t i = 0; i < integers.size(); ++i) {
    std::byte* const to = data.data() + i * size;
    if (tensor::is_float(storage)) {
      tensor::store_rounded(storage, static_cast<double>(integers[i]), to);
      continue;
    }
    const std::int64_t value = type == FileType::Bool ? integers[i] != 0 : wrapped(type, integers[i]);
    std::memcpy(to, &value, size);
  }
  return array_of(type, std::move(shape), std::move(data));
}

Array array_of(FileType type, tensor::Shape shape, std::span<const double> reals) {
  const tensor::ElementType storage = info_of(type).storage;
  if (!tensor::is_float(storage)) {
    std::vector<std::int64_t> integers(reals.size());
    for (std::size_t i = 0; i < reals.size(); ++i)
      integers[i] = type == FileType::Bool ? reals[i] != 0 : truncated(reals[i]);
    return array_of(type, std::move(shape), std::span<const std::int64_t>(integers));
  }
  const std::size_t size = tensor::size_of(storage);
  std::vector<std::byte> data(reals.size() * size);
  for (std::size_t i = 0; i < reals.size(); ++i) tensor::store_rounded(storage, reals[i], data.data() + i * size);
  return array_of(type, std::move(shape), std::move(data));
}

Array scalar_of(FileType type, double value) { return array_of(type, {}, std::span<const double>(&value, 1)); }

}  // namespace slipway::importer
