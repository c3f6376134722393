// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and constants of a SPIR-V graph module, decoded.
#pragma once

#include <optional>
#include <vector>

#include "base/diagnostic.hpp"
#include "spirv/module.hpp"
#include "tosa/data_type.hpp"

namespace slipway::tosa {

// The data of a constant in the storage of its type; a single element when all are equal.
struct SpirvConstant {
  TensorType type;  // rank 0 for a scalar
  std::vector<std::byte> data;
  bool splat = false;
};

class SpirvValues {
 public:
  SpirvValues(const spirv::Module& module, Diagnostics& diagnostics) : module_(module), diagnostics_(diagnostics) {}

  // Each is empty after an error, which points at `user`.
  std::optional<DataType> element_type(spirv::Id type, const spirv::Instruction& user);
  // OpTypeTensorARM; without a shape every dimension is dynamic.
  std::optional<TensorType> tensor_type(spirv::Id type, const spirv::Instruction& user);
  // The tensor types of a result: of one tensor, or of each member of an OpTypeStruct.
  std::optional<std::vector<TensorType>> result_types(spirv::Id type, const spirv::Instruction& user);
  // A 32-bit integer constant.
  std::optional<std::uint32_t> index(spirv::Id id, const spirv::Instruction& user);
  // A scalar or tensor constant other than OpGraphConstantARM.
  std::optional<SpirvConstant> constant(spirv::Id id, const spirv::Instruction& user);
  // The bytes of an array of 8-bit integers up to the first zero: the encoding of names in constants.
  std::optional<std::string> text(spirv::Id id, const spirv::Instruction& user);
  // Whether two tensor types are equal in structure: element, rank, shape values (producers repeat them under several
  // ids).
  bool equal(spirv::Id a, spirv::Id b, const spirv::Instruction& user);

 private:
  std::nullopt_t error(DiagnosticKind kind, const spirv::Instruction& user, std::string text);
  std::optional<std::vector<std::uint32_t>> integers(spirv::Id id, const spirv::Instruction& user);
  bool flatten(spirv::Id id, DataType type, std::uint64_t count, std::vector<std::byte>& to, int depth,
               const spirv::Instruction& user);

  const spirv::Module& module_;
  Diagnostics& diagnostics_;
  std::uint64_t inlined_ = 0;  // bytes of expanded constants so far
};

}  // namespace slipway::tosa
