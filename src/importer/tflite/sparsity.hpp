// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse constants of TensorFlow Lite files as dense ones (docs/spec/import.md#sparsity).
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "tensor/shape.hpp"

namespace slipway::importer {

namespace fb {
struct SparsityParameters;
}

struct SparseConstant {
  const fb::SparsityParameters& sparsity;
  tensor::ShapeView shape;  // of the dense tensor; its elements fit in memory
  Bytes values;             // as many elements as the levels have
  std::size_t padding = 0;  // the count of elements that may follow them
  Bytes fill;               // one element, for what has no value
};

// The error is a clause after the name of the tensor: "has ...".
std::expected<std::vector<std::byte>, std::string> dense_of(const SparseConstant& constant);

}  // namespace slipway::importer
