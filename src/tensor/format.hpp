// What the texels of a Vulkan format look like in memory and in files (scenario page 3.5).
//
// The names of Vulkan's formats are regular, so channels, sizes and numeric formats are read from the name
// (`A2B10G10R10_UNORM_PACK32`: one 32-bit word, A in its highest bits); formats.def adds what a name does not say.
// Channels are numbered in memory order: by address, and inside a word from the lowest bit, so that B8G8R8A8 is B, G,
// R, A and A2B10G10R10_PACK32 is R, G, B, A.
//
// Three layouts of an image level occur:
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

// Some bits of a texel.
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
  std::uint32_t block_extent;      // texels a side of a block: 1, or 4 for BC formats
  std::uint32_t texel_bytes;       // device layout; of a block for BC formats; D32_SFLOAT_S8_UINT: the depth alone
  std::uint32_t file_texel_bytes;  // file layout: texel_bytes rounded up to a power of two
  bool depth;
  bool stencil;
  std::uint32_t dxgi;              // the code in DDS files, 0 if there is none
  bool listed;                     // in the closed list of the existing tool (3.5 without the dagger)
  std::array<Channel, 4> channel;  // the first `components` of them; none for BC formats

  bool is_block() const { return block_extent > 1; }
};

// Null for formats whose texels we do not know: multi-planar, 2- and 4-word packed, scaled, E5B9G9R9, compressed other
// than BC.
const FormatInfo* find_format(vk::Format format);
const FormatInfo* find_dxgi(std::uint32_t code);
// All known formats, by number.
std::span<const FormatInfo> known_formats();

// The format an image is made with: D32_SFLOAT for D32_SFLOAT_S8_UINT (3.6), else the same.
vk::Format created_as(vk::Format format);

// Bytes of one level; blocks and texels at the edge count whole. Empty if 64 bits do not hold it.
Size level_bytes(const FormatInfo& info, std::uint64_t width, std::uint64_t height, std::uint64_t depth = 1);
Size file_level_bytes(const FormatInfo& info, std::uint64_t width, std::uint64_t height);

// One level from the file layout into the device layout. `file` holds file_level_bytes, or level_bytes for R8G8B8
// formats (3.5 note a); `device` is whole texels. Returns whether a stencil other than zero was dropped.
bool from_file_layout(const FormatInfo& info, Bytes file, MutableBytes device);
// Whether files hold the texels tightly and pad behind the last one: R8G8B8 (3.5 note a).
bool has_tail_padding(const FormatInfo& info);
// The payload of a DDS file for one level: padding is zero, X of B8G8R8 is 255.
std::vector<std::byte> to_file_layout(const FormatInfo& info, Bytes device);

// The plain array of texels in the device layout: components in memory order, each of type `info.component`; floats of
// 10 and 11 bits become f32. Empty for BC formats.
std::vector<std::byte> unpack(const FormatInfo& info, Bytes device);

// Writes one component of a zeroed texel in the device layout. UNORM, SNORM and SRGB take real values in 0..1 or -1..1,
// rounded to nearest, without the sRGB curve; integer formats whole numbers; float formats any number in range (3.7,
// inline contents).
[[nodiscard]] Stored store_component(const FormatInfo& info, std::uint32_t component, Number value, std::byte* texel);
// `nan`, `inf`, `-inf` where the component has them, and `0x...`: its raw bits.
[[nodiscard]] Stored store_component_word(const FormatInfo& info, std::uint32_t component, std::string_view word,
                                          std::byte* texel);

// The element type of a tensor with this format. Errors, with `place`: "More than 1 components from VkFormat", and
// formats that are no plain array of elements.
Result<ElementType> tensor_element_type(vk::Format format, const SourceLocation& location);

std::string_view name_of(NumericFormat numeric);  // `UNORM`

}  // namespace slipway::tensor
