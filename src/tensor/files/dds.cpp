// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/files/dds.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <tuple>

#include "base/format.hpp"

namespace slipway::tensor {
namespace {

// Offsets and values of the header fields (docs/spec/scenario.md#dds-files).
namespace field {
constexpr std::uint32_t kMagic = 0, kSize = 4, kFlags = 8, kHeight = 12, kWidth = 16, kPitch = 20, kDepth = 24,
                        kMipMapCount = 28, kPixelFormatSize = 76, kPixelFormatFlags = 80, kFourCc = 84, kBitCount = 88,
                        kMasks = 92, kCaps = 108, kCaps2 = 112, kDxgiFormat = 128, kDimension = 132, kMiscFlag = 136,
                        kArraySize = 140;
}
constexpr std::uint32_t kMagicValue = 0x20534444;  // "DDS "
constexpr std::uint32_t kHeaderSize = 124;
constexpr std::uint32_t kPixelFormatSize = 32;
constexpr std::uint32_t kWrittenFlags = 0x1007;  // caps, height, width, pixel format
constexpr std::uint32_t kPitchFlag = 0x8, kDepthFlag = 0x800000;
constexpr std::uint32_t kTextureCaps = 0x1000, kComplexCaps = 0x8;
constexpr std::uint32_t kDx10 = 0x30315844;  // "DX10"
constexpr std::uint32_t kTexture1d = 2, kTexture2d = 3, kTexture3d = 4;
constexpr std::uint32_t kCubeMap = 0x4;                                                        // of the DX10 header
constexpr std::uint32_t kLegacyCubeMap = 0x200, kAllFaces = 0xfc00, kLegacyVolume = 0x200000;  // of caps2
constexpr std::uint32_t kFaces = 6;

// Flags of a pixel format: what describes the texels.
constexpr std::uint32_t kAlpha = 0x1, kAlphaOnly = 0x2, kFourCcFlag = 0x4, kRgb = 0x40, kLuminance = 0x20000,
                        kSigned = 0x80000;

constexpr std::uint32_t letters(std::string_view text) {
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < 4; ++i) code |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) << 8 * i;
  return code;
}

// Formats that programs before Direct3D 10 describe by a code. The others they describe by the bits of each channel.
struct LegacyCode {
  std::uint32_t code;
  vk::Format format;
};
constexpr LegacyCode kLegacyCodes[] = {
    {36, vk::Format::R16G16B16A16_UNORM},
    {110, vk::Format::R16G16B16A16_SNORM},
    {111, vk::Format::R16_SFLOAT},
    {112, vk::Format::R16G16_SFLOAT},
    {113, vk::Format::R16G16B16A16_SFLOAT},
    {114, vk::Format::R32_SFLOAT},
    {115, vk::Format::R32G32_SFLOAT},
    {116, vk::Format::R32G32B32A32_SFLOAT},
    {letters("DXT1"), vk::Format::BC1_RGBA_UNORM_BLOCK},
    {letters("DXT2"), vk::Format::BC2_UNORM_BLOCK},  // colors multiplied with alpha, which does not change the blocks
    {letters("DXT3"), vk::Format::BC2_UNORM_BLOCK},
    {letters("DXT4"), vk::Format::BC3_UNORM_BLOCK},
    {letters("DXT5"), vk::Format::BC3_UNORM_BLOCK},
    {letters("BC4U"), vk::Format::BC4_UNORM_BLOCK},
    {letters("ATI1"), vk::Format::BC4_UNORM_BLOCK},
    {letters("BC4S"), vk::Format::BC4_SNORM_BLOCK},
    {letters("BC5U"), vk::Format::BC5_UNORM_BLOCK},
    {letters("ATI2"), vk::Format::BC5_UNORM_BLOCK},
    {letters("BC5S"), vk::Format::BC5_SNORM_BLOCK},
};

// DXGI codes that say only how many bits each channel has, or that leave channels out, and the code that is taken
// unless the reader asks for another one.
struct TypelessCode {
  std::uint32_t code, usual;
};
constexpr TypelessCode kTypelessCodes[] = {{1, 2},   {5, 6},   {9, 11},  {15, 16}, {19, 20}, {21, 20},
                                           {23, 24}, {27, 28}, {33, 35}, {39, 41}, {44, 45}, {46, 45},
                                           {48, 49}, {53, 56}, {60, 61}, {70, 71}, {73, 74}, {76, 77},
                                           {79, 80}, {82, 83}, {90, 87}, {92, 88}, {94, 95}, {97, 98}};

// Reads the header and collects diagnostics.
class HeaderReader {
 public:
  HeaderReader(Bytes file, const std::string& name) : file_(file), name_(name) {}

  std::uint32_t operator[](std::uint32_t offset) const { return load<std::uint32_t>(file_.data() + offset); }
  void refuse(std::uint32_t offset, std::string message, DiagnosticKind kind = DiagnosticKind::FileFormat) {
    problems_.error(kind, SourceLocation::in_bytes(name_, {offset, offset + 4}), std::move(message));
  }
  void require(bool holds, std::uint32_t offset, std::string_view message) {
    if (!holds) refuse(offset, std::string(message));
  }
  bool failed() const { return !problems_.empty(); }
  Failure release() { return problems_.release(); }

 private:
  Bytes file_;
  const std::string& name_;
  Diagnostics problems_;
};

std::unexpected<Failure> truncated(Bytes file, const std::string& name) {
  return fail(DiagnosticKind::FileTruncated, SourceLocation::in_bytes(name, {0, file.size()}),
              formatted("the file has {} bytes, fewer than the {} of a DDS header", file.size(), kDdsHeaderBytes));
}

// The texels of a file, or what in it is not read.
struct Texels {
  const FormatInfo* format = nullptr;
  DdsTexels texels;
};

std::uint32_t mask_of(const Channel& channel) {
  return channel.bits > 16 ? 0 : ((1u << channel.bits) - 1) << channel.offset;
}

// The masks of R, G, B and A of a format of at most 32 bits. Zeros: none like that.
std::array<std::uint32_t, 4> masks_of(const FormatInfo& format) {
  std::array<std::uint32_t, 4> masks{};
  if (format.is_block() || format.texel_bytes > 4) return {};
  for (std::uint32_t i = 0; i < format.components; ++i) {
    const std::size_t index = std::string_view("RGBA").find(format.channel[i].letter);
    if (index == std::string_view::npos) return {};
    masks[index] = mask_of(format.channel[i]);
  }
  return masks;
}

const FormatInfo* find_masks(NumericFormat numeric, std::uint32_t bits, const std::array<std::uint32_t, 4>& masks) {
  const auto table = known_formats();
  const auto found = std::ranges::find_if(table, [&](const FormatInfo& format) {
    return format.numeric == numeric && 8 * format.texel_bytes == bits && masks_of(format) == masks;
  });
  return masks == std::array<std::uint32_t, 4>{} || found == table.end() ? nullptr : &*found;
}

// The channel of each byte of a texel, such as BGRX. Empty if a channel is not a byte.
std::string bytes_of_colors(std::uint32_t bits, const std::array<std::uint32_t, 4>& masks) {
  std::string bytes(bits / 8, 'X');
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto byte = static_cast<std::uint32_t>(std::countr_zero(masks[i])) / 8;
    if (byte >= bytes.size() || masks[i] != 0xffu << 8 * byte) return "";
    bytes[byte] = "RGB"[i];
  }
  return bytes;
}

Texels texels_by_masks(NumericFormat numeric, std::uint32_t bits, const std::array<std::uint32_t, 4>& masks) {
  Texels found{.format = find_masks(numeric, bits, masks), .texels = {.legacy = true}};
  if (masks[3] != 0 || bits > 32) return found;
  if (numeric == NumericFormat::Unorm) found.texels.colors = bytes_of_colors(bits, masks);
  if (found.format || (masks[1] == 0 && masks[2] == 0)) return found;
  // Bits that no channel has: alpha, which is 1.
  const std::uint32_t rest = ~(masks[0] | masks[1] | masks[2]) & (bits == 32 ? ~0u : (1u << bits) - 1);
  found.format = find_masks(numeric, bits, {masks[0], masks[1], masks[2], rest});
  if (found.format) found.texels.opaque = rest;
  return found;
}

// Of a file without a DX10 header.
Texels legacy_texels(const HeaderReader& header) {
  const std::uint32_t flags = header[field::kPixelFormatFlags], bits = header[field::kBitCount];
  if (flags & kFourCcFlag) {
    const auto* const known = std::ranges::find(kLegacyCodes, header[field::kFourCc], &LegacyCode::code);
    if (known == std::end(kLegacyCodes)) return {};
    return {.format = find_format(known->format), .texels = {.legacy = true}};
  }
  const auto mask = [&](std::uint32_t i) { return header[field::kMasks + 4 * i]; };
  std::array masks{mask(0), mask(1), mask(2), mask(3)};
  if (flags & kLuminance) {
    // Some programs repeat the mask of luminance for green and blue. Alpha becomes the second channel.
    masks = {mask(0), mask(3), 0, 0};
  } else if (flags & kAlphaOnly) {
    masks = {0, 0, 0, mask(3)};
  } else if ((flags & (kRgb | kSigned)) == 0) {
    return {};
  }
  // The only one with a channel of 32 bits in that time.
  if (bits == 32 && masks == std::array<std::uint32_t, 4>{~0u, 0, 0, 0})
    return {.format = find_format(vk::Format::R32_SFLOAT), .texels = {.legacy = true}};
  const NumericFormat numeric = flags & kSigned ? NumericFormat::Snorm : NumericFormat::Unorm;
  Texels found = texels_by_masks(numeric, bits, masks);
  // Without the flag the masks of alpha may be anything.
  if (!found.format && !(flags & kAlpha)) {
    masks[flags & kLuminance ? 1 : 3] = 0;
    found = texels_by_masks(numeric, bits, masks);
  }
  return found;
}

// Of a DXGI code.
Texels coded_texels(std::uint32_t code) {
  const auto* const typeless = std::ranges::find(kTypelessCodes, code, &TypelessCode::code);
  const bool any_numbers = typeless != std::end(kTypelessCodes);
  Texels found{.format = find_dxgi(any_numbers ? typeless->usual : code), .texels = {.any_numbers = any_numbers}};
  if (found.format && found.format->format >= vk::Format::B8G8R8_UNORM &&
      found.format->format <= vk::Format::B8G8R8_SRGB)
    found.texels.colors = "BGRX";
  return found;
}

// What a file without a DX10 header has instead of texels that are read.
std::string legacy_text(const HeaderReader& header) {
  const std::uint32_t flags = header[field::kPixelFormatFlags], code = header[field::kFourCc];
  if ((flags & kFourCcFlag) == 0) {
    return formatted("texels of {} bits with the masks 0x{:x}, 0x{:x}, 0x{:x}, 0x{:x} (flags 0x{:x})",
                     header[field::kBitCount], header[field::kMasks], header[field::kMasks + 4],
                     header[field::kMasks + 8], header[field::kMasks + 12], flags);
  }
  std::string name;
  for (std::uint32_t i = 0; i < 4; ++i) name += static_cast<char>(code >> 8 * i);
  const bool readable = std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '`'; });
  return readable ? formatted("texels with the code `{}`", name) : formatted("texels with the code {}", code);
}

// Sets the extent and the layers; reports what they cannot be.
void read_shape(HeaderReader& header, bool is_dx10, DdsView& view) {
  const std::uint32_t caps2 = header[field::kCaps2];
  const std::uint32_t dimension = is_dx10 ? header[field::kDimension] : caps2 & kLegacyVolume ? kTexture3d : kTexture2d;
  const bool cube = is_dx10 ? header[field::kMiscFlag] & kCubeMap : caps2 & kLegacyCubeMap;
  const std::uint32_t count = is_dx10 ? std::max(header[field::kArraySize], 1u) : 1;
  view.extent = {header[field::kWidth], header[field::kHeight], 1};
  if (dimension == kTexture3d) view.extent[2] = header[field::kDepth];
  // Some programs leave the height of 1D textures out.
  if (dimension == kTexture1d) view.extent[1] = std::max(view.extent[1], 1u);
  for (const auto& [size, name, at] :
       {std::tuple(view.extent[0], "width", field::kWidth), std::tuple(view.extent[1], "height", field::kHeight),
        std::tuple(view.extent[2], "depth", field::kDepth)}) {
    if (size == 0) header.refuse(at, formatted("the {} is 0", name), DiagnosticKind::OutOfRange);
  }
  if (dimension < kTexture1d || dimension > kTexture3d) {
    header.refuse(field::kDimension,
                  formatted("unknown dimension {} of the texture; known are 2 (1D), 3 (2D) and 4 (3D)", dimension));
  }
  if (dimension == kTexture1d && view.extent[1] > 1)
    header.refuse(field::kHeight, formatted("a 1D texture has the height 1, but here is {}", view.extent[1]));
  if (dimension == kTexture3d && (count > 1 || cube))
    header.refuse(is_dx10 ? field::kArraySize : field::kCaps2, "a 3D texture has one layer and is not a cube map");
  if (cube && view.extent[0] != view.extent[1])
    header.refuse(field::kHeight, formatted("the faces of a cube map have {} x {} texels, which is not a square",
                                            view.extent[0], view.extent[1]));
  const std::uint32_t faces = caps2 & kAllFaces;
  if (!is_dx10 && cube && faces != 0 && faces != kAllFaces)
    header.refuse(field::kCaps2, formatted("the cube map has {} faces of {}", std::popcount(faces), kFaces));
  const Size layers = checked_multiply(count, cube ? kFaces : 1);
  if (*layers > std::numeric_limits<std::uint32_t>::max()) {
    header.refuse(field::kArraySize, formatted("there are {} cubes", count), DiagnosticKind::OutOfRange);
  } else {
    view.layers = static_cast<std::uint32_t>(*layers);
  }
}

std::array<std::uint32_t, 3> extent_of_level(const DdsView& view, std::uint32_t level) {
  std::array extent = view.extent;
  for (std::uint32_t& size : extent) size = std::max(size >> level, 1u);
  return extent;
}

// Parses everything except the payload.
Result<DdsView> parse_header(Bytes file, const std::string& name) {
  HeaderReader header(file, name);
  if (file.size() < 4 || header[field::kMagic] != kMagicValue) {
    return fail(DiagnosticKind::FileFormat, SourceLocation::in_bytes(name, {0, std::min<std::size_t>(file.size(), 4)}),
                "Invalid DDS magic word");
  }
  if (file.size() < field::kDxgiFormat) return truncated(file, name);
  header.require(header[field::kSize] == kHeaderSize, field::kSize, "Invalid DDS header size (Must be 124)");
  header.require(header[field::kPixelFormatSize] == kPixelFormatSize, field::kPixelFormatSize,
                 "Invalid DDS pixel format header size (Must be 32)");
  const bool is_dx10 = header[field::kFourCc] == kDx10;
  if (is_dx10 && file.size() < kDdsHeaderBytes) return truncated(file, name);
  Texels texels = is_dx10 ? coded_texels(header[field::kDxgiFormat]) : legacy_texels(header);
  if (!texels.format && is_dx10) {
    header.refuse(field::kDxgiFormat, formatted("Unknown DXGI format: {}", header[field::kDxgiFormat]));
  } else if (!texels.format) {
    header.refuse(field::kPixelFormatFlags, formatted("{} are not read from DDS files; `texconv -dx10 -f "
                                                      "R8G8B8A8_UNORM FILE` writes texels that are",
                                                      legacy_text(header)));
  }
  DdsView view{.format = texels.format,
               .texels = std::move(texels.texels),
               .level_count = std::max(header[field::kMipMapCount], 1u),
               .header_bytes = static_cast<std::uint32_t>(is_dx10 ? kDdsHeaderBytes : kLegacyDdsHeaderBytes)};
  read_shape(header, is_dx10, view);
  const auto most = static_cast<std::uint32_t>(std::bit_width(std::ranges::max(view.extent)));
  if (view.level_count > std::max(most, 1u)) {
    header.refuse(
        field::kMipMapCount,
        formatted("the file claims {} mip levels, but {} x {}{} texels have at most {}", view.level_count,
                  view.extent[0], view.extent[1], view.extent[2] > 1 ? formatted(" x {}", view.extent[2]) : "", most),
        DiagnosticKind::OutOfRange);
  }
  if (header.failed()) return std::unexpected(header.release());
  return view;
}

// Of one layer; `tight`: without the zeros after the last R8G8B8 texel, as if each had four bytes
// (docs/spec/scenario.md#formats, note a).
Size bytes_in_file(const DdsView& view, std::uint32_t level, bool tight) {
  const auto [width, height, depth] = extent_of_level(view, level);
  if (!view.texels.colors.empty()) {
    const Size texels = checked_multiply(checked_multiply(width, height), depth);
    return checked_multiply(texels, view.texels.colors.size());
  }
  return tight ? level_bytes(*view.format, width, height, depth)
               : checked_multiply(file_level_bytes(*view.format, width, height), depth);
}

// Of the levels that are read; of a file with layers all levels but the last ones of its last layer.
Size bytes_used(const DdsView& view, std::uint32_t levels_used, bool tight) {
  Size chain = 0, used = 0;
  for (std::uint32_t i = 0; i < view.level_count; ++i) {
    const Size level = bytes_in_file(view, i, tight);
    chain = checked_add(chain, level);
    if (i < levels_used) used = checked_add(used, level);
  }
  return checked_add(checked_multiply(chain, view.layers - 1), used);
}

// Each layer has all its levels, one after the other. `bytes_used` are in the payload.
std::vector<DdsLevel> split_levels(const DdsView& view, Bytes payload, std::uint32_t levels_used, bool tight) {
  std::vector<DdsLevel> levels;
  for (std::uint32_t i = 0; i < levels_used; ++i) levels.push_back({.extent = extent_of_level(view, i), .layers = {}});
  std::uint64_t offset = 0;
  for (std::uint32_t layer = 0; layer < view.layers; ++layer) {
    for (std::uint32_t i = 0; i < view.level_count; ++i) {
      const std::uint64_t size = *bytes_in_file(view, i, tight);
      if (i < levels_used) levels[i].layers.push_back(payload.subspan(offset, size));
      offset += size;
    }
  }
  return levels;
}

// `BC3` of BC3_UNORM_BLOCK.
std::string block_family(const FormatInfo& format) {
  constexpr std::size_t kPrefix = std::string_view("VK_FORMAT_").size();
  const std::string name = vk::name_of(format.format);
  return name.substr(kPrefix, name.find('_', kPrefix) - kPrefix);
}

// Whether the channels of two formats have the same bits.
bool have_same_bits(const FormatInfo& one, const FormatInfo& other, bool same_letters) {
  if (one.is_block() || other.is_block())
    return one.is_block() && other.is_block() && block_family(one) == block_family(other);
  return one.components == other.components && one.texel_bytes == other.texel_bytes &&
         std::ranges::equal(std::span(one.channel).first(one.components),
                            std::span(other.channel).first(other.components), [&](const Channel& a, const Channel& b) {
                              return a.bits == b.bits && a.offset == b.offset &&
                                     (!same_letters || a.letter == b.letter);
                            });
}

bool has_bytes_of_colors(const FormatInfo& format) {
  return !format.is_block() && !format.packed && format.components >= 3 && format.texel_bytes == format.components;
}

}  // namespace

Result<DdsView> parse_dds_header(Bytes file, const std::string& name) { return parse_header(file, name); }

Result<DdsView> parse_dds(Bytes file, const std::string& name, std::uint32_t levels_used) {
  Result<DdsView> view = parse_header(file, name);
  if (!view) return view;
  const Bytes payload = file.subspan(view->header_bytes);
  const std::uint32_t count = std::min(view->level_count, std::max(levels_used, 1u));
  const Size padded = bytes_used(*view, count, false), without = bytes_used(*view, count, true);
  const bool tight =
      (!padded || *padded > payload.size()) && has_tail_padding(*view->format) && without && *without <= payload.size();
  const Size& used = tight ? without : padded;
  const auto mismatch = [&](DiagnosticKind kind) {
    return fail(kind, SourceLocation::in_bytes(name, {view->header_bytes, file.size()}),
                formatted("Expected image input size to be {}, but got {} instead",
                          padded ? std::to_string(*padded) : "more than 2^64", payload.size()));
  };
  if (!used || *used > payload.size()) return mismatch(DiagnosticKind::FileTruncated);
  if (view->level_count == 1 && *used != payload.size()) return mismatch(DiagnosticKind::TrailingData);
  view->levels = split_levels(*view, payload, count, tight);
  return view;
}

bool is_readable_as(const DdsView& texture, const FormatInfo& format) {
  const FormatInfo& in_file = *texture.format;
  if (&format == &in_file) return true;
  using enum NumericFormat;
  const auto is_color = [](NumericFormat numeric) { return numeric == Unorm || numeric == Srgb; };
  if (format.numeric != in_file.numeric && !texture.texels.any_numbers &&
      !(texture.texels.legacy && is_color(format.numeric) && is_color(in_file.numeric)))
    return false;
  if (!texture.texels.colors.empty() && has_bytes_of_colors(format) && is_color(format.numeric)) return true;
  // Depth has the bits of a typeless format, and a format of one channel those of alpha.
  const bool same_letters = in_file.components > 1 || !(texture.texels.any_numbers || in_file.channel[0].letter == 'A');
  return have_same_bits(in_file, format, same_letters);
}

void read_dds_level(const DdsView& texture, std::size_t level, const FormatInfo& format, MutableBytes device) {
  const DdsLevel& from = texture.levels[level];
  const std::size_t size = device.size() / from.layers.size();
  const std::string& colors = texture.texels.colors;
  for (std::size_t layer = 0; layer < from.layers.size(); ++layer) {
    const Bytes file = from.layers[layer];
    const MutableBytes to = device.subspan(layer * size, size);
    if (colors.empty()) {
      from_file_layout(*texture.format, file, to);
      for (std::size_t i = 0; texture.texels.opaque != 0 && i < size; ++i)
        to[i] |= static_cast<std::byte>(texture.texels.opaque >> 8 * (i % format.texel_bytes));
      continue;
    }
    for (std::uint32_t c = 0; c < format.components; ++c) {
      const std::size_t at = colors.find(format.channel[c].letter);
      for (std::size_t i = 0; i < size / format.texel_bytes; ++i)
        to[i * format.texel_bytes + c] = at == std::string::npos ? std::byte{255} : file[i * colors.size() + at];
    }
  }
}

Result<> check_dds_extent(const DdsView& texture, const std::string& name, std::uint64_t width, std::uint64_t height) {
  Diagnostics problems;
  const auto check = [&](std::string_view what, std::uint32_t offset, std::uint64_t got, std::uint64_t wanted) {
    if (got == wanted) return;
    problems.error(DiagnosticKind::FileMismatch, SourceLocation::in_bytes(name, {offset, offset + 4}),
                   formatted("DDS image {} does not match that in the scenario file: {} vs {}", what, got, wanted));
  };
  check("height", field::kHeight, texture.extent[1], height);
  check("width", field::kWidth, texture.extent[0], width);
  if (!problems.empty()) return std::unexpected(problems.release());
  return {};
}

namespace {

// The pixel format of programs before Direct3D 10; `put` stores a value at an offset.
void put_masks(const FormatInfo& format, const std::array<std::uint32_t, 4>& masks, const auto& put) {
  put(field::kBitCount, 8 * format.file_texel_bytes);
  // One channel is luminance; of two with 8 bits the other one is its alpha.
  const bool luminance = format.components == 1 || (format.components == 2 && format.texel_bytes == 2);
  if (masks[3] != 0 && format.components == 1) {
    put(field::kPixelFormatFlags, kAlphaOnly);
  } else if (luminance) {
    put(field::kPixelFormatFlags, kLuminance | (format.components == 2 ? kAlpha : 0));
  } else {
    put(field::kPixelFormatFlags, kRgb | (masks[3] != 0 ? kAlpha : 0));
  }
  for (std::uint32_t i = 0; i < masks.size(); ++i) put(field::kMasks + 4 * i, masks[i]);
  if (luminance && format.components == 2) {
    put(field::kMasks + 4, 0);
    put(field::kMasks + 12, masks[1]);
  }
}

}  // namespace

Result<std::vector<std::byte>> dds_header(const FormatInfo& format, std::array<std::uint32_t, 3> extent,
                                          std::uint32_t layers, const SourceLocation& location, DdsHeader kind) {
  if (format.dxgi == 0 || format.is_block()) {
    return fail(DiagnosticKind::OutOfRange, location,
                formatted("`{}` cannot be written to a DDS file; write a .npy file", vk::name_of(format.format)));
  }
  const std::uint64_t pitch = std::uint64_t{extent[0]} * format.file_texel_bytes;
  if (pitch > std::numeric_limits<std::uint32_t>::max()) {
    return fail(DiagnosticKind::OutOfRange, location, formatted("a row of {} bytes is too long for a DDS file", pitch));
  }
  const auto* const code = std::ranges::find(kLegacyCodes, format.format, &LegacyCode::format);
  const bool is_coded = code != std::end(kLegacyCodes);
  const auto masks = format.numeric == NumericFormat::Unorm ? masks_of(format) : std::array<std::uint32_t, 4>{};
  const bool legacy = kind == DdsHeader::Legacy;
  if (legacy && layers > 1)
    return fail(DiagnosticKind::OutOfRange, location, "layers are in DDS files with a DX10 header only");
  if (legacy && !is_coded && (std::ranges::max(masks) == 0 || has_tail_padding(format))) {
    return fail(DiagnosticKind::OutOfRange, location,
                formatted("`{}` has no DDS header of programs before Direct3D 10; write one with a DX10 header",
                          vk::name_of(format.format)));
  }
  const bool deep = extent[2] > 1;
  std::vector<std::byte> header(legacy ? kLegacyDdsHeaderBytes : kDdsHeaderBytes);
  const auto put = [&](std::uint32_t offset, std::uint32_t value) { store(header.data() + offset, value); };
  put(field::kMagic, kMagicValue);
  put(field::kSize, kHeaderSize);
  put(field::kFlags, kWrittenFlags | kPitchFlag | (deep ? kDepthFlag : 0));
  put(field::kHeight, extent[1]);
  put(field::kWidth, extent[0]);
  put(field::kPitch, static_cast<std::uint32_t>(pitch));
  put(field::kDepth, legacy && !deep ? 0 : extent[2]);
  put(field::kMipMapCount, 1);
  put(field::kPixelFormatSize, kPixelFormatSize);
  put(field::kCaps, kTextureCaps | (deep ? kComplexCaps : 0));
  put(field::kCaps2, deep ? kLegacyVolume : 0);
  if (!legacy) {
    put(field::kPixelFormatFlags, kFourCcFlag);
    put(field::kFourCc, kDx10);
    put(field::kDxgiFormat, format.dxgi);
    put(field::kDimension, deep ? kTexture3d : kTexture2d);
    put(field::kArraySize, layers);
    return header;
  }
  if (is_coded) {
    put(field::kPixelFormatFlags, kFourCcFlag);
    put(field::kFourCc, code->code);
    return header;
  }
  put_masks(format, masks, put);
  return header;
}

}  // namespace slipway::tensor
