// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL kernels of a SPIR-V module and their arguments (docs/spec/recipe.md#argument-indices). Needs no device.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recipe/signature.hpp"
#include "spirv/module.hpp"

namespace slipway::recipe::opencl {

struct KernelArgument {
  enum class Kind : std::uint8_t { Buffer, Value, Local, Other };
  Kind kind = Kind::Other;
  std::string name;
  std::string type;        // for messages: "pointer to global memory", "32-bit integer"
  std::uint64_t size = 0;  // bytes of a value
  bool writes = true;      // a buffer that is not declared read-only
  // The scalar type of a value, and how many scalars it has. Without an element type, constants cannot set the value.
  std::optional<tensor::ElementType> element;
  std::uint32_t count = 1;
};

struct KernelInfo {
  std::string entry;
  std::vector<KernelArgument> arguments;
  std::optional<std::array<std::uint32_t, 3>> required_local;  // work-group size that the kernel requires
};

// Whether a module has capability Kernel and not Shader, so that only OpenCL can run it.
bool is_kernel_module(const spirv::Module& module);

// All entry points of execution model Kernel.
std::vector<KernelInfo> kernels_of(const spirv::Module& module);

// A specialization constant of a module. Only scalars of whole bytes can be set.
struct KernelConstant {
  std::uint32_t id = 0;
  std::string name;
  tensor::ElementType type = tensor::ElementType::U32;  // Bool takes one byte
};
std::vector<KernelConstant> constants_of(const spirv::Module& module);

// The parameters of a kernel by its own argument index. Excludes local memory and arguments of other kinds, which need
// a rule in `parameters`.
Signature default_signature(const KernelInfo& kernel);

}  // namespace slipway::recipe::opencl
