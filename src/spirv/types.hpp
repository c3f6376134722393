// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of a module, and their sizes in memory.
//
// Types come before their uses, so that one pass in the module's order measures them all, without recursion.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "base/checked.hpp"
#include "spirv/annotations.hpp"
#include "spirv/constants.hpp"
#include "spirv/module.hpp"
#include "spirv/reflect/reflect.hpp"

namespace slipway::spirv {

// A type without the arrays around it.
struct Unwrapped {
  const Instruction* type = nullptr;  // null when a definition is missing
  Size count = 1;                     // of all dimensions together; 0 with a runtime array among them
};

// The number of SPIR-V's image format; 0, Unknown, if it has none.
std::uint32_t image_format_number(vk::Format format);

class Types {
 public:
  Types(const Module& module, const Annotations& annotations, const Constants& constants);

  // What a pointer type, or an untyped variable, points to.
  const Instruction* pointee(const Instruction& variable) const;
  Unwrapped unwrap_arrays(const Instruction* type) const;

  std::optional<tensor::ElementType> element_type(Id scalar) const;
  // The type of all numbers in a structure, an array, a matrix or a vector; empty if there are several.
  std::optional<tensor::ElementType> common_element_type(Id type) const;
  ImageType image(const Instruction& type) const;  // OpTypeImage
  std::optional<TensorType> tensor(
      const Instruction& type) const;  // OpTypeTensorARM; empty for an unsupported element type

  // To the last byte, with the explicit layout of blocks: offsets and strides from decorations.
  Size block_size(Id structure) const;
  std::uint64_t runtime_stride(Id structure) const;  // of the array at the end; 0 without one
  Size member_size(const Instruction& structure, std::uint32_t member) const;
  // With the layout by which Vulkan counts Workgroup memory: standard storage buffer layout, bool as 32 bits.
  Size workgroup_size(Id type) const;
  std::uint64_t workgroup_alignment(Id type) const;

 private:
  // The stride of a matrix is a decoration of the structure member, so its size is known only with its structure.
  struct Layout {
    Size size = 0;  // explicit; of a matrix or an array of them only what lies before the last matrix
    Id matrix = 0;  // the matrix type at the core of arrays
    std::uint64_t runtime_stride = 0;
    Size std430_size = 0;
    std::uint64_t std430_alignment = 1;
  };

  Layout measure(const Instruction& type) const;
  Layout measure_vector(const Instruction& type) const;
  Layout measure_matrix(const Instruction& type) const;
  Layout measure_array(const Instruction& type) const;
  Layout measure_struct(const Instruction& type) const;
  Layout layout(Id type) const;
  Size matrix_size(const Instruction& structure, std::uint32_t member, Id matrix) const;

  const Module& module_;
  const Annotations& annotations_;
  const Constants& constants_;
  std::unordered_map<Id, Layout> layouts_;
};

}  // namespace slipway::spirv
