// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements the invocations of a compute shader write: `c[gl_GlobalInvocationID.x] = ...`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spirv/module.hpp"
#include "spirv/reflect/reflect.hpp"

namespace slipway::spirv {

// A write of an element whose index is at least `factor` times the number of the invocation in a dimension.
struct InvocationIndex {
  Id variable = 0;               // of the binding
  std::uint32_t coordinate = 0;  // of the texel of an image, or of the element of a tensor
  std::uint32_t dimension = 0;   // of GlobalInvocationID
  std::uint64_t factor = 1;
  std::optional<std::uint64_t> length;  // of an array with a constant length in a buffer
};

// Of all writes that the entry point may make; empty if one of them is to another kind of element.
std::vector<InvocationIndex> written_indices(const Module& module, const EntryPoint& entry);

}  // namespace slipway::spirv
