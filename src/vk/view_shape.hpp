// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a shader sees the layers of an image.
#pragma once

#include <cstdint>

namespace slipway::vk {

enum class ViewShape : std::uint8_t {
  Plain,      // 2D, 3D when the image is deep, or 1D when it is a line; the first layer
  Array,      // 2D or 1D with all layers
  Cube,       // six layers: +X, -X, +Y, -Y, +Z, -Z
  CubeArray,  // a multiple of six layers
};

}  // namespace slipway::vk
