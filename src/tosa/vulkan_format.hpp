// The formats that Vulkan has for tensors (VGF page 3.4).
#pragma once

#include "base/vk_names.hpp"
#include "tosa/graph.hpp"

namespace slipway::tosa {

// `is_unsigned` matters for i8, i16 and i32 alone. An i4 stands in 8 bits.
vk::Format tensor_format(DataType type, bool is_unsigned = false);

}  // namespace slipway::tosa
