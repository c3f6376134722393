// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include "tensor/files/png.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway::tensor;
  const auto file = std::as_bytes(std::span(data, size));
  // A header may claim up to 256 MB of texels; decoding those on every input would only be slow.
  const auto extent = png_extent(file, "fuzz.png");
  if (!extent || extent->width > 256 || extent->height > 256) return 0;
  const auto image = decode_png(file, "fuzz.png");
  if (image && !encode_png(image->width, image->height, image->texels)) __builtin_trap();
  // What can be read can be read as the texels of any format that PNG files have, and written again.
  const auto formats = known_formats();
  const FormatInfo& format = formats[size % formats.size()];
  if (!image || !png_form(format)) return 0;
  std::vector<std::byte> texels(std::size_t{image->width} * image->height * format.texel_bytes);
  if (!decode_png(file, "fuzz.png", format, texels)) __builtin_trap();
  if (!encode_png(format, image->width, image->height, texels)) __builtin_trap();
  return 0;
}
