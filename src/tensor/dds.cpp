// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/dds.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

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
constexpr std::uint32_t kRequiredFlags = 0x1007;  // caps, height, width, pixel format
constexpr std::uint32_t kPitchFlag = 0x8;
constexpr std::uint32_t kFourCcFlag = 0x4;
constexpr std::uint32_t kTextureCaps = 0x1000;
constexpr std::uint32_t kDx10 = 0x30315844;  // "DX10"
constexpr std::uint32_t kTexture2d = 3;
constexpr std::uint32_t kCubeMap = 0x4;
constexpr std::uint32_t kLegacyCubeMap = 0x200, kLegacyVolume = 0x200000;  // of caps2

// A format as programs before Direct3D 10 describe it: by a code, or by the bits of each channel.
struct LegacyFormat {
  vk::Format format;
  std::uint32_t flags = 0;  // of the pixel format
  std::uint32_t code = 0;   // with kFourCcFlag
  std::uint32_t bits = 0;   // of a texel
  std::array<std::uint32_t, 4> masks{};
};
constexpr std::uint32_t kAlpha = 0x1, kRgb = 0x40, kLuminance = 0x20000;

constexpr std::uint32_t letters(std::string_view text) {
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < 4; ++i) code |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])) << 8 * i;
  return code;
}

// The first entry of a format is the one that is written.
constexpr LegacyFormat kLegacyFormats[] = {
    {vk::Format::R8G8B8A8_UNORM, kRgb | kAlpha, 0, 32, {0xff, 0xff00, 0xff0000, 0xff000000}},
    {vk::Format::B8G8R8A8_UNORM, kRgb | kAlpha, 0, 32, {0xff0000, 0xff00, 0xff, 0xff000000}},
    {vk::Format::R8_UNORM, kLuminance, 0, 8, {0xff, 0, 0, 0}},
    {vk::Format::R8G8_UNORM, kLuminance | kAlpha, 0, 16, {0xff, 0, 0, 0xff00}},
    {vk::Format::R16_UNORM, kLuminance, 0, 16, {0xffff, 0, 0, 0}},
    {vk::Format::R16G16_UNORM, kRgb, 0, 32, {0xffff, 0xffff0000, 0, 0}},
    {vk::Format::R16G16B16A16_UNORM, kFourCcFlag, 36, 0, {}},
    {vk::Format::R16_SFLOAT, kFourCcFlag, 111, 0, {}},
    {vk::Format::R16G16_SFLOAT, kFourCcFlag, 112, 0, {}},
    {vk::Format::R16G16B16A16_SFLOAT, kFourCcFlag, 113, 0, {}},
    {vk::Format::R32_SFLOAT, kFourCcFlag, 114, 0, {}},
    {vk::Format::R32G32_SFLOAT, kFourCcFlag, 115, 0, {}},
    {vk::Format::R32G32B32A32_SFLOAT, kFourCcFlag, 116, 0, {}},
    {vk::Format::BC1_RGBA_UNORM_BLOCK, kFourCcFlag, letters("DXT1"), 0, {}},
    {vk::Format::BC2_UNORM_BLOCK, kFourCcFlag, letters("DXT3"), 0, {}},
    {vk::Format::BC3_UNORM_BLOCK, kFourCcFlag, letters("DXT5"), 0, {}},
    {vk::Format::BC4_UNORM_BLOCK, kFourCcFlag, letters("BC4U"), 0, {}},
    {vk::Format::BC4_UNORM_BLOCK, kFourCcFlag, letters("ATI1"), 0, {}},
    {vk::Format::BC4_SNORM_BLOCK, kFourCcFlag, letters("BC4S"), 0, {}},
    {vk::Format::BC5_UNORM_BLOCK, kFourCcFlag, letters("BC5U"), 0, {}},
    {vk::Format::BC5_UNORM_BLOCK, kFourCcFlag, letters("ATI2"), 0, {}},
    {vk::Format::BC5_SNORM_BLOCK, kFourCcFlag, letters("BC5S"), 0, {}},
};

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

// The format of a file without a DX10 header; null if no format is like that.
const LegacyFormat* legacy_format(const HeaderReader& header) {
  const std::uint32_t flags = header[field::kPixelFormatFlags];
  const auto found = std::ranges::find_if(kLegacyFormats, [&](const LegacyFormat& one) {
    if (one.flags & kFourCcFlag) return (flags & kFourCcFlag) != 0 && header[field::kFourCc] == one.code;
    if ((flags & (kFourCcFlag | kAlpha | kRgb | kLuminance)) != one.flags || header[field::kBitCount] != one.bits)
      return false;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const bool used = i < 3 || (flags & kAlpha) != 0;
      // Some programs repeat the mask of luminance for green and blue.
      if ((flags & kLuminance) != 0 && (i == 1 || i == 2)) continue;
      if (used && header[field::kMasks + 4 * i] != one.masks[i]) return false;
    }
    return true;
  });
  return found == std::end(kLegacyFormats) ? nullptr : found;
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
  header.require((header[field::kFlags] & kRequiredFlags) == kRequiredFlags, field::kFlags,
                 "Required DDS header height/width flags not set");
  header.require(header[field::kPixelFormatSize] == kPixelFormatSize, field::kPixelFormatSize,
                 "Invalid DDS pixel format header size (Must be 32)");
  header.require((header[field::kCaps] & kTextureCaps) != 0, field::kCaps, "Required DDS header caps flag not set");
  const bool is_dx10 = header[field::kFourCc] == kDx10;
  const LegacyFormat* const legacy = is_dx10 ? nullptr : legacy_format(header);
  header.require(is_dx10 || legacy, field::kFourCc, "Non-DX10 DDS files not supported");
  if (!is_dx10 && !legacy) return std::unexpected(header.release());
  if (is_dx10) {
    if (file.size() < kDdsHeaderBytes) return truncated(file, name);
    header.require(header[field::kDimension] == kTexture2d, field::kDimension, "Only 2D DDS textures are supported");
    header.require((header[field::kMiscFlag] & kCubeMap) == 0, field::kMiscFlag,
                   "Cube-map DDS textures are not supported");
    if (const std::uint32_t count = header[field::kArraySize]; count > 1) {
      header.refuse(field::kArraySize,
                    formatted("the file has an array of {} textures, but only one is supported", count));
    }
  } else {
    header.require((header[field::kCaps2] & kLegacyVolume) == 0, field::kCaps2, "Only 2D DDS textures are supported");
    header.require((header[field::kCaps2] & kLegacyCubeMap) == 0, field::kCaps2,
                   "Cube-map DDS textures are not supported");
  }

  DdsView view{.format = legacy ? find_format(legacy->format) : find_dxgi(header[field::kDxgiFormat]),
               .width = header[field::kWidth],
               .height = header[field::kHeight],
               .level_count = std::max(header[field::kMipMapCount], 1u),
               .header_bytes = static_cast<std::uint32_t>(legacy ? kLegacyDdsHeaderBytes : kDdsHeaderBytes)};
  if (!view.format) {
    header.refuse(field::kDxgiFormat, formatted("Unknown DXGI format: {}", header[field::kDxgiFormat]));
  }
  if (view.width == 0) header.refuse(field::kWidth, "the width is 0", DiagnosticKind::OutOfRange);
  if (view.height == 0) header.refuse(field::kHeight, "the height is 0", DiagnosticKind::OutOfRange);
  const auto most = static_cast<std::uint32_t>(std::bit_width(std::max({view.width, view.height, 1u})));
  if (view.level_count > most) {
    header.refuse(field::kMipMapCount,
                  formatted("the file claims {} mip levels, but {} x {} texels have at most {}", view.level_count,
                            view.width, view.height, most),
                  DiagnosticKind::OutOfRange);
  }
  if (header.failed()) return std::unexpected(header.release());
  return view;
}

// Splits the payload into levels whose sizes `bytes_of` returns; empty if it is too small.
template <class BytesOf>
std::optional<std::vector<DdsLevel>> split_levels(const DdsView& view, Bytes payload, std::uint32_t count,
                                                  BytesOf&& bytes_of) {
  std::vector<DdsLevel> levels;
  std::uint64_t offset = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t width = std::max(view.width >> i, 1u);
    const std::uint32_t height = std::max(view.height >> i, 1u);
    const Size size = bytes_of(*view.format, width, height);
    if (!size || *size > payload.size() - offset) return std::nullopt;
    levels.push_back({width, height, payload.subspan(offset, *size)});
    offset += *size;
  }
  return levels;
}

}  // namespace

Result<DdsView> parse_dds_header(Bytes file, const std::string& name) { return parse_header(file, name); }

Result<DdsView> parse_dds(Bytes file, const std::string& name, std::uint32_t levels_used) {
  Result<DdsView> view = parse_header(file, name);
  if (!view) return view;
  const Bytes payload = file.subspan(view->header_bytes);
  const std::uint32_t count = std::min(view->level_count, std::max(levels_used, 1u));
  const auto tight_bytes = [](const FormatInfo& format, std::uint64_t width, std::uint64_t height) {
    return level_bytes(format, width, height);
  };
  auto levels = split_levels(*view, payload, count, file_level_bytes);
  // Without the zeros after the last R8G8B8 texel, as if each had four bytes (docs/spec/scenario.md#formats, note a).
  if (!levels && has_tail_padding(*view->format)) levels = split_levels(*view, payload, count, tight_bytes);

  Size expected = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    expected = checked_add(
        expected, file_level_bytes(*view->format, std::max(view->width >> i, 1u), std::max(view->height >> i, 1u)));
  }
  const auto mismatch = [&](DiagnosticKind kind) {
    return fail(kind, SourceLocation::in_bytes(name, {view->header_bytes, file.size()}),
                formatted("Expected image input size to be {}, but got {} instead",
                          expected ? std::to_string(*expected) : "more than 2^64", payload.size()));
  };
  if (!levels) return mismatch(DiagnosticKind::FileTruncated);
  const bool tight = (*levels)[0].bytes.size() == payload.size();
  if (view->level_count == 1 && !tight) return mismatch(DiagnosticKind::TrailingData);
  view->levels = std::move(*levels);
  return view;
}

Result<> check_dds_extent(const DdsView& texture, const std::string& name, std::uint64_t width, std::uint64_t height) {
  Diagnostics problems;
  const auto check = [&](std::string_view what, std::uint32_t offset, std::uint64_t got, std::uint64_t wanted) {
    if (got == wanted) return;
    problems.error(DiagnosticKind::FileMismatch, SourceLocation::in_bytes(name, {offset, offset + 4}),
                   formatted("DDS image {} does not match that in the scenario file: {} vs {}", what, got, wanted));
  };
  check("height", field::kHeight, texture.height, height);
  check("width", field::kWidth, texture.width, width);
  if (!problems.empty()) return std::unexpected(problems.release());
  return {};
}

Result<std::vector<std::byte>> dds_header(const FormatInfo& format, std::uint32_t width, std::uint32_t height,
                                          const SourceLocation& location, DdsHeader kind) {
  if (format.dxgi == 0 || format.is_block()) {
    return fail(DiagnosticKind::OutOfRange, location,
                formatted("`{}` cannot be written to a DDS file; write a .npy file", vk::name_of(format.format)));
  }
  const std::uint64_t pitch = std::uint64_t{width} * format.file_texel_bytes;
  if (pitch > std::numeric_limits<std::uint32_t>::max()) {
    return fail(DiagnosticKind::OutOfRange, location, formatted("a row of {} bytes is too long for a DDS file", pitch));
  }
  const auto legacy = std::ranges::find(kLegacyFormats, format.format, &LegacyFormat::format);
  if (kind == DdsHeader::Legacy && legacy == std::end(kLegacyFormats)) {
    return fail(DiagnosticKind::OutOfRange, location,
                formatted("`{}` has no DDS header of programs before Direct3D 10; write one with a DX10 header",
                          vk::name_of(format.format)));
  }
  std::vector<std::byte> header(kind == DdsHeader::Legacy ? kLegacyDdsHeaderBytes : kDdsHeaderBytes);
  const auto put = [&](std::uint32_t offset, std::uint32_t value) { store(header.data() + offset, value); };
  put(field::kMagic, kMagicValue);
  put(field::kSize, kHeaderSize);
  put(field::kFlags, kRequiredFlags | kPitchFlag);
  put(field::kHeight, height);
  put(field::kWidth, width);
  put(field::kPitch, static_cast<std::uint32_t>(pitch));
  put(field::kDepth, 1);
  put(field::kMipMapCount, 1);
  put(field::kPixelFormatSize, kPixelFormatSize);
  put(field::kCaps, kTextureCaps);
  if (kind == DdsHeader::Legacy) {
    put(field::kDepth, 0);  // of volumes only
    put(field::kPixelFormatFlags, legacy->flags);
    put(field::kFourCc, legacy->code);
    put(field::kBitCount, legacy->bits);
    for (std::uint32_t i = 0; i < 4; ++i) put(field::kMasks + 4 * i, legacy->masks[i]);
    return header;
  }
  put(field::kPixelFormatFlags, kFourCcFlag);
  put(field::kFourCc, kDx10);
  put(field::kDxgiFormat, format.dxgi);
  put(field::kDimension, kTexture2d);
  put(field::kArraySize, 1);
  return header;
}

}  // namespace slipway::tensor
