// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PNG files with libspng: as 8-bit RGBA images, and as the texels of other formats (docs/spec/scenario.md#png-files).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "tensor/format.hpp"

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

// How the texels of a format are stored in a PNG file.
struct PngForm {
  std::uint8_t channels = 4;  // 1: grey, 3: RGB, 4: RGBA
  std::uint8_t bits = 8;      // of a sample: 8 or 16
  bool is_linear = false;     // floats and depth: 16 bits for 0 to 1, and the file says that they are linear
  bool operator==(const PngForm&) const = default;
};
// Empty for formats that PNG files do not have: signed, integers of more than 16 bits, stencil, block-compressed.
std::optional<PngForm> png_form(const FormatInfo& format);

// `texels`: one level in the device layout, of a format with a form. Floats are limited to 0..1; NaN is 0.
Result<std::vector<std::byte>> encode_png(const FormatInfo& format, std::uint32_t width, std::uint32_t height,
                                          Bytes texels);
// Reads any PNG file as texels of a format with a form, in the device layout: `to` has width * height texels. A format
// of one channel takes red or grey. Samples are scaled to UNORM, SRGB and float formats; UINT formats take the samples
// themselves, of 16 bits the high byte if the format has 8.
Result<> decode_png(Bytes file, const std::string& name, const FormatInfo& format, MutableBytes to);

}  // namespace slipway::tensor
