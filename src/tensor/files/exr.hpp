// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenEXR files with one flat image: lines or tiles, channels of halfs, floats and 32-bit integers
// (docs/spec/scenario.md#exr-files). Read: no compression, RLE, ZIPS, ZIP, PIZ and PXR24. Written: ZIP.
//
//   Result<ExrView> picture = parse_exr(mapped.bytes(), "a.exr");
//   Result<> made = decode_exr(*picture, "a.exr", *find_format(vk::Format::R16G16B16A16_SFLOAT), texels);
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "tensor/format.hpp"

namespace slipway::tensor {

enum class ExrType : std::uint8_t { Uint, Half, Float };  // values as in files
enum class ExrCompression : std::uint8_t { None, Rle, Zips, Zip, Piz, Pxr24 };

struct ExrChannel {
  std::string name;
  ExrType type = ExrType::Half;
  std::uint32_t bytes() const { return type == ExrType::Half ? 2 : 4; }
};

// A block of texels that is compressed alone: some lines of the whole width, or a tile.
struct ExrChunk {
  std::uint32_t x = 0, y = 0, width = 0, height = 0;  // in texels of the image
  Bytes bytes;                                        // as they are in the file
  std::uint64_t offset = 0;                           // of `bytes`
};

struct ExrView {
  std::uint32_t width = 0;  // of the data window
  std::uint32_t height = 0;
  ExrCompression compression = ExrCompression::None;
  std::vector<ExrChannel> channels;                     // in the order of a line of a chunk
  std::uint64_t channels_offset = 0, channels_end = 0;  // of the list of channels in the file
  std::vector<ExrChunk> chunks;                         // cover the image; of tiles with levels the largest one
};

// All errors of the header are reported together, then all errors of chunks.
Result<ExrView> parse_exr(Bytes file, const std::string& name);

// Whether EXR files have the texels of a format: floats, depth, and unsigned integers of up to 32 bits.
bool has_exr_form(const FormatInfo& format);

// The channel of a file for each component of a format: by its letter; grey for R, G and B; for one component also
// the only channel. kExrNone for a missing alpha, which is 1. Errors: a channel is missing, or has integers for
// floats or the other way round.
inline constexpr std::size_t kExrNone = static_cast<std::size_t>(-1);
Result<std::array<std::size_t, 4>> exr_channels(const ExrView& picture, const std::string& name,
                                                const FormatInfo& format);

// `to`: width * height texels of a format with a form, in the device layout. Floats are rounded to nearest.
Result<> decode_exr(const ExrView& picture, const std::string& name, const FormatInfo& format, MutableBytes to);

// `texels`: one level in the device layout, of a format with a form. Halfs and floats of 10 and 11 bits are written as
// halfs, other floats and depth as floats. One component is `Y`, depth is `Z`.
std::vector<std::byte> encode_exr(const FormatInfo& format, std::uint32_t width, std::uint32_t height, Bytes texels);

// Inside this module. The bytes of a chunk in lines of channels; nothing if they are damaged.
std::optional<std::vector<std::byte>> exr_uncompressed(const ExrView& picture, const ExrChunk& chunk);
// The same for the compression PIZ and `size` bytes.
std::optional<std::vector<std::byte>> exr_piz(const ExrView& picture, const ExrChunk& chunk, std::size_t size);

}  // namespace slipway::tensor
