// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a native tensor (VK_ARM_tensors) sees its buffer.
#pragma once

#include <string>

#include "base/vk_names.hpp"
#include "tensor/shape.hpp"

namespace slipway::vk {

struct Snapshot;

struct TensorInfo {
  Format format = Format::UNDEFINED;
  tensor::Shape shape;                   // outermost first, 1 to 6 dimensions
  bool shaders = false, graphs = false;  // who uses it
  bool operator==(const TensorInfo&) const = default;
};

// What the device lacks for such a tensor, as "tensors of R64_SINT in shaders"; empty when it has all.
std::string missing_for_tensor(const Snapshot& snapshot, const TensorInfo& info);

}  // namespace slipway::vk
