// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types and constants of a graph module that is being written. Each is declared once.
#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "spirv/builder.hpp"
#include "tosa/data_type.hpp"

namespace slipway::tosa {

class SpirvConstants {
 public:
  SpirvConstants(spirv::Builder& builder, bool replicate) : builder_(builder), replicate_(replicate) {}

  spirv::Id element_type(DataType type);
  // Rank 0 is a tensor of one element; a dimension that is not known leaves the type without a shape.
  spirv::Id tensor_type(const TensorType& type);
  // Of a result: a tensor, or a struct of several.
  spirv::Id result_type(std::span<const TensorType> types);

  spirv::Id u32(std::uint32_t value) { return builder_.constant_u32(value); }
  spirv::Id scalar(DataType type, std::uint64_t bits);
  spirv::Id list(std::span<const std::int64_t> values);  // a tensor of rank 1
  // `data`: all elements in memory order, or the single value of all of them.
  spirv::Id tensor(const TensorType& type, Bytes data, bool splat);
  // Characters as an array of bytes; an empty text is one zero (docs/spec/vgf.md#other-instruction-sets).
  spirv::Id text(std::string_view text);

 private:
  spirv::Id equal_elements(const TensorType& type, std::uint64_t bits);
  spirv::Id composite(const TensorType& type, Bytes data);

  spirv::Builder& builder_;
  bool replicate_;
  std::map<std::vector<spirv::Id>, spirv::Id> structs_;
};

}  // namespace slipway::tosa
