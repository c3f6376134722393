// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "testing/kernel/code.hpp"

#include <stdexcept>

#include "base/print_diagnostic.hpp"

namespace slipway::testing {
namespace {

template <class T>
T known(Result<T> result) {
  if (!result) throw std::runtime_error(format_diagnostics(result.error()));
  return std::move(*result);
}

}  // namespace

KernelCode::KernelCode(const lower::ProgramKernel& kernel)
    : module(known(spirv::read_module(spirv::Words(*kernel.spirv), kernel.name))),
      tree(known(cpu_compiler::read_kernel(module))),
      shapes(module.id_bound()) {
  for (const spirv::Instruction& in : module.instructions()) {
    if (in.result != 0 && in.type != 0) shapes[in.result] = shape_of(tree.type(in.type));
  }
  for (const auto& [id, variable] : tree.variables) {
    const Type& type = tree.type(variable.type);
    if (variable.storage == spv::StorageClass::Function) shapes[id] = shape_of(type);
    if (variable.storage != spv::StorageClass::Workgroup) continue;
    shared[id] = static_cast<std::uint32_t>(shared_types.size());
    shared_types.push_back(&type);
  }
}

Shape KernelCode::shape_of(const Type& type) const {
  switch (type.kind) {
    case Type::Kind::Vector:
    case Type::Kind::Struct: {  // the two halves of a product
      const Id part = type.kind == Type::Kind::Vector ? type.element : type.members[0];
      Shape shape = shape_of(tree.type(part));
      shape.components = type.kind == Type::Kind::Vector ? type.count : static_cast<std::uint32_t>(type.members.size());
      return shape;
    }
    case Type::Kind::Matrix:
      return {.kind = type.kind, .matrix = &type};
    case Type::Kind::Bool:
      return {.kind = type.kind, .width = 1};
    case Type::Kind::Pointer:
      return {.kind = type.kind, .width = 64, .storage = type.storage};
    default:
      return {.kind = type.kind, .width = type.width};
  }
}

std::uint32_t KernelCode::size_of(const Type& type) const {
  if (type.kind == Type::Kind::Vector) return type.count * size_of(tree.type(type.element));
  return type.width / 8;
}

tensor::ElementType KernelCode::element_of(const Type& matrix) const {
  using enum tensor::ElementType;
  const Type& component = tree.type(matrix.element);
  if (component.kind == Type::Kind::Int) return component.width == 8 ? I8 : I32;
  if (component.width == 32) return F32;
  return component.is_bfloat ? BF16 : F16;
}

}  // namespace slipway::testing
