// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor whose elements are known while a model is imported: a weight in the mapped file, a parameter, the result of
// shape arithmetic. Elements are packed, in row-major order, in the storage of their type.
#pragma once

#include <memory>
#include <vector>

#include "base/bytes.hpp"
#include "importer/file_type.hpp"
#include "tensor/shape.hpp"

namespace slipway::importer {

struct Array {
  FileType type = FileType::F32;
  tensor::Shape shape;
  Bytes data;
  std::shared_ptr<const void> owner;  // of the data; null where the file owns them

  std::size_t count() const { return data.size() / element_size(); }
  std::size_t element_size() const { return tensor::size_of(info_of(type).storage); }
  // Integers and bools; floats are truncated.
  std::int64_t integer(std::size_t i) const;
  double real(std::size_t i) const;
  std::vector<std::int64_t> integers() const;
  std::vector<double> reals() const;
};

// Integers wrap to the type, floats round to nearest even; the numbers are as many as the shape has elements.
Array array_of(FileType type, tensor::Shape shape, std::span<const std::int64_t> integers);
Array array_of(FileType type, tensor::Shape shape, std::span<const double> reals);
// Takes elements as they are stored.
Array array_of(FileType type, tensor::Shape shape, std::vector<std::byte> data);
// One element, of rank 0.
Array scalar_of(FileType type, double value);

}  // namespace slipway::importer
