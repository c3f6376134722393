// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel as the interpreter reads it: its structure, and the shape of each value.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "cpu_compiler/kernel_module.hpp"
#include "lower/program.hpp"

namespace slipway::testing {

using cpu_compiler::Type;
using spirv::Id;

inline std::int64_t signed_of(std::uint64_t bits, std::uint32_t width) {
  const std::uint32_t unused = 64 - width;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

// Values are bits, one number for each component and invocation; those of matrices are numbers for each subgroup.
struct Shape {
  Type::Kind kind = Type::Kind::Void;  // of a component
  std::uint32_t components = 1, width = 32;
  const Type* matrix = nullptr;
  spv::StorageClass storage = spv::StorageClass::Function;  // of what a pointer points to
  std::uint64_t mask() const { return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }
};

struct KernelCode {
  explicit KernelCode(const lower::ProgramKernel& kernel);
  KernelCode(const KernelCode&) = delete;

  Shape shape_of(const Type& type) const;
  std::uint32_t size_of(const Type& type) const;  // bytes in memory
  const Type& pointee(Id pointer) const { return tree.type(type_of_pointer(pointer).element); }
  const Type& type_of_pointer(Id pointer) const { return tree.type(module.definition(pointer)->type); }
  // An element of a matrix in memory.
  tensor::ElementType element_of(const Type& matrix) const;

  spirv::Module module;
  cpu_compiler::KernelModule tree;
  std::vector<Shape> shapes;           // by id of values
  std::map<Id, std::uint32_t> shared;  // arrays of a workgroup, in the order of their ids
  std::vector<const Type*> shared_types;
};

}  // namespace slipway::testing
