// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PNG files as 8-bit RGBA images, with libspng (docs/spec/scenario.md#png-files).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"

namespace slipway::tensor {

inline constexpr std::uint32_t kMaxPngExtent = 8192;

struct PngExtent {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  bool operator==(const PngExtent&) const = default;
};

struct RgbaImage {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::byte> texels;  // R, G, B, A of each, row by row
};

// Reads only the header and does not check its checksum. Errors, at bytes of the file `name`: a width or height above
// kMaxPngExtent.
Result<PngExtent> png_extent(Bytes file, const std::string& name);

// Accepts every colour type, bit depth and interlacing. Grey is replicated, a missing alpha is 255, tRNS becomes alpha,
// and of 16 bits the high byte is taken.
Result<RgbaImage> decode_png(Bytes file, const std::string& name);

// A PNG file of 8-bit RGBA texels. `texels` has width * height * 4 bytes.
Result<std::vector<std::byte>> encode_png(std::uint32_t width, std::uint32_t height, Bytes texels);

}  // namespace slipway::tensor
