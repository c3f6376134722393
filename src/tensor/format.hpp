// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of the texels of a Vulkan format in memory and in files (docs/spec/scenario.md#formats).
//
// The names of Vulkan formats are regular, so channels, sizes and numeric formats are read from the name
// (`A2B10G10R10_UNORM_PACK32`: one 32-bit word, A in its highest bits); formats.def contains the other properties.
// Channels are in memory order: by address, and inside a word from the lowest bit, so that B8G8R8A8 is B, G, R, A and
// A2B10G10R10_PACK32 is R, G, B, A.
//
// An image level has one of three layouts:
//   device   texels as Vulkan copies them, without padding: `texel_bytes` each, row by row
//   file     the payload of a DDS file: `file_texel_bytes` each; differs for 3-byte formats and D32_SFLOAT_S8_UINT
//   plain    an array [H, W, C] of type `component`; differs from `device` for packed formats only
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "base/vk_names.hpp"
#include "tensor/element.hpp"
#include "tensor/element_type.hpp"
#include "tensor/shape.hpp"

namespace slipway::tensor {

enum class NumericFormat : std::uint8_t { Unorm, Snorm, Uint, Sint, Ufloat, Sfloat, Srgb };

// A range of bits of a texel.
struct Channel {
  char letter = 0;  // R G B A D S
  NumericFormat numeric = NumericFormat::Unorm;
  std::uint8_t bits = 0;
  std::uint16_t offset = 0;  // of the lowest bit, in the texel as one little-endian number
};

struct FormatInfo {
  vk::Format format;
  NumericFormat numeric;    // of the first channel
  std::uint8_t components;  // channels; padding (X) does not count
  ElementType component;    // of one component in the plain layout: u8 for 8-bit UNORM and SRGB, i8 for SNORM, ...
  bool packed;              // several components share a word: a .npy file has C = 1 and whole words
  ElementType stored;       // of one element of a .npy file: the component, or for packed formats the word
  std::uint8_t stored_components;  // C of a .npy file
  std::uint32_t block_extent;      // width and height of a block in texels: 1, or 4 for BC formats
  std::uint32_t texel_bytes;       // device layout; of a block for BC formats; D32_SFLOAT_S8_UINT: the depth alone
  std::uint32_t file_texel_bytes;  // file layout: texel_bytes rounded up to a power of two
  bool depth;
  bool stencil;
  std::uint32_t dxgi;              // the code in DDS files, or 0
  bool listed;                     // in the closed list of the existing tool (docs/spec/scenario.md#formats)
  std::array<Channel, 4> channel;  // the first `components` of them; none for BC formats

  bool is_block() const { return block_extent > 1; }
};

// Null for formats whose texel layout is unknown: multi-planar, 2- and 4-word packed, scaled, E5B9G9R9, compressed
// formats other than BC.
const FormatInfo* find_format(vk::Format format);
const FormatInfo* find_dxgi(std::uint32_t code);
// All known formats, sorted by value.
std::span<const FormatInfo> known_formats();

// The format that an image is created with: D32_SFLOAT for D32_SFLOAT_S8_UINT (docs/spec/scenario.md#dds-files),
// otherwise the same.
vk::Format created_as(vk::Format format);

// Bytes of one level, with partial blocks at the edges rounded up. Empty if the size does not fit in 64 bits.
Size level_bytes(const FormatInfo& info, std::uint64_t width, std::uint64_t height, std::uint64_t depth = 1);
Size file_level_bytes(const FormatInfo& info, std::uint64_t width, std::uint64_t height);

// Converts one level from the file layout to the device layout. `file` has file_level_bytes, or level_bytes for R8G8B8
// formats (docs/spec/scenario.md#formats, note a); `device` has whole texels. Returns whether a stencil value other
// than zero was dropped.
bool from_file_layout(const FormatInfo& info, Bytes file, MutableBytes device);
// Whether files contain tightly packed texels and padding after the last one: R8G8B8 (docs/spec/scenario.md#formats,
// note a).
bool has_tail_padding(const FormatInfo& info);
// The payload of a DDS file for one level: padding is zero, X of B8G8R8 is 255.
std::vector<std::byte> to_file_layout(const FormatInfo& info, Bytes device);

// The plain array of texels in the device layout: components in memory order, each of type `info.component`; floats of
// 10 and 11 bits become f32. Empty for BC formats.
std::vector<std::byte> unpack(const FormatInfo& info, Bytes device);

// Writes one component of a zeroed texel in the device layout. UNORM, SNORM and SRGB take real values in 0..1 or -1..1,
// rounded to nearest, without the sRGB curve; integer formats take integers; float formats take any number in range
// (docs/spec/scenario.md#inline-contents).
[[nodiscard]] Stored store_component(const FormatInfo& info, std::uint32_t component, Number value, std::byte* texel);
// Takes `nan`, `inf`, `-inf` if the component has them, and `0x...`: its raw bits.
[[nodiscard]] Stored store_component_word(const FormatInfo& info, std::uint32_t component, std::string_view word,
                                          std::byte* texel);

// The element type of a tensor with this format. Errors, at `location`: "More than 1 components from VkFormat", and
// formats whose texels are not plain elements.
Result<ElementType> tensor_element_type(vk::Format format, const SourceLocation& location);

std::string_view name_of(NumericFormat numeric);  // `UNORM`

}  // namespace slipway::tensor
