// What a kernel takes, parameter by parameter, and what runs set by `argidx` (recipe page 3.3.5).
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

// Where a number goes in the push constants: each scalar of a vector, matrix or array has an offset of its own.
struct PushTarget {
  std::vector<std::uint32_t> offsets;
  tensor::ElementType type = tensor::ElementType::U32;
  bool array = false;  // takes a JSON array
};

struct SpecializationTarget {
  std::uint32_t id = 0;
  tensor::ElementType type = tensor::ElementType::U32;
};

// An OpenCL or XRT kernel argument by its own index. OpenCL's scalars have a type, and vectors a count.
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
  std::uint64_t size = 0;  // bytes of a scalar, or the least that a buffer must have; 0 when nothing is known
  bool reads = true, writes = true;
  Target target;

  bool takes_buffer() const;
  bool takes_constant() const;
};

struct Signature {
  std::vector<Parameter> parameters;  // by argidx, which need not be dense
  bool ignore_unmapped = false;       // an argidx that is not listed is dropped
  bool optional = false;              // parameters that no run sets stay zero (XRT)

  const Parameter* find(std::uint32_t argidx) const;
};

}  // namespace slipway::recipe
