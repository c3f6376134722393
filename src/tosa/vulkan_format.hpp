// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Vulkan formats of tensors (docs/spec/vgf.md#resources).
#pragma once

#include "base/vk_names.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

// `is_unsigned` only matters for i8, i16 and i32. An i4 is stored in 8 bits.
vk::Format tensor_format(DataType type, bool is_unsigned = false);

}  // namespace slipway::tosa
