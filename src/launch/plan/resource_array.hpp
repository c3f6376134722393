// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contents of resources as arrays, for files and for callers.
#pragma once

#include "launch/plan/plan.hpp"
#include "tensor/element.hpp"

namespace slipway::launch {

struct ResourceArray {
  tensor::ElementType type = tensor::ElementType::U8;
  tensor::Shape shape;
};

// Bytes of a buffer, or of level 0 of an image.
std::uint64_t contents_size(const Resource& resource);

// Buffers as bytes, level 0 of images as [H, W, C] ([D, H, W, C] when 3D or with layers); formats without plain texels
// as bytes.
ResourceArray array_of(const Resource& resource);

}  // namespace slipway::launch
