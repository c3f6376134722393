// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of a kernel, and what each argument index of a run sets (docs/spec/recipe.md#argument-indices).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/vk_names.hpp"
#include "tensor/element_type.hpp"

namespace slipway::recipe {

// Where a buffer goes in a Vulkan kernel.
struct DescriptorTarget {
  std::uint32_t set = 0, binding = 0, element = 0;
  vk::DescriptorType type = vk::DescriptorType::STORAGE_BUFFER;
};

// Where numbers go in the push constants: the byte offset of each scalar of a vector, matrix or array.
struct PushTarget {
  std::vector<std::uint32_t> offsets;
  tensor::ElementType type = tensor::ElementType::U32;
  bool array = false;  // takes a JSON array
};

struct SpecializationTarget {
  std::uint32_t id = 0;
  tensor::ElementType type = tensor::ElementType::U32;
};

// A kernel argument of OpenCL or XRT, by the kernel's own index. OpenCL scalars have a type, and vectors a count.
struct ArgumentTarget {
  std::uint32_t index = 0;
  bool buffer = false;
  std::optional<tensor::ElementType> type;
  std::uint32_t count = 1;
};

struct LocalMemoryTarget {
  std::uint32_t index = 0;
  std::uint64_t bytes = 0;
};

// Accepted and dropped.
struct IgnoredTarget {};

using Target =
    std::variant<DescriptorTarget, PushTarget, SpecializationTarget, ArgumentTarget, LocalMemoryTarget, IgnoredTarget>;

struct Parameter {
  std::uint32_t argidx = 0;
  std::string name;        // for messages; may be empty
  std::uint64_t size = 0;  // bytes of a scalar, or the minimum of a buffer; 0: unknown
  bool reads = true, writes = true;
  bool access_known = false;  // `reads` is exact, for a parameter that writes
  bool needed = false;        // XRT, where parameters are optional: work without it is probably an error
  Target target;

  bool takes_buffer() const;
  bool takes_constant() const;
};

struct Signature {
  std::vector<Parameter> parameters;  // argument indices need not be dense
  bool ignore_unmapped = false;       // an argument index that is not listed is dropped
  bool optional = false;              // parameters that a run does not set are zero (XRT)
  bool patched = false;               // the control code has addresses of `needed` buffers alone (XRT)

  const Parameter* find(std::uint32_t argidx) const;
};

}  // namespace slipway::recipe
