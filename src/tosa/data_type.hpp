// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of tensors in a graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/element_type.hpp"
#include "tensor/shape.hpp"

namespace slipway::tosa {

enum class DataType : std::uint8_t {
#define DATA_TYPE(identifier, name, storage, bits) identifier,
#include "tosa/data_types.def"
#undef DATA_TYPE
};

std::string_view name_of(DataType type);  // `i8`
std::optional<DataType> data_type_from_name(std::string_view name);
tensor::ElementType storage_of(DataType type);  // of one element in memory
std::uint32_t bits_of(DataType type);           // of the value

constexpr bool is_float(DataType type) { return type >= DataType::F16; }
// Types that TOSA 1.0 does not have.
constexpr bool is_block_scaled(DataType type) { return type > DataType::F8E5M2; }
constexpr bool is_integer(DataType type) { return type >= DataType::I4 && type <= DataType::I48; }

// -1: a dimension that only the bound tensor decides.
inline constexpr std::int64_t kDynamic = -1;
// The only extent of a result without a rank (MLIR's `tensor<*xf32>`), until the verifier infers its shape.
inline constexpr std::int64_t kUnranked = -2;

struct TensorType {
  DataType data = DataType::F32;
  tensor::Shape shape;
  bool operator==(const TensorType&) const = default;

  bool is_static() const {
    for (const std::int64_t extent : shape) {
      if (extent < 0) return false;
    }
    return true;
  }
};

inline bool is_unranked(const tensor::Shape& shape) { return shape.size() == 1 && shape[0] == kUnranked; }

std::string text_of(const TensorType& type);  // `i8[1, -1, 3]`

// A tensor of the interface of a model as its user knows it, where the graph has another type or shape: int64 for i32,
// no dimension for [1], no elements for a tensor that no operator reads.
struct DeclaredTensor {
  tensor::ElementType type = tensor::ElementType::F32;
  tensor::Shape shape;
};

}  // namespace slipway::tosa
