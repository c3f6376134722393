// PNG files as 8-bit RGBA images (scenario page 3.6), through libspng.
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

// Reads the header only, without its checksum; refuses more than kMaxPngExtent a side. Errors point at bytes of the
// file `name`.
Result<PngExtent> png_extent(Bytes file, const std::string& name);

// Every colour type, bit depth and interlace, expanded: grey replicated, missing alpha 255, tRNS to alpha, of 16 bits
// the high byte.
Result<RgbaImage> decode_png(Bytes file, const std::string& name);

// A PNG file of 8-bit RGBA texels: width * height * 4 bytes.
Result<std::vector<std::byte>> encode_png(std::uint32_t width, std::uint32_t height, Bytes texels);

}  // namespace slipway::tensor
