// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the elements of the tensors of a shader are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spirv/reflect/reflect.hpp"
#include "tensor/element_type.hpp"
#include "tensor/shape.hpp"

namespace slipway::spirv {

// Where the elements of a tensor are in its buffer.
struct TensorLayout {
  tensor::ElementType element = tensor::ElementType::F32;
  tensor::Shape shape;                 // outermost first, each at least 1; rank 0 is [1]
  std::vector<std::uint64_t> strides;  // bytes, as many as dimensions; multiples of the element's size
  // By dimension: strides that are known only when the pipeline is made. They are 32-bit specialization constants
  // with these ids, in bytes; `strides` has their defaults. One id may be there for several strides.
  std::map<std::size_t, std::uint32_t> stride_ids;
  bool operator==(const TensorLayout&) const = default;
};

// In row-major order without gaps. Rank 0 becomes [1].
TensorLayout packed_layout(tensor::ElementType element, tensor::ShapeView shape);

struct TensorBinding {
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  std::vector<TensorLayout> elements;  // of the binding's array of descriptors; a single one applies to all of them
};

// What a shader reads about a tensor whose layout is known only when it runs: a uniform buffer at the tensor's set and
// binding. The record of a tensor without elements has a shape of zeros, and the address of any memory that may be
// read: an access outside of a tensor loads its first element, and ignores it.
struct TensorRecord {
  static constexpr std::uint32_t kMaxRank = 6;
  std::uint64_t address = 0;             // of the first element
  std::uint64_t strides[kMaxRank] = {};  // bytes
  std::uint32_t shape[kMaxRank] = {};    // outermost first
};

// The difference between a tensor and its declaration in a shader: `elements of f32` and `elements of i8`, `rank 4` and
// `rank 2`, `shape [1, 4]` and `shape [1, 8]`.
struct TensorMismatch {
  std::string declared, given;
  // What the shader does if only the element types differ and each declared element fits in one of the tensor. Empty:
  // it cannot access the tensor.
  std::string effect;
};
// Empty when they match. Rank 0 is [1].
std::optional<TensorMismatch> tensor_mismatch(const TensorType& declared, tensor::ElementType element,
                                              tensor::ShapeView shape);

}  // namespace slipway::spirv
