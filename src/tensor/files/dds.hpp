// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DirectDraw Surface files: 1D, 2D and 3D textures with layers, faces and mip levels (docs/spec/scenario.md#dds-files).
// The format is in a DX10 header, or described as programs before Direct3D 10 do.
//
//   Result<DdsView> texture = parse_dds(mapped.bytes(), "a.dds", levels_used);
//   read_dds_level(*texture, 0, *texture->format, device);
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "tensor/format.hpp"

namespace slipway::tensor {

struct DdsLevel {
  std::array<std::uint32_t, 3> extent{};
  std::vector<Bytes> layers;  // as they are in the file; each has all its slices
};

// What a header leaves open, or what the texels of a file have instead of those of the format.
struct DdsTexels {
  bool any_numbers = false;  // typeless: UNORM, UINT, SFLOAT ... of the same bits
  bool legacy = false;       // no word about sRGB
  std::string colors;        // bytes of a texel in the file, such as BGRX: R, G and B of 8 bits, without alpha
  std::uint32_t opaque = 0;  // bits to set in each texel: the alpha that the file does not have
};

struct DdsView {
  const FormatInfo* format = nullptr;  // where the header leaves a choice, the usual one
  DdsTexels texels;
  std::array<std::uint32_t, 3> extent{};  // height is 1 for 1D, depth for 1D and 2D textures
  std::uint32_t layers = 1;               // of a cube map its faces
  std::uint32_t level_count = 1;          // of the file
  std::uint32_t header_bytes = 0;         // before the payload
  std::vector<DdsLevel> levels;           // the first min(level_count, levels_used)
};

// All errors of the header are reported together, at byte ranges of the file. Only the levels that are used must be
// present; a file with one level must have exactly its bytes.
Result<DdsView> parse_dds(Bytes file, const std::string& name, std::uint32_t levels_used = 32);

// As `parse_dds`, without the levels: their bytes may be missing.
Result<DdsView> parse_dds_header(Bytes file, const std::string& name);

// Whether the texels may be read as this format: that of the file, or another one that the header leaves open.
bool is_readable_as(const DdsView& texture, const FormatInfo& format);

// One level in the device layout of a format as which the texels are readable, its layers one after the other.
void read_dds_level(const DdsView& texture, std::size_t level, const FormatInfo& format, MutableBytes device);

// Errors: "DDS image height does not match that in the scenario file: a vs b", and the same for the width.
Result<> check_dds_extent(const DdsView& texture, const std::string& name, std::uint64_t width, std::uint64_t height);

inline constexpr std::size_t kDdsHeaderBytes = 148;        // with a DX10 header
inline constexpr std::size_t kLegacyDdsHeaderBytes = 128;  // without

enum class DdsHeader : std::uint8_t { Dx10, Legacy };

// The bytes before the payload of one level, `to_file_layout(...)` of all its slices and layers; `layers` is 1 if the
// depth is not. Errors, at `location`: a format without a DXGI code; for a legacy header layers, and formats that
// programs before Direct3D 10 do not have.
Result<std::vector<std::byte>> dds_header(const FormatInfo& format, std::array<std::uint32_t, 3> extent,
                                          std::uint32_t layers, const SourceLocation& location,
                                          DdsHeader kind = DdsHeader::Dx10);

}  // namespace slipway::tensor
