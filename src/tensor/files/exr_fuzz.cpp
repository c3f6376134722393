// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include "tensor/files/exr.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway::tensor;
  const auto picture = parse_exr(std::as_bytes(std::span(data, size)), "fuzz.exr");
  // A header may claim more texels than are worth decoding on every input.
  if (!picture || picture->width > 256 || picture->height > 256) return 0;
  const auto formats = known_formats();
  const FormatInfo& format = formats[size % formats.size()];
  if (!has_exr_form(format)) return 0;
  std::vector<std::byte> texels(std::size_t{picture->width} * picture->height * format.texel_bytes);
  if (!decode_exr(*picture, "fuzz.exr", format, texels)) return 0;
  // What is written can be read, and is the same again, except for NaNs and floats of 10 and 11 bits beyond the range.
  const std::vector<std::byte> written = encode_exr(format, picture->width, picture->height, texels);
  const auto again = parse_exr(written, "again.exr");
  if (!again) __builtin_trap();
  std::vector<std::byte> read(texels.size());
  if (!decode_exr(*again, "again.exr", format, read)) __builtin_trap();
  const bool is_exact = format.component == ElementType::F16 || format.channel[0].numeric == NumericFormat::Uint;
  if (is_exact && read != texels) __builtin_trap();
  return 0;
}
