// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a native tensor sees its buffer (tensor.hpp).
#pragma once

#include "base/vk_names.hpp"
#include "tensor/shape.hpp"

namespace slipway::gpu {

struct TensorInfo {
  vk::Format format = vk::Format::UNDEFINED;
  tensor::Shape shape;                   // outermost first, 1 to 6 dimensions
  bool shaders = false, graphs = false;  // who uses it
  bool operator==(const TensorInfo&) const = default;
};

}  // namespace slipway::gpu
