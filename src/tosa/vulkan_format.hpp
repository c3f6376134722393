// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Vulkan formats of tensors (docs/spec/vgf.md#resources).
#pragma once

#include "base/vk_names.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

// `is_unsigned` only matters for i8, i16 and i32. An i4 is stored in 8 bits.
vk::Format tensor_format(DataType type, bool is_unsigned = false);

// Whether a tensor of a module with elements of `type` may be bound to a resource with elements of `given`: modules
// have integers without sign, and the signed type represents both.
bool is_stored_as(DataType type, tensor::ElementType given);

}  // namespace slipway::tosa
